//! The rule of a log, exported and run by the languages it is for, decides as `replay` does.

use crate::advice::advised::csv;
use crate::families::{Family, Run};
use crate::support::languages::{in_every_language, is_there, skipped, started};
use crate::support::prelude::*;
use rand::RngExt;
use remapping::controller::Controller;
use remapping::overlap::Overlap;
use remapping::policy::advised::{Advised, Stored};
use remapping::policy::{Policy, Step};
use remapping::record::Record;
use remapping::simulate::stream;
use std::fmt::Write as _;

/// A run whose rule is in `advised.json`, which is returned, too.
pub fn taught(place: &Workplace, run: &Run, split: &str) -> Value {
    place.write("run.csv", csv(&run.record));
    let asked = "--force --advised advised.json --policies advised,advised_cold";
    let replayed = place
        .answer(format!("replay run.csv --remap-cost {} --split {split} {asked}", run.remap_cost));
    let document = place.document("advised.json");
    let paid = |policy: &Value| (policy["cost"].clone(), policy["remaps"].clone());
    assert_eq!(paid(&document["costs"][0]), paid(&replayed["policies"][0]));
    document
}

/// Without the simple rules, so that the rule itself is exported.
fn only_itself(place: &Workplace, document: &Value) {
    let mut document = document.clone();
    document["simple"] = json!([]);
    place.write("advised.json", document.to_string());
}

/// Appends a play of `policy` on the steps from `first` on as input of a driver; and what it
/// decides. Every so often somebody else decides whether to remap. Where remaps go on beside the
/// steps, somebody else begins one or leaves one out, and it may take longer than it was said to.
/// What it costs at `stops` for a remap is returned.
fn play(
    record: &Record,
    first: usize,
    mut policy: Advised,
    start: &str,
    meddling: u64,
    (stops, overlap): (f64, Option<Overlap>),
    (input, expected): (&mut String, &mut Vec<String>),
) -> f64 {
    let mut random = stream(meddling, 0);
    let (mut base, mut paid, mut arrives) = (first - 1, 0.0, None);
    let _ = writeln!(input, "start {start}");
    expected.push("start".to_owned());
    for step in first..record.steps() {
        let then = record.path(base);
        let mean = then.iter().sum::<f64>() / then.len() as f64;
        let slower =
            1.0 + overlap.filter(|_| arrives.is_some()).map_or(0.0, |beside| beside.slowdown);
        let times = record.path(step).iter().zip(then).map(|(now, then)| mean + now - then);
        let times: Vec<f64> = times.map(|time| slower * time).collect();
        let seen = Step::new((step + 1 - first) as u64, times.clone());
        policy.observe(&seen);
        paid += seen.max() - seen.mean() / slower;
        let wants = policy.wants_remap();
        let other = meddling > 0 && random.random_bool(0.05);
        let flag = match (overlap, arrives) {
            (None, _) if wants != other => {
                policy.remapped();
                base = step;
                paid += if step + 1 < record.steps() { stops } else { 0.0 };
                1
            }
            (Some(beside), None)
                if wants != other && step + beside.steps as usize + 1 < record.steps() =>
            {
                let late = if other { random.random_range(1..90) } else { beside.steps as usize };
                arrives = Some((step, step + late));
                policy.begun();
                paid += stops;
                2
            }
            (_, Some((decided, arrival))) if arrival == step => {
                policy.remapped();
                (base, arrives) = (decided, None);
                1
            }
            _ => 0,
        };
        let words: Vec<String> = times.iter().map(|time| format!("{time:?}")).collect();
        let _ = writeln!(input, "{flag} {}", words.join(" "));
        expected.push(u8::from(wants).to_string());
    }
    paid
}

/// Python and Rust load the rule: what is stored in their files decides as it should.
fn loaded_decide(place: &Workplace, input: &str, expected: &[String]) {
    for (language, start, end) in [("python", "\"\"\"\\\n", "\"\"\""), ("rust", "r#\"\n", "\"#;")] {
        let text = place.shown(format!("export advised.json --to {language}"));
        let (_, rest) = text.split_once(start).expect(language);
        let (stored, _) = rest.split_once(end).expect(language);
        let stored: Controller = serde_json::from_str(stored).expect(language);
        let (mut rule, mut is_cold) = (stored.clone(), false);
        for (number, (line, expected)) in input.lines().zip(expected).enumerate() {
            let (word, rest) = line.split_once(' ').unwrap();
            if word == "start" {
                let (steps, cold) = rest.split_once(' ').unwrap();
                is_cold = cold == "1";
                rule = match steps.parse() {
                    Ok(steps) => stored.clone().for_steps(steps),
                    Err(_) => stored.clone(),
                };
                continue;
            }
            // A rule that has learnt nothing is not what these files are for.
            if is_cold {
                continue;
            }
            let times: Vec<f64> = rest.split(' ').map(|time| time.parse().unwrap()).collect();
            let wants = rule.step(&times).unwrap();
            assert_eq!(u8::from(wants).to_string(), *expected, "{language}, line {number}");
            match word {
                "1" => rule.remapped(None).unwrap(),
                "2" => rule.begun(),
                _ => {}
            }
        }
    }
}

/// A rule of a run, in all languages: with the end known or not, trained or not, and with others
/// who decide.
fn decides(number: usize, family: Family, run: &Run, split: &str, asked: Option<&str>) {
    let place = Workplace::new();
    place.write("run.csv", csv(&run.record));
    let beside = asked.map_or(String::new(), |asked| format!("--overlap {asked}"));
    place.remap(format!(
        "replay run.csv --remap-cost {} --split {split} --advised advised.json --policies advised {beside}",
        run.remap_cost
    ))
    .exits(0);
    let document = place.document("advised.json");
    only_itself(&place, &document);
    let overlap = asked.map(|asked| {
        let (steps, slowdown) = asked.split_once(':').unwrap();
        Overlap { steps: steps.parse().unwrap(), slowdown: slowdown.parse().unwrap() }
    });
    let record = &run.record;
    let first = document["judged_on"][0].u64() as usize;
    let cold = || match overlap {
        Some(overlap) => Advised::new(document["remap_cost"].f64()).overlapping(overlap),
        None => Advised::new(run.remap_cost),
    };
    let trained = || cold().after((0..first).map(|step| record.path(step)));
    let left = (record.steps() - first) as u64;
    let (mut input, mut expected) = (String::new(), Vec::new());
    let price = (run.remap_cost, overlap);
    let ends = [format!("{left} 0"), "-1 0".to_owned(), format!("{left} 1"), "-1 1".to_owned()];
    let mut go = |policy, start: &str, meddling| {
        play(record, first, policy, start, meddling, price, (&mut input, &mut expected))
    };
    let paid = [go(trained().for_steps(left), &ends[0], 0), go(trained(), &ends[1], 0)];
    for (paid, said) in paid.into_iter().zip(document["costs"].list()) {
        let said = said["cost"].f64();
        let same = abs_diff_eq!(paid, said, epsilon = 1e-9 * said);
        assert!(same, "{family:?}: {paid} is not {said}");
    }
    go(cold().for_steps(left), &ends[2], 0);
    go(cold(), &ends[3], 0);
    go(trained().for_steps(left), &ends[0], 1 + number as u64);
    go(cold(), &ends[3], 1 + number as u64);
    let remaps = match overlap {
        Some(_) => input.lines().filter(|line| line.starts_with("2 ")).count(),
        None => expected.iter().filter(|word| *word == "1").count(),
    };
    assert!(remaps >= 6 && remaps < expected.len() / 2, "{family:?}: {remaps} remaps");
    loaded_decide(&place, &input, &expected);
    in_every_language(&place, "advised.json", "advised", &input, |language, lines| {
        for (step, (line, expected)) in lines.iter().zip(&expected).enumerate() {
            assert_eq!(line, expected, "{language}, {family:?}, line {step}");
        }
    });
}

#[test]
fn controllers_decide_as_replay_does() {
    let cases = [
        (Family::Drift, 4, 160, "0.5", 30.0),
        (Family::Jumps, 16, 150, "0.5", 1.0),
        (Family::Bursts, 7, 140, "0.4", 3.0),
        (Family::Walk, 64, 180, "0.5", 20.0),
        (Family::HeavyNoise, 5, 120, "0.05", 2.0),
        (Family::Mixture, 32, 400, "0.5", 60.0),
        (Family::LevelsReturning, 12, 90, "0.2", 0.7),
    ];
    for (number, (family, ranks, steps, split, dear)) in some(2, cases).into_iter().enumerate() {
        let run = family.run(ranks, steps, dear, 40 + number as u64);
        decides(number, family, &run, split, None);
    }
}

/// The same where remaps go on beside the steps.
#[test]
fn controllers_decide_as_replay_does_beside_the_steps() {
    let cases = [
        (Family::Drift, 4, 160, "0.5", 30.0, "1:0.25"),
        (Family::Walk, 16, 200, "0.5", 10.0, "5:0.05"),
        (Family::HotRank, 7, 180, "0.1", 8.0, "3:0"),
        (Family::JumpsAndDrift, 5, 400, "0.4", 3.0, "63:0.0001"),
    ];
    for (number, (family, ranks, steps, split, dear, asked)) in
        some(2, cases).into_iter().enumerate()
    {
        let run = family.run(ranks, steps, dear, 70 + number as u64);
        decides(number, family, &run, split, Some(asked));
    }
}

/// Remaps that cost nothing, and a log of three steps to learn from.
#[test]
fn controllers_at_the_edge() {
    for cost in some(1, [0.0, 1e-9, 1e9]) {
        let place = Workplace::new();
        let run = Run { remap_cost: cost, ..Family::WalkInNoise.run(3, 30, 1.0, 9) };
        let document = taught(&place, &run, "0.1");
        only_itself(&place, &document);
        let first = document["judged_on"][0].u64() as usize;
        assert_eq!(first, 3);
        let policy = Advised::trained((0..first).map(|step| run.record.path(step)), cost);
        let (mut input, mut expected) = (String::new(), Vec::new());
        play(&run.record, first, policy, "-1 0", 0, (cost, None), (&mut input, &mut expected));
        in_every_language(&place, "advised.json", "advised", &input, |language, lines| {
            assert_eq!(lines, expected, "{language}, {cost}");
        });
    }
}

#[test]
fn the_fortran_controller_is_fortran_2003() {
    let place = Workplace::new();
    let document = taught(&place, &Family::Drift.run(4, 60, 10.0, 1), "0.5");
    only_itself(&place, &document);
    place.remap("export advised.json --to fortran -o rule.f90").exits(0);
    if !is_there("gfortran") {
        return skipped("gfortran");
    }
    started(&place, "gfortran -std=f2003 -Wall -Werror -fsyntax-only rule.f90");
}

/// What is not such a document is refused, with what is wrong.
#[test]
fn damaged_documents_are_refused() {
    let place = Workplace::new();
    let document = taught(&place, &Family::Walk.run(4, 60, 10.0, 3), "0.5");
    place.remap("report advised.json").exits(1).says("the rule of a log");
    let memory = "/rule/memory";
    let cases: [(&str, Value, &str); 12] = [
        ("/remap_cost", json!(1.0), "`remap_cost` is not that of the rule"),
        ("/ranks", json!(5), "`ranks` is not that of the rule"),
        ("/stride", json!(0), "greater than 0"),
        ("/unit_seconds", json!(-1.0), "greater than 0"),
        ("/parameters/enough", json!(0.5), "not those of remap"),
        ("/simple/0/policy", json!("menon"), "`menon` is not a threshold or interval"),
        ("/simple/0/cost", json!(1e9), "does not begin with the cheapest"),
        ("/costs/0/policy", json!("never"), "does not begin with `advised`"),
        ("/policy", json!("advice"), "unknown variant"),
        (&format!("{memory}/row"), json!([1.0]), "`row` has 1 entries in place of 4"),
        (&format!("{memory}/steps"), json!(1u64 << 60), "more steps than there can be"),
        (&format!("{memory}/courses/3/base"), json!([]), "a course has another length"),
    ];
    let refused = |damage: &dyn Fn(&mut Value), said: &str| {
        let mut damaged = document.clone();
        damage(&mut damaged);
        place.write("damaged.json", damaged.to_string());
        place.remap("export damaged.json --to c").exits(1).says(said);
    };
    for (path, value, said) in cases {
        refused(&|document| *document.pointer_mut(path).unwrap() = value.clone(), said);
    }
    for path in ["", "/rule/memory", "/simple/0"] {
        let extra = |document: &mut Value| document.pointer_mut(path).unwrap()["extra"] = json!(1);
        refused(&extra, "unknown field `extra`");
    }
    let needed = |key: &&String| !["steps", "of_codes"].contains(&key.as_str());
    for field in document.as_object().unwrap().keys().filter(needed) {
        refused(&|document| _ = document.as_object_mut().unwrap().remove(field), "");
    }
}

/// As plain numbers and back it is the same, bit for bit.
#[test]
fn the_stored_rule_is_the_rule() {
    let run = Family::Bursts.run(5, 90, 6.0, 4);
    for steps in [1, 2, 9, 10, 11, 70, 90] {
        let rows = (0..steps).map(|step| run.record.path(step));
        let rule = Advised::trained(rows, run.remap_cost);
        let text = serde_json::to_string(&rule).unwrap();
        let read: Advised = serde_json::from_str(&text).unwrap();
        assert_eq!(Stored::from(read.clone()), Stored::from(rule), "{steps}");
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
    }
}
