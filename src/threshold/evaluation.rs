//! What a threshold policy costs, exactly up to certified bounds, when it may hold wrong beliefs.
//!
//! Given the true phase, the cost to go is a piecewise *constant* function of the belief the policy
//! holds: the future depends on it only through the comparisons to come. So a backward step maps
//! breakpoints through both Bayes maps of the policy's own model and weighs the pieces with the true
//! probabilities. Neighbouring pieces are joined into intervals that enclose both; every value is an
//! interval, rounded outward.

use super::problem::{Cycle, Nearest, PhaseChange, Premature, ProblemError};
use crate::rounding::{SLACK, nearest};
use crate::{Halt, Observer};
use std::ops::ControlFlow;

/// A policy that remaps as soon as its belief exceeds the threshold of the step.
#[derive(Debug, Clone, Copy)]
pub struct ThresholdPolicy<'a> {
    /// Where its beliefs come from: the hazard and the detector's errors it assumes.
    pub assumed: &'a PhaseChange,
    /// The thresholds as probabilities, for n = 0..=M; 1 is never.
    pub thresholds: &'a [f64],
}

/// Why a policy cannot be evaluated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EvaluationError {
    /// The true problem or the assumed one is out of range.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// There must be one threshold per step.
    #[error("{found} thresholds are given for {expected} steps")]
    WrongLength {
        /// M + 1.
        expected: u64,
        /// Those given.
        found: usize,
    },
    /// The caller stopped it.
    #[error("stopped by the caller")]
    Stopped(Halt),
}

/// An interval that contains the expected cost.
pub type Interval = (f64, f64);

/// Cost to go before the change and after it, for one range of beliefs.
type Costs = [Interval; 2];

/// Costs by the odds of the belief: piece k holds for odds in (at\[k-1\], at\[k\]].
#[derive(Debug, Clone)]
struct Pieces {
    at: Vec<f64>,
    costs: Vec<Costs>,
}

impl Pieces {
    fn constant(costs: Costs) -> Pieces {
        Pieces { at: Vec::new(), costs: vec![costs] }
    }
}

/// The expected cost of `policy` from step 0 and certainty that nothing has changed, between bounds.
///
/// `merge` is how far joining two pieces may widen a value; 0 keeps all pieces, whose number grows
/// geometrically with M for informative detectors. A belief within rounding of a threshold is decided
/// as a program in doubles would. O(M x pieces).
///
/// # Errors
/// If a problem is out of range, thresholds are missing, or the observer stops the evaluation.
pub fn evaluate(
    problem: &PhaseChange,
    policy: ThresholdPolicy<'_>,
    merge: f64,
    observer: &dyn Observer,
) -> Result<Interval, EvaluationError> {
    problem.validate()?;
    policy.assumed.validate()?;
    let last = problem.last_step();
    if policy.thresholds.len() as u64 != last + 1 {
        let found = policy.thresholds.len();
        return Err(EvaluationError::WrongLength { expected: last + 1, found });
    }
    let (truth, assumed) = (Nearest::new(problem), Nearest::new(policy.assumed));
    let costs = StepCosts::new(problem, &truth);
    let mut next = Pieces::constant([(0.0, 0.0); 2]);
    let (mut cycles, mut quiet_cycles) = (0.0, 0.0);
    for n in (0..=last).rev() {
        if n % 64 == 0
            && let ControlFlow::Break(halt) = observer.progress(last - n, last + 1)
        {
            return Err(EvaluationError::Stopped(halt));
        }
        let cycle = truth.cycle(&problem.lifetime, n);
        cycles = 1.0 + cycle.survival * cycles;
        quiet_cycles = 1.0 + cycle.discount() * quiet_cycles;
        let believed = assumed.cycle(&problem.lifetime, n);
        let step = Step { truth: &truth, cycle, costs: &costs, next: &next };
        let maps = [
            Map::new(&believed, assumed.alarm, assumed.hit),
            Map::new(&believed, assumed.no_alarm, assumed.miss),
        ];
        let threshold = odds(policy.thresholds[n as usize]);
        next = step.back(&maps, threshold, (cycles, quiet_cycles), merge);
    }
    Ok(next.costs[0][0])
}

/// o = p / (1 - p).
fn odds(probability: f64) -> f64 {
    if probability < 1.0 { probability / (1.0 - probability) } else { f64::INFINITY }
}

/// The odds of the next belief as a function of this one's: o -> (o + h) / (1 - h) * yes / no.
struct Map {
    hazard: f64,
    quiet: f64,
    no: f64,
    yes: f64,
}

impl Map {
    fn new(cycle: &Cycle, no: f64, yes: f64) -> Map {
        Map { hazard: cycle.hazard, quiet: cycle.quiet, no, yes }
    }

    fn image(&self, odds: f64) -> f64 {
        let (changed, unchanged) = ((odds + self.hazard) * self.yes, self.quiet * self.no);
        // A report the policy holds impossible leaves the belief as it is.
        if changed == 0.0 && unchanged == 0.0 { odds } else { changed / unchanged }
    }

    /// The odds whose image is `odds`.
    fn preimage(&self, odds: f64) -> f64 {
        match self.yes {
            0.0 if self.no == 0.0 => odds,
            0.0 => f64::INFINITY,
            yes => (odds * (self.quiet * self.no) / yes - self.hazard).max(0.0),
        }
    }
}

/// What cycles and remappings cost.
struct StepCosts {
    before: f64,
    after: f64,
    remapped: f64,
    /// Of a lasting remapping, e_P - e_R.
    premature: Option<f64>,
}

impl StepCosts {
    fn new(problem: &PhaseChange, truth: &Nearest) -> StepCosts {
        StepCosts {
            before: truth.before,
            after: nearest(&problem.after),
            remapped: truth.remapped,
            premature: match &problem.premature {
                Premature::Revert => None,
                Premature::Keep { before_remapped } => {
                    Some(nearest(&(before_remapped - &problem.remapped)))
                }
            },
        }
    }
}

/// One backward step.
struct Step<'a> {
    truth: &'a Nearest,
    cycle: Cycle,
    costs: &'a StepCosts,
    next: &'a Pieces,
}

impl Step<'_> {
    /// The cost of retaining where a report of a change leads to piece `alarm`, none to `quiet`.
    fn retain(&self, alarm: usize, quiet: usize) -> Costs {
        let (truth, cycle) = (self.truth, &self.cycle);
        let (a, b) = (&self.next.costs[alarm], &self.next.costs[quiet]);
        let mix = |phase: usize, end: fn(&Interval) -> f64| {
            let [alarm, quiet] = match phase {
                0 => [truth.alarm, truth.no_alarm],
                _ => [truth.hit, truth.miss],
            };
            alarm * end(&a[phase]) + quiet * end(&b[phase])
        };
        let ends: [fn(&Interval) -> f64; 2] = [|i| i.0, |i| i.1];
        let [low, high] = ends.map(|end| {
            let (unchanged, changed) = (mix(0, end), mix(1, end));
            let ahead = cycle.hazard * changed + cycle.quiet * unchanged;
            [
                self.costs.before + cycle.survival * ahead,
                self.costs.after + cycle.survival * changed,
            ]
        });
        [0, 1].map(|phase| widened(low[phase], high[phase]))
    }

    /// The cost of remapping; `fresh` is that of retaining with belief 0.
    fn remap(&self, fresh: &Costs, cycles: f64, quiet_cycles: f64) -> Costs {
        let done = self.truth.delay + cycles * self.costs.remapped;
        let early = match self.costs.premature {
            None => (self.truth.test + fresh[0].0, self.truth.test + fresh[0].1),
            Some(regret) => {
                let cost = done + quiet_cycles * regret;
                (cost, cost)
            }
        };
        // The counts of cycles carry a rounding error per step.
        let blur = |cost: f64| SLACK * (1.0 + cycles) * (1.0 + cost.abs());
        let keep = f64::from(u8::from(self.costs.premature.is_some()));
        [
            widened(early.0 - keep * blur(early.0), early.1 + keep * blur(early.1)),
            widened(done - blur(done), done + blur(done)),
        ]
    }

    fn back(
        &self,
        maps: &[Map; 2],
        threshold: f64,
        (cycles, quiet_cycles): (f64, f64),
        merge: f64,
    ) -> Pieces {
        let at = &self.next.at;
        let piece = |odds: f64| at.partition_point(|end| *end < odds);
        let mut now = maps.each_ref().map(|map| piece(map.image(0.0)));
        let fresh = self.retain(now[0], now[1]);
        let mut kept = Joined::new(merge, fresh);
        // Where the next piece of either map begins, in the odds of this step.
        let ends = |now: &[usize; 2]| -> [f64; 2] {
            std::array::from_fn(|k| match at.get(now[k]) {
                Some(end) => maps[k].preimage(*end),
                None => f64::INFINITY,
            })
        };
        loop {
            let ahead = ends(&now);
            let here = ahead[0].min(ahead[1]);
            if here >= threshold || here == f64::INFINITY {
                break;
            }
            for k in 0..2 {
                if ahead[k] == here {
                    now[k] += 1;
                }
            }
            kept.next(here, self.retain(now[0], now[1]));
        }
        if threshold < f64::INFINITY {
            kept.next(threshold, self.remap(&fresh, cycles, quiet_cycles));
        }
        kept.finish()
    }
}

/// An interval moved outward by what the operations of a step may have lost.
fn widened(low: f64, high: f64) -> Interval {
    (low - SLACK * low.abs(), high + SLACK * high.abs())
}

/// Pieces in ascending order, neighbours joined where that widens no value much.
struct Joined {
    merge: f64,
    at: Vec<f64>,
    costs: Vec<Costs>,
    /// The piece that is growing: where it begins, its costs, the least width of what it has joined.
    start: f64,
    current: Costs,
    narrowest: f64,
}

impl Joined {
    /// `first` holds at odds 0 at least.
    fn new(merge: f64, first: Costs) -> Joined {
        let (start, narrowest) = (f64::NEG_INFINITY, width(&first));
        Joined { merge, at: Vec::new(), costs: Vec::new(), start, current: first, narrowest }
    }

    /// A piece that begins at `here`.
    fn next(&mut self, here: f64, costs: Costs) {
        let own = width(&costs);
        if here <= self.start {
            // The piece before was empty.
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

    fn finish(mut self) -> Pieces {
        self.costs.push(self.current);
        Pieces { at: self.at, costs: self.costs }
    }
}

fn width(costs: &Costs) -> f64 {
    costs.iter().map(|(low, high)| high - low).fold(0.0, f64::max)
}
