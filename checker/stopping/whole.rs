//! Remaps to even loads.

use crate::core::budget::Refusal;
use crate::stopping::problem::Stopping;

/// Bounds on the cost of a remap in each state, from bounds on the cost of continuing.
pub fn remaps(own: &Stopping, go: &[[u64; 2]], bits: u32) -> Result<Vec<[u64; 2]>, Refusal> {
    let ((imbalance, space), rho) = (own.parts()?, own.rho(bits)?);
    let back = space.evened(imbalance)?.0.into_iter().enumerate();
    Ok(back.map(|(s, to)| [0, 1].map(|i| rho(s)[i] + go[to][i])).collect())
}
