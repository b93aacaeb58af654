//! Certificates with changed bytes: none is accepted as it is, and none makes the checker say what
//! is not true.

use super::certificates::{certified, deck, model, proof};
use crate::support::prelude::*;
use proptest::test_runner::TestRunner;
use rand::{Rng, RngExt};
use remap::problems::registry::Loaded;
use remap_checker::seal;

/// Bytes before the payload, and after it.
const HEAD: usize = 20 + 32;
const TAIL: usize = 32;

/// Changes a few bytes: flips, drops, doubles, swaps, scales.
fn tamper(payload: &mut Vec<u8>, rng: &mut impl Rng) {
    let at = rng.random_range(0..payload.len());
    let other = rng.random_range(0..payload.len());
    match rng.random_range(0..8) {
        0 => payload[at] ^= 1 << rng.random_range(0..8),
        1 => drop(payload.remove(at)),
        2 => payload.insert(at, payload[other]),
        3 => payload.swap(at, other),
        4 => payload.truncate(at),
        5 => payload[at] = rng.random(),
        6 => payload[at] = (payload[at] << 1) & 0x7f | payload[at] & 0x80,
        _ => payload[at] = payload[at].wrapping_add(1),
    }
}

/// No tampering passes the digest, and where someone computes that anew, none makes the checker say
/// anything but the truth, which lies in every interval that is proved honestly.
fn tampered(loaded: &Loaded, tolerance: &str, cases: usize) {
    let good = certified(loaded, tolerance);
    let honest = proof(loaded, &good).expect("proved").intervals();
    let mut rng = TestRunner::deterministic().rng().clone();
    let (mut refused, mut changed) = (0, 0);
    while changed < cases {
        let mut bytes = good.clone();
        tamper(&mut bytes, &mut rng);
        if bytes == good {
            continue;
        }
        changed += 1;
        assert!(proof(loaded, &bytes).is_err(), "accepted as it is");
        let mut payload = good[HEAD..good.len() - TAIL].to_vec();
        tamper(&mut payload, &mut rng);
        match proof(loaded, &seal(loaded.text(), &payload)) {
            Err(_) => refused += 1,
            Ok(found) => {
                for (name, low, high) in &found.intervals() {
                    let same = honest.iter().find(|(other, ..)| other == name);
                    let overlaps = same.is_none_or(|(_, l, h)| *low <= *h && *l <= *high);
                    assert!(low <= high && overlaps, "{name}: [{low}, {high}]");
                }
            }
        }
    }
    // Most changes leave no proof at all.
    assert!(refused > cases / 2, "{refused} of {cases}");
}

#[test]
fn ten_thousand_tampered_decision_maps_are_rejected() {
    tampered(&deck("stopping/yin_xu_wang.ron"), "1e-9", samples(10_000));
}

pub fn walks(count: usize, levels: usize, cost: f64) -> String {
    format!(
        "Stopping(processes: Identical(count: {count}, chain: Walk(lowest: -2, levels: {levels}, up: 0.25, down: \
         0.2, edge: Hold)), remap_cost: {cost:?}, after_remap: Stop)"
    )
}

/// Whether a certificate speaks of some states only.
pub fn is_of_a_region(certificate: &[u8]) -> bool {
    certificate[HEAD] == 3
}

#[test]
fn ten_thousand_tampered_regions_are_rejected() {
    let loaded = model(&walks(6, 8, 8.0));
    assert!(is_of_a_region(&certified(&loaded, "1e-9")));
    tampered(&loaded, "1e-9", samples(10_000));
}

#[test]
fn ten_thousand_tampered_threshold_curves_are_rejected() {
    let short = deck("phase_change/fluids.ron").with(&[("problem.lifetime", "Fixed(20)")]);
    tampered(&short.expect("a model"), "1e-4", samples(10_000));
}

#[test]
fn ten_thousand_tampered_values_of_drifting_loads_are_rejected() {
    let small = "LoadDrift(processors: 2, chain: Walk(lowest: 1, levels: 4, up: 0.3, down: 0.2, edge: Hold), \
                 initial_load: 2, steps: 5, remap_cost: 0.7)";
    tampered(&model(small), "1e-9", samples(10_000));
}
