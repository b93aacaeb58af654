//! Maps of optimal stopping: two functions that the Bellman operator moves toward each other
//! enclose the optimal cost. docs/certificates.md has the proof.

use crate::core::budget::{Budget, Refusal};
use crate::core::counts::{Decision, Tally};
use crate::core::proof::Proof;
use crate::stopping::problem::{After, Stopping};
use crate::stopping::states::{Shown, States};
use crate::stopping::uniform;
use crate::stopping::values::{Run, Values};

/// Proves the map where a remap ends all costs, or leads to random loads.
pub(crate) fn prove(
    own: &Stopping,
    given: (u32, &[Run]),
    budget: &Budget,
) -> Result<Shown, Refusal> {
    let values = Values::read(given, &own.parts()?.1, budget)?;
    let to = match own.model.after_remap {
        After::Uniform => uniform::follows(own, &values)?,
        After::Stop => [0; 2],
        After::Restart => return Err(Refusal::Malformed),
    };
    let (proof, decisions) = enclosed(own, &values, to, [i64::MAX; 2])?;
    Ok((proof, States::of_all(values.bits, decisions, values.runs, Vec::new())))
}

/// The decision in each state, and what follows from bounds on its cost if a remap leads to cost
/// `to`. States with a load of at least the first of `ends` are not shown. From the second on it is
/// only known that one may remap.
pub(crate) fn enclosed(
    own: &Stopping,
    values: &Values,
    to: [u64; 2],
    ends: [i64; 2],
) -> Result<(Proof, Vec<Decision>), Refusal> {
    let ((imbalance, space), bits) = (own.parts()?, values.bits);
    let (ahead, rho) = (values.expected(space), own.rho(bits)?);
    let (mut least, mut most, mut apart, mut dearest) = (i64::MAX, i64::MIN, 0, [0; 2]);
    let (mut tally, mut each, mut largest) = (Tally::new(), values.each(), [0; 2]);
    let decisions = space.each(|s, loads| {
        let (cost, value) = (imbalance.cost(loads, bits)?, each.next().unwrap_or_default());
        let (go, remap) =
            ([0, 1].map(|i| ahead[s][i] + cost[i]), [0, 1].map(|i| rho(s)[i] + to[i]));
        let balanced = cost[1] == 0;
        let [hidden, cut] = ends.map(|end| loads.iter().any(|load| *load >= end));
        let change = |i: usize| {
            let best = match (balanced, cut) {
                (true, _) => 0,
                (_, true) => [0, remap[1]][i],
                _ => remap[i].min(go[i]),
            };
            best as i64 - value[i] as i64
        };
        (least, most) = (change(0).min(least), change(1).max(most));
        let decision = Decision::of(balanced, go, remap);
        if !hidden {
            apart = apart.max(value[1].abs_diff(value[0]));
            dearest = [0, 1].map(|i| remap[i].max(dearest[i]));
            largest = [0, 1].map(|i| value[i].max(largest[i]));
            tally.add(decision, space.orders(loads));
        }
        Ok(decision)
    })?;
    if least < 0 || most > 0 {
        return Err(Refusal::Unproved("the values do not enclose the optimal cost"));
    }
    let counts = (tally.classes, tally.vectors);
    let proof = Proof::map(bits, [dearest, largest], apart, counts);
    Ok((proof, decisions))
}
