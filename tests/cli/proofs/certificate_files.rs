//! Certificates as files: wrong, damaged and missing ones, what they may not replace, models
//! without one.

use super::certificates::{certified, deck, proof};
use crate::support::prelude::*;
use crate::support::workplace;
use remap_checker::{Refusal, seal};

#[test]
fn wrong_models_and_damaged_files_are_named() {
    let loaded = deck("stopping/yin_xu_wang.ron");
    let good = certified(&loaded, "1e-9");
    let other = loaded.with(&[("problem.remap_cost", "7")]).expect("a model");
    assert_eq!(proof(&other, &good), Err(Refusal::Foreign));
    assert_eq!(proof(&loaded, b"{}"), Err(Refusal::NotACertificate));
    assert_eq!(proof(&loaded, &good[..good.len() - 1]), Err(Refusal::Damaged));
    assert_eq!(proof(&loaded, &good[..30]), Err(Refusal::Damaged));
    assert_eq!(proof(&loaded, &seal(loaded.text(), b"")), Err(Refusal::Malformed));
}

#[test]
fn verify_proves_a_model_with_its_certificate_and_a_solution_that_names_one() {
    let place = Workplace::new();
    place.write("m.ron", deck("stopping/yin_xu_wang.ron").text());
    let solution = place.solved("m.ron --certificate m.cert");
    has(&place.shown("verify m.ron m.cert"), &["proved: decisions proved"]);
    assert_eq!(place.answer("verify solution.json")["status"], "proved");

    let refused = |document: &str| {
        place.write("wrong.json", document);
        let refused = place.remap("verify wrong.json").exits(1);
        assert_eq!(refused.out, "");
        refused
    };
    // Someone improves the answer.
    let mut better = solution.clone();
    better["remap_value"] = 12.0.into();
    refused(&better.to_string()).says("`remap_value` is given as");
    // Or adds another one, which some readers would take.
    for other in [better.to_string(), "{}".to_owned(), "x".to_owned()] {
        refused(&format!("{solution}\n{other}")).says("not one solution alone");
    }
    // Or says something twice.
    refused(&solution.to_string().replacen('{', "{\"title\": \"t\", ", 1));
    // Or the model.
    place.write("m.ron", deck("stopping/capacities.ron").text());
    place.remap("verify m.ron m.cert").exits(1).says("belongs to another model file");
    // A certificate is not overwritten.
    place.remap("solve m.ron --certificate m.cert").exits(1).says("exists already");
    place.remap("verify m.ron none.cert").exits(1).says("none.cert");
}

#[test]
fn files_that_a_model_names_are_not_replaced() {
    let place = Workplace::new();
    for name in ["particles.ron", "particles.mtx"] {
        std::fs::copy(workplace::deck(&format!("stopping/{name}")), place.path(name)).unwrap();
    }
    let before = place.read("particles.mtx");
    let refused = place.remap("solve particles.ron --force --certificate particles.mtx").exits(1);
    refused.says("particles.mtx is a file that particles.ron names");
    assert_eq!(place.read("particles.mtx"), before);
}

/// The answer is shown, and why nothing is proved of it.
#[test]
fn what_cannot_be_proved_says_why() {
    let periodic = |law: &str, more: &str| {
        format!("Periodic(initial_load: 100, changes: Identical(count: 3, law: {law}), {more})")
    };
    let fluids = "Fluids(wave: (after: [1.0]), processors: 1, steps: 3)".to_owned();
    let battle = "LandBattle(separations: [4], steps: 3)".to_owned();
    for (problem, why) in [
        (periodic("Exponential(mean: 1)", "remap_cost: 5"), "least costs for steps only"),
        (periodic("Gamma(shape: 0.5, mean: 1)", "bound: MaxDeviation(0.1)"), "gamma laws of whole"),
        (fluids, "there are none for fluids models"),
        (battle, "there are none for land_battle models"),
    ] {
        let place = Workplace::stating(problem);
        let found = place.remap("solve model.ron --certificate x.cert").exits(1);
        assert!(!found.out.is_empty() && !place.path("x.cert").exists(), "{why}");
        has(&found.err.split_whitespace().collect::<Vec<_>>().join(" "), &[why]);
    }
}

#[test]
fn outputs_replace_neither_devices_nor_models_nor_each_other() {
    let place = Workplace::with_model();
    let model = place.read("model.ron");
    for (file, said) in [
        ("model.ron", "a model to be solved"),
        ("./model.ron", "a model to be solved"),
        ("p.svg --plot p.svg", "another output"),
        ("model.json --out .", "another output"),
        ("/dev/null", "a device"),
    ] {
        let found = place.remap(format!("solve model.ron --force --certificate {file}")).exits(1);
        assert!(found.says(said).out.is_empty());
    }
    assert_eq!(place.read("model.ron"), model);
}

#[cfg(unix)]
#[test]
fn paths_that_are_not_utf8_are_refused_or_work() {
    use std::os::unix::ffi::OsStrExt;
    let place = Workplace::with_model();
    let odd = std::ffi::OsStr::from_bytes(b"odd\xff.ron");
    std::fs::copy(place.path("model.ron"), place.root().join(odd)).unwrap();
    let code = |arguments: &[&std::ffi::OsStr]| {
        place.command().args(arguments).output().unwrap().status.code()
    };
    let [solve, verify, option, file, json, model] =
        ["solve", "verify", "--certificate", "c", "--json", "model.ron"].map(std::ffi::OsStr::new);
    assert_eq!(code(&[solve, odd, option, file]), Some(2));
    assert_eq!(code(&[solve, model, option, odd]), Some(2));
    assert_eq!(code(&[solve, odd, json]), Some(0));
    assert_eq!(code(&[solve, model, option, file]), Some(0));
    assert_eq!(code(&[verify, odd, file, json]), Some(0));
}
