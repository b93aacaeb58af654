//! Optimal stopping: two functions that the Bellman operator moves towards each other enclose the
//! optimal cost. docs/certificates.md has the proof.

use crate::imbalance::Imbalance;
use crate::model::{self, After, Number, RunningCost};
use crate::number::Span;
use crate::space::Space;
use crate::{Proof, Refusal, model_error};
use num_rational::BigRational;
use num_traits::{One, Zero};
use std::iter::repeat_n;
use std::path::Path;

/// How many states that follow each other have the same values; the lower one, less that of those before,
/// and by how much the upper one exceeds it.
pub type Run = (u64, i64, u64);

/// A model of optimal stopping.
pub struct Stopping {
    /// The states, in the order of a certificate.
    pub space: Space,
    imbalance: Imbalance,
    remap_cost: BigRational,
    after: After,
}

impl Stopping {
    pub(crate) fn new(model: model::Stopping, folder: &Path) -> Result<Stopping, Refusal> {
        let exact = |list: Vec<Number>| list.into_iter().map(|c| c.0).collect::<Vec<_>>();
        let capacities = model.capacities.map(exact);
        let space = Space::new(&model.processes, capacities.as_deref().unwrap_or(&[]), folder)?;
        let capacities = capacities.unwrap_or_else(|| vec![BigRational::one(); space.processes]);
        if capacities.len() != space.processes || model.remap_cost.0.is_zero() {
            return model_error("a capacity is missing, or remapping is free");
        }
        let cost = model.running_cost.unwrap_or(RunningCost::MaxMinusMean);
        let imbalance = Imbalance::new(cost, &capacities)?;
        Ok(Stopping { space, imbalance, remap_cost: model.remap_cost.0, after: model.after_remap })
    }

    /// What is shown by a lower and an upper value for each state, in units of 2^-bits.
    pub fn prove(&self, bits: u32, runs: &[Run]) -> Result<Proof, Refusal> {
        let (mut last, mut most) = (0u64, 0);
        let value = |&(count, step, more): &Run| {
            last = last.wrapping_add_signed(step);
            let value = [last, last.wrapping_add(more)];
            most = value[0].max(value[1]).max(most);
            (count, value)
        };
        let runs: Vec<(u64, [u64; 2])> = runs.iter().map(value).collect();
        let states = runs.iter().fold(0u64, |all, (count, _)| all.saturating_add(*count));
        if bits > 60 || states != self.space.count() as u64 || most >= 1 << 60 {
            return Err(Refusal::Malformed);
        }
        let values = || runs.iter().flat_map(|(count, value)| repeat_n(*value, *count as usize));
        // Going on.
        let mut go = Vec::with_capacity(states as usize);
        go.extend(values());
        let deficit = self.space.expect(go.as_flattened_mut());
        let cost = |loads: &[i64]| self.imbalance.cost(loads, bits);
        let go = |s: usize, cost: [u64; 2]| [go[s][0] + cost[0], go[s][1] + deficit + cost[1]];
        // Remapping, for each total if it matters.
        let rho = Span::from(&self.remap_cost).units(bits)?;
        let add = |more: [u64; 2]| [rho[0] + more[0], rho[1] + more[1]];
        let again = self.after == After::Restart;
        let (totals, own) = if again { self.space.totals()? } else { (vec![0], Vec::new()) };
        let remap = match self.after {
            After::Stop => vec![rho],
            After::Uniform => vec![add(self.mean(values())?)],
            After::Restart => {
                let even = |total: &i64| {
                    let loads = self.imbalance.split(*total);
                    Ok(add(go(self.space.find(&loads)?, cost(&loads)?)))
                };
                totals.iter().map(even).collect::<Result<_, _>>()?
            }
        };
        let (mut least, mut most, mut apart, mut letters) = (i64::MAX, i64::MIN, 0, [0; 4]);
        let mut values = values();
        self.space.each(|s, loads| {
            let (cost, remap) = (cost(loads)?, remap[own.get(s).map_or(0, |own| *own)]);
            let (value, go) = (values.next().unwrap_or_default(), go(s, cost));
            let balanced = cost[1] == 0 && !again;
            let change = |side: usize| {
                let best = if balanced { 0 } else { remap[side].min(go[side]) };
                best as i64 - value[side] as i64
            };
            (least, most) = (change(0).min(least), change(1).max(most));
            apart = apart.max(value[1].abs_diff(value[0]));
            let letter = match (balanced, go[0] >= remap[1], go[1] >= remap[0]) {
                (true, ..) => 0,
                (_, true, _) => 1,
                (.., either) => 2 + usize::from(either),
            };
            letters[letter] += 1;
            Ok(())
        })?;
        if again {
            // For any relative costs h the least average is between these bounds on T h - h [Odoni 1969].
            let (low, high) = Span::between(least, most, bits).reals();
            return Ok(vec![("average".to_owned(), low, high)]);
        }
        if least < 0 || most > 0 {
            return Err(Refusal::Unproved("the values do not enclose the optimal cost"));
        }
        let (low, high) = Span::between(remap[0][0], remap[0][1], bits).reals();
        let (_, apart) = Span::between(apart, apart, bits).reals();
        let names = ["balanced", "proved_remap", "proved_continue", "either"];
        let widths = [("value_gap", 0.0, apart / high.max(1.0)), ("value_width", 0.0, apart)];
        let letters = names.into_iter().zip(letters).map(|(name, of)| (name, of as f64, of as f64));
        let all = [("remap_value", low, high)].into_iter().chain(widths).chain(letters);
        Ok(all.map(|(name, low, high)| (name.to_owned(), low, high)).collect())
    }

    /// Bounds on the mean over all load vectors.
    fn mean(&self, mut values: impl Iterator<Item = [u64; 2]>) -> Result<[u64; 2], Refusal> {
        let (mut all, mut sums) = (0, [0u128; 2]);
        self.space.each(|_, loads| {
            let orders = self.space.orders(loads)?;
            all = Some(all + orders).filter(|all| *all < 1 << 66).ok_or(Refusal::TooLarge)?;
            let value = values.next().unwrap_or_default();
            sums = [0, 1].map(|side| sums[side] + orders * u128::from(value[side]));
            Ok(())
        })?;
        Ok([(sums[0] / all) as u64, sums[1].div_ceil(all) as u64])
    }
}
