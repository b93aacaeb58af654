//! One backward step of policy evaluation: costs that are piecewise constant in the odds of the
//! belief.
//!
//! O(levels) time for each piece made. Every cost is an interval, rounded outward.

use super::problem::{Cycle, InDoubles, PhaseChange, Premature};
use crate::rounding::{SLACK, TINY, nearest};

/// Accuracy of the piecewise constant functions.
#[derive(Debug, Clone, Copy)]
pub struct Fineness {
    /// Most widening of a value when two pieces are joined; 0 keeps all pieces, whose number grows
    /// geometrically with the steps for informative detectors.
    pub merge: f64,
    /// Limit on pieces, summed over all steps.
    pub pieces: u64,
}

impl Fineness {
    /// With any number of pieces.
    pub fn merging(merge: f64) -> Fineness {
        Fineness { merge, pieces: u64::MAX }
    }
}

/// Cost to go before and after the change, each as an interval, for one range of odds.
pub(crate) type Costs = [(f64, f64); 2];

/// Costs by the odds of the belief: piece k holds for odds in (at\[k-1\], at\[k\]].
#[derive(Debug, Clone, Default)]
pub(crate) struct Pieces {
    pub(crate) at: Vec<f64>,
    pub(crate) costs: Vec<Costs>,
}

impl Pieces {
    pub(crate) fn constant(costs: Costs) -> Pieces {
        Pieces { at: Vec::new(), costs: vec![costs] }
    }

    /// The piece that contains `odds`.
    pub(crate) fn find(&self, odds: f64) -> usize {
        self.at.partition_point(|end| *end < odds)
    }

    /// By observation: the piece that odds of this step lead to.
    pub(crate) fn reached(&self, maps: &[impl BeliefMap], odds: f64) -> Vec<usize> {
        maps.iter().map(|map| self.find(map.image(odds))).collect()
    }

    /// Mean costs over the observations, each with its probabilities before and after the change,
    /// where observation k leads to piece `to[k]`.
    pub(crate) fn mean(&self, reports: &[[f64; 2]], to: &[usize]) -> Costs {
        let mut ahead = [(0.0, 0.0); 2];
        for (report, to) in reports.iter().zip(to) {
            for ((sum, chance), cost) in ahead.iter_mut().zip(report).zip(&self.costs[*to]) {
                sum.0 += chance * cost.0;
                sum.1 += chance * cost.1;
            }
        }
        ahead
    }

    /// Adds a cost that is paid at every belief.
    pub(super) fn add(&mut self, paid: f64) {
        for (low, high) in self.costs.iter_mut().flatten() {
            (*low, *high) = widened(*low + paid, *high + paid);
        }
    }
}

/// o = p / (1 - p).
pub(crate) fn odds(probability: f64) -> f64 {
    if probability < 1.0 { probability / (1.0 - probability) } else { f64::INFINITY }
}

/// The odds of the next belief as a function of this one's, after one observation.
pub(crate) trait BeliefMap {
    /// The odds after the observation.
    fn image(&self, odds: f64) -> f64;

    /// The odds whose image is `odds`; infinite if there are none.
    fn preimage(&self, odds: f64) -> f64;
}

/// o -> (o + h) / (1 - h) * yes / no.
pub(super) struct Map {
    hazard: f64,
    quiet: f64,
    no: f64,
    yes: f64,
}

impl Map {
    pub(super) fn new(cycle: &Cycle, no: f64, yes: f64) -> Map {
        Map { hazard: cycle.hazard, quiet: cycle.quiet, no, yes }
    }
}

impl BeliefMap for Map {
    fn image(&self, odds: f64) -> f64 {
        let (changed, unchanged) = ((odds + self.hazard) * self.yes, self.quiet * self.no);
        // An observation that the policy considers impossible leaves its belief unchanged.
        if changed == 0.0 && unchanged == 0.0 { odds } else { changed / unchanged }
    }

    fn preimage(&self, odds: f64) -> f64 {
        match self.yes {
            0.0 if self.no == 0.0 => odds,
            0.0 => f64::INFINITY,
            yes => (odds * (self.quiet * self.no) / yes - self.hazard).max(0.0),
        }
    }
}

/// e_B, and e_P if a premature remap lasts.
pub(super) struct CycleCosts {
    after: f64,
    premature: Option<f64>,
}

impl CycleCosts {
    pub(super) fn new(problem: &PhaseChange) -> CycleCosts {
        let premature = match &problem.premature {
            Premature::Revert => None,
            Premature::Keep { before_remapped } => Some(nearest(before_remapped)),
        };
        CycleCosts { after: nearest(&problem.after), premature }
    }
}

/// Mean numbers of remaining cycles from a state before the change: those before it, and those
/// after it. Sums of positive terms, so their relative error is that of the steps.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CyclesLeft {
    quiet: f64,
    changed: f64,
    steps: f64,
}

impl CyclesLeft {
    /// One step back.
    pub(super) fn advance(&mut self, cycle: &Cycle) {
        self.changed = cycle.survival * (self.changed + cycle.hazard * self.quiet);
        self.quiet = 1.0 + cycle.discount() * self.quiet;
        self.steps += 1.0;
    }

    /// An interval for a cost that is a sum of positive multiples of these numbers.
    fn enclose(&self, cost: f64) -> (f64, f64) {
        let blur = SLACK * (1.0 + self.steps) * cost.abs();
        (cost - blur, cost + blur)
    }
}

/// One backward step.
pub(super) struct Step<'a> {
    pub(super) truth: &'a InDoubles,
    /// By belief map: the true probabilities of its observations, before and after the change.
    pub(super) reports: &'a [[f64; 2]],
    pub(super) cycle: Cycle,
    pub(super) costs: &'a CycleCosts,
}

impl Step<'_> {
    /// The cost of retaining, where observation k leads to piece `to[k]`.
    fn retain(&self, next: &Pieces, to: &[usize]) -> Costs {
        let cycle = &self.cycle;
        let end = |unchanged: f64, changed: f64| {
            let ahead = cycle.hazard * changed + cycle.quiet * unchanged;
            let late = self.costs.after + cycle.survival * changed;
            [self.truth.before + cycle.survival * ahead, late]
        };
        let [unchanged, changed] = next.mean(self.reports, to);
        let (low, high) = (end(unchanged.0, changed.0), end(unchanged.1, changed.1));
        // The rounding error grows with the number of observations.
        let times = 1.0 + self.reports.len() as f64 / 8.0;
        // Probabilities that underflow lose up to that part of the largest cost.
        let mut lost = TINY;
        if self.truth.underflow > 0.0 {
            let costs = to.iter().flat_map(|to| next.costs[*to]);
            lost += 4.0 * TINY * costs.fold(0.0, |most: f64, (low, high)| most.max(high).max(-low));
        }
        [0, 1].map(|phase| {
            let (low, high) = widened_by(times, low[phase], high[phase]);
            (low - lost, high + lost)
        })
    }

    /// The cost of remapping; `fresh` is that of retaining with belief 0.
    pub(super) fn remap(&self, fresh: &Costs, left: &CyclesLeft) -> Costs {
        let InDoubles { delay, test, remapped, .. } = *self.truth;
        let done = left.enclose(delay + (left.quiet + left.changed) * remapped);
        let early = match self.costs.premature {
            None => widened(test + fresh[0].0, test + fresh[0].1),
            Some(premature) => {
                left.enclose(delay + left.changed * remapped + left.quiet * premature)
            }
        };
        [early, done]
    }

    /// The cost of retaining with belief 0.
    pub(super) fn fresh(&self, next: &Pieces, maps: &[Map]) -> Costs {
        self.retain(next, &next.reached(maps, 0.0))
    }

    /// The costs at this step: of retaining up to the threshold (in odds), and `beyond` above it.
    pub(super) fn back(
        &self,
        next: &Pieces,
        maps: &[Map],
        threshold: f64,
        beyond: &Pieces,
        merge: f64,
    ) -> Pieces {
        let retain = |to: &[usize]| self.retain(next, to);
        let mut kept = Joined::back(next, maps, threshold, merge, retain);
        kept.beyond(threshold, beyond, |costs| costs);
        kept.finish()
    }
}

/// An interval moved outward by the rounding error of a step.
pub(crate) fn widened(low: f64, high: f64) -> (f64, f64) {
    widened_by(1.0, low, high)
}

/// The same for `times` as many operations.
fn widened_by(times: f64, low: f64, high: f64) -> (f64, f64) {
    (low - times * SLACK * low.abs(), high + times * SLACK * high.abs())
}

/// Pieces in ascending order; neighbors are joined if that widens no value by more than `merge`.
pub(crate) struct Joined {
    merge: f64,
    at: Vec<f64>,
    costs: Vec<Costs>,
    /// The open piece: its left end, its costs, and the least width of the joined pieces.
    start: f64,
    current: Costs,
    narrowest: f64,
}

impl Joined {
    /// `first` holds from odds 0 on.
    pub(crate) fn new(merge: f64, first: Costs) -> Joined {
        let (start, narrowest) = (f64::NEG_INFINITY, width(&first));
        Joined { merge, at: Vec::new(), costs: Vec::new(), start, current: first, narrowest }
    }

    /// Adds a piece that begins at `here`.
    pub(crate) fn next(&mut self, here: f64, costs: Costs) {
        let own = width(&costs);
        if here <= self.start {
            // The previous piece is empty.
            (self.current, self.narrowest) = (costs, own);
            return;
        }
        let hull: Costs = std::array::from_fn(|phase| {
            let ((a, b), (c, d)) = (self.current[phase], costs[phase]);
            (a.min(c), b.max(d))
        });
        let narrowest = self.narrowest.min(own);
        if width(&hull) <= narrowest + self.merge {
            (self.current, self.narrowest) = (hull, narrowest);
        } else {
            self.at.push(here);
            self.costs.push(self.current);
            (self.start, self.current, self.narrowest) = (here, costs, own);
        }
    }

    /// The function one step back, for odds up to `threshold`. `cost(to)` is the cost to go where
    /// observation k leads to piece `to[k]` of `next`.
    pub(crate) fn back(
        next: &Pieces,
        maps: &[impl BeliefMap],
        threshold: f64,
        merge: f64,
        cost: impl Fn(&[usize]) -> Costs,
    ) -> Joined {
        let mut now = next.reached(maps, 0.0);
        let mut kept = Joined::new(merge, cost(&now));
        // The end of a map's current piece, in the odds of this step.
        let end = |k: usize, piece: usize| match next.at.get(piece) {
            Some(end) => maps[k].preimage(*end),
            None => f64::INFINITY,
        };
        let mut ahead: Vec<f64> = now.iter().enumerate().map(|(k, piece)| end(k, *piece)).collect();
        loop {
            let here = ahead.iter().copied().fold(f64::INFINITY, f64::min);
            if here >= threshold || here == f64::INFINITY {
                return kept;
            }
            for k in 0..maps.len() {
                if ahead[k] == here {
                    now[k] += 1;
                    ahead[k] = end(k, now[k]);
                }
            }
            kept.next(here, cost(&now));
        }
    }

    /// Continues from `threshold` on with `pieces`, whose costs become `paid` of them.
    pub(crate) fn beyond(
        &mut self,
        threshold: f64,
        pieces: &Pieces,
        paid: impl Fn(Costs) -> Costs,
    ) {
        if threshold == f64::INFINITY {
            return;
        }
        let first = pieces.at.partition_point(|end| *end <= threshold);
        self.next(threshold, paid(pieces.costs[first]));
        for (end, costs) in pieces.at.iter().zip(&pieces.costs[1..]).skip(first) {
            self.next(*end, paid(*costs));
        }
    }

    pub(crate) fn finish(mut self) -> Pieces {
        self.costs.push(self.current);
        Pieces { at: self.at, costs: self.costs }
    }
}

fn width(costs: &Costs) -> f64 {
    costs.iter().map(|(low, high)| high - low).fold(0.0, f64::max)
}
