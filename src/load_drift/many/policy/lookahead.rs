//! Look-ahead values: the expected cost of a simple policy from a state, in closed form. The policy
//! remaps when the largest level reaches b, at the latest after T steps; then the value after a
//! remap follows.

use super::plan::{Plan, Tilt};
use super::remapped::Remapped;
use crate::load_drift::many::counts::Counts;
use crate::load_drift::many::first_passage::Laws;
use crate::load_drift::many::setting::Setting;
use crate::load_drift::many::totals::{Profile, Totals};
use std::collections::HashMap;
use std::sync::Arc;

/// Computed profiles over the next total, by step, total and number of steps to the next remap.
pub type Known = HashMap<(u64, u64, usize), Option<Arc<Profile>>>;

/// Data from which plans are computed.
pub struct Outlook<'a> {
    /// The problem.
    pub setting: &'a Setting,
    /// Closed forms between remaps.
    pub laws: &'a Laws,
    /// Values after a remap.
    pub remapped: &'a Remapped,
    /// Distribution of the change of the total.
    pub totals: &'a Totals,
}

impl Outlook<'_> {
    /// The expected cost of the next step.
    pub fn next_cost(&self, x: &Counts) -> f64 {
        let levels = self.laws.levels();
        let table = self.laws.barrier(levels);
        let mean = table.total(1, x) / self.setting.ranks as f64;
        levels as f64 - table.products(1, x).0 + self.setting.base - self.setting.weight * mean
    }

    /// Approximate expected cost of a remap after j steps.
    fn price(&self, x: &Counts, j: usize, mean: f64) -> f64 {
        let setting = self.setting;
        if setting.per_unit == 0.0 {
            return setting.remap_cost;
        }
        let ranks = setting.ranks as f64;
        let floor = (mean / ranks).floor();
        let (above, over) = self.laws.barrier(self.laws.levels()).over(j, floor as usize, x);
        // Loads are correlated with their mean, more strongly the fewer there are.
        let moved = (over - above.min(mean - floor * ranks)).max(0.0) * (1.0 - 1.0 / ranks).sqrt();
        setting.remap_cost + setting.per_unit * moved
    }

    /// Cumulative expected cost of `steps` steps: without a remap, and during one; and the sum of
    /// their largest levels.
    fn open(&self, x: &Counts, steps: usize, plan: &mut Plan) -> [f64; 3] {
        if plan.open.is_empty() {
            plan.open.push([0.0; 3]);
        }
        let levels = self.laws.levels();
        let table = self.laws.barrier(levels);
        for j in plan.open.len()..=steps {
            let largest = levels as f64 - table.products(j, x).0;
            let mean = table.total(j, x) / self.setting.ranks as f64;
            let [cost, beside, top] = plan.open[j - 1];
            let more = self.setting.base + largest - self.setting.weight * mean;
            let slower = self.setting.beside(mean, largest);
            plan.open.push([cost + more, beside + slower, top + largest]);
        }
        plan.open[steps]
    }

    /// Expected cost of each move during which a remap that resulted in x is not yet in effect.
    pub fn before_force(&self, x: &Counts) -> Vec<f64> {
        let mut plan = Plan::default();
        let sums: Vec<f64> =
            (0..=self.setting.unseen()).map(|j| self.open(x, j, &mut plan)[0]).collect();
        sums.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    /// Expected cost of the steps until a remap of x takes effect.
    pub fn beside(&self, x: &Counts) -> f64 {
        let now = self.setting.slower_now(x.top as f64);
        match self.setting.unseen() {
            0 => now,
            unseen => now + self.open(x, unseen, &mut Plan::default())[1],
        }
    }

    pub(in crate::load_drift::many) fn look(&self, x: &Counts, k: u64, j: usize, plan: &mut Plan) {
        if plan.ends.len() < j {
            plan.ends.resize(j, f64::NAN);
            plan.means.resize(j, f64::NAN);
        }
        if plan.ends[j - 1].is_nan() {
            let (mean, variance) = self.laws.total(j, x);
            let at = k + j as u64;
            let end = match () {
                () if at >= self.setting.steps => 0.0,
                () if self.setting.may_remap(at) => {
                    let beside = if self.setting.overlap.steps > 0 {
                        let [_, last, _] = self.open(x, j + self.setting.unseen(), plan);
                        let largest = plan.open[j][2] - plan.open[j - 1][2];
                        last - plan.open[j][1] + self.setting.slower_now(largest)
                    } else {
                        0.0
                    };
                    self.price(x, j, mean) + beside + self.remapped.around(at, mean, variance)
                }
                // A remap would no longer take effect.
                () => {
                    let last = (self.setting.steps - k) as usize;
                    self.open(x, last, plan)[0] - self.open(x, j, plan)[0]
                }
            };
            plan.ends[j - 1] = end;
            plan.means[j - 1] = mean / self.setting.ranks as f64;
        }
    }

    /// Prepares the plan made in state x after step k for [`follow`](Self::follow).
    pub fn prepare(&self, x: &Counts, total: u64, k: u64, known: &mut Known, plan: &mut Plan) {
        let (mean, variance) = self.laws.total(1, x);
        plan.tilt = Tilt::None;
        let at = k + plan.steps as u64;
        let away = variance.sqrt();
        if at >= self.setting.steps || !self.setting.may_remap(at) || away == 0.0 {
            return;
        }
        let (later, spread) = self.laws.total(plan.steps, x);
        // The result is the same for all states of one total to which the distribution of the total
        // applies.
        let rest = (plan.steps - 1) as f64 * variance;
        let whole = |total| self.remapped.around(at, total, rest);
        if self.totals.applies(x) {
            let profile = || self.totals.profile(total, whole).map(Arc::new);
            let known = known.entry((k, total, plan.steps)).or_insert_with(profile);
            if let Some(profile) = known {
                plan.tilt = Tilt::Whole(profile.clone());
                return;
            }
        }
        let value = |by: f64| self.remapped.around(at, later + by, (spread - variance).max(0.0));
        let (low, middle, high) = (value(-away), value(0.0), value(away));
        let slope = (high - low) / (2.0 * away);
        let bend = (high + low - 2.0 * middle) / (2.0 * variance);
        plan.tilt = Tilt::Parabola { mean, variance, slope, bend };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::{BirthDeath, Dense, Edge};
    use crate::load_drift::many::policy::approximate::Correction;
    use crate::load_drift::many::policy::plan::ALL;
    use crate::load_drift::{LoadDrift, Objective, ProcessChain, Rebalance, Timing};
    use crate::overlap::Overlap;

    fn chains() -> Vec<ProcessChain> {
        let rows = vec![
            vec![0.5, 0.2, 0.3, 0.0, 0.0],
            vec![0.1, 0.6, 0.1, 0.2, 0.0],
            vec![0.2, 0.2, 0.2, 0.2, 0.2],
            vec![0.0, 0.0, 0.5, 0.0, 0.5],
            vec![0.3, 0.0, 0.0, 0.4, 0.3],
        ];
        vec![
            ProcessChain::BirthDeath(BirthDeath::walk(5, 0.25, 0.25, Edge::Hold).unwrap()),
            ProcessChain::BirthDeath(BirthDeath::walk(5, 0.3, 0.1, Edge::Reflect).unwrap()),
            ProcessChain::Dense(Dense::new(&rows).unwrap()),
        ]
    }

    /// Three ranks that start from level 2.
    fn drift(chain: ProcessChain, steps: u64, remap_cost: f64, timing: Timing) -> LoadDrift {
        LoadDrift {
            processors: 3,
            chain,
            lowest: 2.0,
            initial: 2,
            steps,
            remap_cost,
            per_unit_moved: 0.0,
            rebalance: Rebalance::Split,
            timing,
            objective: Objective::Imbalance,
        }
    }

    /// Calls a function with the data of plans.
    fn examine(problem: &LoadDrift, overlap: Overlap, check: impl FnOnce(&Outlook<'_>)) {
        let rows = problem.chain.rows();
        let setting = Setting::new(problem, overlap, &rows);
        let laws = Laws::new(&rows, problem.steps as usize);
        let totals = Totals::new(&rows, 2, 3);
        let correction = Correction::none(problem.remap_cost);
        let remapped = Remapped::new(&setting, &laws, &totals, &correction, &()).unwrap();
        check(&Outlook { setting: &setting, laws: &laws, remapped: &remapped, totals: &totals });
    }

    fn state(from: [usize; 3]) -> Counts {
        let mut counts = Counts::none(5);
        from.iter().for_each(|&level| counts.on[level] += 1.0);
        counts.settle();
        counts
    }

    /// All joint moves of three ranks in one step, with their probabilities.
    fn moves(chain: &ProcessChain, from: [usize; 3]) -> Vec<([usize; 3], f64)> {
        let rows = chain.rows();
        let to = |code: usize| [code % 5, code / 5 % 5, code / 25];
        let chance = |to: [usize; 3]| (to, (0..3).map(|i| rows[from[i]][to[i]]).product());
        (0..125).map(|code| chance(to(code))).filter(|(_, p)| *p > 0.0).collect()
    }

    /// The best plan from a state after step k. Over all moves of three ranks, the mean cost of
    /// following it is its value: the penalty has expectation zero.
    fn followed(outlook: &Outlook<'_>, chain: &ProcessChain, from: [usize; 3], k: u64) -> Plan {
        let (x, mut plan) = (state(from), Plan::default());
        outlook.plan(&x, k, [1, ALL], &mut plan);
        outlook.prepare(&x, x.total(), k, &mut Known::new(), &mut plan);
        let costs = moves(chain, from).into_iter().map(|(to, p)| {
            let y = state(to);
            p * outlook.follow(&plan, &y, y.total(), k)
        });
        let mean: f64 = costs.sum();
        assert!((mean - plan.value).abs() < 1e-9, "{from:?} {k}: {mean} {}", plan.value);
        plan
    }

    /// The penalty has expectation zero for every chain and barrier.
    #[test]
    fn following_a_plan_costs_its_value_on_average() {
        let late = Overlap { steps: 3, slowdown: 0.1 };
        let (after, before) = (Timing::AfterStep, Timing::BeforeStep);
        let cases = [
            (Objective::Imbalance, after, Overlap::NONE),
            (Objective::Imbalance, before, Overlap::NONE),
            (Objective::Imbalance, after, late),
            (Objective::Makespan, after, late),
            (Objective::Makespan, before, late),
        ];
        for chain in chains() {
            for (objective, timing, overlap) in cases {
                let problem = LoadDrift { objective, ..drift(chain.clone(), 9, 0.9, timing) };
                examine(&problem, overlap, |outlook| {
                    let mut barriers = 0;
                    for from in [[2, 2, 2], [1, 2, 3], [0, 0, 3], [1, 1, 2], [4, 0, 2]] {
                        let steps = outlook.setting.steps;
                        for k in [0, 3, steps - 2, steps - 1] {
                            let plan = followed(outlook, &chain, from, k);
                            barriers += usize::from(plan.barrier < 5);
                        }
                    }
                    assert!(barriers > 0 || objective == Objective::Makespan);
                });
            }
        }
    }

    /// Without remaps, the closed form of the plan over the last steps is the sum of expected
    /// costs.
    #[test]
    fn plans_without_a_remap_cost_what_enumeration_says() {
        let chain = chains().remove(0);
        examine(&drift(chain.clone(), 2, 100.0, Timing::AfterStep), Overlap::NONE, |outlook| {
            let mut plan = Plan::default();
            outlook.plan(&state([2; 3]), 0, [1, ALL], &mut plan);
            let cost = |to: [usize; 3]| {
                let y = state(to);
                outlook.setting.cost(&y, y.total())
            };
            let mut expected = 0.0;
            for (y, p) in moves(&chain, [2; 3]) {
                expected += p * cost(y);
                expected += moves(&chain, y).iter().map(|(z, q)| p * q * cost(*z)).sum::<f64>();
            }
            assert!((plan.value - expected).abs() < 1e-12, "{} {expected}", plan.value);
        });
    }

    /// Distant steps are interpolated linearly. The value of the plan is still the mean of what
    /// following it costs, and it is close to the sum of all steps.
    #[test]
    fn plans_that_leave_steps_out_cost_their_value_on_average() {
        let timings = [Timing::BeforeStep, Timing::AfterStep, Timing::AfterStep];
        for (chain, timing) in chains().into_iter().zip(timings) {
            examine(&drift(chain.clone(), 150, 100.0, timing), Overlap::NONE, |outlook| {
                for from in [[2, 2, 2], [0, 1, 4]] {
                    let plan = followed(outlook, &chain, from, 0);
                    assert_eq!(plan.steps as u64, outlook.setting.steps);
                    let [all, ..] = outlook.open(&state(from), plan.steps, &mut Plan::default());
                    assert!((plan.value / all - 1.0).abs() < 1e-4, "{from:?}: {all} {plan:?}");
                }
            });
        }
    }
}
