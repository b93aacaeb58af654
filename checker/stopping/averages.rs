//! Average costs of computations that go on from even loads after a remap. docs/certificates.md has the proof.

use crate::Refusal;
use crate::number::Span;
use crate::proof::Proof;
use crate::stopping::Stopping;
use crate::stopping::values::Values;

/// What is shown by these relative costs h: the least average is between bounds on T h - h [Odoni 1969].
pub(crate) fn prove(own: &Stopping, mut values: Values) -> Result<Proof, Refusal> {
    let ((imbalance, space), bits) = (own.parts()?, values.bits);
    // They are counted from the least of them.
    let base = values.end(u64::min);
    values.runs.iter_mut().for_each(|(_, value)| *value = [0, 1].map(|i| value[i] - base[i]));
    let (ahead, rho) = (values.expected(space), own.rho(bits)?);
    let go = |s: usize, loads: &[i64]| {
        let cost = imbalance.cost(loads, bits)?;
        Ok([0, 1].map(|i| ahead[s][i] + cost[i]))
    };
    // Rows that miss 1 are those of any chain near by.
    let largest = values.end(u64::max);
    let missed = [space.missed(largest[0])?[0], space.missed(largest[1])?[1]];
    let (totals, of) = space.totals()?;
    let even = |loads: Vec<i64>| go(space.place_of(&loads)?, &loads);
    let to = space.targets(imbalance, &totals).into_iter().map(even);
    let to = to.collect::<Result<Vec<[u64; 2]>, Refusal>>()?;
    let (mut least, mut most) = (i64::MAX, i64::MIN);
    let mut each = values.each();
    space.each(|s, loads| {
        let (go, value) = (go(s, loads)?, each.next().unwrap_or_default());
        let best = |i: usize| go[i].min(rho(s)[i] + to[of[s]][i]);
        let change = |i: usize| best(i) as i64 - value[i] as i64;
        (least, most) = (change(0).min(least), change(1).max(most));
        Ok(())
    })?;
    let [less, more] = missed.map(|missed| missed as i64);
    Ok(Proof::Average(Span::between(least - less, most + more, bits).reals().into()))
}
