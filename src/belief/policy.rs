//! Evaluation of policies that decide by a belief about two hidden phases, by backward recursion.
//! Costs are piecewise constant in the odds of the belief that the policy holds.
//!
//! Given the true phase, the future depends on that belief only through later comparisons. A step
//! back maps breakpoints through the policy's own filter, and weighs the pieces with the true
//! probabilities. Every cost is an interval, rounded outward. O(levels) time for each piece made.

use crate::rounding::SLACK;
use crate::{Halt, Observer};
use std::ops::ControlFlow;

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

/// Why a policy cannot be evaluated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluationError<P> {
    /// The problem, or the one that the policy assumes, is out of range.
    #[error(transparent)]
    Problem(#[from] P),
    /// There must be as many thresholds as steps, or one pair of recurring phases.
    #[error("{found} thresholds are given; expected {expected}, or one pair of recurring phases")]
    WrongLength {
        /// Number of steps.
        expected: u64,
        /// Number of thresholds given.
        found: usize,
    },
    /// The policy must know every observation of the detector.
    #[error("the detector has {truth} levels, the policy knows {assumed}")]
    Levels {
        /// Levels of the true detector.
        truth: usize,
        /// Levels of the assumed detector.
        assumed: usize,
    },
    /// The policy makes a switch that the problem does not have.
    #[error("the policy switches where the problem has no switch")]
    NoSwitch,
    /// The evaluation needs more pieces in total than allowed.
    #[error("more than {0} pieces are needed")]
    TooLong(u64),
    /// The caller stopped it.
    #[error("stopped by the caller")]
    Stopped(Halt),
}

/// The limits of an evaluation in progress.
pub(crate) struct Spent<'a> {
    observer: &'a dyn Observer,
    most: u64,
    left: u64,
}

impl<'a> Spent<'a> {
    pub(crate) fn new(most: u64, observer: &'a dyn Observer) -> Spent<'a> {
        Spent { observer, most, left: most }
    }

    /// Before the step into `n` of the steps `last`, ..., 0.
    pub(crate) fn watch<P>(&self, n: u64, last: u64) -> Result<(), EvaluationError<P>> {
        match self.observer.progress(last - n, last + 1) {
            ControlFlow::Break(halt) => Err(EvaluationError::Stopped(halt)),
            ControlFlow::Continue(()) => Ok(()),
        }
    }

    /// Counts the pieces of new functions.
    pub(crate) fn count<P>(&mut self, functions: &[Pieces]) -> Result<(), EvaluationError<P>> {
        let pieces = functions.iter().map(|function| function.costs.len() as u64).sum();
        self.left = self.left.checked_sub(pieces).ok_or(EvaluationError::TooLong(self.most))?;
        Ok(())
    }
}

/// Cost to go in the phase that suits the mapping and in the other, each as an interval, for one
/// range of odds.
pub(crate) type Costs = [(f64, f64); 2];

/// Costs by the odds of the other phase: piece k holds for odds in (at\[k-1\], at\[k\]].
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
}

/// o = p / (1 - p).
pub(crate) fn odds(probability: f64) -> f64 {
    if probability < 1.0 { probability / (1.0 - probability) } else { f64::INFINITY }
}

/// An interval moved outward by the rounding error of a step.
pub(crate) fn widened((low, high): (f64, f64)) -> (f64, f64) {
    (low - SLACK * low.abs(), high + SLACK * high.abs())
}

/// The policy's odds after one observation, o -> (o stays_back + away) / (o back + stays) yes / no.
pub(crate) struct Map {
    /// The rates at which the policy believes that the phases end, and their complements.
    away: f64,
    stays: f64,
    back: f64,
    stays_back: f64,
    /// The probabilities of the observation in either phase, as the policy believes.
    no: f64,
    yes: f64,
}

impl Map {
    /// From rows of transition probabilities, `moves[z][y]` from phase z to y, and the
    /// probabilities of the observation.
    pub(crate) fn new([[stays, away], [back, stays_back]]: [[f64; 2]; 2], report: [f64; 2]) -> Map {
        let [no, yes] = report;
        Map { away, stays, back, stays_back, no, yes }
    }

    /// The odds after the observation from odds 0; `None` if the policy considers it impossible.
    fn start(&self) -> Option<f64> {
        let (changed, unchanged) = (self.away * self.yes, self.stays * self.no);
        (changed > 0.0 || unchanged > 0.0).then(|| changed / unchanged)
    }

    /// The odds that become `odds`; infinite if there are none.
    fn preimage(&self, odds: f64) -> f64 {
        if self.yes == 0.0 {
            return if self.no == 0.0 { odds } else { f64::INFINITY };
        }
        let over = odds * (self.stays * self.no) / self.yes - self.away;
        let under = self.stays_back - odds * self.no / self.yes * self.back;
        match () {
            () if over <= 0.0 => 0.0,
            () if under <= 0.0 => f64::INFINITY,
            () => over / under,
        }
    }
}

/// A cycle under one mapping: the true process, and the policy's updates of its belief. Phase 0 is
/// the one that suits the mapping.
pub(crate) struct Cycle<'a> {
    /// Mean time in either phase.
    pub(crate) costs: [f64; 2],
    /// `moves[z][y]`: probability that phase y follows phase z.
    pub(crate) moves: [[f64; 2]; 2],
    /// The probabilities of each observation in either phase, and the update that follows it.
    pub(crate) reports: &'a [[f64; 2]],
    pub(crate) maps: Vec<Map>,
    /// The odds after an observation at odds 0 that the policy considers impossible.
    pub(crate) impossible: f64,
    /// Bounds on the effect of underflow: absolute, and relative to the largest cost.
    pub(crate) lost: [f64; 2],
}

impl Cycle<'_> {
    /// By observation: the piece of `next` that odds of 0 lead to.
    fn reached(&self, next: &Pieces) -> Vec<usize> {
        let image = |map: &Map| next.find(map.start().unwrap_or(self.impossible));
        self.maps.iter().map(image).collect()
    }

    /// The cost of this cycle and of all later ones at odds 0.
    pub(crate) fn fresh(&self, next: &Pieces, survival: f64) -> Costs {
        self.cost(next, &self.reached(next), survival)
    }

    /// The cost of this cycle and of all later ones, where observation k leads to piece `to[k]` of
    /// `next`.
    fn cost(&self, next: &Pieces, to: &[usize], survival: f64) -> Costs {
        // Mean cost to go given the phase at the next step, before its observation.
        let mut ahead = [(0.0, 0.0); 2];
        for (report, to) in self.reports.iter().zip(to) {
            for ((sum, chance), cost) in ahead.iter_mut().zip(report).zip(&next.costs[*to]) {
                sum.0 += chance * cost.0;
                sum.1 += chance * cost.1;
            }
        }
        let size = |(low, high): (f64, f64)| f64::max(low.abs(), high.abs());
        let [absolute, relative] = self.lost;
        let lost = match relative > 0.0 {
            true => {
                let costs = to.iter().flat_map(|to| next.costs[*to]);
                absolute + relative * costs.map(size).fold(0.0, f64::max)
            }
            false => absolute,
        };
        // The rounding error grows with the number of observations.
        let times = 1.0 + self.reports.len() as f64 / 8.0;
        let [own, other] = ahead;
        [0, 1].map(|z: usize| {
            let moves = self.moves[z];
            let mean = |own: f64, other: f64| survival * (moves[0] * own + moves[1] * other);
            let size = self.costs[z].abs() + mean(size(own), size(other));
            let blur = times * SLACK * size + lost;
            (
                self.costs[z] + mean(own.0, other.0) - blur,
                self.costs[z] + mean(own.1, other.1) + blur,
            )
        })
    }

    /// The function one step back, for odds up to `threshold`.
    pub(crate) fn back(&self, next: &Pieces, survival: f64, threshold: f64, merge: f64) -> Joined {
        let mut now = self.reached(next);
        let mut kept = Joined::new(merge, self.cost(next, &now, survival));
        // The end of a map's current piece, in the odds of this step.
        let end = |k: usize, piece: usize| match next.at.get(piece) {
            Some(end) => self.maps[k].preimage(*end),
            None => f64::INFINITY,
        };
        let mut ahead: Vec<f64> = now.iter().enumerate().map(|(k, piece)| end(k, *piece)).collect();
        loop {
            let here = ahead.iter().copied().fold(f64::INFINITY, f64::min);
            if here >= threshold || here == f64::INFINITY {
                return kept;
            }
            for k in 0..self.maps.len() {
                if ahead[k] == here {
                    now[k] += 1;
                    ahead[k] = end(k, now[k]);
                }
            }
            kept.next(here, self.cost(next, &now, survival));
        }
    }
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

    /// Continues from `threshold` on with `pieces`, whose costs become `paid` of them.
    pub(crate) fn beyond(
        mut self,
        threshold: f64,
        pieces: &Pieces,
        paid: impl Fn(Costs) -> Costs,
    ) -> Joined {
        if threshold < f64::INFINITY {
            let first = pieces.at.partition_point(|end| *end <= threshold);
            self.next(threshold, paid(pieces.costs[first]));
            for (end, costs) in pieces.at.iter().zip(&pieces.costs[1..]).skip(first) {
                self.next(*end, paid(*costs));
            }
        }
        self
    }

    pub(crate) fn finish(mut self) -> Pieces {
        self.costs.push(self.current);
        Pieces { at: self.at, costs: self.costs }
    }
}

fn width(costs: &Costs) -> f64 {
    costs.iter().map(|(low, high)| high - low).fold(0.0, f64::max)
}
