//! Random changes of solutions: no changed field is said to be proved.

use super::{Case, all, every_kind};
use crate::support::prelude::*;
use proptest::test_runner::TestRunner;
use rand::{Rng, RngExt};

/// Changes something in a value, by more than what bounds and tolerance leave open; `None` if it
/// cannot.
fn changed(value: &Value, name: &str, tolerance: f64, rng: &mut impl Rng) -> Option<Value> {
    let kind = rng.random_range(0..12);
    if kind == 0 {
        return (!value.is_null()).then_some(Value::Null);
    }
    Some(match value {
        Value::Number(_) if kind == 1 => json!("x"),
        Value::Number(number) if number.is_u64() => {
            let number = number.as_u64()?;
            let more = rng.random_range(1..=1 + number / 2);
            json!(if rng.random() { number + more } else { number.checked_sub(more)? })
        }
        Value::Number(number) => {
            let number = number.as_f64()?;
            let away =
                3.0 * tolerance * number.abs().max(1.0) * 10f64.powf(rng.random_range(0.0..9.0));
            json!(if rng.random() { number + away } else { number - away })
        }
        Value::String(text) if name == "decision" => {
            let mut letters = text.clone().into_bytes();
            match kind {
                1 => letters.clear(),
                2 => letters.reverse(),
                3 => letters.fill(b'R'),
                4 => drop(letters.pop()),
                _ => {
                    let place = rng.random_range(0..letters.len());
                    letters[place] = b"BRC"[rng.random_range(0..3)];
                }
            }
            json!(String::from_utf8(letters).unwrap())
        }
        Value::String(text) if name == "status" => {
            json!(["interrupted", "time_limit", "", text][rng.random_range(0..4)])
        }
        Value::String(text) => json!(format!("1{text}")),
        Value::Array(list) if kind == 1 || list.is_empty() => {
            json!(if list.is_empty() { vec![json!(1u64 << 50)] } else { Vec::new() })
        }
        Value::Array(list) => {
            let (mut list, place) = (list.clone(), rng.random_range(0..list.len()));
            match kind {
                2 => drop(list.pop()),
                3 => list.push(list[place].clone()),
                _ => list[place] = changed(&list[place], name, tolerance, rng)?,
            }
            json!(list)
        }
        Value::Object(map) => {
            let (mut map, place) = (map.clone(), rng.random_range(0..map.len()));
            let key = map.keys().nth(place)?.clone();
            match kind {
                2 => drop(map.remove(&key)),
                _ => map[&key] = changed(&map[&key], &key, tolerance, rng)?,
            }
            json!(map)
        }
        Value::Bool(_) | Value::Null => return None,
    })
}

/// No random change of a field that is proved leaves it said to be proved.
fn tampered(case: &Case, cases: usize) {
    let mut rng = TestRunner::deterministic().rng().clone();
    let tolerance = case.document["tolerance"].f64();
    let mut proved = case.fields().proved;
    proved.retain(|name| name != "certificate");
    let (mut tried, mut refused) = (0, 0);
    while tried < cases {
        let field = &proved[rng.random_range(0..proved.len())];
        let mut document = case.document.clone();
        let Some(other) = changed(&document[field], field, tolerance, &mut rng) else { continue };
        if other == document[field] {
            continue;
        }
        document[field] = other.clone();
        tried += 1;
        match case.verify(&document) {
            Err(_) => refused += 1,
            // What may be missing says nothing.
            Ok(fields) => {
                assert!(other.is_null() && !fields.proved.contains(field), "{field}: {other}");
            }
        }
    }
    assert!(refused > tried * 9 / 10, "{refused} of {tried}");
}

const MANY: usize = 10_000;

#[test]
fn tampered_solutions_are_refused() {
    for case in every_kind() {
        tampered(case, few_or_all(100, 300));
    }
}

/// `cargo test --test cli -- --ignored tampered_solutions`
#[test]
#[ignore = "a minute of processor time; run with: cargo test --test cli ten_thousand_tampered_solutions -- --ignored"]
fn ten_thousand_tampered_solutions_of_each_kind_are_refused() {
    for case in every_kind() {
        tampered(case, MANY);
    }
    for deck in ["capacities", "particles", "restart"] {
        tampered(&Case::deck(&format!("stopping/{deck}.ron"), all()), MANY);
    }
}
