//! Optimal stopping where a remap leads to random loads.

use crate::core::budget::{Refusal, model_error};
use crate::loads::Cost;
use crate::loads::states::space::Space;
use crate::stopping::problem::Stopping;
use crate::stopping::values::Values;
use num_traits::Zero;

/// Bounds on the cost after a remap, from bounds on the cost of each state.
pub fn follows(own: &Stopping, values: &Values) -> Result<[u64; 2], Refusal> {
    // Where no state is balanced and remaps are free, the problem never ends and costs nothing.
    if values.end(u64::max)[0] > 0 && !balances(own)? {
        return Err(Refusal::Unproved("nothing ends what is said to cost something"));
    }
    mean(&own.parts()?.1, values.each())
}

/// Refuses a model that never ends. Where remaps cost something, it ends only in balanced states.
pub(crate) fn review(own: Stopping) -> Result<Stopping, Refusal> {
    let free = !matches!(&own.model.remap_cost, Cost::Constant(cost) if !cost.0.is_zero());
    match if free { Ok(true) } else { balances(&own) } {
        Ok(false) => model_error("no state is balanced, and a remap leads to a random one"),
        Ok(true) | Err(Refusal::TooLarge) => Ok(own),
        Err(refusal) => Err(refusal),
    }
}

/// Whether some state is balanced.
fn balances(own: &Stopping) -> Result<bool, Refusal> {
    let (imbalance, space) = own.parts()?;
    let mut found = false;
    space.each(|_, loads| {
        found |= imbalance.cost(loads, 0)?[1] == 0;
        Ok(())
    })?;
    Ok(found)
}

/// Bounds on the mean over all load vectors.
fn mean(space: &Space, mut values: impl Iterator<Item = [u64; 2]>) -> Result<[u64; 2], Refusal> {
    let (mut all, mut sums) = (0, [0u128; 2]);
    space.each(|_, loads| {
        let orders = space.orders(loads).ok_or(Refusal::TooLarge)?;
        all = Some(all + orders).filter(|all| *all < 1 << 66).ok_or(Refusal::TooLarge)?;
        let value = values.next().unwrap_or_default();
        sums = [0, 1].map(|side| sums[side] + orders * u128::from(value[side]));
        Ok(())
    })?;
    Ok([(sums[0] / all) as u64, sums[1].div_ceil(all) as u64])
}
