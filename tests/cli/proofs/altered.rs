//! Solutions of which one field was altered: `verify` refuses them, or says that nothing is checked
//! of that field.

use crate::proofs::proved::{Case, all, every_kind, models};
use crate::support::workplace::{Json, Workplace};
use crate::thorough::{few_or_all, some};
use remap::problems::Settings;
use remap::problems::recomputed::{Second, UNCHECKED, is_unchecked};
use remap::problems::registry::Loaded;
use serde_json::{Value, json};

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
    let place = Workplace::new();
    let model = "Model(title: \"t\", unit_seconds: 0.25, stride: 2, fits: (verdict: no, why: \"the slopes differ\"), \
                 job_steps: 60, problem: LoadDrift(processors: 3, chain: Walk(lowest: 1, levels: 5, up: 0.3, down: 0.2, \
                 edge: Hold), initial_load: 2, steps: 30, remap_cost: 0.7, decide: BeforeStep))";
    place.write("m.ron", model);
    Case::of(&Loaded::read(&place.path("m.ron")).expect("a model"), Settings::default())
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
                let proved =
                    found.as_ref().is_ok_and(|found| found.proved.contains(&field.to_owned()));
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
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/certificates.md"))
            .unwrap();
    for (problem, fields) in UNCHECKED {
        let fields: Vec<String> = fields.iter().map(|field| format!("`{field}`")).collect();
        let listed = if fields.is_empty() { "none".to_owned() } else { fields.join(", ") };
        let line = format!("| `{problem}` | {listed} |");
        assert!(page.contains(&line), "{line}");
    }
}

/// From outside: documents as they are printed, one thing in them altered.
#[test]
fn what_was_altered_in_a_printed_solution_is_refused() {
    let place = Workplace::new();
    let deck = |name: &str| format!("{}/../models/{name}", env!("CARGO_MANIFEST_DIR"));
    let solve = |name: &str| {
        let folder = name.replace(['/', '.'], "_");
        let proof = format!("{folder}.proof");
        let arguments = ["solve", &deck(name), "--certificate", &proof, "--json"];
        place.run(&arguments).exits(0).json()
    };
    let refused = |document: &Value, change: &dyn Fn(&mut Value), said: &str| {
        let mut other = document.clone();
        change(&mut other);
        assert_ne!(&other, document, "{said}");
        place.write("altered.json", other.to_string());
        place.remap("verify altered.json").exits(1).says(said);
    };
    let drift = solve("load_drift/three_chains.ron");
    place.write("own.json", drift.to_string());
    let told = place.remap("verify own.json").exits(0);
    assert!(told.out.contains("of these, computed again: best_fixed, "), "{}", told.out);
    refused(
        &drift,
        &|own| {
            let all = own["closest_threshold"].as_array_mut().unwrap();
            all.iter_mut().for_each(|one| one["threshold"] = json!(0.01));
        },
        "`closest_threshold[0].threshold` is 0.01",
    );
    refused(&drift, &|own| own["closest_value"] = json!(176.0), "`closest_value` is 176");
    refused(&drift, &|own| own["utilization"] = json!(0.5), "`utilization` is 0.5");
    refused(&drift, &|own| own["remaps"] = json!(0), "`recommended` is not what");
    refused(
        &drift,
        &|own| own["fixed_utilization"].as_array_mut().unwrap().reverse(),
        "`fixed_utilization[0]`",
    );
    // Both of them more by the same.
    refused(
        &drift,
        &|own| {
            for field in ["time", "work"] {
                own[field] = json!(own[field].f64() + 1.0);
            }
            let share = own["work"].f64() / own["time"].f64();
            own["utilization"] = json!(share);
        },
        "`time` is",
    );
    let map = solve("stopping/yin_xu_wang.ron");
    refused(&map, &|own| own["unit_seconds"] = json!(5), "`unit_seconds` is 5");
    refused(&map, &|own| own["stride"] = json!(3), "`stride` is 3");
    refused(&map, &|own| own["job_steps"] = json!(100), "`job_steps` is 100");
    refused(&map, &|own| own["fits"] = json!({ "verdict": "yes", "why": "it does" }), "`fits` is");
    refused(
        &map,
        &|own| own["dynamics"]["chains"][0]["rows"][0] = json!([0, [0.6, 0.4]]),
        "`dynamics.chains[0].rows[0]",
    );
    refused(&map, &|own| own["value_gap"] = json!(1e-30), "`value_gap` is 1e-30");
}

/// Where no time is left for a second solution, that is said of each field.
#[test]
fn what_was_not_computed_again_is_said() {
    let case = Case::deck("stopping/restart.ron", all());
    let loaded = Loaded::read(&models().join("stopping/restart.ron")).expect("a model");
    let found = case.verify_with(&case.document, &Second::of(loaded, Some(0.0))).unwrap();
    assert!(found.recomputed.is_empty() && found.proved.contains(&"average".to_owned()));
    for field in ["decision", "average_of_stop", "value_gap"] {
        assert!(found.reasons[field].starts_with("not computed again"), "{field}");
    }
}
