//! The certificate of bounds: a grid of beliefs that is fine enough for the checker's own
//! recursion.

use super::super::proved::NEAR;
use crate::problems::registry::{Body, Solution};
use remap_checker::{Budget, Evidence, Grid, Interval, Model, Proof, Refusal};

/// Fraction bits of times, where there is room.
const BITS: u32 = 50;

/// The first and the last resolution of the grid, as powers of two.
const LEVELS: (u32, u32) = (2, 12);

/// The most work on a grid once a proof exists: some seconds.
const MOST_WORK: u64 = 1 << 32;

/// The remainder of a program without an end, relative to the tolerance.
const LEFT: f64 = 1e-3;

/// The certificate of the bounds. If possible the proved interval lies within them, so that they
/// are proved.
pub(in crate::problems) fn of(
    model: &Model,
    solution: &Solution,
    budget: &Budget,
) -> Result<(Evidence, Proof), Refusal> {
    let Body::ManyPhases(answer) = &solution.body else { return Err(Refusal::Malformed) };
    let tolerance = solution.tolerance;
    let sweeps = |share: f64| {
        answer.discount.map_or(0, |rate| {
            let left = (LEFT * share * (1.0 - rate)).ln() / rate.ln();
            if left.is_finite() { left.ceil() as u64 + 1 } else { 2 }
        })
    };
    let is_within = |proved: Interval| {
        answer.value.is_some_and(|given| {
            let slack = NEAR * given.lower.abs().max(1.0);
            given.lower - slack <= proved.lower && proved.upper <= given.upper + slack
        })
    };
    let mut best: Option<(f64, Evidence, Proof)> = None;
    let (mut level, mut bits) = (LEVELS.0, BITS);
    while level <= LEVELS.1 {
        // Beyond the tolerance, the remainder must not be wider than the slack of the bounds.
        let narrow = best.as_ref().is_some_and(|(width, ..)| *width <= tolerance);
        let sweeps = sweeps(if narrow { tolerance.min(NEAR) } else { tolerance });
        let evidence = Evidence::ManyPhases(Grid { bits, level, sweeps });
        let some = Budget::new(MOST_WORK);
        let found = match &best {
            None => model.prove_within(&evidence, budget),
            Some(_) => model.prove_within(&evidence, &some),
        };
        match (found, &best) {
            (Err(Refusal::TooLarge), None) if bits >= 4 => bits -= 4,
            (Err(refusal), None) => return Err(refusal),
            (Err(_), Some(_)) => break,
            (Ok(proof), _) => {
                let Proof::Value(value) = &proof else { return Err(Refusal::Malformed) };
                let width = (value.upper - value.lower) / value.upper.abs().max(1.0);
                let done = width <= tolerance && is_within(*value);
                if best.as_ref().is_none_or(|(least, ..)| width < *least) {
                    best = Some((width, evidence, proof));
                }
                if done {
                    break;
                }
                level += 1;
            }
        }
    }
    best.map(|(_, evidence, proof)| (evidence, proof)).ok_or(Refusal::TooLarge)
}
