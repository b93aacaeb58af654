//! Solutions of which one field was altered: `verify` refuses them, or says that nothing is checked
//! of that field.

use crate::proofs::proved::{Case, Proves, all, every_kind, models, pair};
use crate::support::prelude::*;
use remap::problems::Settings;
use remap::problems::recomputed::{Second, UNCHECKED, is_unchecked};
use remap::problems::registry::Loaded;
use std::path::Path;

/// Entries of a list that are altered at most: the first ones, and others evenly spread.
const MOST_ENTRIES: usize = 12;

/// Paths of all numbers, texts and truth values.
fn leaves(value: &Value, path: &str, all: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, field)| leaves(field, &format!("{path}/{name}"), all));
        }
        Value::Array(list) => {
            let apart = list.len().div_ceil(MOST_ENTRIES).max(1);
            let some = list.iter().enumerate().step_by(apart);
            some.for_each(|(i, entry)| leaves(entry, &format!("{path}/{i}"), all));
        }
        _ => all.push(path.to_owned()),
    }
}

/// Other values in the place of one.
fn altered(value: &Value) -> Vec<Value> {
    match value {
        Value::Number(number) => {
            let float = number.as_f64().unwrap();
            let little = match number.as_u64() {
                Some(whole) => json!(whole + 1),
                None => json!(float * 1.001 + 0.001),
            };
            vec![little, json!(-float - 1.0), json!(0.25 * float), Value::Null]
        }
        Value::String(text) => {
            // Another letter of a map, in the middle.
            let mut letters: Vec<char> = text.chars().collect();
            let middle = letters.len() / 2;
            if let Some(letter) = letters.get_mut(middle) {
                *letter = if *letter == 'R' { 'C' } else { 'R' };
            }
            vec![json!(letters.into_iter().collect::<String>()), json!(""), Value::Null]
        }
        Value::Bool(truth) => vec![json!(!truth)],
        _ => vec![json!(1), json!(0.5)],
    }
}

/// A model that was fitted to a log, in the documented form.
fn fitted_to_a_log() -> Case {
    let model = "Model(title: \"t\", unit_seconds: 0.25, stride: 2, fits: (verdict: no, why: \"the slopes differ\"), \
                 job_steps: 60, problem: LoadDrift(processors: 3, chain: Walk(lowest: 1, levels: 5, up: 0.3, down: 0.2, \
                 edge: Hold), initial_load: 2, steps: 30, remap_cost: 0.7, decide: BeforeStep))";
    let loaded = Loaded::from_text(Path::new("m.ron"), model.to_owned()).expect("a model");
    Case::of(&loaded, Settings::default())
}

fn every_form() -> Vec<&'static Case> {
    let critical = Settings { critical_costs: true, ..all() };
    let paths = Settings { simulate: Some(50), ..Settings::default() };
    let mut cases = every_kind();
    let others = [
        Case::deck("load_drift/three_chains.ron", Settings { step: Some(97), ..all() }),
        Case::deck("load_drift/units_moved.ron", Settings::default()),
        Case::deck("stopping/restart.ron", all()),
        Case::deck("stopping/yin_xu_wang.ron", critical),
        Case::deck("periodic/table1.ron", paths),
        fitted_to_a_log(),
    ];
    cases.extend(others.map(|case| &*Box::leak(Box::new(case))));
    cases
}

#[test]
fn whoever_alters_a_field_is_refused_or_the_field_is_on_the_list() {
    let mut altered_in_all = 0;
    for case in some(6, every_form()) {
        let problem = case.document["problem"].text();
        let fields = case.fields();
        // All that is not proved is computed again, or on the list.
        for field in &fields.not_proved {
            let known = fields.recomputed.contains(field) || is_unchecked(problem, field);
            assert!(known || case.document[field].is_null(), "{problem}: {field}");
        }
        let mut paths = Vec::new();
        leaves(&case.document, "", &mut paths);
        for path in paths {
            let field = path.split('/').nth(1).unwrap();
            // The files that it names are read before.
            if field == "certificate" || is_unchecked(problem, field) {
                continue;
            }
            let own = case.document.at(&path);
            let other = |value: &Value| {
                value != own && (value.as_f64().is_none() || value.as_f64() != own.as_f64())
            };
            for value in altered(own).into_iter().filter(other) {
                let mut document = case.document.clone();
                *document.pointer_mut(&path).unwrap() = value.clone();
                let found = case.verify(&document);
                let proved = found.as_ref().is_ok_and(|found| found.proves(field));
                // What is left out says nothing. Other bounds may be proved as well where they are
                // far apart, or it is said how far the proof goes.
                let silent = value.is_null() && found.is_ok() && !proved;
                let bounds = path == "/value/lower" || path == "/value/upper";
                let told = found.as_ref().is_ok_and(|found| found.reasons.contains_key(field));
                let fine = found.is_err()
                    || silent
                    || (proved || told) && bounds && problem == "many_phases";
                assert!(fine, "{problem}: {path} = {value}, in place of {own}");
                altered_in_all += 1;
            }
        }
    }
    assert!(altered_in_all > few_or_all(1000, 5000), "{altered_in_all}");
}

/// The page has the list that the program goes by.
#[test]
fn the_page_on_certificates_lists_what_is_not_checked() {
    let page = std::fs::read_to_string(root().join("docs/certificates.md")).unwrap();
    for (problem, fields) in UNCHECKED {
        let fields: Vec<String> = fields.iter().map(|field| format!("`{field}`")).collect();
        let listed = if fields.is_empty() { "none".to_owned() } else { fields.join(", ") };
        has(&page, &[&format!("| `{problem}` | {listed} |")]);
    }
}

/// What is altered in fields that are computed again, or that nothing is said in, is named.
#[test]
fn what_was_altered_in_a_solution_is_named() {
    let place = Workplace::new();
    let mut printed = place.solved("models/load_drift/three_chains.ron --certificate proof");
    let told = place.shown("verify solution.json");
    has(&told, &["of these, computed again: best_fixed, "]);
    let refused = |case: &Case, fields: &[(&str, Value)], said: &str| {
        has(&case.verify(&case.with(fields)).unwrap_err(), &[said]);
    };
    let drift = Case::deck("load_drift/three_chains.ron", Settings::default());
    let mut dear = drift.document["closest_threshold"].clone();
    dear.as_array_mut().unwrap().iter_mut().for_each(|one| one["threshold"] = json!(0.01));
    let mut turned = drift.document["fixed_utilization"].clone();
    turned.as_array_mut().unwrap().reverse();
    // Both of them more by the same.
    let [time, work] = ["time", "work"].map(|field| drift.document[field].f64() + 1.0);
    let both = [("time", time), ("work", work), ("utilization", work / time)];
    refused(&drift, &both.map(|(field, value)| (field, json!(value))), "`time` is");
    for (field, value, said) in [
        ("closest_threshold", dear, "`closest_threshold[0].threshold` is 0.01"),
        ("closest_value", json!(176.0), "`closest_value` is 176"),
        ("utilization", json!(0.5), "`utilization` is 0.5"),
        ("remaps", json!(0), "`recommended` is not what"),
        ("fixed_utilization", turned, "`fixed_utilization[0]`"),
    ] {
        refused(&drift, &[(field, value)], said);
    }
    let mut dynamics = pair().document["dynamics"].clone();
    dynamics["chains"][0]["rows"][0] = json!([0, [0.6, 0.4]]);
    for (field, value, said) in [
        ("unit_seconds", json!(5), "`unit_seconds` is 5"),
        ("stride", json!(3), "`stride` is 3"),
        ("job_steps", json!(100), "`job_steps` is 100"),
        ("fits", json!({ "verdict": "yes", "why": "it does" }), "`fits` is"),
        ("dynamics", dynamics, "`dynamics.chains[0].rows[0]"),
        ("value_gap", json!(1e-30), "`value_gap` is 1e-30"),
    ] {
        refused(pair(), &[(field, value)], said);
    }
    // The program says so too.
    printed["closest_value"] = json!(176.0);
    place.write("altered.json", printed.to_string());
    place.remap("verify altered.json").exits(1).says("`closest_value` is 176");
}

/// Where no time is left for a second solution, that is said of each field.
#[test]
fn what_was_not_computed_again_is_said() {
    let case = Case::deck("stopping/restart.ron", all());
    let loaded = Loaded::read(&models().join("stopping/restart.ron")).expect("a model");
    let found = case.verify_with(&case.document, &Second::of(loaded, Some(0.0))).unwrap();
    assert!(found.recomputed.is_empty() && found.proves("average"));
    for field in ["decision", "average_of_stop", "value_gap"] {
        assert!(found.reasons[field].starts_with("not computed again"), "{field}");
    }
}
