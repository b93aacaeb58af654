//! Every theorem of \[FXW03\] and the exact values against references that `references.py`
//! made by other means, through the command line.

use crate::support::workplace::Json;
use crate::thorough::some;
use approx::abs_diff_eq;
use assert_cmd::Command;
use serde_json::Value;
use std::path::PathBuf;

/// Reference values carry 15 digits; the engine must agree with ten.
const DIGITS: f64 = 1e-10;

#[test]
fn references_of_all_theorems() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/cli/kinds/periodic");
    let cases = std::fs::read_to_string(folder.join("references.json")).unwrap();
    let cases: Vec<Value> = serde_json::from_str(&cases).unwrap();
    assert!(cases.len() >= 30);
    let cases = some(9, cases);
    let models = tempfile::tempdir().unwrap();
    let paths = cases.iter().enumerate().map(|(index, case)| {
        let path = models.path().join(format!("{index}.ron"));
        std::fs::write(&path, case["model"].text()).unwrap();
        path
    });
    let paths: Vec<PathBuf> = paths.collect();
    let output = Command::cargo_bin("remap")
        .unwrap()
        .args(["solve", "--json"])
        .args(&paths)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let mut wrong = Vec::new();
    for (case, found) in cases.iter().zip(&found) {
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
