//! Simple policies from a state: remap when the largest level reaches b, at the latest after T
//! steps. The best pair (b, T) is found by enumeration.

use super::lookahead::Outlook;
use crate::load_drift::many::counts::Counts;
use crate::load_drift::many::totals::Profile;
use std::sync::Arc;

/// The best simple policy from a state, and the numbers from which its cost is computed.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Its expected cost, Y.
    pub value: f64,
    /// The barrier b.
    pub barrier: usize,
    /// The number of steps T.
    pub steps: usize,
    /// The least cost without a barrier, and with a barrier 1, 2, ... levels above the largest
    /// level; NaN where none was tried.
    pub bests: [f64; BARRIERS + 1],
    /// By number of steps, from 1: cost of a remap then, including all that follows.
    pub(in crate::load_drift::many) ends: Vec<f64>,
    /// By number of steps, from 1: the expected mean level.
    pub(in crate::load_drift::many) means: Vec<f64>,
    /// By number of steps, from 0: cumulative cost without a remap, cost during one, and sum of the
    /// largest levels.
    pub(in crate::load_drift::many) open: Vec<[f64; 3]>,
    pub(in crate::load_drift::many) tilt: Tilt,
}

/// Dependence of the value after the next remap on the total after one step, with expectation zero.
#[derive(Debug, Clone, Default)]
pub(in crate::load_drift::many) enum Tilt {
    #[default]
    None,
    /// A parabola in the distance of the total from its mean.
    Parabola { mean: f64, variance: f64, slope: f64, bend: f64 },
    /// A profile minus its own expectation.
    Whole(Arc<Profile>),
}

impl Tilt {
    pub(in crate::load_drift::many) fn at(&self, total: u64) -> f64 {
        match self {
            Tilt::None => 0.0,
            Tilt::Parabola { mean, variance, slope, bend } => {
                let away = total as f64 - mean;
                slope * away + bend * (away * away - variance)
            }
            Tilt::Whole(profile) => profile.at(total) - profile.expected,
        }
    }
}

/// No bound on the look-ahead.
pub(in crate::load_drift::many) const ALL: usize = usize::MAX;
/// Number of barriers above the largest level that are tried.
pub(in crate::load_drift::many) const BARRIERS: usize = 2;

/// Up to `DENSE` steps a plan is evaluated after every step; beyond, the distance grows by one for
/// every `SPARSE` steps.
pub(in crate::load_drift::many) const DENSE: usize = 32;
const SPARSE: usize = 4;

impl Outlook<'_> {
    /// The best plan from x after move k. It remaps after at least `span[0]` steps, except where
    /// the largest level reaches the barrier, and looks ahead at most `span[1]` steps.
    pub fn plan(&self, x: &Counts, k: u64, span: [usize; 2], plan: &mut Plan) {
        plan.ends.clear();
        plan.means.clear();
        plan.open.clear();
        plan.value = f64::INFINITY;
        plan.bests = [f64::NAN; BARRIERS + 1];
        if k == self.setting.steps {
            plan.value = 0.0;
            return;
        }
        let levels = self.laws.levels();
        self.try_barrier(x, k, levels, span, plan);
        for barrier in x.top + 1..(x.top + 1 + BARRIERS).min(levels) {
            self.try_barrier(x, k, barrier, span, plan);
        }
    }

    fn try_barrier(
        &self,
        x: &Counts,
        k: u64,
        barrier: usize,
        [earliest, most]: [usize; 2],
        plan: &mut Plan,
    ) {
        let table = self.laws.barrier(barrier);
        let longest = self.laws.longest() as u64 - self.setting.overlap.steps;
        let left = ((self.setting.steps - k).min(longest) as usize).min(most);
        let ends = self.setting.steps - k <= left as u64;
        let (mut alive, mut sum, mut worse) = (1.0, 0.0, 0);
        let (mut least, mut before) = (f64::INFINITY, 0.0);
        let which = if barrier == self.laws.levels() { 0 } else { barrier - x.top };
        let mut j = 0;
        while j < left {
            let gap = self.gap(j, left, barrier);
            j += gap;
            self.look(x, k, j, plan);
            let (products, survive) = table.products(j, x);
            let mean = table.total(j, x) / self.setting.ranks as f64;
            let end = plan.ends[j - 1];
            let step = barrier as f64 * alive - products
                + alive * (self.setting.base - self.setting.weight * mean);
            let paid = stretch(gap, before, step);
            before = step;
            let value = sum + self.paid_at_end(k, j, paid, step) + alive * end;
            sum += paid;
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

    /// Number of steps from j to the next evaluation of a plan. It grows only without a barrier and
    /// with immediate remaps.
    fn gap(&self, j: usize, last: usize, barrier: usize) -> usize {
        let all = barrier < self.laws.levels() || self.setting.overlap.steps > 0;
        let gap = if all { 1 } else { 1 + j.saturating_sub(DENSE) / SPARSE };
        gap.min(last - j)
    }

    /// Cost of the last stretch of a plan that ends with step j after move k; a step that the remap
    /// spares is not paid.
    fn paid_at_end(&self, k: u64, j: usize, paid: f64, step: f64) -> f64 {
        let spared = self.setting.replaces && k + (j as u64) < self.setting.steps;
        if spared { paid - step } else { paid }
    }

    /// Cost of a remap after j steps, including all that follows, where the largest level has just
    /// reached the barrier. Steps during the remap then cost more than on average, and a spared
    /// step costs what it does at the barrier.
    fn at_barrier(&self, k: u64, j: usize, barrier: usize, plan: &Plan) -> f64 {
        let (setting, end) = (self.setting, plan.ends[j - 1]);
        if setting.replaces && k + (j as u64) < setting.steps {
            return end - (barrier as f64 + setting.base - setting.weight * plan.means[j - 1]);
        }
        if setting.overlap.steps == 0 {
            return end;
        }
        let above = |i: usize| (barrier as f64 - (plan.open[i][2] - plan.open[i - 1][2])).max(0.0);
        let sum = |last: usize| (j + 1..=last).map(above).sum::<f64>();
        if !setting.may_remap(k + j as u64) {
            return end + sum((setting.steps - k) as usize);
        }
        let now = if setting.before_step { setting.overlap.slowdown * above(j) } else { 0.0 };
        end + now + (1.0 + setting.overlap.slowdown) * sum(j + setting.unseen())
    }

    /// The cost of a plan, made after step k, from the successor y of the state where it was made,
    /// including that step. Its expectation over y is exactly the value of the plan.
    pub fn follow(&self, plan: &Plan, y: &Counts, total: u64, k: u64) -> f64 {
        let setting = self.setting;
        let mean = total as f64 / setting.ranks as f64;
        let paid = (y.top.min(plan.barrier)) as f64 + setting.base - setting.weight * mean;
        let tilt = plan.tilt.at(total);
        if plan.steps == 1 {
            return self.paid_at_end(k, 1, paid, paid) + tilt + plan.ends[0];
        }
        if y.top >= plan.barrier {
            return paid + tilt + self.at_barrier(k, 1, plan.barrier, plan);
        }
        let table = self.laws.barrier(plan.barrier);
        let barrier = plan.barrier as f64;
        let (mut alive, mut sum) = (1.0, paid + tilt);
        let (mut j, mut before) = (1, paid);
        while j < plan.steps {
            let gap = self.gap(j, plan.steps, plan.barrier);
            j += gap;
            let (products, survive) = table.products(j - 1, y);
            let end = plan.ends[j - 1];
            let mean = table.total(j - 1, y) / setting.ranks as f64;
            let step = barrier * alive - products + alive * (setting.base - setting.weight * mean);
            let paid = stretch(gap, before, step);
            before = step;
            if j == plan.steps {
                sum += self.paid_at_end(k, j, paid, step);
                sum += alive * end;
            } else {
                sum += paid;
                sum += (alive - survive) * self.at_barrier(k, j, plan.barrier, plan);
            }
            alive = survive;
        }
        sum
    }
}

/// Cost of `gap` steps by linear interpolation: the last costs `step`, and the one before all of
/// them `before`.
fn stretch(gap: usize, before: f64, step: f64) -> f64 {
    let gap = gap as f64;
    0.5 * (gap - 1.0) * before + 0.5 * (gap + 1.0) * step
}
