//! Settings of codes: what they are checked against, and the rule that a code makes of them.

use super::world::Rule;
use crate::support::prelude::*;

/// Levels of a statistic with this balanced value.
pub fn levels(balanced: f64) -> Vec<f64> {
    (0..48).map(|i| balanced + 0.02 * 1.11_f64.powi(i)).collect()
}

pub fn intervals() -> Vec<f64> {
    (1..=40).chain([50, 60, 79, 99]).map(f64::from).collect()
}

/// What remains when comments are gone, in words, with a bar between lines.
fn words(text: &str, mark: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.starts_with(mark));
    let lines = lines.map(|line| line.split_once(" #").map_or(line, |(code, _)| code));
    let lines: Vec<&str> = lines.collect();
    lines.join(" | ").split_whitespace().map(str::to_owned).collect()
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

/// What a code reads: `@` stands for the knob, `#` for the interval, `*` for other numbers.
fn form(target: &str) -> &'static str {
    match target {
        "lammps" => "comm_style tiled | fix remap all balance # @ rcb weight time 1.0",
        "warpx" => {
            "algo.load_balance_costs_update = timers | algo.load_balance_intervals = # | \
             algo.load_balance_efficiency_ratio_threshold = @"
        }
        "swift" => "DomainDecomposition: | repartition_type: fullcosts | trigger: @ | minfrac: *",
        "fourc" => {
            "MORTAR COUPLING/PARALLEL REDISTRIBUTION: | PARALLEL_REDIST: Dynamic | \
             MAX_BALANCE_EVAL_TIME: @ | MAX_BALANCE_SLAVE_ELES: *"
        }
        "fourc_structure" => {
            "STRUCTURAL DYNAMIC/DYNAMIC REBALANCE: | ENABLED: true | IMBALANCE_THRESHOLD: @ | \
             WINDOW_STEPS: 1 | COOLDOWN_STEPS: #"
        }
        "openfoam" => {
            "distributor | { | type loadBalancer; | libs (\"libfvMeshDistributors.so\"); | multiConstraint true; | \
             redistributionInterval #; | maxImbalance @; | }"
        }
        "sglang" => {
            "--enable-eplb --eplb-rebalance-num-iterations # --expert-distribution-recorder-buffer-size * \
             --expert-balancedness-report-mode server_log --eplb-min-rebalancing-utilization-threshold @"
        }
        "vt" => "--vt_lb --vt_lb_name=TemperedLB --vt_lb_interval=#",
        // `amr.max_level` is none of its lines: it would turn refinement off.
        "amrex" => "amr.loadbalance_with_workestimates = 1 | amr.loadbalance_level0_int = #",
        "smilei" => "LoadBalancing( | initial_balance = True, | every = #, | )",
        // A program that calls AtSync stalls with +LBPeriod.
        "charm" => "+balancer GreedyRefineLB",
        other => panic!("{other}"),
    }
}

/// The settings of a text, checked against what the code reads.
pub fn parsed(target: &str, text: &str) -> (f64, u64) {
    let found = words(text, if target == "openfoam" { "//" } else { "#" });
    if ["eplb", "atom"].contains(&target) {
        return configured(target, &found);
    }
    let mut form: Vec<&str> = form(target).split_whitespace().collect();
    // With any imbalance the flag is left out that another one replaced, which would end the start
    // of the server.
    let always = target == "sglang" && found.len() == 5;
    form.truncate(if always { 5 } else { form.len() });
    assert_eq!(found.len(), form.len(), "{text}");
    let (mut knob, mut every, mut other) = (if always { 1.0 } else { 0.0 }, 1.0, None);
    for (word, form) in found.iter().zip(form) {
        let Some((start, end)) = form.split_once(['@', '#', '*']) else {
            assert_eq!(word, form, "{text}");
            continue;
        };
        let value = word.strip_prefix(start).and_then(|word| word.strip_suffix(end));
        let value = value.unwrap_or_else(|| panic!("{word} is not {form}"));
        match form.as_bytes()[start.len()] {
            b'@' => knob = number(value),
            b'#' => every = whole(value),
            _ => other = Some(number(value)),
        }
    }
    match (target, other) {
        ("swift", Some(share)) => assert!(knob > 0.0 && knob < 1.0 && share > 0.5 && share <= 1.0),
        ("fourc", Some(elements)) => assert!(knob >= 1.0 && elements > 1.0),
        ("sglang", Some(passes)) => assert!(passes <= every && (always || knob < 1.0)),
        ("charm", None) => {
            let (_, after) = text.split_once("# AtSync() every ").unwrap();
            every = whole(after.split(' ').next().unwrap());
        }
        _ => assert!(other.is_none()),
    }
    (knob, every as u64)
}

/// The same of those that read JSON.
fn configured(target: &str, found: &[String]) -> (f64, u64) {
    let flags = ["--enable-expert-parallel", "--enable-eplb", "--eplb-config"];
    assert_eq!((found.len(), &found[..3]), (4, &flags.map(str::to_owned)[..]));
    let config: Value = serde_json::from_str(found[3].trim_matches('\'')).unwrap();
    if target == "atom" {
        let every = config["rebalance_interval"].u64();
        assert!(config["load_window_size"].u64() <= every);
        return (config.get("rebalance_min_balancedness").map_or(2.0, Json::f64), every);
    }
    let every = config["step_interval"].u64();
    assert_eq!(config["window_size"], every.min(1000));
    // One layer is moved a step: shorter intervals are attained by remaps that stop the engine.
    let stops = config.get("use_async").map(|flag| flag.as_bool().unwrap());
    assert_eq!(stops, (every < 100).then_some(false));
    (0.0, every)
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

pub fn targets() -> impl Iterator<Item = &'static str> {
    "lammps warpx swift fourc fourc_structure openfoam sglang atom vt amrex eplb smilei charm"
        .split(' ')
}

/// Those that know an interval only.
pub const BLIND: [&str; 5] = ["vt", "amrex", "eplb", "smilei", "charm"];
