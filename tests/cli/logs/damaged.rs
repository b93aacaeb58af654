//! Some hundred damaged logs: a right answer, or a word about the damage; never nonsense in
//! silence.

use crate::support::made_logs::{DRIFTING, Made, Numbers, question};
use crate::support::prelude::*;
use remap::logs;
use remap::replaying::check::{examine, suspected};
use remapping::overlap::Overlap;
use remapping::policy::advised::Advised;
use remapping::replay::play;

/// What became of a log.
#[derive(Debug)]
enum Answer {
    /// Refused, or said not to be able to tell.
    Refused(String),
    /// A rule, with what was said of the log.
    Rule(Box<Advised>, Vec<String>),
}

fn ask(text: String) -> Answer {
    let read = logs::read_from(std::io::Cursor::new(text.into_bytes()), "log", None);
    let trace = match read {
        Ok(trace) => trace,
        Err(complaint) => return Answer::Refused(complaint.to_string()),
    };
    let record = &trace.record;
    let cost = record.mean_remap_cost().unwrap_or(DRIFTING.remap_cost);
    let found = examine(record, cost, Overlap::NONE);
    if let Some(obstacle) = found.obstacles.first() {
        return Answer::Refused(obstacle.why.clone());
    }
    if suspected(record).len() > record.remaps().len() {
        return Answer::Refused("where no remap is recorded".to_owned());
    }
    let question = question(&trace, cost);
    let advice = question.answer(&()).unwrap();
    let said = trace.repairs.iter().cloned().chain(found.notes).collect();
    let cut = question.cut();
    let rule = advice.of_what_was_valued(question).ground(cut).advised();
    Answer::Rule(Box::new(rule), said)
}

/// What a rule, as it was learnt, costs on the second half of the undamaged log.
fn cost(made: &Made, rule: &Advised) -> f64 {
    let text = made.csv();
    let trace = logs::read_from(std::io::Cursor::new(text.into_bytes()), "log", None).unwrap();
    let (record, remap_cost) = (&trace.record, made.remap_cost);
    let question = question(&trace, remap_cost);
    let (cut, steps) = (question.cut(), record.steps());
    let ground = question.ground(cut);
    let mut run = rule.clone();
    play(record, cut..steps, ground.base(), remap_cost, &mut run).tally.value
}

/// A damage, and the words one of which must be said of it; none if it does no harm.
type Damage = (&'static str, fn(&str, &mut Numbers) -> String, &'static [&'static str]);

/// Changes the cells of the rows.
fn rows(text: &str, change: impl FnOnce(&mut Vec<Vec<String>>)) -> String {
    let (header, rows) = text.split_once('\n').unwrap();
    let split = |line: &str| line.split(',').map(str::to_owned).collect();
    let mut rows: Vec<Vec<String>> = rows.lines().map(split).collect();
    change(&mut rows);
    let rows: String = rows.iter().map(|row| row.join(",") + "\n").collect();
    format!("{header}\n{rows}")
}

/// The same of each row.
fn each(text: &str, change: impl FnMut(&mut Vec<String>)) -> String {
    rows(text, |rows| rows.iter_mut().for_each(change))
}

fn step(row: &[String]) -> usize {
    row[0].parse().unwrap()
}

/// Changes the time of some rows.
fn times(text: &str, change: &mut dyn FnMut(usize, usize, f64) -> f64) -> String {
    each(text, |row| {
        let (step, rank) = (row[0].parse().unwrap(), row[1].parse().unwrap());
        row[2] = format!("{:.6}", change(step, rank, row[2].parse().unwrap()));
    })
}

const DAMAGES: &[Damage] = &[
    (
        "shuffled",
        |text, numbers| {
            rows(text, |rows| {
                (1..rows.len()).rev().for_each(|at| rows.swap(at, numbers.below(at + 1)));
            })
        },
        &[],
    ),
    (
        "milliseconds",
        |text, _| times(text, &mut |_, _, time| 1000.0 * time),
        &["same unit", "beside steps"],
    ),
    (
        "another unit from some step on",
        |text, numbers| {
            let at = 50 + numbers.below(300);
            times(text, &mut |step, _, time| if step >= at { 1000.0 * time } else { time })
        },
        &["two units"],
    ),
    (
        "a stride",
        |text, numbers| {
            let stride = [2, 10, 100][numbers.below(3)];
            each(text, |row| row[0] = (stride * step(row)).to_string())
        },
        &["apart"],
    ),
    (
        "some rows lost",
        |text, numbers| {
            rows(text, |rows| rows.retain(|row| row[3] == "1" || numbers.below(50) > 0))
        },
        &["filled in"],
    ),
    (
        "many steps lost",
        |text, numbers| {
            let from = numbers.below(200);
            rows(text, |rows| rows.retain(|row| !(from..from + 100).contains(&step(row))))
        },
        &["missing"],
    ),
    (
        "a row twice",
        |text, numbers| rows(text, |rows| rows.push(rows[numbers.below(rows.len())].clone())),
        &["two times"],
    ),
    (
        "spikes",
        |text, numbers| {
            times(text, &mut |_, _, time| if numbers.below(200) == 0 { 30.0 * time } else { time })
        },
        &["far off"],
    ),
    (
        "ranks swapped from some step on",
        |text, numbers| {
            let at = 20 + numbers.below(70);
            let [a, b] = [numbers.below(8), numbers.below(8)].map(|rank| rank.to_string());
            each(text, |row| match &row[1] {
                _ if step(row) < at => {}
                rank if *rank == a => row[1].clone_from(&b),
                rank if *rank == b => row[1].clone_from(&a),
                _ => {}
            })
        },
        &[],
    ),
    (
        "cut off",
        |text, numbers| {
            let end = text.len() / 4 + numbers.below(text.len() / 2);
            text[..end].to_owned()
        },
        &[],
    ),
    (
        "remaps not marked",
        |text, _| each(text, |row| (row[3], row[4]) = ("0".to_owned(), String::new())),
        &["no remap is recorded"],
    ),
    (
        "a partition at the start",
        |text, _| {
            rows(text, |rows| {
                for row in rows.iter_mut().filter(|row| row[0] == "0") {
                    (row[3], row[4]) = ("1".to_owned(), "25".to_owned());
                }
            })
        },
        &["first partition"],
    ),
    ("decimal commas", |text, _| text.replace(',', ";").replace('.', ","), &[]),
    (
        "a negative time",
        |text, numbers| {
            rows(text, |rows| {
                let at = numbers.below(rows.len());
                rows[at][2] = "-1".to_owned();
            })
        },
        &["negative"],
    ),
    ("no header", |text, _| text.split_once('\n').unwrap().1.to_owned(), &["header"]),
    (
        "readings of a clock",
        |text, _| {
            let mut clock = [0.0; 8];
            times(text, &mut |_, rank, time| {
                clock[rank] += time;
                clock[rank]
            })
        },
        &["clock"],
    ),
    ("zeros", |text, _| times(text, &mut |_, _, _| 0.0), &["all times are 0"]),
    ("too short", |text, _| rows(text, |rows| rows.retain(|row| step(row) < 25)), &["too few"]),
];

/// By which factor the rule of a damaged log may cost more than that of the log.
const NEAR: f64 = 1.25;

#[test]
fn no_damage_ends_in_nonsense() {
    let mut logs = 0;
    let seeds = few_or_all(1, 17);
    for seed in 1..=seeds {
        let mut numbers = Numbers::new(seed);
        let walk = [0.0, 0.01, 0.03][numbers.below(3)];
        let made = Made { seed, walk, ..DRIFTING };
        let text = made.csv();
        let Answer::Rule(right, _) = ask(text.clone()) else {
            panic!("an undamaged log is refused")
        };
        let least = cost(&made, &right);
        for (name, damage, words) in DAMAGES {
            logs += 1;
            let answer = ask(damage(&text, &mut numbers));
            let said = match &answer {
                Answer::Refused(why) => vec![why.clone()],
                Answer::Rule(_, said) => said.clone(),
            };
            let named = words.iter().any(|word| said.iter().any(|said| said.contains(word)));
            assert!(named || words.is_empty(), "{name}, seed {seed}: {answer:?}");
            // What is not refused gives a rule that is nearly as good, unless it was said why not.
            let warned = |said: &String| {
                ["same unit", "beside steps", "is cut short"].iter().any(|why| said.contains(why))
            };
            if let (Answer::Rule(rule, _), false) = (&answer, said.iter().any(warned)) {
                let found = cost(&made, rule);
                assert!(
                    found <= NEAR * least,
                    "{name}, seed {seed}: {found}, not {least}: {answer:?}"
                );
            }
        }
    }
    assert!(logs >= few_or_all(17, 300), "{logs}");
}
