//! Settings written for other codes: they are words of that code's language, and under its own rule
//! they cost little more than the best setting of that knob, and what the file says.

mod words;
mod world;

use crate::support::prelude::*;
use remap::export::codes::{sections, table};
use words::{BLIND, number, parsed, rule, said, settings, targets};
use world::{Course, Rule, models};

/// With so many times the paths; by default every third target in each world, another third in
/// the next one.
fn settings_cost_little_more(than: f64, times: u64) {
    let stride = few_or_all(13, 1);
    for (at, mut world) in models().into_iter().enumerate() {
        world.runs *= times;
        let place = Workplace::of(&world.text);
        place.solved("model.ron");
        for target in targets().skip(3 * at % stride).step_by(stride) {
            let export = format!("export solution.json --to {target}");
            let blind = BLIND.contains(&target);
            if blind && world.course == Course::Once {
                place.remap(export).exits(1).says("remaps once");
                continue;
            }
            let all = settings(target).into_iter();
            let all: Vec<Rule> = all.map(|(knob, interval)| rule(target, knob, interval)).collect();
            let best = world.costs(&all).into_iter().fold(f64::INFINITY, f64::min);
            let name = world.name;
            if world.course == Course::Endless {
                // No ratio and no interval is better than never there: the mean load goes down to
                // 0.
                let never: Rule = Box::new(|_| false);
                let never = world.cost(never);
                assert!(never <= than * best, "{target}: {never}, at best {best}");
                match blind {
                    true => drop(place.shown(export)),
                    false => drop(place.remap(export).exits(1).says("costs less than never")),
                }
                continue;
            }
            let out = place.shown(export);
            has(&said(&out), &["never remapping"]);
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

/// The rule of a setting, as `compare` and `replay` call it.
fn policy(target: &str, (knob, every): (f64, u64)) -> String {
    match target {
        _ if BLIND.contains(&target) => format!("{target}:{every}"),
        "openfoam" => format!("{target}:{every}:{}", 1.0 + knob),
        "sglang" | "atom" => format!("{target}:{every}:{}", 1.0 / knob),
        _ => format!("{target}:{}:{knob}", every.max(1)),
    }
}

/// What a file says of its setting is what the rule of that code costs when `compare` simulates it.
#[test]
fn what_is_said_of_a_setting_is_what_its_rule_costs() {
    let place = Workplace::new();
    place.solved("models/load_drift/three_chains.ron");
    let settings = some(3, targets()).into_iter().map(|target| {
        let out = place.shown(format!("export solution.json --to {target}"));
        let text = said(&out);
        let mut parts = text.split(" costs ").skip(1);
        let cost = parts.find(|after| !after.starts_with("least")).unwrap();
        let cost: f64 = cost.split(' ').next().unwrap().parse().unwrap();
        (policy(target, parsed(target, &out)), cost)
    });
    let settings: Vec<(String, f64)> = settings.collect();
    let names: Vec<&str> = settings.iter().map(|(name, _)| name.as_str()).collect();
    let runs = few_or_all(1000, 4000);
    let asked = format!("--runs {runs} --seed 3 --policies {}", names.join(","));
    let found = place.answer(format!("compare models/load_drift/three_chains.ron {asked}"));
    for ((name, cost), line) in settings.iter().zip(found["policies"].list()) {
        assert_eq!(line["policy"], **name);
        let (mean, half) = (line["mean"].f64(), line["half_width"].f64());
        // Of two simulated means: the file's are of at least 1,500 paths.
        assert!((mean - cost).abs() < 3.0 * half + 0.01 * cost, "{name}: {cost} is not {mean}");
    }
}

#[test]
fn an_interval_is_written_where_there_is_one() {
    let place = Workplace::new();
    let text = deck_text("periodic/cost_aware.ron");
    place.write("wide.ron", text.replace("MaxDeviation(0.10)", "MaxDeviation(0.20)"));
    let solution = place.solved("wide.ron");
    let every = solution["cost_aware"]["interval"].u64();
    assert!(solution["interval"].u64() >= every);
    for target in targets() {
        let export = format!("export solution.json --to {target}");
        match target {
            "swift" => drop(place.remap(export).exits(1).says("HAVE_FIXED_COSTS")),
            "fourc" => drop(place.remap(export).exits(1).says("no interval")),
            "charm" => {
                let out = place.shown(export);
                assert_eq!(parsed(target, &out).1, every);
                let (_, period) = out.split_once(": +LBPeriod ").unwrap();
                let period = number(period.lines().next().unwrap());
                let cost = &solution["cost_aware"];
                let remaps = cost["remap_cost"].f64() / every as f64;
                let waiting = cost["cost_per_step"].f64() - remaps;
                assert_abs_diff_eq!(period / every as f64 - 100.0, waiting, epsilon = 1e-6);
            }
            _ => {
                let (knob, interval) = parsed(target, &place.shown(export));
                assert_eq!(interval, every, "{target}");
                // Any imbalance will do.
                let always = match target {
                    "openfoam" => 0.0,
                    "atom" => 2.0,
                    _ => 1.0,
                };
                assert!(BLIND.contains(&target) || knob == always, "{target}");
            }
        }
    }
}

/// That the settings of all codes are those of never remapping.
pub fn says_never(place: &Workplace, solution: &str) {
    let written = |target| place.shown(format!("export {solution} --to {target}"));
    for (target, expected) in [
        ("lammps", "# no fix balance\n"),
        ("warpx", "\nalgo.load_balance_intervals = 0\n"),
        ("swift", "\nDomainDecomposition:\n  repartition_type: none\n"),
        ("fourc", "REDISTRIBUTION:\n  PARALLEL_REDIST: None\n"),
        ("amrex", "\namr.loadbalance_with_workestimates = 0\n"),
        ("smilei", "    every = 1000000000,\n"),
        ("eplb", "\n--enable-expert-parallel\n"),
        ("fourc_structure", "REBALANCE:\n  ENABLED: false\n"),
    ] {
        has(&written(target), &[expected]);
    }
    for (target, mark) in
        [("openfoam", "//"), ("sglang", "#"), ("atom", "#"), ("vt", "#"), ("charm", "#")]
    {
        let out = written(target);
        assert!(out.lines().all(|line| line.starts_with(mark)), "{target}:\n{out}");
    }
}

/// Never is a word of every code, and not the one that looks like it.
#[test]
fn never_is_written_in_the_words_of_each_code() {
    let place = Workplace::stating(
        "Periodic(initial_load: 10, remap_cost: 1e6, bound: MaxDeviation(5), \
         changes: Chain(count: 2, chain: Walk(lowest: 8, levels: 5, up: 0.25, down: 0.25, edge: Hold)))",
    );
    let solution = place.solved("model.ron");
    assert!(solution["cost_aware"]["interval"].is_null(), "{solution}");
    says_never(&place, "solution.json");
    let table = place.shown("export solution.json --to csv");
    assert!(table.ends_with("\ninterval\ninf\n"), "{table}");
    // A job too short for any remap has none.
    place.state(
        "LoadDrift(processors: 2, initial_load: 5, steps: 5, remap_cost: 50, \
         chain: Walk(lowest: 1, levels: 9, up: 0.25, down: 0.25, edge: Hold))",
    );
    place.solved("model.ron");
    says_never(&place, "solution.json");
}

/// What a file says of its interval holds where the bound is broken at once, or never.
#[test]
fn an_interval_says_what_the_bound_allows() {
    let place = Workplace::new();
    let told = |bound: &str, cost: &str| {
        place.state(format!(
            "Periodic(initial_load: 10, {cost} bound: MaxDeviation({bound}), \
             changes: Chain(count: 2, chain: Walk(lowest: 8, levels: 5, up: 0.25, down: 0.25, edge: Hold)))"
        ));
        place.solved("model.ron");
        let out = place.shown("export solution.json --to smilei");
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
    let text = deck_text("periodic/birth_death.ron");
    place.write("dear.ron", text.replace("remap_cost: 8", "remap_cost: 60"));
    let solution = place.solved("dear.ron");
    let bound = solution["interval"].u64();
    let cheapest = solution["cost_aware"]["interval"].u64();
    assert!(bound < cheapest);
    let out = place.shown("export solution.json --to smilei");
    assert!(out.contains(&format!("every = {bound},")), "{out}");
    assert!(said(&out).contains(&format!("every {cheapest} steps")), "{out}");
}

/// Load vectors that move jointly have no price: the level is the closest, of loads over
/// capacities.
#[test]
fn a_map_without_a_price_gets_the_closest_level() {
    let place = Workplace::new();
    let solution = place.solved("models/stopping/particles.ron");
    let letters = solution["decision"].text();
    let vectors: Vec<Vec<f64>> = solution["loads"].list().iter().map(Json::numbers).collect();
    let wrong = |level: f64| {
        let most = |v: &[f64]| v.iter().copied().fold(0.0, f64::max) / 4.0;
        let pairs = vectors.iter().zip(letters.chars());
        pairs.filter(|(v, letter)| (most(v) > level) != (*letter == 'R')).count()
    };
    let out = place.shown("export solution.json --to lammps");
    let (level, _) = parsed("lammps", &out);
    let least = (0..300).map(|i| wrong(1.0 + f64::from(i) / 100.0)).min().unwrap();
    assert_eq!(wrong(level), least);
    // Between values that loads attain, not on one.
    let off =
        vectors.iter().flatten().map(|w| (w / 4.0 - level).abs()).fold(f64::INFINITY, f64::min);
    assert!(off > 0.05, "{level}");
    assert!(said(&out).contains("What either costs is not known"), "{out}");
}

/// What docs/integrate.md says of codes is made of the files that write their settings; with
/// `REMAP_UPDATE_DOCUMENTS=1` it is written anew.
#[test]
fn the_page_of_codes_is_made_of_their_files() {
    let page = root().join("docs/integrate.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let (start, end) = ("<!-- from solvers/export/codes -->\n", "<!-- end -->");
    let (before, rest) = text.split_once(start).unwrap();
    let (_, after) = rest.split_once(end).unwrap();
    let made = format!("{before}{start}\n{}\n{}{end}{after}", table(), sections());
    if std::env::var_os("REMAP_UPDATE_DOCUMENTS").is_some() {
        std::fs::write(&page, &made).unwrap();
    } else {
        assert!(
            made == text,
            "docs/integrate.md is not what the files of codes say: REMAP_UPDATE_DOCUMENTS=1 writes it"
        );
    }
}
