//! Longest interval for loads that follow a birth–death chain, by a search over steps.

use std::ops::ControlFlow;

use super::cost::{CostAware, Later, minimise};
use super::deviation::dying;
use super::deviation::expected_imbalance::{EXACTLY, UNKNOWN};
use super::search::ROUNDING;
use super::settling::{Settling, apart};
use super::{Approximation, Bound, Crossing, Places, Search, deviation::exact};
use crate::distribution::LatticeLaw;
use crate::observer::{Observer, Status};

/// Steps after which a search ends without a result.
const LIMIT: u64 = 1_000_000;

/// Probability of the two ends of the distribution of a level that are omitted together; less where
/// the mean level is below one.
const ENDS: f64 = 1e-25;

/// Joint distributions closer than this, relative to what is allowed, count as equal.
const SETTLED: f64 = 1e-13;

/// A birth–death chain of one processor's load level.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadChain {
    /// Probability of one level more, per level.
    pub up: Vec<f64>,
    /// Probability of one level less, per level.
    pub down: Vec<f64>,
}

impl LoadChain {
    /// The distribution of a certain level.
    pub(super) fn point(&self, level: usize) -> Vec<f64> {
        let mut law = vec![0.0; self.up.len()];
        law[level] = 1.0;
        law
    }

    /// The distribution of the level one step later.
    pub(super) fn step(&self, law: &[f64]) -> Vec<f64> {
        // Separate loops vectorize.
        let mut next = vec![0.0];
        next.extend(law.iter().zip(&self.up).take(law.len() - 1).map(|(p, up)| p * up));
        for (((next, p), up), down) in next.iter_mut().zip(law).zip(&self.up).zip(&self.down) {
            *next += p * (1.0 - up - down);
        }
        for ((next, p), down) in next.iter_mut().zip(&law[1..]).zip(&self.down[1..]) {
            *next += p * down;
        }
        next
    }
}

/// Processors whose loads follow a birth–death chain from one level, independently.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainLoads {
    /// How many, at least two.
    pub count: usize,
    /// The chain of one.
    pub chain: LoadChain,
    /// The load at its lowest level, not negative.
    pub lowest: f64,
    /// Initial level of all processors, to which a remap returns them.
    pub start: usize,
}

impl ChainLoads {
    /// Mean loads below this are too close to the end of the range of doubles.
    pub const LEAST: f64 = 1e-280;

    /// The distribution of the level after 0, 1, 2, .. steps.
    pub fn laws(&self) -> impl Iterator<Item = Vec<f64>> + '_ {
        std::iter::successors(Some(self.chain.point(self.start)), |law| Some(self.chain.step(law)))
    }

    /// Mean load under a distribution of the level.
    pub fn mean_load(&self, law: &[f64]) -> f64 {
        self.lowest + law.iter().enumerate().map(|(level, p)| level as f64 * p).sum::<f64>()
    }

    /// `E max_i |w_i - wbar|`, or the root of `E sum_i (w_i - wbar)^2 = (N-1) Var w_i`, under a
    /// distribution of the level, in units of load. NaN after a halt.
    pub fn imbalance(&self, law: &[f64], bound: Bound, observer: &dyn Observer) -> Approximation {
        match bound {
            Bound::MaxDeviation(_) => {
                let level = law.iter().enumerate().map(|(level, p)| level as f64 * p).sum::<f64>();
                let ends = ENDS * level.min(1.0);
                let cut = without_ends(law, ends);
                let places = Places { count: self.count, law: &cut, steps: None };
                let found = exact::max_deviation(&[places], EXACTLY, observer).0;
                let error = found.error + ends * self.count as f64 * self.most();
                if observer.check().is_break() {
                    return UNKNOWN;
                }
                let found = Approximation { error, ..found };
                let alone = (level < dying::RARE).then(|| dying::max_deviation(self.count, law));
                alone.filter(|alone| alone.error < found.error).unwrap_or(found)
            }
            Bound::RmsDeviation(_) => {
                let law = LatticeLaw::new(0, law.to_vec());
                let value = ((self.count - 1) as f64 * law.variance()).sqrt();
                Approximation { value, error: 1e-13 * value }
            }
        }
    }

    /// An upper bound of `E max_i |w_i - wbar|` under a distribution of the level with mean m. It
    /// is `E max_i |w_i - m| + E |wbar - m|`: the first is a sum over the levels, the second at
    /// most `sqrt(Var w_i / N)`.
    pub fn max_deviation_bound(&self, law: &[f64]) -> f64 {
        let n = self.count as f64;
        let total: f64 = law.iter().sum();
        let mean = law.iter().enumerate().map(|(level, p)| level as f64 * p).sum::<f64>() / total;
        let square = |(level, p): (usize, &f64)| p * (level as f64 - mean).powi(2);
        let variance: f64 = law.iter().enumerate().map(square).sum();
        // Levels in the order of their distance from the mean.
        let mut above = (mean.floor() as usize + 1).min(law.len());
        let mut below = above;
        let (mut within, mut distance, mut most) = (0.0_f64, 0.0, 0.0);
        while below > 0 || above < law.len() {
            let down = if below > 0 { mean - (below - 1) as f64 } else { f64::INFINITY };
            let up = if above < law.len() { above as f64 - mean } else { f64::INFINITY };
            let next = down.min(up);
            most += (next - distance) * (1.0 - within.min(1.0).powf(n));
            distance = next;
            if down <= up {
                below -= 1;
                within += law[below];
            } else {
                within += law[above];
                above += 1;
            }
        }
        // Rounding of sums of that many terms; a power multiplies it by the number of processors.
        let rounding = (law.len() as f64 + 8.0) * f64::EPSILON * n * law.len() as f64;
        (most + (variance / n).sqrt()) * (1.0 + 1e-12) + rounding
    }

    /// Upper bound of the imbalance.
    fn most(&self) -> f64 {
        (self.count * self.chain.up.len()) as f64
    }

    /// The longest interval within a bound.
    ///
    /// The imbalance of a chain is not monotone, so every step is considered. The imbalance is not
    /// evaluated where the bound certainly holds, by one of three arguments:
    ///
    /// * A step changes a load by at most one, and the imbalance by at most two.
    /// * Near a distribution of bounded imbalance, the imbalance differs by at most that of all
    ///   processors together (`moved`).
    /// * An upper bound ([`max_deviation_bound`](Self::max_deviation_bound)) takes a sum over the
    ///   levels.
    ///
    /// The bound holds forever once the distribution can change by less (`Settling`) than the bound
    /// on the imbalance leaves room for. The same is concluded when it changes only by rounding,
    /// relative to what is allowed. For a chain of period two this must hold for both of the last
    /// two steps.
    ///
    /// The search ends with its status after a million steps, or when the loads have almost
    /// vanished. It also ends when the bound is met within an error that is not rounding, or within
    /// any error when few loads remain.
    ///
    /// The largest deviation of nonnegative loads is at most their sum minus their average, so `N -
    /// 1` is never exceeded while there is a load.
    pub fn longest(&self, bound: Bound, observer: &dyn Observer) -> Search {
        let (Bound::MaxDeviation(limit) | Bound::RmsDeviation(limit)) = bound;
        let settled = Crossing { steps: Some(0), real: None };
        let mut search =
            Search { interval: settled, status: Status::Converged, tie: false, error: 0.0 };
        let end = self.certain_end();
        let no_load_exceeds = (self.count - 1) as f64;
        if matches!(bound, Bound::MaxDeviation(_)) && limit >= no_load_exceeds && end.is_none() {
            search.interval = Crossing::NEVER;
            return search;
        }
        let mut settling = Settling::new(&self.chain, self.start);
        let mut settled = 0;
        // Proved steps before the bound was first met within an error.
        let mut before_tie = None;
        // Relative imbalance and distribution one step before.
        let (mut before, mut previous) = (0.0, self.chain.point(self.start));
        // A distribution, its step, and an upper bound of its imbalance.
        let mut last: Option<(Vec<f64>, u64, f64)> = None;
        for (time, law) in (1..=LIMIT).zip(self.laws().skip(1)) {
            search.interval.steps = Some(time - 1);
            if end == Some(time) {
                return search;
            }
            let proved = before_tie.unwrap_or(time - 1);
            if let ControlFlow::Break(halt) = observer.progress(time, time + 1) {
                return search.stopped(proved, halt.into());
            }
            let average = self.mean_load(&law);
            let allowed = limit * average;
            if average < Self::LEAST {
                return search.stopped(proved, Status::IterationLimit);
            }
            let near = last.as_ref().and_then(|(other, then, most)| {
                let soon = most + 2.0 * (time - then) as f64;
                let at_once = matches!(bound, Bound::MaxDeviation(_)) && soon < allowed;
                let most =
                    if at_once { soon } else { self.moved(*most, apart(other, &law), bound) };
                (most < allowed).then_some(most)
            });
            let bounded = || self.bounded(&law, bound, time).filter(|most| *most < allowed);
            let most = if let Some(most) = near {
                before = f64::NAN;
                most
            } else if let Some(most) = bounded() {
                before = f64::NAN;
                last = Some((law.clone(), time, most));
                most
            } else {
                let mut found = self.imbalance(&law, bound, observer);
                if let ControlFlow::Break(halt) = observer.check() {
                    return search.stopped(proved, halt.into());
                }
                let rare = average < dying::RARE;
                if rare {
                    found.error += self.rounded(time) * (found.value + allowed);
                }
                search.error = search.error.max(found.error / average);
                if (found.value - allowed).abs() <= found.error {
                    search.tie = true;
                    before_tie = before_tie.or(Some(time - 1));
                    if rare || found.error > ROUNDING * allowed {
                        return search.stopped(proved, Status::IterationLimit);
                    }
                }
                if found.value - found.error > allowed {
                    let ratio = found.value / average;
                    if before.is_nan() {
                        let found = self.imbalance(&previous, bound, observer);
                        before = found.value / self.mean_load(&previous);
                    }
                    let part = ((limit - before) / (ratio - before)).clamp(0.0, 1.0);
                    search.interval.real = (!f64::is_nan(part)).then(|| (time - 1) as f64 + part);
                    return search;
                }
                before = found.value / average;
                let most = found.value + found.error;
                last = Some((law.clone(), time, most));
                most
            };
            previous = law;
            let rest = settling.step();
            let room = self.moved(most, rest, bound) < limit * (average - rest);
            let rests = self.moved(0.0, rest, bound) <= SETTLED * allowed.min(1.0)
                && rest <= SETTLED * average;
            settled = if room || rests { settled + 1 } else { 0 };
            if settled == settling.period {
                search.interval = Crossing::NEVER;
                return search;
            }
        }
        let proved = before_tie.or(search.interval.steps).unwrap_or(0);
        search.stopped(proved, Status::IterationLimit)
    }

    /// The step after which certainly no load is left, if there is one.
    fn certain_end(&self) -> Option<u64> {
        let LoadChain { up, down } = &self.chain;
        let falls = down[1..=self.start].iter().all(|down| *down == 1.0);
        (self.lowest == 0.0 && up[0] == 0.0 && falls).then_some(self.start as u64)
    }

    /// Relative rounding of the mean load and the imbalance after `time` steps, where most
    /// probability is on one level. It is a few units for each probability, and more where the
    /// probability of staying is a difference with cancellation.
    fn rounded(&self, time: u64) -> f64 {
        let moves = self.chain.up.iter().zip(&self.chain.down);
        let stays = moves.map(|(up, down)| 1.0 - up - down).filter(|stays| *stays > 0.0);
        let least = stays.fold(1.0, f64::min);
        (self.count + 1) as f64 * time as f64 * f64::EPSILON * (4.0 + 2.0 / least)
    }

    /// Upper bound of the imbalance if it was `most` and the distribution of each level has changed
    /// by `distance` since. The largest deviation changes by at most all loads together. The
    /// variance is the mean of half the squared difference of two loads, which changes by at most
    /// twice the number of levels.
    fn moved(&self, most: f64, distance: f64, bound: Bound) -> f64 {
        let n = self.count as f64;
        match bound {
            Bound::MaxDeviation(_) => most + n * distance,
            Bound::RmsDeviation(_) => {
                let levels = self.chain.up.len() as f64;
                (most * most + 2.0 * (n - 1.0) * levels * distance).sqrt()
            }
        }
    }

    /// An upper bound of the imbalance after `time` steps, if there is a quick one.
    fn bounded(&self, law: &[f64], bound: Bound, time: u64) -> Option<f64> {
        // Rounding of the steps: a few units each, of every probability.
        let rounded = 8.0 * f64::EPSILON * time as f64 * self.count as f64 * self.most();
        matches!(bound, Bound::MaxDeviation(_)).then(|| self.max_deviation_bound(law) + rounded)
    }

    /// The interval of least cost per step, as [`cost_aware`](super::cost_aware) has it, exactly up
    /// to rounding.
    ///
    /// `Settling` bounds how far the distribution of the level can still change, and the imbalance
    /// changes by at most `count + 1` times that. Once this is below rounding, all later imbalances
    /// are one number, or two alternating ones. Then either some interval has beaten their mean or
    /// none will: remapping never pays.
    ///
    /// # Panics
    /// If the start is outside the chain.
    pub fn cost_aware(&self, remap_cost: f64, observer: &dyn Observer) -> CostAware {
        let Self { count, ref chain, start, .. } = *self;
        let levels = chain.up.len();
        assert!(start < levels && chain.down.len() == levels, "start outside the chain");
        let mut law = chain.point(start);
        let at = |_: u64| {
            law = chain.step(&law);
            dying::order_statistics(count, &law).above
        };
        let mut settling = Settling::new(chain, start);
        // The imbalance one step ago, and a bound of its later change.
        let mut before = (0.0, f64::INFINITY);
        let later = |_: u64, last: f64| {
            let slack = (count + 1) as f64 * settling.step();
            let two = settling.period == 2;
            let (next, slack_before) = if two { before } else { (last, slack) };
            before = (last, slack);
            let rounding = 1e-12 * last.max(1.0);
            Later {
                least: if two { (last - slack).min(next - slack_before) } else { last - slack },
                settled: (slack.max(slack_before) < rounding).then_some([next, last]),
            }
        };
        minimise(remap_cost, observer, None, at, later)
    }
}

/// The distribution of a level without negligible ends, whatever the number of levels.
fn without_ends(law: &[f64], ends: f64) -> LatticeLaw {
    let end = |weights: &mut dyn Iterator<Item = &f64>| {
        let mut sum = 0.0;
        let small = |p: &&f64| {
            sum += **p;
            sum <= 0.5 * ends
        };
        weights.take_while(small).count()
    };
    let (first, after) = (end(&mut law.iter()), end(&mut law.iter().rev()));
    LatticeLaw::new(first as i64, law[first..law.len() - after].to_vec())
}
