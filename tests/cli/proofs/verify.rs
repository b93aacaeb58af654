//! `remap verify`: theorems hold, false claims are refuted, on every kind of model.

use crate::support::prelude::*;
use remap::problems::registry::Loaded;
use remap::proving::Effort;
use remap::verify::Verification;
use std::path::PathBuf;

fn decks(folder: &str) -> Vec<PathBuf> {
    files(root().join("models").join(folder), "ron")
}

#[track_caller]
fn all_as_expected(folder: &str, cases: u32) {
    for deck in some(2, decks(folder)) {
        let loaded = Loaded::read(&deck).unwrap();
        let findings = Verification::of(&loaded, Effort { cases, seed: 3 }).claims;
        assert!(findings.len() >= 10, "{}", deck.display());
        for finding in findings {
            assert!(finding.is_as_expected(), "{}: {finding:#?}", deck.display());
        }
    }
}

#[test]
fn phase_change_decks() {
    all_as_expected("phase_change", 16);
}

#[test]
fn phase_switching_decks() {
    all_as_expected("phase_switching", few_or_all(3, 16));
}

#[test]
fn stopping_decks() {
    all_as_expected("stopping", 16);
}

#[test]
fn load_drift_decks() {
    all_as_expected("load_drift", 16);
}

#[test]
fn periodic_decks() {
    all_as_expected("periodic", 16);
}

/// Every deck kept as a counterexample refutes something by itself.
#[test]
fn counterexamples_are_counterexamples() {
    for deck in decks("counterexamples") {
        let loaded = Loaded::read(&deck).unwrap();
        let findings = Verification::of(&loaded, Effort { cases: 0, seed: 1 }).claims;
        let refuted = findings.iter().filter(|finding| finding.on_the_model == "fails");
        assert!(refuted.clone().count() > 0, "{}", deck.display());
        assert!(refuted.clone().all(|finding| !finding.is_theorem()), "{}", deck.display());
    }
}

#[test]
fn a_counterexample_is_a_model_to_run() {
    let workplace = Workplace::with_model();
    let document = workplace.answer("verify model.ron --cases 20");
    assert_eq!(document["problem"], "phase_change");
    assert_eq!(document["status"], "converged");
    assert_eq!(document["as_expected"], true);
    let claims = document["claims"].list();
    let found = |claim: &&Value| claim["counterexample"]["model"].is_string();
    let refuted: Vec<_> = claims.iter().filter(found).collect();
    assert!(refuted.len() >= 5, "{document}");
    for claim in refuted {
        assert_eq!(claim["expected"], "fails");
        assert_eq!(claim["found"], "fails");
        workplace.write("found.ron", claim["counterexample"]["model"].text());
        workplace.remap("check found.ron").exits(0);
        let again = workplace.answer("verify found.ron --cases 0");
        let same = |other: &&Value| other["statement"] == claim["statement"];
        let other = again["claims"].list().iter().find(same).unwrap();
        assert_eq!(other["on_the_model"], "fails", "{claim}");
    }
}

#[test]
fn the_same_seed_gives_the_same_words() {
    let workplace = Workplace::with_model();
    let run = |seed| workplace.shown(format!("verify model.ron --cases 5 --seed {seed}"));
    let five = run("5");
    assert_eq!(five, run("5"));
    assert_ne!(five, run("6"));
    assert!(five.contains("13 of 13 theorems hold, 6 of 6 false claims are refuted"));
}

#[test]
fn simulated_models_have_no_lemmas() {
    for deck in ["activity_mesh/torus", "fluids/figure6", "land_battle/figure7"] {
        let said = Workplace::new().shown(format!("verify models/{deck}.ron"));
        has(&said, &["none of the papers' lemmas"]);
    }
}

#[test]
fn a_wrong_model_is_not_verified() {
    let workplace = Workplace::of(MODEL.replace("0.05", "1.05"));
    let outcome = workplace.remap("verify model.ron").exits(1).says("[model.ron:");
    assert_eq!(outcome.out, "");
}

/// Claims about costs that no method finds as closely as asked are not refuted by that, nor by
/// chances that a sum near 1 hides.
#[test]
fn slow_and_dear_models_refute_nothing() {
    let walk =
        "Identical(count: 2, chain: Walk(levels: 10, up: 0.00001, down: 0.00001, edge: Reflect))";
    let held = "Identical(count: 2, chain: Walk(levels: 19, up: 0.05, down: 0.3, edge: Hold))";
    for (processes, cost, after) in some(1, [(held, "3e9", "Uniform"), (walk, "50000", "Stop")]) {
        let workplace = Workplace::stating(format!(
            "Stopping(processes: {processes}, remap_cost: {cost}, after_remap: {after})"
        ));
        workplace.remap("verify model.ron").exits(0);
    }
}

/// Beliefs in doubles lose digits where a change is all but certain; the theorem does not.
#[test]
fn hazards_next_to_one_refute_nothing() {
    let place = Workplace::new();
    for hazard in some(2, ["0.9999", "0.99999", "0.9999999", "0.999999999999"]) {
        let model = MODEL.replace("Fixed(40)", "Fixed(5)").replace("0.05", hazard);
        place.write("model.ron", model.replace("test: 3.0, install: 1.0", "test: 1, install: 0"));
        place.remap("verify model.ron").exits(0);
    }
}
