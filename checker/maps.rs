//! Maps of optimal stopping: two functions that the Bellman operator moves towards each other enclose the
//! optimal cost. docs/certificates.md has the proof.

use crate::counts::Counts;
use crate::loads::After;
use crate::number::Span;
use crate::proof::{Decision, Proof};
use crate::space::Space;
use crate::stopping::Stopping;
use crate::{Budget, Refusal};
use num_bigint::BigInt;
use std::iter::repeat_n;

/// How many states that follow each other have the same values; the lower one, less that of those before,
/// and by how much the upper one exceeds it.
pub type Run = (u64, i64, u64);

/// What is proved, the decision in each state, and both values of so many states in a row.
pub(crate) type Found = (Proof, Vec<Decision>, Vec<(u64, [u64; 2])>);

impl Stopping {
    /// What is shown by a lower and an upper value for each state, in units of 2^-bits.
    pub(crate) fn prove(&self, bits: u32, runs: &[Run], budget: &Budget) -> Result<Found, Refusal> {
        let (imbalance, space) = self.parts()?;
        budget.spend(space.work())?;
        let (mut last, mut most) = (0u64, 0);
        let value = |&(count, step, more): &Run| {
            last = last.wrapping_add_signed(step);
            let value = [last, last.wrapping_add(more)];
            most = value[0].max(value[1]).max(most);
            (count, value)
        };
        let runs: Vec<(u64, [u64; 2])> = runs.iter().map(value).collect();
        let states = runs.iter().fold(0u64, |all, (count, _)| all.saturating_add(*count));
        if bits > 60 || states != space.count() as u64 || most >= 1 << 60 {
            return Err(Refusal::Malformed);
        }
        // Relative costs are counted from the least of them; others are what they are.
        let again = self.model.after_remap == After::Restart;
        let ends = |end: fn(u64, u64) -> u64, start: u64| {
            [0, 1].map(|side| runs.iter().map(|(_, value)| value[side]).fold(start, end))
        };
        let base = if again { ends(u64::min, u64::MAX) } else { [0; 2] };
        let from_base = |value: &[u64; 2]| [value[0] - base[0], value[1] - base[1]];
        let values =
            || runs.iter().flat_map(|(count, value)| repeat_n(from_base(value), *count as usize));
        // Going on.
        let mut go = Vec::with_capacity(states as usize);
        go.extend(values());
        let deficit = space.expect(go.as_flattened_mut());
        let cost = |loads: &[i64]| imbalance.cost(loads, bits);
        let go = |s: usize, cost: [u64; 2]| [go[s][0] + cost[0], go[s][1] + deficit + cost[1]];
        // Where the computation goes on for ever, rows that miss 1 are those of any chain near by.
        let largest = from_base(&ends(u64::max, 0));
        let missed = [space.missed(largest[0])?[0], space.missed(largest[1])?[1]];
        // Remapping: its cost, and what follows, for each total if it matters.
        let (costs, of) = match self.model.constant() {
            Some(cost) => (vec![cost.clone()], Vec::new()),
            None => self.model.costs(imbalance, space)?,
        };
        let rho: Vec<[u64; 2]> =
            costs.iter().map(|cost| Span::from(cost).units(bits)).collect::<Result<_, _>>()?;
        let (totals, own) = if again { space.totals()? } else { (Vec::new(), Vec::new()) };
        let to = match self.model.after_remap {
            After::Stop => vec![[0; 2]],
            After::Uniform => vec![mean(space, values())?],
            After::Restart => {
                let even = |loads: Vec<i64>| Ok(go(space.find(&loads)?, cost(&loads)?));
                let to = space.targets(imbalance, &totals).into_iter();
                to.map(even).collect::<Result<_, Refusal>>()?
            }
        };
        let remap = |s: usize| {
            let (rho, to) =
                (rho[of.get(s).map_or(0, |of| *of)], to[own.get(s).map_or(0, |own| *own)]);
            [rho[0] + to[0], rho[1] + to[1]]
        };
        let (mut least, mut most, mut apart) = (i64::MAX, i64::MIN, 0);
        let (mut classes, mut vectors) = ([0u64; 4], Some([0u128; 4]));
        let mut values = values();
        let decisions = space.each(|s, loads| {
            let (cost, remap) = (cost(loads)?, remap(s));
            let (value, go) = (values.next().unwrap_or_default(), go(s, cost));
            let balanced = cost[1] == 0 && !again;
            let change = |side: usize| {
                let best = if balanced { 0 } else { remap[side].min(go[side]) };
                best as i64 - value[side] as i64
            };
            (least, most) = (change(0).min(least), change(1).max(most));
            apart = apart.max(value[1].abs_diff(value[0]));
            let decision = match (balanced, go[0] >= remap[1], go[1] >= remap[0]) {
                (true, ..) => Decision::Balanced,
                (_, true, _) => Decision::Remap,
                (.., false) => Decision::Continue,
                (.., true) => Decision::Either,
            };
            classes[decision as usize] += 1;
            let orders = space.orders(loads);
            vectors = vectors.zip(orders).and_then(|(mut all, orders)| {
                all[decision as usize] = all[decision as usize].checked_add(orders)?;
                Some(all)
            });
            Ok(decision)
        })?;
        if again {
            // For any relative costs h the least average is between these bounds on T h - h [Odoni 1969].
            let missed = missed.map(|missed| missed as i64);
            let bounds = Span::between(least - missed[0], most + missed[1], bits).reals();
            return Ok((Proof::Average(bounds.into()), Vec::new(), Vec::new()));
        }
        // Where no state is balanced and remaps to random loads are free, nothing ends the problem.
        let free = self.model.after_remap == After::Uniform && classes[0] == 0;
        if least < 0 || most > 0 || free && largest[0] > 0 {
            return Err(Refusal::Unproved("the values do not enclose the optimal cost"));
        }
        let dearest =
            [0, 1].map(|side| rho.iter().map(|rho| rho[side]).max().unwrap_or(0) + to[0][side]);
        let remap_value = Span::between(dearest[0], dearest[1], bits).reals();
        let value_width = Span::between(apart, apart, bits).reals().1;
        let proof = Proof::Map {
            remap_value: remap_value.into(),
            value_gap: (value_width / remap_value.0.max(1.0)).next_up(),
            value_width,
            largest_value: Span::between(largest[0], largest[1], bits).reals().into(),
            classes: Counts::of(classes.map(BigInt::from)),
            vectors: vectors.map(|vectors| Counts::of(vectors.map(BigInt::from))),
        };
        Ok((proof, decisions, runs))
    }
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
