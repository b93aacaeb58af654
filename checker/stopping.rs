//! Optimal stopping: two functions that the Bellman operator moves towards each other enclose the
//! optimal cost. docs/certificates.md has the proof.

use crate::imbalance::Imbalance;
use crate::model::{self, After, Number, RunningCost};
use crate::number::Span;
use crate::space::Space;
use crate::{Proof, Refusal, model_error};
use num_rational::BigRational;
use num_traits::{One, Zero};
use std::path::Path;

/// A model of optimal stopping.
pub struct Stopping {
    space: Space,
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

    /// The loads of each state, in the order of a certificate.
    pub fn states(&self) -> std::slice::ChunksExact<'_, i64> {
        self.space.states()
    }

    /// What is shown by a lower and an upper value for each state, in units of 2^-bits.
    pub fn prove(&self, bits: u32, values: &[[u64; 2]]) -> Result<Proof, Refusal> {
        let large = values.as_flattened().iter().any(|value| *value >= 1 << 60);
        if bits > 60 || values.len() != self.states().len() || large {
            return Err(Refusal::Malformed);
        }
        // Going on.
        let mut go = values.to_vec();
        let deficit = self.space.expect(go.as_flattened_mut());
        let costs = self.states().map(|loads| self.imbalance.cost(loads, bits));
        let costs: Vec<[u64; 2]> = costs.collect::<Result<_, _>>()?;
        for (go, cost) in go.iter_mut().zip(&costs) {
            *go = [go[0] + cost[0], go[1] + deficit + cost[1]];
        }
        // Remapping, for each total if it matters.
        let rho = Span::from(&self.remap_cost).units(bits)?;
        let add = |more: [u64; 2]| [rho[0] + more[0], rho[1] + more[1]];
        let again = self.after == After::Restart;
        let (totals, own) = if again { self.space.totals() } else { (vec![0], vec![0; go.len()]) };
        let remap = match self.after {
            After::Stop => vec![rho],
            After::Uniform => vec![add(self.mean(values)?)],
            After::Restart => {
                let find = self.space.finder();
                let split = |total: &i64| Ok(add(go[find(self.imbalance.split(*total))?]));
                totals.iter().map(split).collect::<Result<_, _>>()?
            }
        };
        let (mut least, mut most, mut apart, mut letters) = (i64::MAX, i64::MIN, 0, [0; 4]);
        for (((value, go), cost), own) in values.iter().zip(&go).zip(&costs).zip(own) {
            let (remap, balanced) = (remap[own], cost[1] == 0 && !again);
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
        }
        if again {
            // For any relative costs h the least average is between these bounds on T h - h [Odoni 1969].
            let (low, high) = Span::between(least, most, bits).reals();
            let line = format!("long-run average cost per step in [{low}, {high}]");
            return Ok(Proof {
                lines: vec![line],
                intervals: vec![("average".to_owned(), low, high)],
            });
        }
        if least < 0 || most > 0 {
            return Err(Refusal::Unproved("the values do not enclose the optimal cost"));
        }
        let (low, high) = Span::between(remap[0][0], remap[0][1], bits).reals();
        let (_, apart) = Span::between(apart, apart, bits).reals();
        let (gap, [balanced, remaps, goes_on, either]) = (apart / high.max(1.0), letters);
        let lines = vec![
            format!("J(s) to within {apart:.2e} for all {} classes of states s", values.len()),
            format!("that is {gap:.2e} of max(1, R); remapping costs R in [{low}, {high}] in all"),
            format!(
                "decisions proved: {remaps} remap, {goes_on} continue, {balanced} balanced; {either} \
                 may be either within these bounds"
            ),
            format!("the map is optimal within {apart:.2e}"),
        ];
        let gap = ("value_gap".to_owned(), 0.0, gap);
        Ok(Proof { lines, intervals: vec![("remap_value".to_owned(), low, high), gap] })
    }

    /// Bounds on the mean over all load vectors.
    fn mean(&self, values: &[[u64; 2]]) -> Result<[u64; 2], Refusal> {
        let (mut all, mut sums) = (0, [0u128; 2]);
        for (loads, value) in self.states().zip(values) {
            let orders = self.space.orders(loads)?;
            all += orders;
            sums = [0, 1].map(|side| sums[side] + orders * u128::from(value[side]));
        }
        if all >= 1 << 66 {
            return Err(Refusal::TooLarge);
        }
        Ok([(sums[0] / all) as u64, sums[1].div_ceil(all) as u64])
    }
}
