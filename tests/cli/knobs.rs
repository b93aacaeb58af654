//! Settings written for other codes: they are words of that code's language, and under its own rule they cost
//! little more than the best setting of that knob.

use crate::thorough::some;
use crate::workplace::Workplace;
use approx::assert_abs_diff_eq;
use serde_json::Value;
use std::path::Path;

/// A walk on levels with these probabilities up and down.
#[derive(Clone, Copy)]
struct Walk {
    lowest: i64,
    levels: i64,
    up: f64,
    down: f64,
    reflect: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Course {
    /// So many steps from this load, decided after each.
    Job(u64, i64),
    /// Until balance or the first remap, from any loads.
    Once,
    /// Without end, decided before each step is paid.
    Endless,
}

struct World {
    name: &'static str,
    text: String,
    walk: Walk,
    capacities: &'static [f64],
    remap_cost: f64,
    course: Course,
    runs: u64,
}

/// What a code sees when it may remap.
struct Seen {
    step: u64,
    last: u64,
    /// Wall time since the last remap.
    wall: f64,
    max: f64,
    min: f64,
    mean: f64,
}

type Rule = Box<dyn Fn(&Seen) -> bool>;

fn random(run: u64, step: u64, process: u64) -> f64 {
    let mut z =
        run.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (step << 20) ^ (process << 4) ^ 0x5DEECE66D;
    for _ in 0..2 {
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
    }
    (z >> 11) as f64 / (1u64 << 53) as f64
}

impl Walk {
    fn moved(&self, load: i64, draw: f64) -> i64 {
        let (bottom, top) = (self.lowest, self.lowest + self.levels - 1);
        let (mut up, mut down) = (self.up, self.down);
        if load == top {
            (up, down) = (0.0, down + if self.reflect { up } else { 0.0 });
        }
        if load == bottom {
            (up, down) = (up + if self.reflect { down } else { 0.0 }, 0.0);
        }
        match draw {
            low if low < down => load - 1,
            high if high >= 1.0 - up => load + 1,
            _ => load,
        }
    }
}

impl World {
    fn steps(&self) -> u64 {
        match self.course {
            Course::Job(steps, _) => steps,
            Course::Once => 300,
            Course::Endless => 1500,
        }
    }

    /// Mean cost of a path under each rule, on the same paths.
    fn costs(&self, rules: &[Rule]) -> Vec<f64> {
        let mut totals = vec![0.0; rules.len()];
        let r = self.capacities.len() as u64;
        for run in 0..self.runs {
            let draw = |place: u64| random(run, place / r, place % r);
            let draws: Vec<f64> = (0..(self.steps() + 1) * r).map(draw).collect();
            for (total, rule) in totals.iter_mut().zip(rules) {
                *total += self.paid(rule, &draws);
            }
        }
        totals.iter().map(|total| total / self.runs as f64).collect()
    }

    fn cost(&self, rule: Rule) -> f64 {
        self.costs(&[rule])[0]
    }

    /// What a path costs that is drawn so.
    fn paid(&self, rule: &Rule, draws: &[f64]) -> f64 {
        let (r, steps) = (self.capacities.len(), self.steps());
        let all: f64 = self.capacities.iter().sum();
        let is_job = matches!(self.course, Course::Job(..));
        let mut loads: Vec<i64> = match self.course {
            Course::Job(_, initial) => vec![initial; r],
            Course::Once => draws[..r]
                .iter()
                .map(|draw| self.walk.lowest + (draw * self.walk.levels as f64) as i64)
                .collect(),
            Course::Endless => vec![self.walk.lowest + self.walk.levels / 2; r],
        };
        // Largest, least and mean time, and what waiting costs.
        let look = |loads: &[i64]| {
            let (mut max, mut min, mut sum) = (0.0_f64, f64::INFINITY, 0.0);
            for (load, capacity) in loads.iter().zip(self.capacities) {
                let time = *load as f64 / capacity;
                (max, min, sum) = (max.max(time), min.min(time), sum + time);
            }
            let balanced = loads.iter().sum::<i64>() as f64 / all;
            (max, min, sum / r as f64, max - balanced)
        };
        let (mut last, mut wall, mut paid) = (0, 0.0, 0.0);
        for step in 1..=steps {
            if self.course != Course::Once || step > 1 {
                let drawn = &draws[step as usize * r..];
                for (load, draw) in loads.iter_mut().zip(drawn) {
                    *load = self.walk.moved(*load, *draw);
                }
            }
            let (max, min, mean, waiting) = look(&loads);
            wall += max;
            if self.course == Course::Once && waiting < 1e-9 {
                break;
            }
            if is_job {
                paid += waiting;
            }
            let ends = is_job && step == steps;
            if !ends && rule(&Seen { step, last, wall, max, min, mean }) {
                paid += self.remap_cost;
                (last, wall) = (step, 0.0);
                let sum: i64 = loads.iter().sum();
                for (i, load) in loads.iter_mut().enumerate() {
                    *load =
                        sum.div_euclid(r as i64) + i64::from((i as i64) < sum.rem_euclid(r as i64));
                }
                if self.course == Course::Once {
                    break;
                }
            }
            if !is_job {
                paid += look(&loads).3;
            }
        }
        if self.course == Course::Endless { paid / steps as f64 } else { paid }
    }
}

fn models() -> Vec<World> {
    let read = |name: &str| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        std::fs::read_to_string(root.join("models").join(name)).unwrap()
    };
    let hold = |lowest, levels| Walk { lowest, levels, up: 0.25, down: 0.25, reflect: false };
    let downward = "Model(title: \"Two that sink\", problem: LoadDrift(processors: 2, chain: Walk(lowest: 2,
        levels: 12, up: 0.2, down: 0.25, edge: Reflect), initial_load: 8, steps: 80, remap_cost: 3))";
    let four = "Model(title: \"Four\", problem: LoadDrift(processors: 4, chain: Walk(lowest: 4, levels: 13,
        up: 0.3, down: 0.3, edge: Hold), initial_load: 10, steps: 60, remap_cost: 4))";
    vec![
        World {
            name: "four",
            text: four.to_owned(),
            walk: Walk { up: 0.3, down: 0.3, ..hold(4, 13) },
            capacities: &[1.0; 4],
            remap_cost: 4.0,
            course: Course::Job(60, 10),
            runs: 400,
        },
        World {
            name: "three_chains",
            text: read("load_drift/three_chains.ron"),
            walk: hold(1, 19),
            capacities: &[1.0; 3],
            remap_cost: 8.0,
            course: Course::Job(100, 10),
            runs: 400,
        },
        World {
            name: "downward",
            text: downward.to_owned(),
            walk: Walk { lowest: 2, levels: 12, up: 0.2, down: 0.25, reflect: true },
            capacities: &[1.0; 2],
            remap_cost: 3.0,
            course: Course::Job(80, 8),
            runs: 400,
        },
        World {
            name: "restart",
            text: read("stopping/restart.ron"),
            walk: Walk { reflect: true, ..hold(0, 6) },
            capacities: &[1.0; 2],
            remap_cost: 5.0,
            course: Course::Endless,
            runs: 24,
        },
        World {
            name: "capacities",
            text: read("stopping/capacities.ron"),
            walk: hold(0, 11),
            capacities: &[1.0, 1.0, 2.0],
            remap_cost: 12.0,
            course: Course::Once,
            runs: 300,
        },
    ]
}

/// Levels of a statistic with this balanced value.
fn levels(balanced: f64) -> Vec<f64> {
    (0..48).map(|i| balanced + 0.02 * 1.11_f64.powi(i)).collect()
}

fn intervals() -> Vec<f64> {
    (1..=40).chain([50, 60, 79, 99]).map(f64::from).collect()
}

/// What remains when comments are gone, one item a line.
fn lines<'a>(text: &'a str, mark: &str) -> Vec<&'a str> {
    let lines = text.lines().filter(|line| !line.starts_with(mark));
    lines.map(|line| line.split_once(" #").map_or(line, |(code, _)| code)).collect()
}

/// Comments as one line.
fn said(text: &str) -> String {
    text.replace("\n#", "").replace("\n//", "")
}

fn number(text: &str) -> f64 {
    let plain = text.chars().all(|c| c.is_ascii_digit() || c == '.');
    assert!(plain && text.starts_with(|c: char| c.is_ascii_digit()), "{text:?} is not a number");
    text.parse().unwrap()
}

fn whole(text: &str) -> f64 {
    assert!(text.chars().all(|c| c.is_ascii_digit()), "{text:?} is not a whole number");
    number(text)
}

/// `key SEPARATOR value` lines, in this order.
fn fields<'a>(lines: &[&'a str], separator: &str, keys: &[&str]) -> Vec<&'a str> {
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
fn flags(line: &str) -> Vec<(String, String)> {
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

fn pick(flags: &[(String, String)], name: &str) -> String {
    let found = flags.iter().find(|(flag, _)| flag == name);
    found.unwrap_or_else(|| panic!("no {name} in {flags:?}")).1.clone()
}

/// The rule of the code itself, from numbers of its settings.
fn rule(target: &str, knob: f64, interval: u64) -> Rule {
    let n = interval;
    match target {
        "lammps" => Box::new(move |s| s.max / s.mean > knob),
        "warpx" => Box::new(move |s| (s.step + 1) % n == 0 && 1.0 > knob * (s.mean / s.max)),
        "swift" => Box::new(move |s| s.step - s.last >= 2 && (s.max - s.min) / s.mean > knob),
        "fourc" => Box::new(move |s| s.max / s.min >= knob),
        "openfoam" => {
            Box::new(move |s| s.step > 1 && s.step % n == 0 && (s.max - s.mean) / s.mean > knob)
        }
        "sglang" => Box::new(move |s| {
            let utilization = if s.max > 0.0 { s.mean / s.max } else { 1.0 };
            s.step % n == 0 && utilization <= knob
        }),
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
        "smilei" => Box::new(move |s| s.step % n == 0),
        "charm" => Box::new(move |s| s.wall >= knob),
        other => panic!("{other}"),
    }
}

/// The settings of a text, checked against what the code reads.
fn parsed(target: &str, text: &str) -> (f64, u64) {
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
            assert_eq!(pick(&flags, "enable-expert-distribution-metrics"), "");
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
        "amrex" => {
            let keys = ["max_level", "loadbalance_with_workestimates", "loadbalance_level0_int"];
            let keys = keys.map(|key| format!("amr.{key}"));
            let values = fields(&lines, "=", &[&keys[0], &keys[1], &keys[2]].map(String::as_str));
            assert_eq!(values[..2], ["0", "1"]);
            (0.0, whole(values[2]) as u64)
        }
        "eplb" => {
            let (flags, config) = lines[0].split_once(" --eplb-config ").unwrap();
            assert_eq!((lines.len(), flags), (1, "--enable-expert-parallel --enable-eplb"));
            let config: Value = serde_json::from_str(config.trim_matches('\'')).unwrap();
            let every = config["step_interval"].as_u64().unwrap();
            assert_eq!(config["window_size"], every.min(1000));
            assert_eq!(config.as_object().unwrap().len(), 2);
            (0.0, every)
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
            let flags = flags(lines[0]);
            assert_eq!((lines.len(), flags.len()), (1, 2));
            assert_eq!(pick(&flags, "balancer"), "GreedyRefineLB");
            (number(&pick(&flags, "LBPeriod")), 1)
        }
        other => panic!("{other}"),
    }
}

/// Every setting of a knob: numbers of its rule.
fn settings(target: &str) -> Vec<(f64, u64)> {
    let each = |list: Vec<f64>| list.into_iter().map(|level| (level, 1)).collect();
    match target {
        "lammps" | "warpx" | "fourc" => each(levels(1.0)),
        "swift" => each(levels(0.0).into_iter().filter(|level| *level < 1.0).collect()),
        "openfoam" => each(levels(0.0)),
        "sglang" => each(levels(1.0).into_iter().map(|level| 1.0 / level).collect()),
        "charm" => intervals().into_iter().map(|n| (12.0 * n, 1)).collect(),
        _ => intervals().into_iter().map(|n| (0.0, n as u64)).collect(),
    }
}

const TARGETS: [&str; 11] = [
    "lammps", "warpx", "swift", "fourc", "openfoam", "sglang", "vt", "amrex", "eplb", "smilei",
    "charm",
];
/// Those that know an interval only.
const BLIND: [&str; 5] = ["vt", "amrex", "eplb", "smilei", "charm"];

/// With so many times the paths.
fn settings_cost_little_more(than: f64, times: u64) {
    for mut world in some(2, models()) {
        world.runs *= times;
        let place = Workplace::new();
        place.write("model.ron", &world.text);
        let solution = place.run(&["solve", "--json", "model.ron"]).exits(0).out;
        place.write("solution.json", solution);
        for target in TARGETS {
            let export = ["export", "solution.json", "--to", target];
            let blind = BLIND.contains(&target);
            if blind && world.course == Course::Once {
                place.run(&export).exits(1).says("remaps once");
                continue;
            }
            let all = settings(target).into_iter();
            let all: Vec<Rule> = all.map(|(knob, interval)| rule(target, knob, interval)).collect();
            let best = world.costs(&all).into_iter().fold(f64::INFINITY, f64::min);
            let name = world.name;
            if world.course == Course::Endless {
                // No ratio and no interval is better than never there: the mean load goes down to 0.
                let never: Rule = Box::new(|_| false);
                let never = world.cost(never);
                assert!(never <= than * best, "{target}: {never}, at best {best}");
                match blind {
                    true => drop(place.run(&export).exits(0)),
                    false => drop(place.run(&export).exits(1).says("costs less than never")),
                }
                continue;
            }
            let out = place.run(&export).exits(0).out;
            assert!(said(&out).contains("never remapping"), "{target}:\n{out}");
            let (knob, interval) = parsed(target, &out);
            let cost = world.cost(rule(target, knob, interval.max(1)));
            assert!(cost <= than * best, "{name}, {target}: {cost}, at best {best}\n{out}");
        }
    }
}

#[test]
fn settings_cost_little_more_than_the_best_of_their_knob() {
    settings_cost_little_more(1.02, 1);
}

/// `cargo test -p remapping-cli --test cli -- --ignored settings_cost_hardly_more`
#[test]
#[ignore = "a quarter of an hour; run with: cargo test --test cli settings_cost_hardly -- --ignored"]
fn settings_cost_hardly_more_than_the_best_of_their_knob() {
    settings_cost_little_more(1.01, 20);
}

#[test]
fn an_interval_is_written_where_there_is_one() {
    let place = Workplace::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = std::fs::read_to_string(root.join("models/periodic/cost_aware.ron")).unwrap();
    place.write("wide.ron", text.replace("MaxDeviation(0.10)", "MaxDeviation(0.20)"));
    let solution = place.run(&["solve", "--json", "wide.ron"]).exits(0);
    place.write("solution.json", &solution.out);
    let solution = solution.json();
    let every = solution["cost_aware"]["interval"].as_u64().unwrap();
    assert!(solution["interval"].as_u64().unwrap() >= every);
    for target in TARGETS {
        let export = ["export", "solution.json", "--to", target];
        match target {
            "swift" => drop(place.run(&export).exits(1).says("HAVE_FIXED_COSTS")),
            "fourc" => drop(place.run(&export).exits(1).says("no interval")),
            "charm" => {
                let (period, _) = parsed(target, &place.run(&export).exits(0).out);
                let cost = &solution["cost_aware"];
                let remaps = cost["remap_cost"].as_f64().unwrap() / every as f64;
                let waiting = cost["cost_per_step"].as_f64().unwrap() - remaps;
                assert_abs_diff_eq!(period / every as f64 - 100.0, waiting, epsilon = 1e-6);
            }
            _ => {
                let (knob, interval) = parsed(target, &place.run(&export).exits(0).out);
                assert_eq!(interval, every, "{target}");
                // Any imbalance will do.
                let always = if target == "openfoam" { 0.0 } else { 1.0 };
                assert!(BLIND.contains(&target) || knob == always, "{target}");
            }
        }
    }
}

/// That the settings of all codes are those of never remapping.
pub fn says_never(place: &Workplace, solution: &str) {
    let written = |target| place.run(&["export", solution, "--to", target]).exits(0).out;
    for (target, expected) in [
        ("lammps", "# no fix balance\n"),
        ("warpx", "\nalgo.load_balance_intervals = 0\n"),
        ("swift", "\nDomainDecomposition:\n  repartition_type: none\n"),
        ("fourc", "REDISTRIBUTION:\n  PARALLEL_REDIST: None\n"),
        ("amrex", "\namr.loadbalance_with_workestimates = 0\n"),
        ("smilei", "    every = 1000000000,\n"),
        ("eplb", "\n--enable-expert-parallel\n"),
    ] {
        let out = written(target);
        assert!(out.contains(expected), "{target}:\n{out}");
    }
    for (target, mark) in [("openfoam", "//"), ("sglang", "#"), ("vt", "#"), ("charm", "#")] {
        let out = written(target);
        assert!(out.lines().all(|line| line.starts_with(mark)), "{target}:\n{out}");
    }
}

/// Never is a word of every code, and not the one that looks like it.
#[test]
fn never_is_written_in_the_words_of_each_code() {
    let place = Workplace::new();
    place.write(
        "never.ron",
        "Model(title: \"Dear\", problem: Periodic(initial_load: 10, remap_cost: 1e6,
        changes: Chain(count: 2, chain: Walk(lowest: 8, levels: 5, up: 0.25, down: 0.25, edge: Hold)), bound: MaxDeviation(5)))",
    );
    let solution = place.run(&["solve", "--json", "never.ron"]).exits(0);
    assert!(solution.json()["cost_aware"]["interval"].is_null(), "{}", solution.out);
    place.write("never.json", &solution.out);
    says_never(&place, "never.json");
    let table = place.run(&["export", "never.json", "--to", "csv"]).exits(0).out;
    assert!(table.ends_with("\ninterval\ninf\n"), "{table}");
    // A job too short for any remap has none.
    place.write(
        "short.ron",
        "Model(title: \"Short\", problem: LoadDrift(processors: 2, initial_load: 5, steps: 5, remap_cost: 50,
        chain: Walk(lowest: 1, levels: 9, up: 0.25, down: 0.25, edge: Hold)))",
    );
    place.write("short.json", place.run(&["solve", "--json", "short.ron"]).exits(0).out);
    let out = place.run(&["export", "short.json", "--to", "lammps"]).exits(0).out;
    assert!(out.ends_with("# no fix balance\n"), "{out}");
    let out = place.run(&["export", "short.json", "--to", "smilei"]).exits(0).out;
    assert!(out.contains("every = 1000000000,"), "{out}");
}

/// What a file says of its interval holds where the bound is broken at once, or never.
#[test]
fn an_interval_says_what_the_bound_allows() {
    let place = Workplace::new();
    let told = |bound: &str, cost: &str| {
        place.write(
            "bound.ron",
            format!(
                "Model(title: \"Bound\", problem: Periodic(initial_load: 10, {cost} bound: MaxDeviation({bound}),
                changes: Chain(count: 2, chain: Walk(lowest: 8, levels: 5, up: 0.25, down: 0.25, edge: Hold))))"
            ),
        );
        place.write("bound.json", place.run(&["solve", "--json", "bound.ron"]).exits(0).out);
        let out = place.run(&["export", "bound.json", "--to", "smilei"]).exits(0).out;
        (said(&out), out)
    };
    let (text, out) = told("0.0001", "");
    assert!(text.contains("is broken after one step, which no interval prevents"), "{out}");
    assert!(!text.contains("longest") && out.contains("every = 1,"), "{out}");
    let (text, out) = told("0.0001", "remap_cost: 60,");
    assert!(text.contains("is broken after one step: a remap at every step"), "{out}");
    assert!(!text.contains("allows") && out.contains("every = 1,"), "{out}");
    let (text, out) = told("5", "");
    assert!(text.contains("is kept without remaps. "), "{out}");
    assert!(text.contains("The rule never remaps.") && !text.contains("pays"), "{out}");
    let (text, out) = told("0.07", "");
    assert!(text.contains("longest interval within the bound"), "{out}");
}

/// A bound that the cheapest interval breaks is kept, and the file says so.
#[test]
fn a_bound_shorter_than_the_cheapest_interval_is_kept() {
    let place = Workplace::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = std::fs::read_to_string(root.join("models/periodic/birth_death.ron")).unwrap();
    place.write("dear.ron", text.replace("remap_cost: 8", "remap_cost: 60"));
    let solution = place.run(&["solve", "--json", "dear.ron"]).exits(0);
    place.write("dear.json", &solution.out);
    let solution = solution.json();
    let bound = solution["interval"].as_u64().unwrap();
    let cheapest = solution["cost_aware"]["interval"].as_u64().unwrap();
    assert!(bound < cheapest);
    let out = place.run(&["export", "dear.json", "--to", "smilei"]).exits(0).out;
    assert!(out.contains(&format!("every = {bound},")), "{out}");
    assert!(said(&out).contains(&format!("every {cheapest} steps")), "{out}");
}

/// Load vectors that move jointly have no price: the level is the closest, of loads over capacities.
#[test]
fn a_map_without_a_price_gets_the_closest_level() {
    let place = Workplace::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let model = root.join("models/stopping/particles.ron").display().to_string();
    let solution = place.run(&["solve", "--json", &model]).exits(0);
    place.write("solution.json", &solution.out);
    let solution = solution.json();
    let letters = solution["decision"].as_str().unwrap();
    let vectors: Vec<Vec<f64>> = solution["loads"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_array().unwrap().iter().map(|w| w.as_f64().unwrap()).collect())
        .collect();
    let wrong = |level: f64| {
        let pairs = vectors.iter().zip(letters.chars());
        pairs
            .filter(|(v, letter)| {
                (v.iter().fold(0.0, |a: f64, b| a.max(*b)) / 4.0 > level) != (*letter == 'R')
            })
            .count()
    };
    let out = place.run(&["export", "solution.json", "--to", "lammps"]).exits(0).out;
    let (level, _) = parsed("lammps", &out);
    let least = (0..300).map(|i| wrong(1.0 + f64::from(i) / 100.0)).min().unwrap();
    assert_eq!(wrong(level), least);
    // Between values that loads attain, not on one.
    let off =
        vectors.iter().flatten().map(|w| (w / 4.0 - level).abs()).fold(f64::INFINITY, f64::min);
    assert!(off > 0.05, "{level}");
    assert!(said(&out).contains("What either costs is not known"), "{out}");
}
