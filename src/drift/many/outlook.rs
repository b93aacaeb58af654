//! What a simple policy costs from a state, in closed form: remap when the largest level reaches b, at the
//! latest after T steps, then go on at the value after a remap.

use super::counts::Counts;
use super::laws::Laws;
use super::plan::{BARRIERS, Plan, Tilt};
use super::remapped::Remapped;
use super::setting::Setting;
use super::totals::{Profile, Totals};
use std::collections::HashMap;
use std::sync::Arc;

/// Profiles over the next total that were computed, by step, total and steps to the next remap.
pub type Known = HashMap<(u64, u64, usize), Option<Arc<Profile>>>;

/// What plans are made from.
pub struct Outlook<'a> {
    /// The problem.
    pub setting: &'a Setting,
    /// Between remaps.
    pub laws: &'a Laws,
    /// After a remap.
    pub remapped: &'a Remapped,
    /// Of the total.
    pub totals: &'a Totals,
}

impl Outlook<'_> {
    /// The best plan from x after step k, before the last, that remaps after so many steps at the earliest, but where the largest
    /// level is reached.
    pub fn plan(&self, x: &Counts, k: u64, earliest: usize, plan: &mut Plan) {
        plan.ends.clear();
        plan.open.clear();
        plan.value = f64::INFINITY;
        plan.bests = [f64::NAN; BARRIERS + 1];
        let levels = self.laws.levels();
        self.try_barrier(x, k, [levels, earliest], plan);
        for barrier in x.top + 1..(x.top + 1 + BARRIERS).min(levels) {
            self.try_barrier(x, k, [barrier, earliest], plan);
        }
    }

    fn try_barrier(&self, x: &Counts, k: u64, [barrier, earliest]: [usize; 2], plan: &mut Plan) {
        let table = self.laws.barrier(barrier);
        let longest = self.laws.longest() as u64 - self.setting.overlap.steps;
        let left = (self.setting.steps - k).min(longest) as usize;
        let ends = self.setting.steps - k <= longest;
        let (mut alive, mut sum, mut worse) = (1.0, 0.0, 0);
        let mut least = f64::INFINITY;
        let which = if barrier == self.laws.levels() { 0 } else { barrier - x.top };
        for j in 1..=left {
            self.look(x, k, j, plan);
            let (products, survive) = table.products(j, x);
            let mean = table.total(j, x) / self.setting.ranks as f64;
            let end = plan.ends[j - 1];
            sum += barrier as f64 * alive - products
                + alive * (self.setting.base - self.setting.weight * mean);
            let value = sum + alive * end;
            let hit = self.at_barrier(k, j, barrier, plan);
            if j < earliest && j < left {
                sum += (alive - survive) * hit;
                alive = survive;
                continue;
            }
            if value < least {
                least = value;
                plan.bests[which] = value;
                worse = 0;
            } else {
                worse += 1;
            }
            if value < plan.value {
                (plan.value, plan.barrier, plan.steps) = (value, barrier, j);
            }
            sum += (alive - survive) * hit;
            alive = survive;
            if alive < 1e-9 || worse > 1 && !ends {
                break;
            }
        }
    }

    /// The expected cost of the next step.
    pub fn next_cost(&self, x: &Counts) -> f64 {
        let levels = self.laws.levels();
        let table = self.laws.barrier(levels);
        let mean = table.total(1, x) / self.setting.ranks as f64;
        levels as f64 - table.products(1, x).0 + self.setting.base - self.setting.weight * mean
    }

    /// What a remap is expected to cost after j steps, nearly.
    fn price(&self, x: &Counts, j: usize, mean: f64) -> f64 {
        let setting = self.setting;
        if setting.per_unit == 0.0 {
            return setting.remap_cost;
        }
        let ranks = setting.ranks as f64;
        let floor = (mean / ranks).floor();
        let (above, over) = self.laws.barrier(self.laws.levels()).over(j, floor as usize, x);
        // Loads move with their mean, the more so the fewer there are.
        let moved = (over - above.min(mean - floor * ranks)).max(0.0) * (1.0 - 1.0 / ranks).sqrt();
        setting.remap_cost + setting.per_unit * moved
    }

    /// What so many steps cost without a remap, and beside one.
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

    /// What a remap after j steps costs with all that follows, where the largest level has just reached the barrier: steps beside it
    /// then cost more than they do on average.
    fn at_barrier(&self, k: u64, j: usize, barrier: usize, plan: &Plan) -> f64 {
        let (setting, end) = (self.setting, plan.ends[j - 1]);
        let late = setting.overlap.steps as usize;
        if late == 0 {
            return end;
        }
        let (last, slower) = match setting.may_remap(k + j as u64) {
            true => (j + late, 1.0 + setting.overlap.slowdown),
            false => ((setting.steps - k) as usize, 1.0),
        };
        let above = |i: usize| barrier as f64 - (plan.open[i][2] - plan.open[i - 1][2]);
        end + slower * (j + 1..=last).map(|i| above(i).max(0.0)).sum::<f64>()
    }

    /// What each of the steps costs on average that x, just remapped, is not yet in force in.
    pub fn before_force(&self, x: &Counts) -> Vec<f64> {
        let mut plan = Plan::default();
        let late = self.setting.overlap.steps as usize;
        let sums: Vec<f64> = (0..=late).map(|j| self.open(x, j, &mut plan)[0]).collect();
        sums.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    /// What the steps cost on average until a remap of x is in force.
    pub fn beside(&self, x: &Counts) -> f64 {
        match self.setting.overlap.steps {
            0 => 0.0,
            late => self.open(x, late as usize, &mut Plan::default())[1],
        }
    }

    fn look(&self, x: &Counts, k: u64, j: usize, plan: &mut Plan) {
        if plan.ends.len() < j {
            let (mean, variance) = self.laws.total(j, x);
            let at = k + j as u64;
            let end = match () {
                () if at >= self.setting.steps => 0.0,
                () if self.setting.may_remap(at) => {
                    let late = self.setting.overlap.steps as usize;
                    let beside = if late > 0 {
                        self.open(x, j + late, plan)[1] - self.open(x, j, plan)[1]
                    } else {
                        0.0
                    };
                    self.price(x, j, mean) + beside + self.remapped.around(at, mean, variance)
                }
                // It would not come into force any more.
                () => {
                    let last = (self.setting.steps - k) as usize;
                    self.open(x, last, plan)[0] - self.open(x, j, plan)[0]
                }
            };
            plan.ends.push(end);
        }
    }

    /// Prepares the plan made in x after step k, with this total, to be followed.
    pub fn prepare(&self, x: &Counts, total: u64, k: u64, known: &mut Known, plan: &mut Plan) {
        let (mean, variance) = self.laws.total(1, x);
        plan.tilt = Tilt::None;
        let at = k + plan.steps as u64;
        let away = variance.sqrt();
        if !self.setting.may_remap(at) || away == 0.0 {
            return;
        }
        let (later, spread) = self.laws.total(plan.steps, x);
        // The same for all states of one total, where their laws are.
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

    /// The cost of a plan from the state y that one step from where it was made led to, that step
    /// included: its expectation over y is the plan's value, exactly. The plan was made after step k.
    pub fn follow(&self, plan: &Plan, y: &Counts, total: u64, k: u64) -> f64 {
        let setting = self.setting;
        let mean = total as f64 / setting.ranks as f64;
        let paid = (y.top.min(plan.barrier)) as f64 + setting.base - setting.weight * mean
            + plan.tilt.at(total);
        if plan.steps == 1 {
            return paid + plan.ends[0];
        }
        if y.top >= plan.barrier {
            return paid + self.at_barrier(k, 1, plan.barrier, plan);
        }
        let table = self.laws.barrier(plan.barrier);
        let barrier = plan.barrier as f64;
        let (mut alive, mut sum) = (1.0, paid);
        for j in 2..=plan.steps {
            let (products, survive) = table.products(j - 1, y);
            let end = plan.ends[j - 1];
            let mean = table.total(j - 1, y) / setting.ranks as f64;
            sum += barrier * alive - products + alive * (setting.base - setting.weight * mean);
            if j == plan.steps {
                sum += alive * end;
            } else {
                sum += (alive - survive) * self.at_barrier(k, j, plan.barrier, plan);
            }
            alive = survive;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::super::approximate::Correction;
    use super::*;
    use crate::chain::{BirthDeath, Dense, Edge};
    use crate::drift::{LoadDrift, Objective, ProcessChain, Rebalance, Timing};
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

    /// Every way three ranks can move in one step, with its probability.
    fn moves(rows: &[Vec<f64>], from: [usize; 3]) -> Vec<(Counts, f64)> {
        let levels = rows.len();
        let mut all = Vec::new();
        for code in 0..levels.pow(3) {
            let to = [code % levels, code / levels % levels, code / levels / levels];
            let p: f64 = (0..3).map(|i| rows[from[i]][to[i]]).product();
            if p > 0.0 {
                let mut counts = Counts::none(levels);
                to.iter().for_each(|&level| counts.on[level] += 1.0);
                counts.settle();
                all.push((counts, p));
            }
        }
        all
    }

    /// Over all moves of three ranks, the cost of following a plan has the plan's value as its mean: what
    /// the penalty is made of has expectation zero, whatever the chain, the barrier and the edges are.
    #[test]
    fn following_a_plan_costs_its_value_on_average() {
        let late = Overlap { steps: 3, slowdown: 0.1 };
        for (chain, objective, overlap) in chains().into_iter().flat_map(|c| {
            [
                (c.clone(), Objective::Imbalance, Overlap::NONE),
                (c.clone(), Objective::Imbalance, late),
                (c, Objective::Makespan, late),
            ]
        }) {
            let problem = LoadDrift {
                processors: 3,
                chain,
                lowest: 2.0,
                initial: 2,
                steps: 9,
                remap_cost: 0.9,
                per_unit_moved: 0.0,
                rebalance: Rebalance::Split,
                timing: Timing::AfterStep,
                objective,
            };
            let rows = problem.chain.rows();
            let setting = Setting::new(&problem, overlap, &rows);
            let (laws, totals) = (Laws::new(&rows, 9), Totals::new(&rows, 2, 3));
            let remapped =
                Remapped::new(&setting, &laws, &totals, &Correction::none(0.9), &()).unwrap();
            let outlook =
                Outlook { setting: &setting, laws: &laws, remapped: &remapped, totals: &totals };
            let mut barriers = 0;
            for from in [[2, 2, 2], [1, 2, 3], [0, 0, 3], [1, 1, 2], [4, 0, 2]] {
                for k in [0, 3, 7, 8] {
                    let mut x = Counts::none(5);
                    from.iter().for_each(|&level| x.on[level] += 1.0);
                    x.settle();
                    let mut plan = Plan::default();
                    outlook.plan(&x, k, 1, &mut plan);
                    outlook.prepare(&x, x.total(), k, &mut Known::new(), &mut plan);
                    barriers += usize::from(plan.barrier < 5);
                    let mean: f64 = moves(&rows, from)
                        .iter()
                        .map(|(y, p)| p * outlook.follow(&plan, y, y.total(), k))
                        .sum();
                    assert!(
                        (mean - plan.value).abs() < 1e-9,
                        "{from:?} {k}: {mean} {}",
                        plan.value
                    );
                }
            }
            assert!(barriers > 0 || objective == Objective::Makespan);
        }
    }

    /// Never remapping: the closed form of the plan over the last steps is the sum of expected costs.
    #[test]
    fn plans_without_a_remap_cost_what_enumeration_says() {
        let rows = chains()[0].rows();
        let problem = LoadDrift {
            processors: 3,
            chain: chains().remove(0),
            lowest: 0.0,
            initial: 2,
            steps: 2,
            remap_cost: 100.0,
            per_unit_moved: 0.0,
            rebalance: Rebalance::Split,
            timing: Timing::AfterStep,
            objective: Objective::Imbalance,
        };
        let setting = Setting::new(&problem, Overlap::NONE, &rows);
        let (laws, totals) = (Laws::new(&rows, 2), Totals::new(&rows, 2, 3));
        let remapped =
            Remapped::new(&setting, &laws, &totals, &Correction::none(100.0), &()).unwrap();
        let outlook =
            Outlook { setting: &setting, laws: &laws, remapped: &remapped, totals: &totals };
        let mut x = Counts::none(5);
        x.split(3, 6);
        let mut plan = Plan::default();
        outlook.plan(&x, 0, 1, &mut plan);
        let mut expected = 0.0;
        for (y, p) in moves(&rows, [2, 2, 2]) {
            expected += p * setting.cost(&y, y.total());
            let levels: Vec<usize> =
                (0..5).flat_map(|level| vec![level; y.on[level] as usize]).collect();
            for (z, q) in moves(&rows, [levels[0], levels[1], levels[2]]) {
                expected += p * q * setting.cost(&z, z.total());
            }
        }
        assert!((plan.value - expected).abs() < 1e-12, "{} {expected}", plan.value);
    }
}
