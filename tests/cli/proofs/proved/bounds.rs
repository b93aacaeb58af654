//! What lies between bounds, what is open, and what the command says of both.

use super::{
    BINARY, CURVES, Case, Proves, SWITCHES, TOLERANCE, all, around, endless, long_switches, models,
    pair, phases, region, squares, switches, walkers,
};
use crate::support::prelude::*;
use remap::problems::Settings;
use remap::problems::recomputed::Second;
use remap::problems::registry::Loaded;
use remap_checker::Proof;

/// What the attack of an outsider did to answers.
#[test]
fn thresholds_that_are_changed_together_are_refused() {
    let case = phases();
    let document = case.with(&CURVES.map(|list| (list, json!(vec![0.9; 15]))));
    assert!(case.verify(&document).unwrap_err().contains("threshold[0]"));
    let mut document = case.document.clone();
    for list in CURVES {
        document[list].as_array_mut().unwrap().reverse();
    }
    assert!(case.verify(&document).is_err());
}

/// Bounds so coarse that anything lies between them are right, and what lies between them is not
/// proved.
#[test]
fn coarse_bounds_do_not_prove_what_is_between_them() {
    let case = phases();
    let wide = [("threshold", 0.9), ("threshold_lower", 0.0), ("threshold_upper", 1.0)];
    let mut document = case.with(&wide.map(|(list, all)| (list, json!(vec![all; 15]))));
    document["tolerance"] = json!(1.0);
    let found = case.verify(&document).unwrap();
    assert!(found.not_proved.contains(&"threshold".to_owned()));
    let case = pair();
    let value = case.document["remap_value"].f64();
    let mut document = case.with(&[
        ("tolerance", json!(1.0)),
        ("remap_bounds", json!([value - 1.0, value + 1.0])),
        ("remap_value", json!(value - 0.9)),
        ("value_gap", json!(0.1)),
    ]);
    document["value"][1] = json!(document["value"][1].f64() + 0.1);
    let found = case.verify(&document).unwrap();
    for field in ["remap_value", "value"] {
        assert!(found.not_proved.contains(&field.to_owned()), "{field}");
    }
}

/// Bounds of any place and width within loose ones: whatever is called proved holds the truth,
/// which a closer solution knows, and of what is not it is said how far the proof goes.
#[test]
fn bounds_that_are_proved_hold_the_truth() {
    let mut told = 0;
    let steps = "/threshold_lower/3 /threshold_upper/3 /threshold/3";
    let curve = "/to_second/lower/3 /to_second/upper/3 /to_second/threshold/3";
    let (value, average) = ("/value/lower /value/upper", "/average/lower /average/upper");
    for (deck, tolerance, paths) in [
        ("phase_change/table_iii_n50_g50.ron", 0.1, value),
        ("phase_change/table_iii_n50_g50.ron", 0.1, steps),
        ("phase_switching/endless.ron", 0.01, average),
        ("phase_switching/no_return.ron", 0.1, value),
        ("phase_switching/no_return.ron", 0.1, curve),
        ("many_phases/three_phases.ron", 0.1, value),
        ("stopping/yin_xu_wang.ron", 0.1, "/remap_bounds/0 /remap_bounds/1 /remap_value"),
        ("stopping/restart.ron", 0.1, average),
    ] {
        let paths: Vec<&str> = paths.split(' ').collect();
        let number = |case: &Case, path: &str| case.document.at(path).f64();
        let loaded = Loaded::read(&models().join(deck)).expect("a model");
        let loose = Case::asked(&loaded, Settings { tolerance, ..all() });
        let close =
            if deck.starts_with("many") { Settings::default().tolerance } else { TOLERANCE };
        let close = Case::asked(&loaded, Settings { tolerance: close, ..all() });
        let field = paths[0].split('/').nth(1).unwrap();
        let [low, high] = [0, 1].map(|end| number(&loose, paths[end]));
        let truth = [0, 1].map(|end| number(&close, paths[end]));
        let slack = 2e-9 * truth[1].abs().max(1.0);
        for (i, j) in (0..=8).flat_map(|j| (0..=j).map(move |i| (i, j))) {
            let at = |k: i32| low + (high - low) * f64::from(k) / 8.0;
            let mut document = loose.document.clone();
            for (path, value) in paths.iter().zip([at(i), at(j), at(i)]) {
                *document.pointer_mut(path).unwrap() = json!(value);
            }
            // What is disjoint from the proof is refused.
            let Ok(found) = loose.verify(&document) else { continue };
            if found.proves(field) {
                let holds = at(i) <= truth[0] + slack && truth[1] <= at(j) + slack;
                assert!(holds, "{deck} {field} {i} {j}");
            } else {
                let reason = &found.reasons[field];
                assert!(reason.contains("proved is only that it is in ["), "{reason}");
                told += 1;
            }
        }
    }
    assert!(told > 40, "{told}");
}

/// A letter of which either may be right is proved where the solution says that it is open.
#[test]
fn open_letters_are_proved_where_they_are_said_to_be() {
    let loaded = Loaded::read(&models().join("stopping/yin_xu_wang.ron")).expect("a model");
    let coarse = Case::asked(&loaded, Settings { tolerance: 0.2, ..all() });
    let found = coarse.verify(&coarse.document).unwrap();
    for field in ["decision", "counts"] {
        assert!(found.proves(field), "{field}");
    }
    let mut unsaid = coarse.document.clone();
    let ties: Vec<usize> = serde_json::from_value(unsaid["ties"].take()).unwrap();
    assert!(!ties.is_empty());
    unsaid["ties"] = json!([]);
    let mut letters = unsaid["decision"].text().as_bytes().to_vec();
    for other in [b'R', b'C'] {
        ties.iter().for_each(|tie| letters[*tie] = other);
        let count = |letter: u8| letters.iter().filter(|own| **own == letter).count() as f64;
        unsaid["counts"]["remap"] = json!(count(b'R'));
        unsaid["counts"]["continued"] = json!(count(b'C'));
        unsaid["decision"] = json!(String::from_utf8(letters.clone()).unwrap());
        // The proof leaves open what a second solution does not.
        assert!(coarse.verify(&unsaid).unwrap_err().contains("`ties` is []"));
        let none = Second::of(loaded.clone(), Some(0.0));
        let found = coarse.verify_with(&unsaid, &none).unwrap();
        for field in ["decision", "counts"] {
            assert!(!found.proves(field), "{field}");
            assert!(found.reasons[field].contains("not among `ties`"));
        }
    }
}

/// What keeping up the belief takes, and what is said of never switching.
#[test]
fn beliefs_of_recurring_phases_are_those_of_the_model() {
    let levels =
        "Levels([(before: 0.7, after: 0.1), (before: 0.2, after: 0.3), (before: 0.1, after: 0.6)])";
    let several = format!("PhaseSwitching({SWITCHES}, detector: Several([{BINARY}, {levels}]))");
    let several = Case::model(&several, Settings::default());
    for case in [switches(), endless(), long_switches(), &several] {
        let fields = case.fields();
        assert!(fields.proves("belief"));
        assert!(!fields.proves("never"));
        for field in ["initial", "to_second", "to_first", "first/0", "second/1"] {
            let path = format!("/belief/{field}");
            let held = case.document.at(&path).f64();
            let said = format!("`belief.{}", field.split('/').next().unwrap());
            case.refuses(&path, [json!(0.5 * held + 0.4), json!(0.5 * held + 0.4999)], &said);
        }
        case.refuses("/belief/first", [json!([])], "`belief");
    }
    switches().refuses("/never", [json!(1.0), json!(-1e9)], "`never` is");
}

#[test]
fn the_command_says_which_fields_are_proved() {
    let place = Workplace::with_model();
    let solved = place.remap("solve model.ron --certificate c --json").exits(0);
    place.write("m.json", &solved.out);
    let found = place.answer("verify m.json");
    let strings =
        |list: &Value| Vec::from_iter(list.list().iter().map(|name| name.text().to_owned()));
    let [proved, not] = ["proved", "not_proved"].map(|list| strings(&found["fields"][list]));
    assert!(proved.contains(&"threshold".to_owned()) && not.contains(&"seconds".to_owned()));
    let steps = found["proof"]["thresholds"]["steps"].list();
    assert_eq!(steps[0]["first"], 0);
    let named = format!("fields proved: {}\n", proved.join(", "));
    has(&place.shown("verify m.json"), &[&named, "proved: every threshold given is within"]);
    // With the model alone nothing is said of a solution.
    let found = place.answer("verify model.ron c");
    assert!(found.get("fields").is_none());
    place.write("m.json", solved.out.replace("\"threshold\": [\n    0", "\"threshold\": [\n    1"));
    let refused = place.remap("verify m.json").exits(1).says("threshold");
    assert!(refused.out.is_empty());
    place.write("m.json", solved.out.replace("\"file\": \"c\"", "\"file\": \"d\""));
    place.remap("verify m.json").exits(1).says("cannot read d");
}

#[test]
fn certificates_of_other_versions_are_refused() {
    let place = Workplace::with_model();
    place.remap("solve model.ron --certificate c").exits(0);
    let mut bytes = std::fs::read(place.path("c")).unwrap();
    assert_eq!(&bytes[..20], b"remap certificate 7\n");
    bytes[18] = b'6';
    place.write("c", bytes);
    place.remap("verify model.ron c").exits(1).says("this is not a certificate of this version");
}

/// That a state is looked up by its loads in any order.
#[test]
fn permuted_loads_have_the_same_decision() {
    let case = region();
    assert!(matches!(case.checked.proof, Proof::Map { .. }));
    let state = |loads: &[i64]| case.checked.state(loads, 0);
    assert_eq!(state(&[0, 1, 2]), state(&[2, 0, 1]));
    assert!([&[0, 1][..], &[0, 1, 10], &[-3, 0, 0]].iter().all(|loads| state(loads).is_none()));
}

/// The interval is that of the method it names, and methods that find the longest one are held
/// against the proof, too.
#[test]
fn methods_of_fixed_intervals() {
    for case in [walkers(), squares()] {
        let by = case.document["interval_by"].text().to_owned();
        let interval = case.document["interval"].u64();
        let said = format!("`methods.{by}.interval` is");
        case.refuses(&format!("/methods/{by}/interval"), around(interval), &said);
        case.refuses("/interval_by", [json!("guess")], "`interval_by` is guess");
        for (name, line) in case.document["methods"].as_object().unwrap() {
            let finds = ["exact", "closed_form"].contains(&name.as_str());
            if finds && *name != by {
                let path = format!("/methods/{name}/interval");
                assert_eq!(line["interval"], interval);
                case.refuses(&path, [json!(interval + 1), json!(interval - 1)], "is proved");
            }
        }
    }
}

/// No cost is negative, and so is no average of costs, be it rounded outward.
#[test]
fn averages_of_nothing_are_not_negative() {
    let still = "Stopping(processes: Identical(count: 2, chain: Walk(levels: 5, up: 0, down: 0, edge: Hold)), \
                 remap_cost: 0, after_remap: Restart)";
    let case = Case::model(still, all());
    let Proof::Average(average) = &case.checked.proof else { panic!() };
    assert_eq!(average.lower.to_bits(), 0.0_f64.to_bits());
    assert_eq!(case.document["average"]["lower"], 0.0);
}
