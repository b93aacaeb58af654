//! Every theorem of \[FXW03\] and the exact values against references that `references.py`
//! made by other means, through the command line.

use crate::support::prelude::*;

/// Reference values carry 15 digits; the engine must agree with ten.
const DIGITS: f64 = 1e-10;

#[test]
fn references_of_all_theorems() {
    let cases = root().join("tests/cli/kinds/periodic/references.json");
    let cases = std::fs::read_to_string(cases).unwrap();
    let cases: Vec<Value> = serde_json::from_str(&cases).unwrap();
    assert!(cases.len() >= 30);
    let cases = some(9, cases);
    let place = Workplace::new();
    let name = |index: usize| format!("{index}.ron");
    cases
        .iter()
        .enumerate()
        .for_each(|(index, case)| place.write(&name(index), case["model"].text()));
    let names: Vec<String> = (0..cases.len()).map(name).collect();
    let found = place.answer(format!("solve {}", names.join(" ")));
    let mut wrong = Vec::new();
    for (case, found) in cases.iter().zip(found.list()) {
        for (place, expected) in case["expect"].as_object().unwrap() {
            let value = found.pointer(place).unwrap_or(&Value::Bool(false));
            let agrees = match expected {
                Value::String(digits) => {
                    let expected: f64 = digits.parse().unwrap();
                    value.as_f64().is_some_and(|v| {
                        abs_diff_eq!(v, expected, epsilon = DIGITS * expected.abs())
                    })
                }
                other => value == other,
            };
            if !agrees {
                wrong.push(format!("{}\n  {place}: {value}, not {expected}", case["model"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
