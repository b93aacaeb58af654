//! Average costs of computations that continue from even loads after a remap. docs/certificates.md
//! has the proof.

use crate::core::budget::{Budget, Refusal};
use crate::core::proof::Proof;
use crate::core::span::Span;
use crate::stopping::partial;
use crate::stopping::problem::Stopping;
use crate::stopping::states::{Shown, States};
use crate::stopping::values::{Run, Values};

/// Proves the average from these relative costs h: it lies between bounds on T h - h [Odoni 1969],
/// and no cost is negative.
pub(crate) fn prove(
    own: &Stopping,
    given: (u32, &[Run]),
    budget: &Budget,
) -> Result<Shown, Refusal> {
    let ((imbalance, space), bits) = (own.parts()?, given.0);
    let mut values = Values::read(given, space, budget)?;
    // Relative costs are counted from the least of them.
    let base = values.end(u64::min);
    values.runs.iter_mut().for_each(|(_, value)| *value = [0, 1].map(|i| value[i] - base[i]));
    let mut go = values.expected(space);
    space.each(|s, loads| {
        let cost = imbalance.cost(loads, bits)?;
        go[s] = [0, 1].map(|i| go[s][i] + cost[i]);
        Ok(())
    })?;
    let remap = match own.model.partial_remaps {
        true => partial::cheapest(own, &go, bits, budget)?,
        false => remaps(own, &go, bits)?,
    };
    // Rows that do not sum to 1 stand for any nearby chain.
    let largest = values.end(u64::max);
    let missed = [space.missed(largest[0])?[0], space.missed(largest[1])?[1]];
    let (mut least, mut most) = (i64::MAX, i64::MIN);
    for (value, (go, remap)) in values.each().zip(go.iter().zip(&remap)) {
        let change = |i: usize| go[i].min(remap[i]) as i64 - value[i] as i64;
        (least, most) = (change(0).min(least), change(1).max(most));
    }
    let [less, more] = missed.map(|missed| missed as i64);
    let (least, most) = Span::between(least - less, most + more, bits).reals();
    Ok((Proof::Average((least.max(0.0), most).into()), States::None))
}

/// Bounds on the cost of a remap in each state, from bounds on the cost of continuing.
fn remaps(own: &Stopping, go: &[[u64; 2]], bits: u32) -> Result<Vec<[u64; 2]>, Refusal> {
    let ((imbalance, space), rho) = (own.parts()?, own.rho(bits)?);
    let back = space.evened(imbalance)?.0.into_iter().enumerate();
    Ok(back.map(|(s, to)| [0, 1].map(|i| rho(s)[i] + go[to][i])).collect())
}
