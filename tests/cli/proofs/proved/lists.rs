//! Which fields of a solution are proved, which are not, and those that all solutions have.

use super::{
    Case, OTHER_RULE, all, bursts, drift, every_kind, fitted, long, many_phases, names, pair,
    partial, phases, region, unbounded,
};
use crate::support::prelude::*;
use remap::problems::proved::Fields;

#[test]
fn every_field_of_a_solution_is_in_one_of_two_lists() {
    for case in every_kind() {
        let Fields { proved, not_proved, .. } = case.fields();
        assert!(proved.is_sorted() && not_proved.is_sorted());
        let mut both = [proved, not_proved].concat();
        both.sort();
        let mut all: Vec<String> = case.document.as_object().unwrap().keys().cloned().collect();
        all.sort();
        assert_eq!(both, all);
    }
}

/// That these fields are proved besides those that every solution has.
#[track_caller]
fn proves(case: &Case, fields: &str) {
    let head = "title problem status certificate".split(' ');
    let mut right: Vec<&str> = head.chain(fields.split(' ')).collect();
    right.sort_unstable();
    let mut proved = case.fields().proved;
    // Of a map it is proved where it is not too close.
    proved.retain(|name| name != "value_gap" || !fields.contains("remap_bounds"));
    assert_eq!(names(&proved), right);
}

#[test]
fn what_is_proved_of_each_kind() {
    let curve = "last_step n0 threshold threshold_lower threshold_upper value belief premature";
    proves(phases(), &format!("{curve} exact"));
    let shared = "threshold_stationary threshold_stationary_lower threshold_stationary_upper";
    proves(long(), &format!("{curve} {shared} stationary_through"));
    let counts =
        "remap_cost states remap_bounds remap_value largest_value decision counts value ties";
    for case in [pair(), region()] {
        proves(case, &format!("shape lowest {counts} dynamics"));
    }
    let mut rest = pair().fields().not_proved;
    rest.retain(|name| name != "value_gap");
    let right = "classes iterations representation seconds tolerance version warnings";
    assert_eq!(names(&rest).join(" "), right);
    let value = "lowest levels initial_load steps remap_cost states value value_bounds dynamics";
    proves(drift(), &format!("processors {value}"));
    // States that share loads are known by their places; of walks the levels that are shown.
    proves(bursts(), &format!("shape loads {counts} dynamics"));
    // Where there is no highest load other rules are not played.
    proves(unbounded(), &format!("shape lowest {counts}"));
    proves(partial(), "shape lowest remap_cost cost_by_state states average");
    proves(many_phases(), "phases reports fitted value last_step");
    proves(fitted(), "phases reports fitted value discount");
    let rest = "beliefs decision seconds tolerance vectors version warnings";
    assert_eq!(names(&fitted().fields().not_proved).join(" "), rest);
    // Costs that go on for ever: no decision is proved.
    let restart = Case::deck("stopping/restart.ron", all());
    proves(&restart, "shape lowest remap_cost states average dynamics");
    for (case, field) in
        [(unbounded(), "kept_levels"), (partial(), "partial_remaps"), (&restart, "decision")]
    {
        assert!(case.fields().not_proved.contains(&field.to_owned()), "{field}");
    }
}

#[test]
fn fields_that_all_solutions_have() {
    for case in [phases(), pair(), drift()] {
        case.refuses("/title", [json!("another")], "`title` is another, but the model has");
        case.refuses("/status", [json!("interrupted"), json!("time_limit")], "`status`");
        case.refuses("/tolerance", [json!(0), json!(-1)], "`tolerance`");
        // What was reached is no proof of what was not.
        let document = case.with(&[("status", json!("iteration_limit"))]);
        assert!(case.verify(&document).unwrap().not_proved.contains(&"status".to_owned()));
        for field in case.document.as_object().unwrap().keys() {
            for wrong in [json!({}), json!([["x"]])] {
                let fault = case.fault(&format!("/{field}"), wrong);
                assert!(fault.contains(field), "{field}: {fault}");
            }
        }
    }
    let other = pair();
    let document = drift().with(&[("title", other.document["title"].clone())]);
    assert!(other.verify(&document).unwrap_err().contains("`problem` is load_drift"));
}

/// Fields that one kind of model has and another does not.
#[test]
fn fields_of_other_models_are_refused() {
    let with = |case: &Case, field: &str, value: Value| {
        case.verify(&case.with(&[(field, value)])).unwrap_err()
    };
    let (pair, walks, some) = (pair(), unbounded(), partial());
    assert!(with(pair, "kept_levels", json!(12)).contains("`kept_levels`"));
    assert!(with(walks, "kept_levels", Value::Null).contains("`kept_levels`"));
    let units = some.document["partial_remaps"].clone();
    assert!(with(some, "partial_remaps", Value::Null).contains("`partial_remaps`"));
    let mut longer = units.clone();
    longer["units"].as_array_mut().unwrap().push(json!(0));
    assert!(with(some, "partial_remaps", longer).contains("`partial_remaps`"));
    let mut better = units;
    better["average_of_whole"] = json!({ "lower": 0.1, "upper": 0.2 });
    assert!(with(some, "partial_remaps", better).contains("`partial_remaps.average_of_whole`"));
    let (ends, goes_on) = (many_phases(), fitted());
    ends.refuses("/phases", [json!(2), json!(4)], "phases");
    ends.refuses("/reports", [json!(2)], "`reports`");
    ends.refuses("/fitted", [json!(true)], "`fitted`");
    ends.refuses("/last_step", [json!(199), Value::Null], "`last_step`");
    goes_on.refuses("/discount", [json!(0.94), Value::Null], "`discount`");
    assert!(with(ends, "discount", json!(0.5)).contains("`discount`"));
    assert!(with(goes_on, "last_step", json!(5)).contains("`last_step`"));
    ends.refuses("/value", [json!({ "lower": 1.0, "upper": 2.0 }), Value::Null], "`value`");
    ends.refuses("/value/upper", [json!(300.0), json!(200.0)], "`value`");
    // A fraction outside what is proved, and one within that is no result of solving the model
    // again.
    assert!(with(ends, "exact", json!("100")).contains("`exact`"));
    assert!(with(ends, "exact", json!("x")).contains("`exact`"));
    assert!(with(ends, "exact", json!("253")).contains("`exact` is \"253\""));
}

/// A missing field, and one that is null, is named.
#[test]
fn fields_that_are_missing_or_null_are_named() {
    for case in [phases(), long(), pair(), region(), drift()] {
        let proved = case.fields().proved;
        for field in proved.iter().filter(|name| *name != "certificate") {
            // What not every solution has says nothing where it is missing.
            let optional = ["exact", "value"].contains(&field.as_str());
            let mut without = case.document.clone();
            without.as_object_mut().unwrap().remove(field);
            for document in [without, case.with(&[(field, Value::Null)])] {
                match case.verify(&document) {
                    Ok(fields) => assert!(optional && !fields.proved.contains(field), "{field}"),
                    Err(fault) => {
                        let shared = field.contains("stationary");
                        let said = if shared { "threshold" } else { field };
                        let named = fault.contains(said) || fault.contains(OTHER_RULE);
                        assert!(named, "{field}: {fault}");
                    }
                }
            }
        }
    }
}
