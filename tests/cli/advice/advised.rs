//! The rule `advised` in `remap replay`.

#[path = "../../lemmas/advised/by_definition.rs"]
mod by_definition;

use crate::families::Family;
use crate::support::made_logs::times;
use crate::support::prelude::*;
use remapping::record::Record;

/// A log of these times.
pub fn csv(record: &Record) -> String {
    csv_of(record, 0..record.steps())
}

/// The same of some steps.
pub fn csv_of(record: &Record, steps: std::ops::Range<usize>) -> String {
    times(steps.map(|step| record.row(step).to_vec()))
}

/// What it costs is what its definition costs, beside other policies, trained or not.
#[test]
fn advised_costs_what_its_definition_costs() {
    let place = Workplace::new();
    for (number, family) in some(2, Family::ALL.into_iter().step_by(4)).into_iter().enumerate() {
        let run = family.run(3 + number, few_or_all(60, 100), [1.0, 8.0, 40.0][number % 3], 7);
        place.write("run.csv", csv(&run.record));
        let (cost, split) = (run.remap_cost, ["0.5", "0.4"][number % 2]);
        let policies = "advised,never,stop_at_rise,advised_cold";
        let asked = format!("--remap-cost {cost} --split {split} --policies {policies}");
        let document = place.answer(format!("replay run.csv {asked}"));
        let first = document["judged_from"].u64() as usize;
        let rows: Vec<Vec<f64>> = (0..run.record.steps())
            .map(|step| {
                let row = run.record.row(step);
                let mean = row.iter().sum::<f64>() / row.len() as f64;
                row.iter().map(|time| time - mean).collect()
            })
            .collect();
        for (place, warm) in [(0, true), (3, false)] {
            let (cost, remaps) = by_definition::play(&rows, first, warm, run.remap_cost, 0);
            let line = &document["policies"][place];
            assert_eq!(line["remaps"].u64(), remaps.len() as u64, "{family:?}: {line}");
            let paid = line["cost"].f64();
            let same = abs_diff_eq!(paid, cost, epsilon = 1e-9 * cost);
            assert!(same, "{family:?}: {paid} is not {cost}");
        }
    }
}

/// A rule goes on from where it was stored, as it does where it is exported: it is not shown twice
/// what it has seen.
#[test]
fn a_stored_rule_goes_on_from_where_it_stood() {
    let place = Workplace::new();
    let mut advised = 0;
    for (number, family) in some(3, Family::ALL.into_iter().step_by(2)).into_iter().enumerate() {
        let run = family.run(4, 120, 10.0, 3 + number as u64);
        let lines = csv(&run.record);
        let marked = lines.lines().enumerate().map(|(line, text)| match line {
            0 => format!("{text},remapped\n"),
            _ => format!("{text},{}\n", u8::from([31, 81].contains(&line))),
        });
        place.write("run.csv", marked.collect::<String>());
        let cost = run.remap_cost;
        let replay =
            |more: &str| place.answer(format!("replay run.csv --remap-cost {cost} {more}"));
        let same = |file: &str, from: &str| {
            let mut document = place.document(file);
            document["simple"] = serde_json::json!([]);
            document.as_object_mut().unwrap().remove("chosen");
            place.write("rule.json", document.to_string());
            let more = "--solution rule.json --policies advised,solution";
            let found = replay(&format!("--from {from} {more}"));
            let [own, its] = [0, 1].map(|line: usize| found["policies"][line]["cost"].clone());
            assert_eq!(own, its, "{family:?} from {from}");
        };
        replay("--policies advised --advised rule.json --force");
        same("rule.json", "balance");
        // The advice is of a rule that stands where the run stood.
        let folder = format!("advice_{number}");
        place.remap(format!("advise run.csv --remap-cost {cost} -o {folder}")).exits(0);
        let file = format!("{folder}/advised.json");
        if place.path(&file).exists() {
            same(&file, "actual");
            advised += 1;
        }
    }
    assert!(advised > few_or_all(0, 2), "{advised}");
}
