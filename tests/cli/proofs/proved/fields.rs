//! Fields that are proved: whoever changes one is refused.

use super::{
    CURVES, Case, Proves, all, around, cheapest, drift, ending, growing, long, moved, pair, phases,
    region,
};
use crate::support::prelude::*;
use remap::problems::Settings;

#[test]
fn fields_of_threshold_curves() {
    let case = phases();
    let last = case.document["last_step"].u64();
    case.refuses("/last_step", [json!(last + 1), json!(last - 1)], "steps");
    let n0 = case.document["n0"].u64();
    case.refuses("/n0", [json!(n0 + 1), json!(n0 - 1), json!(0)], "`n0` is");
    case.refuses("/threshold/3", [json!(0.9), json!(0)], "`threshold[3]` is");
    case.refuses("/threshold_lower/3", [json!(0.0), json!(0.1)], "threshold[3]");
    case.refuses("/threshold_upper/3", [json!(1.0), json!(0.9)], "threshold[3]");
    case.refuses("/threshold/3", [json!(null), json!("x")], "`threshold[3]`: invalid type");
    for list in CURVES {
        case.refuses(&format!("/{list}"), [json!([])], "threshold");
    }
    let none = case.with(&CURVES.map(|list| (list, json!([]))));
    let fault = case.verify(&none).unwrap_err();
    assert!(fault.contains("`threshold` has 0 entries for the steps 0 to 14"));
    let [lower, _] = case.document["value"].ends();
    case.refuses("/value/lower", [json!(lower - 1e-6), json!(lower + 1e-6)], "`value`");
    case.refuses("/value/upper", [json!(lower - 1e-6), json!(lower + 1e-6)], "`value`");
    for (field, other) in [("false_alarm", 0.1000001), ("missed", 0.21), ("hazard", 0.06)] {
        case.refuses(&format!("/belief/{field}"), [json!(other)], &format!("`belief.{field}` is"));
    }
    case.refuses("/belief/hazard", [json!([0.05])], "`belief.hazard` has");
    case.refuses("/exact/n0", [json!(n0 + 1)], "`exact.n0` is");
    case.refuses("/exact/value", [json!("1/3"), json!("x")], "`exact.value` is");
    case.refuses("/exact/threshold/2", [json!("1/3"), json!("")], "`exact.threshold[2]` is");
    case.refuses("/exact/threshold_decimal/2", [json!(0.5)], "`exact.threshold_decimal[2]` is");
    case.refuses("/exact/threshold", [json!([])], "`exact.threshold` has 0 entries");
    // Bounds so wide that they say nothing.
    let mut wide = case.document.clone();
    (wide["threshold_lower"][5], wide["threshold_upper"][5]) = (json!(0.0), json!(1.0));
    assert!(case.verify(&wide).unwrap_err().contains("wider apart than the tolerance"));
}

#[test]
fn fields_of_long_curves() {
    let case = long();
    let ends = ["lower", "upper"].map(|end| &case.document[format!("threshold_stationary_{end}")]);
    let [lower, upper] = ends.map(Json::f64);
    for (field, out) in [("", upper + 1e-8), ("_lower", lower - 1e-8), ("_upper", upper + 1e-8)] {
        let field = format!("/threshold_stationary{field}");
        case.refuses(&field, [json!(out)], "threshold_stationary");
    }
    let through = case.document["stationary_through"].u64();
    case.refuses("/stationary_through", [json!(through + 1), json!(3_000_005), json!(0)], "t");
    let mut head = case.document.clone();
    head["threshold_head"] = json!([[0.9, 0.9]]);
    assert!(case.verify(&head).unwrap_err().contains("threshold_head[0]"));
    head["threshold_head"] = json!([[lower, upper]]);
    assert!(case.verify(&head).unwrap().proves("threshold_head"));
}

#[test]
fn fields_of_decision_maps() {
    for case in [pair(), region()] {
        let mut other: Vec<u64> = case.document["shape"].list().iter().map(Json::u64).collect();
        (other[0], other[1]) = (other[0] * other[1], 1);
        case.refuses("/shape", [json!(other)], "`shape[0]` is");
        case.refuses("/lowest/1", [json!(7)], "`lowest[1]` is 7");
        case.refuses("/remap_cost", [json!(12)], "`remap_cost` is");
        case.refuses("/states", [json!(12)], "`states` is 12");
        case.refuses("/remap_value", [json!(11.0)], "`remap_value` is");
        case.refuses("/remap_bounds/0", [json!(1.0)], "`remap_bounds`");
        case.refuses("/remap_bounds/1", [json!(1000)], "`remap_bounds`");
        case.refuses("/largest_value", [json!(0.5)], "`largest_value` is");
        case.refuses("/value_gap", [json!(-1e-12), json!(1)], "`value_gap` is");
        for count in ["balanced", "remap", "continued"] {
            case.refuses(&format!("/counts/{count}"), [json!(5000)], &format!("`counts.{count}`"));
        }
        case.refuses("/value/1", [json!(0.0), json!(1e9)], "`value[1]` is");
        case.refuses("/value", [json!([])], "`value[0]` is missing");
        let letters = case.document["decision"].text().to_owned();
        case.refuses("/ties", [json!([letters.len()]), json!([0])], "`ties[0]` is");
        case.refuses("/decision", [json!(letters[1..])], "`decision`");
        let reversed: String = letters.chars().rev().collect();
        for other in ["R".repeat(letters.len()), letters.replace('C', "R"), reversed] {
            if other != letters {
                case.refuses("/decision", [json!(other)], "decision");
            }
        }
        // Each letter.
        for place in some(12, 0..letters.len()) {
            for letter in ["B", "R", "C"].iter().filter(|l| &letters[place..=place] != **l) {
                let mut other = letters.clone();
                other.replace_range(place..=place, letter);
                case.refuses("/decision", [json!(other)], &format!("`decision[{place}]`"));
            }
        }
    }
    // States that are listed.
    let joint = Case::deck("stopping/particles.ron", all());
    joint.refuses("/loads/1/0", [json!(77)], "`loads[1][0]` is 77");
    joint.refuses("/loads", [json!([])], "lowest");
    let restart = Case::deck("stopping/restart.ron", all());
    let lower = restart.document["average"]["lower"].f64();
    restart.refuses("/average/lower", [json!(lower - 1e-6)], "`average`");
    restart.refuses("/average/upper", [json!(lower + 1e-6)], "`average`");
    restart.refuses("/average_of_stop/upper", [json!(lower - 1.0)], "`average_of_stop`");
    restart.refuses("/average", [json!(null)], "`average` is missing");
    restart.refuses("/counts/remap", [json!(1)], "`counts.");
    restart.refuses("/remap_bounds", [json!([9, 1])], "`remap_bounds` has the lower bound 9");
    restart.refuses("/remap_value", [json!(1e6), json!(-1)], "not in `remap_bounds`");
}

#[test]
fn fields_of_costs_by_loads_of_ends_and_of_periods() {
    let case = moved();
    case.refuses("/cost_by_state/fixed", [json!(2.5)], "`cost_by_state.fixed` is 2.5");
    case.refuses("/cost_by_state/per_unit_moved", [json!(0.5)], "per_unit_moved");
    case.refuses("/cost_by_state", [json!([1, 2])], "`cost_by_state` is of another form");
    case.refuses("/remap_cost", [json!(11)], "`remap_cost` is 11");
    let drift = Case::deck("load_drift/units_moved.ron", Settings::default());
    drift.refuses("/cost_by_state/fixed", [json!(2.5)], "`cost_by_state.fixed` is 2.5");
    drift.refuses("/cost_by_state", [json!(null)], "`cost_by_state` is of another form");
    drift.refuses("/remap_cost", [json!(4)], "`remap_cost` is 4");
    drift.refuses("/value", [json!(100)], "`value` is given as 100");
    let case = ending();
    assert!(case.fields().proves("remaps_from"));
    case.refuses("/steps", [json!(13)], "`steps` is 13");
    let first = case.document["remaps_from"][1].u64();
    case.refuses("/remaps_from/1", around(first), "`remaps_from[1]`");
    case.refuses("/remaps_from", [json!([]), json!(null)], "`remaps_from`");
    let case = growing();
    let second = &case.document["sequence"][1];
    let (from, load) = (second["from"].u64(), second["initial_load"].f64());
    let interval = second["interval"].u64();
    case.refuses("/sequence/1/from", [json!(from + 1)], "`sequence[1].from`");
    case.refuses("/sequence/1/initial_load", [json!(load + 1e-6)], "`sequence[1].initial_load`");
    let others = [json!(interval + 1), json!(null)];
    case.refuses("/sequence/1/interval", others, "`sequence[1].interval`");
    case.refuses("/sequence", [json!([])], "`sequence` has 0 entries");
    let case = cheapest();
    let interval = case.document["interval"].u64();
    case.refuses("/interval", around(interval), "`interval` is");
    let cost = case.document["cost_aware"]["cost_per_step"].f64();
    case.refuses("/cost_aware/cost_per_step", [json!(cost + 1e-6)], "`cost_aware.cost_per_step`");
    case.refuses("/cost_aware/remap_cost", [json!(7)], "`cost_aware.remap_cost`");
    case.refuses("/cost_aware/interval", [json!(interval + 1)], "`cost_aware.interval`");
}

/// More load vectors than a document lists.
#[test]
fn a_tie_of_the_solution_may_be_proved_to_be_the_other_letter() {
    let model = "Stopping(processes: Identical(count: 2, chain: Walk(levels: 3, up: 0.5, down: 0.5, edge: Hold)), \
                 remap_cost: 1, after_remap: Stop, steps: 2)";
    let case = Case::model(model, all());
    let settled = case.fields().proves("decision");
    assert!(!case.document["ties"].list().is_empty() && !settled, "{:?}", case.document);
    // Where the solution says that it knows, it has to be right.
    case.refuses("/ties", [json!([])], "is proved");
}

#[test]
fn counts_of_maps_that_are_not_listed() {
    let case = Case::deck("stopping/sixteen_chains.ron", Settings::default());
    let fields = case.fields();
    assert!(case.document.get("decision").is_none() && fields.proves("counts"));
    for (count, least) in [("balanced", 0.5), ("remap", 1e-8), ("continued", 1e-8)] {
        let given = case.document["counts"][count].f64();
        let more = given * (1.0 + least) + 1.0;
        case.refuses(&format!("/counts/{count}"), [json!(more)], &format!("`counts.{count}`"));
    }
    let mut listed = case.document.clone();
    listed["decision"] = json!("R");
    assert!(case.verify(&listed).is_err());
}

#[test]
fn fields_of_drifting_loads() {
    let case = drift();
    let others =
        "processors 4, lowest 0, levels 6, initial_load 3, steps 29, remap_cost 1, states 34";
    for (field, other) in others.split(", ").map(|pair| pair.split_once(' ').unwrap()) {
        let other: u64 = other.parse().unwrap();
        case.refuses(&format!("/{field}"), [json!(other)], &format!("`{field}` is {other}"));
    }
    let value = case.document["value"].f64();
    for out in [value - 1e-6, value + 1e-6] {
        case.refuses("/value", [json!(out)], "`value` is");
        case.refuses("/value_bounds/lower", [json!(out)], "value");
        case.refuses("/value_bounds/upper", [json!(out)], "value");
    }
    case.refuses("/best_fixed/value", [json!(0.9 * value)], "`best_fixed.value` is");
    case.refuses("/never/value", [json!(0.9 * value)], "`never.value` is");
    case.refuses("/closest_value", [json!(0.9 * value)], "`closest_value` is");
    let time = case.document["time"].f64();
    case.refuses("/time", [json!(time + 0.01), json!(0)], "`time` is");
}
