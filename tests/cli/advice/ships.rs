//! From a log to a program that runs: the rule that `advise` exports, compiled and run on the
//! second half, costs what its table says, and its sentence is true.

use crate::families::Family;
use crate::support::languages::{is_there, skipped, started};
use crate::support::made_logs::{DRIFTING, Made};
use crate::support::prelude::*;
use remap::logs;
use remapping::fit::apart::apart;
use remapping::fit::left_over::left_over;
use remapping::record::Record;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

fn deviations(row: &[f64]) -> Vec<f64> {
    let mean = row.iter().sum::<f64>() / row.len() as f64;
    row.iter().map(|time| time - mean).collect()
}

fn list(values: &[f64]) -> String {
    values.iter().map(f64::to_string).collect::<Vec<_>>().join(", ")
}

/// A program that makes the steps from `first` on, started from `base`, and asks the rule of
/// `remap_policy.h`.
fn program(record: &Record, first: usize, base: &[f64], asked: &Asked) -> String {
    let (ranks, steps) = (record.ranks(), record.steps() - first);
    let mut text = String::from("#include <stdio.h>\n#include \"remap_policy.h\"\n");
    for name in ["path", "loads"] {
        let of = if name == "path" { Record::path } else { Record::loads };
        let _ = writeln!(text, "static const double {name}[{steps}][{ranks}] = {{");
        for step in first..record.steps() {
            let _ = writeln!(text, "{{{}}},", list(&deviations(of(record, step))));
        }
        text += "};\n";
    }
    let means: Vec<f64> = (first..record.steps()).map(|step| record.mean(step)).collect();
    let _ = writeln!(text, "static const double mean[{steps}] = {{{}}};", list(&means));
    let begun = if asked.delay > 0 { "remap_advised_begun(&rule);" } else { "" };
    let Asked { delay, slowdown, remap_cost, .. } = asked;
    let _ = writeln!(
        text,
        "int main(void) {{
    double base[{ranks}] = {{{}}}, then[{ranks}], cost = 0;
    long remaps = 0, arrives = -1;
    static remap_advised rule;
    remap_advised_init(&rule, -1);
    for (int t = 0; t < {steps}; t++) {{
        double times[{ranks}], max = 0, slower = arrives >= 0 ? 1.0 + {slowdown} : 1.0;
        for (int i = 0; i < {ranks}; i++) {{
            times[i] = slower * (mean[t] + path[t][i] - base[i]);
            if (times[i] > max) max = times[i];
        }}
        cost += max - mean[t];
        if (remap_advised_step(&rule, times) && arrives < 0 && t + {delay} < {steps} - 1) {{
            cost += {remap_cost};
            remaps++; arrives = t + {delay};
            for (int i = 0; i < {ranks}; i++) then[i] = loads[t][i];
            {begun}
        }}
        if (arrives == t) {{
            remap_advised_remapped(&rule);
            for (int i = 0; i < {ranks}; i++) base[i] = then[i];
            arrives = -1;
        }}
    }}
    printf(\"%.17g %ld\\n\", cost, remaps);
}}",
        list(base)
    );
    text
}

/// What a program is asked to do.
struct Asked {
    remap_cost: f64,
    delay: u64,
    slowdown: f64,
}

/// Compiles it with the header in `folder`, and runs it: its cost and its remaps.
fn run(place: &Workplace, folder: &str, text: &str) -> (f64, String) {
    place.write("main.c", text);
    started(place, &format!("cc -std=c99 -O1 -ffp-contract=off -I{folder} main.c -o main -lm"));
    let run = Command::new(place.path("main")).output().unwrap();
    let printed = String::from_utf8(run.stdout).unwrap();
    let (cost, remaps) = printed.trim().split_once(' ').unwrap();
    (cost.parse().unwrap(), remaps.to_owned())
}

/// `remap advise` on a log: what it exports costs what it says. Whether it exported something, and
/// why not.
fn ships(place: &Workplace, log: &Path, remap_cost: f64, overlap: (u64, f64)) -> bool {
    let (delay, slowdown) = overlap;
    let log_name = log.to_str().unwrap();
    let asked = format!("--remap-cost {remap_cost} --overlap {delay}:{slowdown} -o advice --force");
    let found = place.answer(format!("advise {log_name} {asked}"));
    let sentence = found["advice"].text();
    if found["policies"].as_array().is_none_or(Vec::is_empty) {
        assert!(sentence.starts_with("This log cannot tell"), "{sentence}");
        return false;
    }
    let written = found["files"].list();
    if !written.iter().any(|file| file.as_str().is_some_and(|file| file.ends_with(".h"))) {
        // Nothing to paste in where the advice is to go on as before.
        assert!(found["policy"] != "advised" && found["safe"] != "advised", "{sentence}");
        return false;
    }
    let document = place.document("advice/advised.json");
    assert_eq!(document["chosen"], "advised");
    let read = logs::read(&place.path(log_name), None).unwrap();
    // Remaps leave what the recorded ones left; where times have noise, they even out the loads.
    let left = left_over(&read.record).filter(|_| delay == 0);
    let whole =
        left.map_or_else(|| read.record.clone(), |left| read.record.clone().with_left(left));
    let told = apart(&whole);
    let record = told.as_ref().map_or(&whole, |told| &told.records[0]);
    let first = found["judged_from"].u64() as usize;
    let remaps = record.remaps().iter();
    let base = remaps.filter(|_| read.knows_remaps).rfind(|remap| remap.before <= first);
    let base = match base {
        Some(remap) => Some(remap.before - 1),
        None if read.knows_remaps => None,
        None => Some(first - 1),
    };
    let start = base.map_or(vec![0.0; record.ranks()], |base| deviations(record.loads(base)));
    let text = program(record, first, &start, &Asked { remap_cost, delay, slowdown });
    let (paid, made) = run(place, "advice", &text);
    let row = found.policy("advised");
    assert!(abs_diff_eq!(paid, row["cost"].f64(), epsilon = 1e-6 * paid), "{paid}, {row}");
    assert_eq!(made, row["remaps"].to_string());
    // The sentence: by how much that is less than what was done, or than doing nothing.
    let against = if read.knows_remaps { "recorded" } else { "never" };
    let other = found.policy(against);
    let imbalance = |step: usize, base: &[f64]| {
        let row = deviations(record.path(step));
        row.iter().zip(base).map(|(now, then)| now - then).fold(0.0, f64::max)
    };
    let judged = first..record.steps();
    let cost: f64 = match against {
        "recorded" => {
            let later = |remap: &&remapping::record::Remap| remap.before > first;
            let made = record.remaps().iter().filter(later).count() as f64;
            judged.clone().map(|step| record.imbalance(step)).sum::<f64>() + made * remap_cost
        }
        _ => judged.clone().map(|step| imbalance(step, &start)).sum(),
    };
    let time = cost + judged.map(|step| record.mean(step)).sum::<f64>();
    assert!(
        abs_diff_eq!(cost, other["cost"].f64(), epsilon = 1e-6 * cost),
        "{against}: {cost}, {other}"
    );
    let percent = 100.0 * (cost - paid) / time;
    let levels = [" % (from few remaps: ", " % (95 %: "];
    let with_interval = |clause: &&str| levels.into_iter().any(|level| clause.contains(level));
    let judged = format!("on steps {first} to ");
    let clauses = || sentence.split("; ").filter(with_interval);
    let clause = clauses().find(|clause| clause.contains(&judged)).or(clauses().next());
    let clause = clause.unwrap_or_else(|| panic!("{sentence}"));
    let level = levels.into_iter().filter_map(|level| clause.find(level)).min().unwrap();
    let before = &clause[..level];
    let said: f64 = before.rsplit(' ').next().unwrap().parse().unwrap();
    let said = if before.contains("would cost ") { -said } else { said };
    assert!(abs_diff_eq!(said, percent, epsilon = 0.005 + 1e-6), "{percent} is not in {sentence}");
    let interval = &clause[level + clause[level..].find(": ").unwrap() + 2..];
    let lower: f64 = interval.split(" to ").next().unwrap().parse().unwrap();
    if lower > 0.0 && said > 0.0 {
        // A rule that does not remap at all is said as what it is, unless noise may be load.
        assert!(found["policy"] == "advised" || made == "0", "{sentence}");
        assert!(paid < cost && sentence.contains("less than "), "{sentence}");
    } else {
        let is_said = clause.contains("which may be chance");
        assert!(is_said || sentence.contains("no rule can save more than"), "{sentence}");
    }
    true
}

#[test]
fn the_exported_rule_costs_what_the_table_says() {
    let place = Workplace::new();
    if !is_there("cc") {
        return skipped("cc");
    }
    let logs = [
        Made { slope: 0.004, walk: 0.05, seed: 3, ..DRIFTING },
        Made { slope: 0.0, walk: 0.03, every: 37, seed: 4, ..DRIFTING },
        DRIFTING,
    ];
    let mut shipped = 0;
    for made in some(2, logs) {
        place.write("run.csv", made.csv());
        for overlap in [(0, 0.0), (4, 0.01)] {
            shipped += usize::from(ships(&place, Path::new("run.csv"), made.remap_cost, overlap));
        }
    }
    assert!(shipped >= few_or_all(2, 3), "{shipped} rules were exported");
    let found = place.answer("advise run.csv -o files");
    for file in ["advised.json", "remap_policy.h", "remap_policy.py", "report.html", "model.ron"] {
        let path = format!("files/{file}");
        assert!(found["files"].list().contains(&Value::from(path.as_str())), "{path}");
        assert!(!place.read(&path).is_empty());
    }
    place.remap("advise run.csv -o files").exits(1).says("--force");
}

/// A run of a family as a log: remapped every `every` steps, if that is not 0.
fn log_of(record: &Record, every: usize, remap_cost: f64) -> String {
    let mut text = String::from("step,rank,seconds");
    text += if every > 0 { ",remapped,remap_seconds\n" } else { "\n" };
    let mut base = vec![0.0; record.ranks()];
    let mut rows = Vec::new();
    for step in 0..record.steps() {
        let remapped = every > 0 && step > 0 && step.is_multiple_of(every);
        if remapped {
            base = deviations(record.path(step - 1));
        }
        let times = record.path(step).iter().zip(&base).map(|(time, base)| time - base);
        rows.push((times.collect::<Vec<f64>>(), remapped));
    }
    // Times are positive.
    let least = rows.iter().flat_map(|(times, _)| times).copied().fold(0.0, f64::min);
    for (step, (times, remapped)) in rows.iter().enumerate() {
        for (rank, time) in times.iter().enumerate() {
            let _ = write!(text, "{step},{rank},{}", time - 1.5 * least);
            let cost = if *remapped { remap_cost.to_string() } else { String::new() };
            if every > 0 {
                let _ = write!(text, ",{},{cost}", u8::from(*remapped));
            }
            text.push('\n');
        }
    }
    text
}

/// Of how many logs of these families a rule is handed over, and how many they are.
fn families(families: &[Family], seeds: u64) -> (usize, usize) {
    let place = Workplace::new();
    let (mut all, mut shipped) = (0, 0);
    for (number, family) in families.iter().enumerate() {
        for seed in 0..seeds {
            let at = number + seed as usize;
            let (ranks, dear) = [(4, 30.0), (9, 5.0), (32, 100.0), (16, 12.0), (2, 3.0)][at % 5];
            let run = family.run(ranks, [240, 400, 301][at % 3], dear, 500 + seed);
            place.write("family.csv", log_of(&run.record, [0, 60, 25][at % 3], run.remap_cost));
            let overlap = [(0, 0.0), (3, 0.001), (0, 0.0), (0, 0.0)][at % 4];
            let cost = format!("{:.4e}", run.remap_cost).parse().unwrap();
            all += 1;
            shipped += usize::from(ships(&place, Path::new("family.csv"), cost, overlap));
        }
    }
    (all, shipped)
}

#[test]
fn what_is_advised_on_families_of_runs_is_true() {
    if !is_there("cc") {
        return skipped("cc");
    }
    let few = some(3, Family::ALL.into_iter().step_by(2));
    let (all, shipped) = families(&few, 1);
    assert!(shipped * 2 >= all, "{shipped} of {all}");
}

#[test]
#[ignore = "takes minutes; run with: cargo test --test cli all_families -- --ignored --nocapture"]
#[expect(clippy::print_stdout, reason = "what was chosen is worth seeing")]
fn what_is_advised_on_all_families_of_runs_is_true() {
    let (all, shipped) = families(&Family::ALL, 5);
    println!("a rule is handed over on {shipped} of {all} logs");
    assert!(shipped * 2 >= all);
}

/// Of logs that say what a remap costs.
#[test]
#[ignore = "run with: REMAP_LOGS=FOLDER cargo test --test cli recorded_logs -- --ignored --nocapture"]
#[expect(clippy::print_stdout, reason = "what was chosen is worth seeing")]
fn what_is_advised_on_recorded_logs_is_true() {
    let Ok(folder) = std::env::var("REMAP_LOGS") else { return skipped("REMAP_LOGS") };
    let place = Workplace::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let Some(cost) =
            logs::read(&path, None).ok().and_then(|read| read.record.mean_remap_cost())
        else {
            continue;
        };
        for overlap in [(0, 0.0), (3, 0.01)] {
            println!("{}: {:?}", path.display(), ships(&place, &path, cost, overlap));
        }
    }
}
