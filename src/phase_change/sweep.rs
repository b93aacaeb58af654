//! One backward sweep over the whole horizon with the upper and the lower function: n = M, ..., 0.
//!
//! Each step follows `step.rs`; runs of equal steps are skipped once they are stationary
//! (`convergence.rs`, `convergence_below.rs`). Time O(distinct steps x atoms x observations^2).

use super::countdown::Countdown;
use super::curve::Curve;
use super::onset::Onset;
use super::problem::{Cycle, InDoubles, PhaseChange, Unit};
use super::stationarity::convergence::{Approach, Widening};
use super::step::{Cut, Reduction, RemapLine, Retain, cut, retain};
use crate::Bounds;
use crate::concave::{Atom, PiecewiseLinear};
use crate::rounding::{DoubleDouble, Grain, SLACK, TINY, eased, outward, scaled};
use crate::{Observer, Status};

/// The accuracy of a sweep.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Coarseness {
    /// Most move of a function by one reduction, in units of time, at p = 0.
    pub merge: f64,
    /// Most atoms a function may keep.
    pub budget: Option<usize>,
    /// Width aimed at for every threshold.
    pub tolerance: f64,
    /// The same for skipped steps that are preceded by steps of another kind, which amplify the
    /// width.
    pub rest: f64,
    /// Whether to continue with a finer accuracy once this one proves too coarse.
    pub may_refine: bool,
}

impl Coarseness {
    /// The tolerance for the steps from the one at hand down to `from`.
    pub(super) fn down_to(&self, from: u64) -> f64 {
        if from > 0 { self.rest } else { self.tolerance }
    }
}

/// The thresholds of a phase-change problem.
#[derive(Debug, Clone)]
pub struct Solution {
    /// Certified bounds on every pi_n. The curve starts at step 0 unless the computation was
    /// stopped; then earlier steps have rough bounds if a rough sweep is quick.
    pub curve: Curve,
    /// n0: the least n from which remapping never pays; M + 1 if there is none, 0 if it never pays.
    /// For near-ties that cannot be decided, the least step that is certain.
    pub onset: u64,
    /// Lower bound on n0; equal to `onset` unless a near-tie is undecided.
    pub onset_least: u64,
    /// Certified bounds on V_0(0), the least expected completion time; `None` if stopped before
    /// step 0.
    pub value: Option<Bounds>,
    /// The greatest number of linear segments of any function.
    pub segments: usize,
    /// Backward steps computed one by one in the last sweep.
    pub steps: u64,
    /// Converged iff every width is within the tolerance.
    pub status: Status,
    /// The spans of the steps in which they were chosen anew, from the last step back, if they were
    /// recorded. Steps between two of them have the spans of the later one.
    pub spans: Vec<Spans>,
}

/// Where the functions of a step touch the value function: a certificate can be built from these
/// points.
#[derive(Debug, Clone, PartialEq)]
pub struct Spans {
    /// The step.
    pub step: u64,
    /// Odds between the pieces of the upper function, ascending: its lines touch there.
    pub upper: Vec<f64>,
    /// Odds of the nodes of the lower function, ascending: it is exact there.
    pub lower: Vec<f64>,
    /// The threshold.
    pub threshold: Bounds,
}

/// Most distinct thresholds of a curve.
const MAX_RUNS: usize = 1_000_001;

/// Atoms from which two threads pay.
const MANY_ATOMS: usize = 1000;

/// Images from which the observer is queried at every step.
const MANY_IMAGES: usize = 10_000;

/// At this reduction a function has its fewest segments, so the budget is given up.
const COARSEST: f64 = 1e300;

/// Steps with fixed spans after which the functions are rounded to a coarser grain.
const STILL_STEPS: u32 = 100;

pub(crate) fn sweep(
    problem: &PhaseChange,
    (parameters, unit): (&InDoubles, Unit),
    coarseness: Coarseness,
    record: bool,
    observer: &dyn Observer,
) -> Solution {
    let mut state = State::new(problem, (parameters, unit), coarseness);
    state.record = record;
    let last = problem.last_step();
    let mut next = Some(last);
    let mut status = Status::Converged;
    while let Some(n) = next {
        let images = state.lower.atoms.len() * parameters.reports.len();
        if state.steps.is_multiple_of(64) || images > MANY_IMAGES {
            if let std::ops::ControlFlow::Break(halt) = observer.progress(last - n, last + 1) {
                status = halt.into();
                break;
            }
            if state.curve.runs().len() >= MAX_RUNS {
                status = Status::IterationLimit;
                break;
            }
        }
        let reached = state.step_into(n);
        next = reached.checked_sub(1);
    }
    let value = next.is_none().then(|| state.value().into());
    let State { curve, never_from: [onset_least, onset], segments, steps, spans, .. } = state;
    Solution { curve, onset, onset_least, value, segments, steps, status, spans }
}

pub(super) struct State<'a> {
    pub(super) problem: &'a PhaseChange,
    pub(super) parameters: &'a InDoubles,
    /// The unit of the costs in `parameters`.
    pub(super) unit: Unit,
    pub(super) coarseness: Coarseness,
    pub(super) onset: Onset<'a>,
    pub(super) upper: PiecewiseLinear,
    pub(super) lower: PiecewiseLinear,
    /// Mean number of remaining cycles, and of those before the change from p = 0.
    pub(super) cycles: Countdown,
    pub(super) quiet_cycles: Countdown,
    pub(super) curve: Curve,
    /// Bounds on the step from which remapping never pays.
    never_from: [u64; 2],
    pub(super) segments: usize,
    steps: u64,
    pub(super) approach: Approach,
    /// Number of refinements during this sweep.
    pub(super) refinements: u32,
    pub(super) record: bool,
    pub(super) spans: Vec<Spans>,
    pub(super) spare: (Vec<Atom>, Vec<Atom>),
}

impl<'a> State<'a> {
    pub(super) fn new(
        problem: &'a PhaseChange,
        (parameters, unit): (&'a InDoubles, Unit),
        coarseness: Coarseness,
    ) -> State<'a> {
        State {
            problem,
            parameters,
            unit,
            coarseness,
            onset: Onset::new(
                &problem.lifetime,
                [problem.gain(), &problem.test + &problem.install],
                [parameters.gain, parameters.delay],
            ),
            upper: PiecewiseLinear::default(),
            lower: PiecewiseLinear::default(),
            cycles: Countdown::default(),
            quiet_cycles: Countdown::default(),
            curve: Curve::default(),
            never_from: [problem.last_step() + 1; 2],
            segments: 1,
            steps: 0,
            approach: Approach::default(),
            refinements: 0,
            record: false,
            spans: Vec::new(),
            spare: Default::default(),
        }
    }

    /// Computes step `n`, and skips further steps if the recursion is stationary; returns the last
    /// step done.
    fn step_into(&mut self, n: u64) -> u64 {
        self.steps += 1;
        let cycle = self.parameters.cycle(&self.problem.lifetime, n);
        self.cycles.step(cycle.failure, cycle.survival);
        self.quiet_cycles.step(cycle.killed(), cycle.discount());
        let pays = self.onset.pays(n);
        if self.approach.cycle != Some(cycle) {
            self.approach = Approach { cycle: Some(cycle), ..Approach::default() };
        }

        let (upper, lower, bounds) = self.both_sides(&cycle, pays, Widening::default());
        self.curve.extend_down(n, n, bounds);
        if self.record && self.approach.held.is_none() {
            let (upper, lower) = (upper.spans.clone(), lower.spans.clone());
            self.spans.push(Spans { step: n, upper, lower, threshold: bounds });
        }
        let (older_upper, older_lower) = (
            std::mem::replace(&mut self.upper, upper.function),
            std::mem::replace(&mut self.lower, lower.function),
        );
        self.segments = self.segments.max(self.upper.atoms.len().max(self.lower.atoms.len()) + 1);

        let from = self.parameters.constant_from(&self.problem.lifetime, n);
        let mut reached = n;
        let may_rest = from < n && self.onset.is_settled(n, pays);
        if may_rest {
            let older = (&older_upper, &older_lower);
            reached = self.rest_if_stationary(n, from, &cycle, pays, older);
            if reached == n && pays {
                reached = self.rest_below(n, from, &cycle, bounds, older);
            }
        }
        if reached == n && self.approach.held.is_some() && !self.is_certified(bounds, from) {
            reached = self.go_back(n);
        } else if may_rest {
            let lag = self.lag(&cycle);
            self.watch(n, from, bounds, lag, upper.spans, lower.spans);
        }
        let doubtful = self.onset.doubtful;
        for (from, never) in self.never_from.iter_mut().zip([!pays || doubtful, !pays && !doubtful])
        {
            if never && *from == n + 1 {
                *from = reached;
            }
        }
        self.spare = (older_upper.atoms, older_lower.atoms);
        reached
    }

    /// Both functions after one step, and the certified threshold between them.
    pub(super) fn both_sides(
        &mut self,
        cycle: &Cycle,
        pays: bool,
        widening: Widening,
    ) -> (Cut, Cut, Bounds) {
        let retain_upper = retain::<true>(&self.upper, self.parameters, cycle);
        let retain_lower = retain::<false>(&self.lower, self.parameters, cycle);
        let (line_upper, line_lower) = self.lines(&retain_upper, &retain_lower, pays, widening);
        let spare = std::mem::take(&mut self.spare);
        let (mut spare_upper, mut spare_lower) = spare;
        // Rounding to a grain makes steps equal that differ only by rounding errors.
        let still = self.approach.held_steps > STILL_STEPS;
        let grain = if still { Grain::of(1e-4 * self.coarseness.tolerance) } else { Grain::FINE };
        let mut merge = self.coarseness.merge;
        let below = self.rests_below(cycle);
        let (upper, lower) = loop {
            let (to_upper, to_lower) = match &mut self.approach.held {
                Some((_, nodes)) if below => {
                    (Reduction::Search(merge), Reduction::Nodes(nodes, Grain::FINE))
                }
                Some((cells, nodes)) => {
                    (Reduction::Cells(cells, grain), Reduction::Nodes(nodes, grain))
                }
                None => (Reduction::Search(merge), Reduction::Search(merge)),
            };
            let (parameters, older) = (self.parameters, (&self.upper, &self.lower));
            let cut_upper = || {
                let (retain, line) = (&retain_upper, &line_upper);
                cut::<true>(older.0, parameters, cycle, retain, line, to_upper, spare_upper)
            };
            let cut_lower = || {
                let (retain, line) = (&retain_lower, &line_lower);
                cut::<false>(older.1, parameters, cycle, retain, line, to_lower, spare_lower)
            };
            let (upper, lower) = if older.0.atoms.len() + older.1.atoms.len() > MANY_ATOMS {
                rayon::join(cut_upper, cut_lower)
            } else {
                (cut_upper(), cut_lower())
            };
            let most = upper.function.atoms.len().max(lower.function.atoms.len());
            let fits = self.coarseness.budget.is_none_or(|budget| most < budget);
            if fits || self.approach.held.is_some() || merge > COARSEST {
                break (upper, lower);
            }
            merge *= 1.5;
            (spare_upper, spare_lower) = (upper.function.atoms, lower.function.atoms);
        };
        let between = Bounds::of_odds(upper.odds, lower.odds);
        let bounds = match (pays, self.onset.doubtful) {
            (true, false) => between,
            (false, false) => Bounds::NEVER,
            (pays, true) => Bounds { lower: if pays { between.lower } else { 0.0 }, upper: 1.0 },
        };
        (upper, lower, bounds)
    }

    /// The remapping line for the upper and the lower function.
    pub(super) fn lines(
        &self,
        upper: &Retain,
        lower: &Retain,
        pays: bool,
        widening: Widening,
    ) -> (RemapLine, RemapLine) {
        let delay = self.parameters.delay;
        // By function: the offset. By direction: how far the certified threshold is widened.
        let (offsets, [early, late]) = match self.parameters.regret {
            None => {
                let test = self.parameters.test;
                let gap =
                    outward::<true>(upper.constant.minus(lower.constant), test) + widening.gap;
                let offset =
                    (eased::<false>(scaled::<false>(test)), eased::<true>(scaled::<true>(test)));
                ([offset; 2], [gap; 2])
            }
            Some(regret) => {
                let quiet = regret * self.quiet_cycles.value.value();
                let level = delay + quiet;
                let lost = regret * self.quiet_cycles.error + self.parameters.underflow;
                let dearer = match self.parameters.dearer {
                    0.0 => 0.0,
                    more => scaled::<true>(more * self.quiet_cycles.value.value()),
                };
                let see = |retain: &Retain| {
                    let below = DoubleDouble::from(0.0).minus(retain.constant);
                    let offset = level + below;
                    let margin = SLACK * (level + below.abs()) + lost;
                    (offset - margin, offset + margin + dearer)
                };
                ([see(upper), see(lower)], [widening.upper_early, widening.lower_late])
            }
        };
        let [above, below] = offsets;
        (
            RemapLine { offset: above, certified_offset: above.0 - early, delay, pays },
            RemapLine { offset: below, certified_offset: below.1 + late, delay, pays },
        )
    }

    /// Bounds on V_0(0): the constant of the recursion plus the cycles it leaves out. Infinite if
    /// outside the range of doubles.
    pub(super) fn value(&self) -> (f64, f64) {
        let (cycles, quiet) = (self.cycles.value, self.quiet_cycles.value);
        let InDoubles { before, remapped, .. } = *self.parameters;
        let base = quiet.value() * before + cycles.minus(quiet) * remapped;
        // The difference of the two counts may be smaller than the rounding error of either.
        let counted =
            quiet.value() * before.abs() + (cycles.value() + quiet.value()) * remapped.abs();
        let miscounted = self.quiet_cycles.error * (before.abs() + remapped.abs())
            + self.cycles.error * remapped.abs();
        let underflow = (TINY + self.lifted()) * (1.0 + cycles.value());
        let bound = |function: &PiecewiseLinear| {
            let constant = self.unit.times(function.constant.value());
            let margin = SLACK * (counted + constant.abs()) + miscounted + underflow;
            (base + constant, margin)
        };
        let (lower, upper) = (bound(&self.lower), bound(&self.upper));
        let bounds = (lower.0 - lower.1, upper.0 + upper.1);
        let known = bounds.0.is_finite() && bounds.1.is_finite();
        if known { bounds } else { (f64::NEG_INFINITY, f64::INFINITY) }
    }

    /// Bound on the extra cost of a step because probabilities below the least double are raised to
    /// it; each may be multiplied by the regret.
    fn lifted(&self) -> f64 {
        let InDoubles { regret, dearer, underflow, .. } = *self.parameters;
        let raised = if underflow > 0.0 { LIFTED * (regret.unwrap_or(0.0) + dearer) } else { 0.0 };
        self.unit.times(raised)
    }

    /// The width of the value's bounds due to the constants of the two functions.
    pub(super) fn value_gap(&self) -> f64 {
        self.unit.times(self.upper.constant.minus(self.lower.constant))
    }
}

/// Bound on the sum of these raises over all observations of a step.
const LIFTED: f64 = 64.0 * f64::MIN_POSITIVE;
