//! Convergence: when a sweep fixes its spans, skips all steps equal to the last one, or discards
//! steps because it fixed them too early. [`super::stationary`] has the proof.

use super::stationary::{amplification, change_of_shape};
use crate::Bounds;
use crate::concave::PiecewiseLinear;
use crate::concave::held::Cells;
use crate::phase_change::countdown::Countdown;
use crate::phase_change::problem::Cycle;
use crate::phase_change::sweep::State;
use crate::rounding::{SLACK, outward};

/// Consecutive steps with steady thresholds after which the spans are fixed.
const STEADY_STEPS: u32 = 3;

/// Additional steady steps required after the spans were fixed too early; at least doubled each
/// time.
const FURTHER_STEPS: u32 = 16;

/// Most move of a steady threshold, as a multiple of the tolerance.
pub(crate) const STEADY_MOVE: f64 = 0.5;

/// Fewest steps between two tests for stationarity.
const TEST_EVERY: u32 = 4;

/// Progress of the recursion toward stationarity.
#[derive(Default)]
pub(crate) struct Approach {
    pub(crate) cycle: Option<Cycle>,
    pub(crate) middle: f64,
    pub(crate) steady_steps: u32,
    pub(crate) held: Option<(Cells, Vec<f64>)>,
    pub(crate) held_steps: u32,
    /// Whether the belief takes too long to pass the threshold for [`super::passage`].
    pub(crate) slow: bool,
    /// Width of the threshold due to reductions alone, at the last test.
    pub(crate) lasting: Option<f64>,
    /// The state to return to if the spans were fixed too early.
    pub(crate) resume: Option<Snapshot>,
    /// Additional steady steps required after that.
    pub(crate) further_steps: u32,
}

/// The state after a step.
pub(crate) struct Snapshot {
    step: u64,
    upper: PiecewiseLinear,
    lower: PiecewiseLinear,
    cycles: Countdown,
    quiet_cycles: Countdown,
}

/// Bounds on the effect of skipped steps on the comparison that determines a threshold.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Widening {
    /// On the difference of the two constants.
    pub(crate) gap: f64,
    /// On a lasting remap relative to the upper function, in the direction that lowers the
    /// threshold.
    pub(crate) upper_early: f64,
    /// On a lasting remap relative to the lower function, in the direction that raises the
    /// threshold.
    pub(crate) lower_late: f64,
}

impl State<'_> {
    /// Skips to step `from` if the last two functions prove that every step down to it has the same
    /// threshold within the tolerance. Returns the last step done.
    pub(crate) fn rest_if_stationary(
        &mut self,
        n: u64,
        from: u64,
        cycle: &Cycle,
        pays: bool,
        older: (&PiecewiseLinear, &PiecewiseLinear),
    ) -> u64 {
        self.approach.held_steps += u32::from(self.approach.held.is_some());
        let due = self.is_due(u32::MAX);
        let trivial = self.upper.atoms.is_empty() && self.lower.atoms.is_empty();
        if !(due || trivial) {
            return n;
        }
        let (shape_upper, _) = change_of_shape(&self.upper, older.0);
        let (_, shape_lower) = change_of_shape(&self.lower, older.1);
        if !(shape_upper.is_finite() && shape_lower.is_finite()) {
            return n;
        }
        if from > 0 && !self.shapes_agree() || self.parameters.dearer > 0.0 {
            return n;
        }
        let tolerance = self.coarseness.down_to(from);
        let steps = n - from;
        let killed = cycle.killed();
        let reach = cycle.discount() * amplification(killed, steps);
        // The cost of a lasting remap changes monotonically with the mean number of remaining
        // cycles before the change.
        let line_moves = self.parameters.regret.unwrap_or(0.0)
            * self.quiet_cycles.ahead(killed, steps)
            * (1.0 + SLACK);
        let (line_rise, line_fall) = (line_moves.max(0.0), (-line_moves).max(0.0));
        let rise = self.upper.constant.minus(older.0.constant) + shape_upper + line_rise;
        let fall = self.lower.constant.minus(older.1.constant) - shape_lower - line_fall;
        let shift_upper = outward::<true>(rise * reach, 8.0 * rise.abs() * reach);
        let shift_lower = outward::<false>(fall * reach, 8.0 * fall.abs() * reach);
        let widening = Widening {
            gap: (shift_upper - shift_lower).max(0.0),
            upper_early: shift_upper.max(0.0) + line_fall,
            lower_late: (-shift_lower).max(0.0) + line_rise,
        };
        let drift = if self.parameters.regret.is_some() {
            widening.upper_early.max(widening.lower_late)
        } else {
            widening.gap
        };
        // An offset moves the odds of the threshold by at most offset / gain, in either direction.
        let beyond = 1.0 - self.approach.middle;
        let expected = 2.0 * drift * beyond * beyond / self.parameters.gain;
        if pays && expected > 2.0 * tolerance {
            return n;
        }
        let value_gap = self.value_gap() + self.unit.times(shift_upper - shift_lower);
        let value = self.value().0.abs().max(1.0);
        if value_gap > 0.9 * tolerance * value {
            return n;
        }
        let (upper, lower, bounds) = self.both_sides(cycle, pays, widening);
        if bounds.width() > tolerance {
            return n;
        }
        self.upper.constant = self.upper.constant.plus(shift_upper);
        self.lower.constant = self.lower.constant.plus(shift_lower);
        self.spare = (upper.function.atoms, lower.function.atoms);
        self.skip(n, from, cycle, pays, bounds)
    }

    /// Assigns `bounds` to the steps below `n` down to `from`; the functions have been set.
    pub(crate) fn skip(
        &mut self,
        n: u64,
        from: u64,
        cycle: &Cycle,
        pays: bool,
        bounds: Bounds,
    ) -> u64 {
        self.curve.extend_down(from, n - 1, bounds);
        for (count, killed) in
            [(&mut self.cycles, cycle.failure), (&mut self.quiet_cycles, cycle.killed())]
        {
            count.skip(killed, n - from);
        }
        self.onset.skip_to(from, pays);
        self.approach = Approach::default();
        from
    }

    /// Whether to test for stationarity after this step. The interval between tests grows.
    pub(crate) fn is_due(&self, seldom: u32) -> bool {
        let held_steps = self.approach.held_steps;
        let every = TEST_EVERY.max(held_steps.next_power_of_two() / seldom);
        held_steps > 1 && held_steps.is_multiple_of(every)
    }

    /// Whether the threshold is within the tolerance and the value within half of it. If other
    /// steps precede `from`, their thresholds lie elsewhere, so the whole function must be.
    pub(crate) fn is_certified(&self, bounds: Bounds, from: u64) -> bool {
        let tolerance = self.coarseness.down_to(from);
        bounds.width() <= tolerance
            && self.value_gap() <= 0.5 * tolerance * self.value().0.abs().max(1.0)
            && (from == 0 || self.shapes_agree())
    }

    /// Whether the two functions differ by at most a threshold's tolerance everywhere.
    fn shapes_agree(&self) -> bool {
        let (apart, _) = change_of_shape(&self.upper, &self.lower);
        apart <= self.coarseness.rest * self.parameters.gain.abs()
    }

    /// Fixes the spans once the threshold has been steady for enough steps, `lag` more than usual,
    /// so that the functions can converge.
    pub(crate) fn watch(
        &mut self,
        n: u64,
        from: u64,
        bounds: Bounds,
        lag: u32,
        upper: Vec<f64>,
        lower: Vec<f64>,
    ) {
        let moved = (bounds.middle() - self.approach.middle).abs();
        self.approach.middle = bounds.middle();
        let approach =
            moved <= STEADY_MOVE * self.coarseness.tolerance && self.is_certified(bounds, from);
        self.approach.steady_steps = if approach { self.approach.steady_steps + 1 } else { 0 };
        let enough = STEADY_STEPS + self.approach.further_steps + lag;
        if self.approach.held.is_none() && self.approach.steady_steps >= enough {
            self.approach.held = Some((Cells::new(upper), lower));
            self.approach.resume = Some(Snapshot {
                step: n,
                upper: self.upper.clone(),
                lower: self.lower.clone(),
                cycles: self.cycles,
                quiet_cycles: self.quiet_cycles,
            });
        }
    }

    /// Discards the steps since the spans were fixed: that was too early, since the functions still
    /// changed where the threshold does not show it. Returns the last valid step.
    pub(crate) fn go_back(&mut self, n: u64) -> u64 {
        let Some(snapshot) = self.approach.resume.take() else { return n };
        (self.upper, self.lower) = (snapshot.upper, snapshot.lower);
        (self.cycles, self.quiet_cycles) = (snapshot.cycles, snapshot.quiet_cycles);
        self.curve.forget_below(snapshot.step);
        self.spans.retain(|spans| spans.step >= snapshot.step);
        // Requires at least as many steps as were discarded, so that at most half of all steps are.
        let in_vain = u32::try_from(snapshot.step - n).unwrap_or(u32::MAX);
        let further_steps = (2 * self.approach.further_steps).max(FURTHER_STEPS).max(in_vain);
        self.approach = Approach {
            cycle: self.approach.cycle,
            slow: self.approach.slow,
            further_steps,
            ..Approach::default()
        };
        snapshot.step
    }
}
