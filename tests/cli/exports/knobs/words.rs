//! Settings of codes: what they are checked against, and the rule that a code makes of them.

use super::world::Rule;
use crate::support::workplace::Json;
use serde_json::Value;

/// Levels of a statistic with this balanced value.
pub fn levels(balanced: f64) -> Vec<f64> {
    (0..48).map(|i| balanced + 0.02 * 1.11_f64.powi(i)).collect()
}

pub fn intervals() -> Vec<f64> {
    (1..=40).chain([50, 60, 79, 99]).map(f64::from).collect()
}

/// What remains when comments are gone, one item a line.
pub fn lines<'a>(text: &'a str, mark: &str) -> Vec<&'a str> {
    let lines = text.lines().filter(|line| !line.starts_with(mark));
    lines.map(|line| line.split_once(" #").map_or(line, |(code, _)| code)).collect()
}

/// Comments as one line.
pub fn said(text: &str) -> String {
    text.replace("\n#", "").replace("\n//", "")
}

pub fn number(text: &str) -> f64 {
    let plain = text.chars().all(|c| c.is_ascii_digit() || c == '.');
    assert!(plain && text.starts_with(|c: char| c.is_ascii_digit()), "{text:?} is not a number");
    text.parse().unwrap()
}

pub fn whole(text: &str) -> f64 {
    assert!(text.chars().all(|c| c.is_ascii_digit()), "{text:?} is not a whole number");
    number(text)
}

/// `key SEPARATOR value` lines, in this order.
pub fn fields<'a>(lines: &[&'a str], separator: &str, keys: &[&str]) -> Vec<&'a str> {
    assert_eq!(lines.len(), keys.len(), "{lines:?}");
    let value = |(line, key): (&&'a str, &&str)| {
        let (found, value) =
            line.trim().split_once(separator).unwrap_or_else(|| panic!("{line:?}"));
        assert_eq!(found.trim(), *key);
        value.trim()
    };
    lines.iter().zip(keys).map(value).collect()
}

/// `--flag`, `--flag value` and `--flag=value`.
pub fn flags(line: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for word in line.split_whitespace() {
        match word.strip_prefix("--").or_else(|| word.strip_prefix('+')) {
            Some(flag) => {
                let (name, value) = flag.split_once('=').unwrap_or((flag, ""));
                found.push((name.to_owned(), value.to_owned()));
            }
            None => {
                let value = &mut found.last_mut().expect("a flag comes first").1;
                assert!(value.is_empty(), "{line:?}");
                *value = word.to_owned();
            }
        }
    }
    found
}

pub fn pick(flags: &[(String, String)], name: &str) -> String {
    let found = flags.iter().find(|(flag, _)| flag == name);
    found.unwrap_or_else(|| panic!("no {name} in {flags:?}")).1.clone()
}

/// The rule of the code itself, from numbers of its settings.
pub fn rule(target: &str, knob: f64, interval: u64) -> Rule {
    let n = interval;
    match target {
        "lammps" => Box::new(move |s| s.max / s.mean > knob),
        "warpx" => Box::new(move |s| (s.step + 1) % n == 0 && 1.0 > knob * (s.mean / s.max)),
        "swift" => Box::new(move |s| s.step - s.last >= 2 && (s.max - s.min) / s.mean > knob),
        "fourc" => Box::new(move |s| s.max / s.min >= knob),
        "openfoam" => {
            Box::new(move |s| s.step > 1 && s.step % n == 0 && (s.max - s.mean) / s.mean > knob)
        }
        // So many passes are waited for, and the next one looks.
        "sglang" => Box::new(move |s| {
            let utilization = if s.max > 0.0 { s.mean / s.max } else { 1.0 };
            s.step > n && (s.step - 1) % n == 0 && utilization <= knob
        }),
        "atom" => Box::new(move |s| {
            let utilization = if s.max > 0.0 { s.mean / s.max } else { 1.0 };
            let first = (n / 4).max(1) + 1;
            s.step >= first && (s.step - first).is_multiple_of(n) && utilization < knob
        }),
        "fourc_structure" => Box::new(move |s| s.max / s.mean > knob && s.step - s.last >= n),
        "vt" => Box::new(move |s| {
            let phase = s.step - 1;
            let now = phase % n == 1 || n == 1 && phase != 0;
            now && s.max / s.mean - 1.0 > 0.03
        }),
        "amrex" => Box::new(move |s| s.step == 1 || s.step - s.last >= n),
        "eplb" => Box::new(move |s| {
            // The counter starts at n - n / 4, counts this step and is set back to 0.
            let first = (n / 4).max(1);
            s.step >= first && (s.step - first).is_multiple_of(n)
        }),
        "smilei" | "charm" => Box::new(move |s| s.step % n == 0),
        other => panic!("{other}"),
    }
}

/// The settings of a text, checked against what the code reads.
pub fn parsed(target: &str, text: &str) -> (f64, u64) {
    let mark = if target == "openfoam" { "//" } else { "#" };
    let lines = lines(text, mark);
    match target {
        "lammps" => {
            assert_eq!((lines.len(), lines[0]), (2, "comm_style tiled"));
            let words: Vec<&str> = lines[1].split(' ').collect();
            assert_eq!((words[0], words[2], words[3]), ("fix", "all", "balance"));
            assert_eq!(words[6..], ["rcb", "weight", "time", "1.0"]);
            (number(words[5]), whole(words[4]) as u64)
        }
        "warpx" => {
            let keys = ["load_balance_costs_update", "load_balance_intervals"];
            let keys = keys.map(|key| format!("algo.{key}"));
            let ratio = "algo.load_balance_efficiency_ratio_threshold";
            let values = fields(&lines, "=", &[keys[0].as_str(), keys[1].as_str(), ratio]);
            assert_eq!(values[0], "timers");
            (number(values[2]), whole(values[1]) as u64)
        }
        "swift" => {
            assert_eq!(lines[0], "DomainDecomposition:");
            let keys = ["repartition_type", "trigger", "minfrac"];
            let values = fields(&lines[1..], ":", &keys);
            assert_eq!(values[0], "fullcosts");
            let (trigger, share) = (number(values[1]), number(values[2]));
            assert!(trigger > 0.0 && trigger < 1.0 && share > 0.5 && share <= 1.0);
            (trigger, 1)
        }
        "fourc" => {
            assert_eq!(lines[0], "MORTAR COUPLING/PARALLEL REDISTRIBUTION:");
            let keys = ["PARALLEL_REDIST", "MAX_BALANCE_EVAL_TIME", "MAX_BALANCE_SLAVE_ELES"];
            let values = fields(&lines[1..], ":", &keys);
            assert_eq!(values[0], "Dynamic");
            assert!(number(values[1]) >= 1.0 && number(values[2]) > 1.0);
            (number(values[1]), 1)
        }
        "openfoam" => {
            assert_eq!((lines[0], lines[1], lines[lines.len() - 1]), ("distributor", "{", "}"));
            let inside: Vec<&str> = lines[2..lines.len() - 1]
                .iter()
                .map(|line| line.trim().strip_suffix(';').expect("entries end in ;"))
                .collect();
            let keys =
                ["type", "libs", "multiConstraint", "redistributionInterval", "maxImbalance"];
            let values = fields(&inside, " ", &keys);
            assert_eq!(values[..2], ["loadBalancer", "(\"libfvMeshDistributors.so\")"]);
            (number(values[4]), whole(values[3]) as u64)
        }
        "sglang" => {
            let flags = flags(lines[0]);
            assert_eq!(lines.len(), 1);
            let every = whole(&pick(&flags, "eplb-rebalance-num-iterations"));
            assert!(whole(&pick(&flags, "expert-distribution-recorder-buffer-size")) <= every);
            assert_eq!(pick(&flags, "enable-eplb"), "");
            if flags.len() == 3 {
                return (1.0, every as u64);
            }
            // The flag that it replaced ends the start of the server.
            assert_eq!(pick(&flags, "expert-balancedness-report-mode"), "server_log");
            let least = number(&pick(&flags, "eplb-min-rebalancing-utilization-threshold"));
            assert!(least < 1.0);
            (least, every as u64)
        }
        "vt" => {
            let flags = flags(lines[0]);
            assert_eq!((lines.len(), flags.len()), (1, 3));
            assert_eq!(pick(&flags, "vt_lb"), "");
            assert_eq!(pick(&flags, "vt_lb_name"), "TemperedLB");
            (0.0, whole(&pick(&flags, "vt_lb_interval")) as u64)
        }
        // `amr.max_level` is none of its lines: it would turn refinement off.
        "amrex" => {
            let keys = ["loadbalance_with_workestimates", "loadbalance_level0_int"];
            let keys = keys.map(|key| format!("amr.{key}"));
            let values = fields(&lines, "=", &[&keys[0], &keys[1]].map(String::as_str));
            assert_eq!(values[0], "1");
            (0.0, whole(values[1]) as u64)
        }
        "eplb" => {
            let (flags, config) = lines[0].split_once(" --eplb-config ").unwrap();
            assert_eq!((lines.len(), flags), (1, "--enable-expert-parallel --enable-eplb"));
            let config: Value = serde_json::from_str(config.trim_matches('\'')).unwrap();
            let every = config["step_interval"].u64();
            assert_eq!(config["window_size"], every.min(1000));
            // One layer is moved a step: shorter intervals are attained by remaps that stop the
            // engine.
            let stops = config.get("use_async").map(|flag| flag.as_bool().unwrap());
            assert_eq!(stops, (every < 100).then_some(false));
            (0.0, every)
        }
        "atom" => {
            let (flags, config) = lines[0].split_once(" --eplb-config ").unwrap();
            assert_eq!((lines.len(), flags), (1, "--enable-expert-parallel --enable-eplb"));
            let config: Value = serde_json::from_str(config.trim_matches('\'')).unwrap();
            let every = config["rebalance_interval"].u64();
            assert!(config["load_window_size"].u64() <= every);
            let least = config.get("rebalance_min_balancedness").map(Json::f64);
            (least.unwrap_or(2.0), every)
        }
        "fourc_structure" => {
            assert_eq!(lines[0], "STRUCTURAL DYNAMIC/DYNAMIC REBALANCE:");
            let keys = ["ENABLED", "IMBALANCE_THRESHOLD", "WINDOW_STEPS", "COOLDOWN_STEPS"];
            let values = fields(&lines[1..], ":", &keys);
            assert_eq!((values[0], values[2]), ("true", "1"));
            (number(values[1]), whole(values[3]) as u64)
        }
        "smilei" => {
            assert_eq!((lines[0], lines[3]), ("LoadBalancing(", ")"));
            let inside: Vec<&str> =
                lines[1..3].iter().map(|line| line.strip_suffix(',').unwrap()).collect();
            let values = fields(&inside, " = ", &["initial_balance", "every"]);
            assert_eq!(values[0], "True");
            (0.0, whole(values[1]) as u64)
        }
        "charm" => {
            // A program that calls AtSync stalls with +LBPeriod.
            assert_eq!(lines, ["+balancer GreedyRefineLB"]);
            let (_, every) = text.split_once("# AtSync() every ").unwrap();
            (0.0, whole(every.split(' ').next().unwrap()) as u64)
        }
        other => panic!("{other}"),
    }
}

/// Every setting of a knob: numbers of its rule.
pub fn settings(target: &str) -> Vec<(f64, u64)> {
    let each = |list: Vec<f64>| list.into_iter().map(|level| (level, 1)).collect();
    match target {
        "lammps" | "warpx" | "fourc" | "fourc_structure" => each(levels(1.0)),
        "swift" => each(levels(0.0).into_iter().filter(|level| *level < 1.0).collect()),
        "openfoam" => each(levels(0.0)),
        "sglang" | "atom" => each(levels(1.0).into_iter().map(|level| 1.0 / level).collect()),
        _ => intervals().into_iter().map(|n| (0.0, n as u64)).collect(),
    }
}

pub const TARGETS: [&str; 13] = [
    "lammps",
    "warpx",
    "swift",
    "fourc",
    "fourc_structure",
    "openfoam",
    "sglang",
    "atom",
    "vt",
    "amrex",
    "eplb",
    "smilei",
    "charm",
];
/// Those that know an interval only.
pub const BLIND: [&str; 5] = ["vt", "amrex", "eplb", "smilei", "charm"];
