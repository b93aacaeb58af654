//! The lower function alone, where functions have many atoms: how far the value function may lie above it is followed cell by cell of
//! the odds (see [`super::taken`]) in place of a second function of as many atoms.

use super::problem::{Cycle, InDoubles};
use super::rest::STEADY_MOVE;
use super::stationary::Change;
use super::step::{Cut, Reduction, RemapLine, Retain, cut, retain};
use super::sweep::State;
use super::taken::{Amounts, Cells, most};
use crate::Bounds;
use crate::concave::{Atom, PiecewiseLinear};
use crate::rounding::{SLACK, outward, scaled};

/// Chances per step that the run ends or the phase changes below which it does not.
const RARE: f64 = 5e-4;

/// Atoms for a cell, and the fewest and the most cells.
const ATOMS: usize = 16;
const CELLS: [usize; 2] = [512, 4096];

/// Where cells end, as a multiple of the odds of the threshold.
const END: f64 = 1.5;

/// Successive steps whose threshold must agree before the spans are held.
pub(super) const STEADY_STEPS: u32 = 3;

/// How much more a step may take with held spans than with new ones.
const STRAINED: f64 = 2.5;

/// Steps after which holding is tried again.
const WAIT: u32 = 8;

/// How much more steps with held spans take than those with new ones, before that is known.
const STRAIN: f64 = 1.6;

/// The state of going on alone.
pub(super) struct Alone {
    pub(super) cells: Cells,
    /// How far the value function may lie above the lower one.
    pub(super) above: Amounts,
    /// The nodes, while they are held, and for how many steps.
    pub(super) held: Option<Vec<f64>>,
    pub(super) held_steps: u32,
    /// Steps in which the threshold hardly moved, one after the other, how many it takes to hold the spans, and where it was.
    pub(super) steady_steps: u32,
    wait: u32,
    middle: f64,
    pub(super) steps: u32,
    /// What a step with new spans took at most.
    usual: f64,
    /// What spans will have added to the width of the thresholds when all steps are done, by the last look at new ones, and how many
    /// times that it is with held ones.
    pub(super) spans: f64,
    pub(super) strain: f64,
}

/// What a step takes from the lower function, and what it would if spans took half of what they do.
pub(super) struct Taken {
    pub(super) all: Amounts,
    pub(super) halved: Amounts,
}

/// What a step alone has found.
pub(super) struct Found {
    pub(super) cut: Cut,
    taken: Taken,
    pub(super) above: Amounts,
    pub(super) bounds: Bounds,
}

impl State<'_> {
    /// Whether the lower function can go on without the upper one.
    pub(super) fn may_go_alone(&self, cycle: &Cycle, pays: bool) -> bool {
        let InDoubles { regret, underflow, dearer, .. } = *self.parameters;
        let simple = regret.is_none() && underflow == 0.0 && dearer == 0.0;
        let many = self.lower.atoms.len().min(self.upper.atoms.len()) >= self.coarseness.alone_from;
        let free = self.coarseness.budget.is_none() && !self.record;
        let clear = pays && !self.onset.is_doubtful() && cycle.killed() >= RARE;
        many && simple && free && clear && self.approach.held.is_none()
    }

    /// Goes on with the lower function alone after a step, if its threshold leaves room for cells.
    pub(super) fn go_alone(&mut self, cycle: &Cycle, bounds: Bounds) {
        let odds = bounds.upper / (1.0 - bounds.upper);
        let count = (self.lower.atoms.len() / ATOMS).clamp(CELLS[0], CELLS[1]);
        let reports = &self.parameters.reports;
        let Some(cells) = Cells::new(END * odds, count, cycle, reports) else { return };
        let Some(change) = Change::between(&self.upper, &self.lower) else { return };
        let apart = self.upper.constant.minus(self.lower.constant);
        let apart = outward::<true>(apart, self.upper.constant.value());
        let shapes = cells.differences(&change, false);
        let all: Vec<f64> = shapes.iter().map(|shape| scaled::<true>(apart + shape)).collect();
        let above = Amounts { zero: apart, beyond: all[all.len() - 1], cells: all };
        self.upper = PiecewiseLinear::default();
        self.alone = Some(Alone {
            cells,
            above,
            held: None,
            usual: 0.0,
            steady_steps: 0,
            wait: STEADY_STEPS,
            middle: bounds.middle(),
            steps: 0,
            held_steps: 0,
            strain: STRAIN,
            spans: 1.0,
        });
    }

    /// Goes on with both functions again: the lower one, lifted by the most that the value function is above it.
    pub(super) fn give_back(&mut self) {
        if let Some(alone) = self.alone.take() {
            let apart = scaled::<true>(most(&alone.above.cells).max(alone.above.zero));
            let constant = self.lower.constant.plus(scaled::<true>(apart));
            self.upper = PiecewiseLinear { constant, ..self.lower.clone() };
        }
    }

    /// A step of the lower function alone, and those below that are like it; returns the last one done. `None`
    /// if both functions are needed: then nothing has been done.
    pub(super) fn step_alone(&mut self, n: u64, cycle: &Cycle, pays: bool) -> Option<u64> {
        let mut alone = self.alone.take()?;
        let doubtful = self.onset.is_doubtful();
        let possible = pays && !doubtful && cycle.killed() >= RARE;
        let mut found = possible.then(|| self.find_alone(&mut alone, cycle)).flatten();
        if found.as_ref().is_some_and(|found| alone.is_strained(&found.taken.all)) {
            alone.release(WAIT);
            found = self.find_alone(&mut alone, cycle);
        }
        let Some(Found { cut, taken, above, bounds }) = found else {
            self.alone = Some(alone);
            self.give_back();
            return None;
        };
        self.curve.extend_down(n, n, bounds);
        self.segments = self.segments.max(cut.function.atoms.len() + 1);
        let older = std::mem::replace(&mut self.lower, cut.function);
        alone.above = above;
        let kink = cut.kink.map_or(0.0, |kink| kink.at);
        let from = self.parameters.constant_from(&self.problem.lifetime, n);
        let mut reached = n;
        if from < n && self.onset.is_settled(n, pays) {
            reached = self.rest_alone(&mut alone, (n, from), cycle, (&taken, kink), bounds, &older);
            alone.watch(&taken.all, bounds, self.coarseness.tolerance, cut.spans);
        }
        self.spare.1 = older.atoms;
        self.alone = Some(alone);
        Some(reached)
    }

    pub(super) fn lines_alone(&self, gap: f64) -> RemapLine {
        let InDoubles { test, delay, .. } = *self.parameters;
        let offset = (scaled::<false>(test), scaled::<true>(test));
        RemapLine { offset, certified_offset: scaled::<true>(offset.1 + gap), delay, pays: true }
    }

    /// The step of the lower function and how far the value function may lie above what it finds.
    pub(super) fn find_alone(&mut self, alone: &mut Alone, cycle: &Cycle) -> Option<Found> {
        alone.cells.prepare(cycle, &self.parameters.reports);
        let line_of_retaining = retain::<false>(&self.lower, self.parameters, cycle);
        let (ahead, zero) = alone.cells.ahead(&alone.above.cells, cycle);
        let line = self.lines_alone(zero + line_of_retaining.lost);
        let spare = std::mem::take(&mut self.spare.1);
        let mut lost = alone.cells.nothing_lost();
        let reduction = match &alone.held {
            Some(nodes) => Reduction::CountedNodes(nodes, &mut lost),
            None => Reduction::CountedSearch(self.coarseness.merge, &mut lost),
        };
        let retained = &line_of_retaining;
        let cut =
            cut::<false>(&self.lower, self.parameters, cycle, retained, &line, reduction, spare);
        let (spans, atoms) = (std::mem::take(&mut lost.most), lost.atoms);
        let kink = cut.kink.filter(|kink| kink.at > 0.0 && kink.drop > 0.0)?;
        if kink.at >= alone.cells.end() {
            return None;
        }
        let rounding = self.rounding_alone(&cut, retained, cycle, atoms);
        let blurred = |ends: &[f64]| rounding * (ends[1] + cycle.hazard);
        let blurs: Vec<f64> = alone.cells.starts.windows(2).map(blurred).collect();
        let more = |part: f64, (spans, blur): (&f64, &f64)| {
            scaled::<true>(part * spans + blur + retained.lost)
        };
        let at_kink = rounding * (kink.at + cycle.hazard) + cut.blur[0];
        let beyond = retained.lost + at_kink + 4.0 * SLACK * self.parameters.test;
        let amounts = |part: f64| Amounts {
            cells: spans.iter().zip(&blurs).map(|of| more(part, of)).collect(),
            zero: retained.lost,
            beyond: scaled::<true>(beyond),
        };
        let taken = Taken { all: amounts(1.0), halved: amounts(0.5) };
        let above = alone.cells.back(&alone.above.cells, &taken.all, [kink.at; 2], cycle);
        // How much less retaining may save than by the lower function, and where that ends.
        let dearer: Vec<f64> = ahead.iter().zip(&blurs).map(|(e, blur)| e + blur).collect();
        let least = alone.crossing_before(&dearer, kink, 0.0);
        let bounds = Bounds::of_odds(least, cut.odds);
        Some(Found { cut, taken, above, bounds })
    }

    /// What rounding may take from the lower function for each unit of odds and hazard.
    pub(super) fn rounding_alone(
        &self,
        cut: &Cut,
        retained: &Retain,
        cycle: &Cycle,
        atoms: u32,
    ) -> f64 {
        let slope = self.parameters.gain.abs() + cycle.survival * self.lower.slope.abs();
        let in_spans = 8.0 * SLACK + SLACK * f64::from(atoms);
        let places = 12.0 * SLACK + in_spans;
        scaled::<true>(places * retained.drop + 4.0 * SLACK * slope + 2.0 * cut.blur[1])
    }
}

impl Alone {
    /// Odds up to which retaining is cheaper, where it is so by the lower function up to `kink`, if it may cost so much more in each cell, and
    /// remapping so much less.
    pub(super) fn crossing_before(&self, dearer: &[f64], kink: Atom, less: f64) -> f64 {
        let before = |more: f64| {
            scaled::<false>((kink.at - (more + less) * (1.0 + SLACK) / kink.drop).max(0.0))
        };
        // Before this it is so wherever the most is; between this and the kink the most there does.
        let surely = before(self.cells.most_between(dearer, 0.0, kink.at));
        before(self.cells.most_between(dearer, surely, kink.at))
    }

    /// Whether holding the spans takes too much.
    fn is_strained(&self, taken: &Amounts) -> bool {
        self.held.is_some() && most(&taken.cells) > STRAINED * self.usual
    }

    /// Holds the spans once the threshold has come to rest.
    fn watch(&mut self, taken: &Amounts, bounds: Bounds, tolerance: f64, spans: Vec<f64>) {
        let moved = (bounds.middle() - self.middle).abs();
        self.middle = bounds.middle();
        self.steps += 1;
        match self.held {
            Some(_) => self.held_steps += 1,
            None => {
                self.usual = most(&taken.cells);
                self.steady_steps =
                    if moved <= STEADY_MOVE * tolerance { self.steady_steps + 1 } else { 0 };
                if self.steady_steps >= self.wait {
                    self.held = Some(spans);
                }
            }
        }
    }

    /// Chooses spans anew, for so many steps at least.
    pub(super) fn release(&mut self, wait: u32) {
        (self.held, self.held_steps, self.steady_steps, self.wait) = (None, 0, 0, wait);
    }
}
