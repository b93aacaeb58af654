//! Convergence for rare changes of phase, tested on the lower function alone. [`super::passage`]
//! has the proof.

use super::convergence::{Approach, Widening};
use super::passage::{Errors, Passage};
use super::stationary::{Change, amplification};
use crate::Bounds;
use crate::concave::PiecewiseLinear;
use crate::phase_change::problem::{Cycle, InDoubles, Report};
use crate::phase_change::step::{Reduction, cut, retain};
use crate::phase_change::sweep::State;
use crate::rounding::{SLACK, outward, scaled};

/// Reduction to the fewest segments, for functions of which only the crossing is needed.
const COARSEST: f64 = 1e300;

/// The function still converges if its lasting width falls below this fraction from one test to the
/// next. The second constant is the number of remaining steps from which a sweep that is too coarse
/// is refined.
const SETTLED: f64 = 0.8;
const LONG: u64 = 1000;

/// Fraction of the steps with fixed spans that may pass between two tests.
const SELDOM: u32 = 16;

/// The change of a step must be below this fraction of the growth for a refinement.
const RESTING: f64 = 0.1;

/// Probability per step that the run ends or the phase changes, below which the lower function
/// alone is tested.
const RARE: f64 = 5e-4;

/// Most steps waited for small odds to converge.
const LONGEST_LAG: f64 = 1000.0;

/// Fraction of them that is waited after a refinement.
const REFINED_LAG: f64 = 0.4;

/// Refinement beyond proportion, and the number of refinements allowed.
const FINER: f64 = 0.35;
const REFINEMENTS: u32 = 4;

impl State<'_> {
    /// Continues with functions finer by `factor`. The reductions so far add up to little; those of
    /// all remaining steps would not.
    fn refine(&mut self, factor: f64) {
        if self.coarseness.may_refine && self.refinements < REFINEMENTS {
            let finer = FINER * factor.clamp(1e-3, 1.0);
            self.coarseness.merge *= finer;
            self.coarseness.rest *= finer;
            self.refinements += 1;
            let Approach { cycle, middle, .. } = self.approach;
            self.approach = Approach { cycle, middle, ..Approach::default() };
        }
    }

    /// Whether convergence of the lower function suffices.
    pub(crate) fn rests_below(&self, cycle: &Cycle) -> bool {
        let InDoubles { regret, underflow, .. } = *self.parameters;
        cycle.killed() < RARE && cycle.hazard > 0.0 && regret.is_none() && underflow == 0.0
    }

    /// Steps that small odds need to converge after the threshold has: about twice the time the
    /// odds take from h to the threshold after a change. Fewer after a refinement, since those
    /// functions had converged before.
    pub(crate) fn lag(&self, cycle: &Cycle) -> u32 {
        if !self.rests_below(cycle) {
            return 0;
        }
        let gain = |report: &Report| match report.ratio > 0.0 && report.after > 0.0 {
            true => -report.after * report.ratio.ln(),
            false => 0.0,
        };
        let gain: f64 = self.parameters.reports.iter().map(gain).sum();
        let lag = (-2.0 * cycle.hazard.ln() / gain).min(LONGEST_LAG);
        (if self.refinements > 0 { REFINED_LAG * lag } else { lag }) as u32
    }

    /// Skips to step `from` if the lower function has converged and every step down to `from` has
    /// the same threshold within the tolerance. The proof bounds the reductions past the threshold.
    /// `found` is the threshold of step n. Returns the last step done.
    pub(crate) fn rest_below(
        &mut self,
        n: u64,
        from: u64,
        cycle: &Cycle,
        found: Bounds,
        (upper, lower): (&PiecewiseLinear, &PiecewiseLinear),
    ) -> u64 {
        let InDoubles { gain, delay, ref reports, .. } = *self.parameters;
        if self.approach.slow
            || !self.is_due(SELDOM)
            || !self.rests_below(cycle)
            || found.upper >= 1.0
        {
            return n;
        }
        // The image of the lower function without a reduction.
        let parameters = self.parameters;
        let above = retain::<true>(lower, parameters, cycle);
        let below = retain::<false>(lower, parameters, cycle);
        let (line, _) = self.lines(&above, &below, true, Widening::default());
        let whole = Reduction::Search(0.0);
        let image =
            cut::<true>(lower, parameters, cycle, &above, &line, whole, Vec::new()).function;
        let changes = (
            Change::between(&image, lower),
            Change::between(upper, lower),
            Change::between(lower, &self.lower),
        );
        let (Some(lost), Some(apart), Some(fall)) = changes else { return n };
        let functions = [&self.lower, &image, upper, lower];
        let kinks = functions.into_iter().filter_map(|function| function.atoms.last());
        let odds = found.upper / (1.0 - found.upper) * (1.0 + SLACK);
        let kinks = kinks.fold(odds, |most, atom| most.max(atom.at));
        let worse = outward::<false>(gain - cycle.failure * delay, gain.abs() + delay);
        let Some(passage) = Passage::beyond(kinks, worse, cycle, reports) else {
            self.approach.slow = true;
            return n;
        };
        let falls = passage.steepness(&fall);
        if falls > passage.steepest {
            return n;
        }
        let fallen = passage.errors(&passage.followed_change(falls));
        let (lost, apart) = (passage.by_odds(&lost), passage.by_odds(&apart));
        let Some(lasting) = passage.followed(&lost, &lost) else { return n };
        let more = |(apart, lasting): (&f64, &f64)| (apart - lasting).max(0.0);
        let passing: Vec<f64> = apart.iter().zip(&lasting).map(more).collect();
        let Some(still) = passage.followed(&vec![0.0; passing.len()], &passing) else { return n };
        let Some(all) = passage.followed(&passing, &passing) else { return n };
        let [lasting, passing, all] = [lasting, still, all].map(|g| passage.errors(&g));

        let drift = image.constant.minus(lower.constant);
        let least_drift = self.lower.constant.minus(lower.constant);
        let apart = upper.constant.minus(lower.constant);
        let hazard = cycle.hazard;
        let grown = (drift - least_drift).max(0.0) + hazard * (lasting.inflow + fallen.inflow);
        let grown = scaled::<true>(grown) / cycle.killed();
        let between = |passed: f64| {
            let apart = scaled::<true>(grown.max(apart)) + passed * hazard * all.inflow;
            let moved = |errors: &Errors| errors.retaining + hazard * errors.inflow;
            let moved = moved(&lasting) + moved(&fallen) + passed * moved(&passing);
            let gap = scaled::<true>(cycle.discount() * apart + moved);
            let widening = Widening { gap, ..Widening::default() };
            let (line_upper, line_lower) = self.lines(&above, &below, true, widening);
            let short = || Reduction::Search(COARSEST);
            let none = Vec::new;
            let least = cut::<true>(lower, parameters, cycle, &above, &line_upper, short(), none());
            let most = cut::<false>(lower, parameters, cycle, &below, &line_lower, short(), none());
            (Bounds::of_odds(least.odds, most.odds), scaled::<true>(apart))
        };
        let (bounds, apart) = between(1.0);
        let tolerance = self.coarseness.down_to(from);
        if bounds.width() > tolerance {
            let lasting = between(0.0).0.width();
            let resting = fallen.inflow <= RESTING * grown;
            let before = self.approach.lasting.replace(lasting);
            let settled = before.is_some_and(|before| lasting > SETTLED * before);
            if resting && lasting > tolerance && settled && n - from > LONG {
                self.refine(tolerance / lasting);
            }
            return n;
        }
        // If no step precedes `from`, only the value matters.
        let rises = if from > 0 { lasting.most + passing.most } else { 0.0 };
        let sinks = if from > 0 { fallen.most } else { 0.0 };
        let cycles = amplification(cycle.killed(), n - from + 1);
        let common = least_drift * cycles;
        let up = outward::<true>(common, 8.0 * common.abs()) + apart + rises;
        let down = outward::<false>(common, 8.0 * common.abs())
            - scaled::<true>(sinks + cycle.hazard * fallen.inflow * cycles);
        let value_gap = self.value_gap() + self.unit.times(up - down);
        if value_gap > 0.9 * tolerance * self.value().0.abs().max(1.0) {
            return n;
        }
        if from > 0 && rises + sinks > self.coarseness.rest * gain {
            return n;
        }
        let with = |shift: f64| {
            let constant = lower.constant.plus(shift);
            PiecewiseLinear { constant, ..lower.clone() }
        };
        (self.upper, self.lower) = (with(up), with(down));
        self.skip(n, from, cycle, true, bounds)
    }
}
