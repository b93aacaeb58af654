//! The certificate of intervals: the checker computes the imbalance itself, on a lattice of the
//! given resolution.

use crate::problems::registry::{Body, Solution};
use remap_checker::{Budget, Evidence, Model, Proof, Refusal};
use std::cmp::Reverse;

/// Lattice points per standard deviation of continuous distributions: the first that suffices is
/// taken.
const GRIDS: [u32; 5] = [4, 8, 16, 32, 64];

/// The evidence that proves the longest part of the interval within the budget.
pub(in crate::problems) fn of(
    model: &Model,
    solution: &Solution,
    budget: &Budget,
) -> Result<(Evidence, Proof), Refusal> {
    let Body::Periodic(answer) = &solution.body else { return Err(Refusal::Malformed) };
    let mut best: Option<(Evidence, Proof)> = None;
    for grid in GRIDS {
        let evidence = Evidence::Periodic(grid);
        let proof = match (model.prove_within(&evidence, budget), &best) {
            (Ok(proof), _) => proof,
            (Err(Refusal::OverBudget | Refusal::TooLarge), Some(_)) => break,
            (Err(refusal), _) => return Err(refusal),
        };
        let done = match &proof {
            Proof::Longest { kept, broken } => {
                *kept == answer.interval && *broken == kept.map(|steps| steps + 1)
            }
            Proof::Periods(all) => all.len() == answer.sequence.len(),
            _ => true,
        };
        // Without continuous distributions a coarser lattice changes nothing.
        let same = best.as_ref().is_some_and(|(_, other)| *other == proof) && grid > GRIDS[2];
        let further = |proof: &Proof| {
            let periods = if let Proof::Periods(all) = proof { all.len() } else { 1 };
            match proof.first() {
                Proof::Longest { kept, broken } => {
                    (periods, kept.unwrap_or(u64::MAX), Reverse(broken.unwrap_or(u64::MAX)))
                }
                _ => (periods, 0, Reverse(u64::MAX)),
            }
        };
        if best.as_ref().is_none_or(|(_, other)| further(&proof) > further(other)) {
            best = Some((evidence, proof));
        }
        if done || same {
            break;
        }
    }
    best.ok_or(Refusal::Malformed)
}
