//! What a certificate file is refused for, and model files that mean something else than they seem
//! to.

use crate::shared::{model, prove, text};
use remap_checker::phase_change::Steps;
use remap_checker::{Evidence, Model, Proof, Refusal, certificate, check, seal};
use sha2::{Digest, Sha256};
use std::path::Path;

const DRIFT: &str = "LoadDrift(processors: 2, chain: Walk(lowest: 1, levels: 4, up: 0.3, down: 0.2, edge: Hold), \
                     initial_load: 2, steps: 5, remap_cost: 0.7)";
const PHASE: &str = "PhaseChange(lifetime: Fixed(6), cycle: (before: 1.0, after: 1.5, remapped: 1.1), remap: \
                     (test: 0.2, install: 0), detector: (false_alarm: 0.1, missed: 0.1), hazard: Constant(0.05))";

fn at(text: &str, certificate: &[u8]) -> Result<Proof, Refusal> {
    check(text, Path::new(""), certificate)
}

/// A model file and a certificate of it.
fn sealed(problem: &str, evidence: &Evidence) -> (String, Vec<u8>, Proof) {
    let text = text(problem);
    let proof = prove(problem, evidence).unwrap();
    (text.clone(), certificate(&text, evidence, &proof), proof)
}

fn steps() -> Evidence {
    let on = Steps::On(vec![(1 << 44) / 64; 63]);
    Evidence::PhaseChange(50, [vec![on], vec![Steps::On(Vec::new()); 6]].concat())
}

#[test]
fn every_changed_byte_is_refused_and_every_resealed_one_proves_no_other_claims() {
    for (problem, evidence) in [(DRIFT, Evidence::LoadDrift), (PHASE, steps())] {
        let (text, good, proof) = sealed(problem, &evidence);
        assert_eq!(at(&text, &good), Ok(proof.clone()));
        for place in 0..good.len() {
            let mut bytes = good.clone();
            bytes[place] ^= 1 << (place % 8);
            assert!(at(&text, &bytes).is_err(), "byte {place}");
            bytes.truncate(place);
            assert!(at(&text, &bytes).is_err(), "the first {place}");
            if (52..good.len() - 32).contains(&place) {
                let mut payload = good[52..good.len() - 32].to_vec();
                payload[place - 52] ^= 1 << (place % 8);
                // Another belief may show the same.
                let found = at(&text, &seal(&text, &payload));
                assert!(found.as_ref().is_err() || found == Ok(proof.clone()), "resealed {place}");
            }
        }
    }
}

#[test]
fn a_refusal_says_what_is_wrong() {
    let (text, good, _) = sealed(DRIFT, &Evidence::LoadDrift);
    assert_eq!(at(&text, b"{}"), Err(Refusal::NotACertificate));
    assert_eq!(at(&text, &good[..good.len() - 1]), Err(Refusal::Damaged));
    assert_eq!(at(&text, &good[..84]), Err(Refusal::Damaged));
    assert_eq!(at(&text, &good[..30]), Err(Refusal::Damaged));
    assert_eq!(at(&format!("{text} "), &good), Err(Refusal::Foreign));
    assert_eq!(at(&text, &seal(&text, b"")), Err(Refusal::Malformed));
    // A digest alone does not make a certificate.
    let head = &good[..23];
    let short = [head, &Sha256::digest(head)[..]].concat();
    assert_eq!(at(&text, &short), Err(Refusal::Damaged));
    let longer = [&good[52..good.len() - 32], b"\0"].concat();
    assert_eq!(at(&text, &seal(&text, &longer)), Err(Refusal::Malformed));
    let other = seal(&text, &good[52..good.len() - 40]);
    assert!(at(&text, &other).is_err());
}

#[test]
fn steps_that_do_not_fit_the_horizon_are_refused() {
    let model = model(PHASE);
    let prove = |steps: Vec<Steps>| model.prove(&Evidence::PhaseChange(50, steps)).map(|_| ());
    let on = || Steps::On(vec![1 << 40; 15]);
    assert_eq!(prove(vec![on()]), Err(Refusal::Malformed));
    assert_eq!(prove(vec![on(), Steps::Held(7)]), Err(Refusal::Malformed));
    assert_eq!(prove(vec![on(), Steps::Held(6)]), Ok(()));
    assert_eq!(prove(vec![Steps::On(vec![1 << 43, 0]), Steps::Held(6)]), Err(Refusal::Malformed));
    assert_eq!(prove(vec![Steps::On(vec![1 << 44]), Steps::Held(6)]), Err(Refusal::Malformed));
    assert_eq!(prove(vec![Steps::On(vec![1 << 43, 1 << 63, 1 << 63])]), Err(Refusal::Malformed));
    for steps in [0, 7, u64::MAX] {
        let found = prove(vec![on(), Steps::On(Vec::new()), Steps::Rest(steps)]);
        assert_eq!(found, Err(Refusal::Malformed));
    }
    assert_eq!(prove(vec![on(), Steps::Rest(6)]), Ok(()));
    let unlike = prove(vec![Steps::Rest(7)]);
    assert!(matches!(unlike, Err(Refusal::Unproved(_))), "{unlike:?}");
}

#[test]
fn many_steps_at_once_prove_what_they_prove_one_by_one() {
    let law = |kept: &str| {
        format!(
            "PhaseChange(lifetime: Fixed(400), cycle: (before: 1.0, after: 2.0, remapped: 1.0), remap: (test: 3.0, \
             install: 0.5), detector: (false_alarm: 0.2, missed: 0.1), hazard: Constant(0.02){kept})"
        )
    };
    let found = model(&law(""));
    let start = |more: Vec<Steps>| {
        let on = Steps::On(vec![(1 << 44) / 4096; 4095]);
        let all =
            [vec![on], vec![Steps::On(Vec::new()); 60], vec![Steps::Held(140)], more].concat();
        found.prove(&Evidence::PhaseChange(50, all)).unwrap()
    };
    let (slow, fast) = (start(vec![Steps::Held(200)]), start(vec![Steps::Rest(200)]));
    let ends = |proof: &Proof| {
        let all = proof.intervals();
        let (_, low, high) = all[all.len() - 1].clone();
        let (_, least, most) = all[0].clone();
        [(low, high), (least, most)]
    };
    for ((low, high), (least, most)) in ends(&slow).into_iter().zip(ends(&fast)) {
        assert!(least <= high && low <= most, "[{low}, {high}] [{least}, {most}]");
    }
    // The value is as close, the threshold as wide as it was at the first of the steps.
    let ([(low, high), (p, q)], [(least, most), (r, s)]) = (ends(&slow), ends(&fast));
    assert!(s - r <= 1.1 * (q - p) + 1e-9, "[{p}, {q}] [{r}, {s}]");
    assert!(most - least < 1e-4 && high - low < 1e-5, "[{low}, {high}] [{least}, {most}]");
    let kept = model(&law(", premature: Keep(before_remapped: 1.5)"));
    let all = vec![Steps::On(vec![1 << 40; 15]), Steps::Held(300), Steps::Rest(100)];
    assert!(kept.prove(&Evidence::PhaseChange(50, all)).is_err());
}

#[test]
fn model_files_are_read_as_they_are_written() {
    let attributes = "#![enable(implicit_some)]\n/* a /* nested */ comment */ Model(\n // one\n title: r#\"t \"q\"#, \
                      source: Some(\"s\"), problem: ";
    let spelled = DRIFT.replace("0.7", "/* seven tenths */ +7_0.0e-2 // end\n");
    let spelled = format!("{attributes}{spelled})");
    let plain = prove(DRIFT, &Evidence::LoadDrift).unwrap();
    let other = Model::read(&spelled, Path::new("")).unwrap().prove(&Evidence::LoadDrift).unwrap();
    assert_eq!(plain, other);
}

#[test]
fn models_that_are_none_are_refused() {
    for (from, to) in [
        ("0.7", "NaN"),
        ("0.7", "inf"),
        ("0.7", "-1"),
        ("0.7", "1e999"),
        ("0.7", "1e-999"),
        ("0.7", "."),
        ("0.7", "0x7"),
        ("0.7", "7/10"),
        ("0.7", "0.7, remap_cost: 0.7"),
        ("0.7", "0.7, other: 1"),
        (", remap_cost: 0.7", ""),
        ("up: 0.3", "up: 0.9"),
        ("steps: 5", "steps: 0"),
        ("steps: 5", "steps: -1"),
        ("levels: 4", "levels: 1"),
        ("lowest: 1", "lowest: -1"),
        ("initial_load: 2", "initial_load: 5"),
        ("processors: 2", "processors: 0"),
        (
            "Walk(lowest: 1, levels: 4, up: 0.3, down: 0.2, edge: Hold)",
            "BirthDeath(lowest: 1, up: [0.3, 0.3, 0], down: [0, 0.2])",
        ),
    ] {
        let problem = DRIFT.replace(from, to);
        assert!(prove(&problem, &Evidence::LoadDrift).is_err(), "{problem}");
    }
    for (from, to) in [
        ("Fixed(6)", "Uniform(first: 3, last: 2)"),
        ("Fixed(6)", "Fixed(18446744073709551615)"),
        ("Fixed(6)", "Geometric(rate: 1.5, first: 0, last: 2)"),
        ("Fixed(6)", "Pmf({3: 0})"),
        ("Fixed(6)", "Pmf({0: 0.5, 99999999: 0.5})"),
        ("Constant(0.05)", "PerStep([0.1, 0.1])"),
        ("(false_alarm: 0.1, missed: 0.1)", "Levels([(before: 1, after: 0.5)])"),
        ("(false_alarm: 0.1, missed: 0.1)", "Levels([])"),
        ("(false_alarm: 0.1, missed: 0.1)", "Several([])"),
        ("Fixed(6)", "Pmf({0: 0.5, 6: 0.49})"),
        ("Fixed(6)", "Pmf({0: 0.5, 6: 0.4, 6: 0.1})"),
        ("Fixed(6)", "Pmf({0: 0.5, 6: 0.4, 06: 0.1})"),
    ] {
        assert!(prove(&PHASE.replace(from, to), &steps()).is_err(), "{to}");
    }
}
