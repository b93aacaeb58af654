//! Optimal stopping: two functions that the Bellman operator moves towards each other enclose the
//! optimal cost. docs/certificates.md has the proof.

use crate::imbalance::Imbalance;
use crate::model::{self, After, Number, RunningCost};
use crate::number::{ceil, floor, over, reals, small};
use crate::space::Space;
use crate::{Proof, Refusal};
use num_rational::BigRational;
use num_traits::{One, Signed};
use std::collections::HashMap;
use std::path::Path;

/// A model of optimal stopping.
pub struct Stopping {
    space: Space,
    imbalance: Imbalance,
    remap_cost: BigRational,
    after: After,
}

impl Stopping {
    pub(crate) fn new(model: &model::Stopping, folder: &Path) -> Result<Stopping, Refusal> {
        let exact = |list: &Vec<Number>| list.iter().map(|c| c.0.clone()).collect::<Vec<_>>();
        let capacities = model.capacities.as_ref().map(exact);
        let space = Space::new(&model.processes, capacities.as_deref(), folder)?;
        let capacities = capacities.unwrap_or_else(|| vec![BigRational::one(); space.processes]);
        if capacities.len() != space.processes || !model.remap_cost.0.is_positive() {
            return Refusal::model("a capacity is missing, or remapping is free");
        }
        let cost = model.running_cost.clone().unwrap_or(RunningCost::MaxMinusMean);
        let imbalance = Imbalance::new(cost, &capacities)?;
        let (remap_cost, after) = (model.remap_cost.0.clone(), model.after_remap.clone());
        Ok(Stopping { space, imbalance, remap_cost, after })
    }

    /// The loads of each state, in the order of a certificate.
    pub fn states(&self) -> std::slice::ChunksExact<'_, i64> {
        self.space.states()
    }

    /// What is shown by a lower and an upper value for each state, in units of 2^-bits.
    ///
    /// # Errors
    /// [`Refusal::Unproved`] if they enclose no solution, [`Refusal::Malformed`], [`Refusal::TooLarge`].
    pub fn prove(&self, bits: u32, values: &[[u64; 2]]) -> Result<Proof, Refusal> {
        let most = values.iter().map(|value| value[0].max(value[1])).max();
        if bits > 60 || values.len() != self.states().len() || most >= Some(1 << 60) {
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
        // Remapping.
        let rho = [floor(&self.remap_cost, bits)?, ceil(&self.remap_cost, bits)?];
        let rho = [small(rho[0])?, small(rho[1])?];
        let add = |more: [u64; 2]| [rho[0] + more[0], rho[1] + more[1]];
        let remap = match self.after {
            After::Stop => rho,
            After::Uniform => add(self.mean(values)?),
            After::Restart => return self.average(bits, values, &go, add),
        };
        let mut letters = [0; 4];
        for ((value, go), cost) in values.iter().zip(&go).zip(&costs) {
            let balanced = cost[1] == 0;
            let best = |side: usize| if balanced { 0 } else { remap[side].min(go[side]) };
            if value[0] > best(0) || value[1] < best(1) {
                return Err(Refusal::Unproved("the values do not enclose the optimal cost"));
            }
            let letter = if balanced {
                0
            } else if go[0] >= remap[1] {
                1
            } else {
                2 + usize::from(go[1] >= remap[0])
            };
            letters[letter] += 1;
        }
        let apart = values.iter().map(|value| value[1] - value[0]).max().unwrap_or(0);
        let real = |x: u64| over(x.into(), bits);
        let ((low, high), (_, apart)) =
            (reals(&real(remap[0]), &real(remap[1])), reals(&real(0), &real(apart)));
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
        let orders = self.states().map(|loads| self.space.orders(loads));
        let orders: Vec<u128> = orders.collect::<Result<_, _>>()?;
        let all: u128 = orders.iter().sum();
        if all >= 1 << 66 {
            return Err(Refusal::TooLarge);
        }
        let terms =
            |side: usize| orders.iter().zip(values).map(move |(n, v)| n * u128::from(v[side]));
        let (low, high): (u128, u128) = (terms(0).sum(), terms(1).sum());
        Ok([(low / all) as u64, high.div_ceil(all) as u64])
    }

    /// For any relative costs h the least long-run average lies between the smallest and the largest
    /// T h - h [Odoni 1969].
    fn average(
        &self,
        bits: u32,
        values: &[[u64; 2]],
        go: &[[u64; 2]],
        add: impl Fn([u64; 2]) -> [u64; 2],
    ) -> Result<Proof, Refusal> {
        let (find, mut back) = (self.space.finder(), HashMap::new());
        let (mut least, mut most) = (i128::MAX, i128::MIN);
        for ((value, go_on), loads) in values.iter().zip(go).zip(self.states()) {
            let total: i64 = loads.iter().sum();
            let remap = match back.get(&total) {
                Some(remap) => *remap,
                None => add(go[find(self.imbalance.split(total))?]),
            };
            back.insert(total, remap);
            let change =
                |side: usize| i128::from(remap[side].min(go_on[side])) - i128::from(value[side]);
            (least, most) = (least.min(change(0)), most.max(change(1)));
        }
        let (low, high) = reals(&over(least, bits), &over(most, bits));
        let line = format!("long-run average cost per step in [{low}, {high}]");
        Ok(Proof { lines: vec![line], intervals: vec![("average".to_owned(), low, high)] })
    }
}
