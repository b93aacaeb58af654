//! The lower function alone: how coarse it may be, and when the steps to come are all like the last one.

use super::alone::{Alone, STEADY_STEPS, Taken};
use super::problem::Cycle;
use super::stationary::{Change, amplification};
use super::step::{Reduction, cut, retain};
use super::sweep::State;
use super::taken::{Amounts, most};
use crate::Bounds;
use crate::concave::PiecewiseLinear;
use crate::rounding::{SLACK, scaled};

/// Steps with held spans between two tests for rest, and with new ones between two looks at how coarse they may be.
const TEST_EVERY: u32 = 4;
const LOOK_EVERY: u32 = 16;

/// Part of the tolerance that all steps are to use, and how far one look may change the coarseness.
const USED: f64 = 0.8;
const CHANGES: [f64; 2] = [0.25, 4.0];
const ALIKE: std::ops::Range<f64> = 0.9..1.2;

/// Part of the tolerance that has to be left for functions to become finer.
const LEAST_ROOM: f64 = 0.1;

/// Spans may take so much more than is left while the threshold still moves: most steps come after that.
const COARSER: f64 = 1.0 / 2.0;

impl State<'_> {
    /// Goes down to `from` at once if held spans have brought the lower function to rest; or makes spans finer or
    /// coarser, as the steps to come need them.
    pub(super) fn rest_alone(
        &mut self,
        alone: &mut Alone,
        (n, from): (u64, u64),
        cycle: &Cycle,
        (taken, kink): (&Taken, f64),
        bounds: Bounds,
        older: &PiecewiseLinear,
    ) -> u64 {
        let held = alone.held.is_some();
        let due = match held {
            true => alone.held_steps > 1 && alone.held_steps.is_multiple_of(TEST_EVERY),
            false => alone.steps.is_multiple_of(LOOK_EVERY),
        };
        if !due || from == n {
            return n;
        }
        let drop = self.lower.atoms.last().map_or(0.0, |atom| atom.drop);
        let tolerance = self.coarseness.down_to(from);
        let beyond = 1.0 - bounds.upper;
        let width = |taken: &Amounts| {
            let lasting = alone.outlook(&alone.above, taken, [kink; 2], cycle, n - from)?;
            Some((lasting.at_zero + lasting.at_kink) / drop * beyond * beyond)
        };
        let Some(expected) = width(&taken.all) else { return n };
        if held && expected <= tolerance {
            return self
                .come_to_rest(alone, (n, from), cycle, (&taken.all, kink), older)
                .unwrap_or(n);
        }
        // What is there already, and rounding, do not depend on how fine functions are.
        let Some(halved) = width(&taken.halved) else { return n };
        let spans = 2.0 * (expected - halved);
        let room = USED * tolerance - (expected - spans);
        if spans <= 0.0 || !self.coarseness.may_refine || room < LEAST_ROOM * tolerance {
            return n;
        }
        let [least, most] = CHANGES;
        let most = if alone.steady_steps > 0 { 1.0 } else { most };
        if held {
            alone.strain = spans / alone.spans;
        } else {
            alone.spans = spans;
        }
        let strain = match (held, alone.steady_steps) {
            (true, _) => 1.0,
            (false, 0) => COARSER,
            (false, _) => alone.strain,
        };
        let factor = (room / (spans * strain)).clamp(least, most);
        if held || !ALIKE.contains(&factor) {
            self.coarseness.merge *= factor;
            alone.release(STEADY_STEPS);
        }
        n
    }

    /// The proof is that of [`super::stationary`], with the changes followed by cells: let |L - L_older - k| <= c, then T (L + x) lies between L + l (k + x) - P c
    /// and L + l (k + x) + P c + taken, so that the functions j steps on are apart from L by l k (1 + l + ...) and at most g + b_j above, f + d_j below.
    fn come_to_rest(
        &mut self,
        alone: &mut Alone,
        (n, from): (u64, u64),
        cycle: &Cycle,
        (taken, kink): (&Amounts, f64),
        older: &PiecewiseLinear,
    ) -> Option<u64> {
        let change = Change::between(&self.lower, older)?;
        let changes = alone.cells.differences(&change, true);
        let (more, more_at_zero) = alone.cells.ahead(&changes, cycle);
        let with = |taken: &Amounts| Amounts {
            cells: more.iter().zip(&taken.cells).map(|(a, b)| a + b).collect(),
            zero: taken.zero + more_at_zero,
            beyond: taken.beyond + more_at_zero,
        };
        let steps = n - from;
        let up = alone.outlook(&alone.above, &with(taken), [kink; 2], cycle, steps)?;
        // Below it the lower of the two ways counts, whichever it is.
        let nothing = || Amounts { cells: vec![0.0; more.len() + 1], ..Amounts::default() };
        let either = [0.0, alone.cells.end()];
        let down = alone.outlook(&nothing(), &with(&nothing()), either, cycle, steps)?;
        let constant = self.lower.constant;
        let drift = constant.minus(older.constant);
        let shift = drift * cycle.discount() * amplification(cycle.killed(), steps);
        let lost = 16.0 * SLACK * shift.abs();
        let gap = up.at_zero + down.anywhere + 2.0 * lost;
        let retained = retain::<false>(&self.lower, self.parameters, cycle);
        let line = self.lines_alone(gap + retained.lost);
        let mut counted = alone.cells.nothing_lost();
        let search = Reduction::CountedSearch(self.coarseness.merge, &mut counted);
        let none = Vec::new();
        let cut = cut::<false>(&self.lower, self.parameters, cycle, &retained, &line, search, none);
        let kink = cut.kink?;
        let atoms = counted.atoms;
        let rounding = self.rounding_alone(&cut, &retained, cycle, atoms);
        let ends = alone.cells.starts.windows(2);
        let blur = ends.map(|ends| rounding * (ends[1] + cycle.hazard));
        let dearer: Vec<f64> = up.ahead.iter().zip(blur).map(|(e, blur)| e + blur).collect();
        let least = alone.crossing_before(&dearer, kink, down.anywhere + 2.0 * lost);
        let bounds = Bounds::of_odds(least, cut.odds);
        let tolerance = self.coarseness.down_to(from);
        let gap = self.unit.times(up.at_zero + down.anywhere + 2.0 * lost);
        let value = self.value().0.abs().max(1.0);
        let known = cut.odds < alone.cells.end();
        if !known || bounds.width() > tolerance || gap > 0.9 * tolerance * value {
            return None;
        }
        let sunk = scaled::<true>(down.anywhere + lost);
        self.lower.constant = constant.plus(shift).plus(-sunk);
        let above = |e: f64| scaled::<true>(e + 2.0 * sunk);
        let cells: Vec<f64> = up.finally.iter().map(|e| above(*e)).collect();
        alone.above =
            Amounts { zero: above(up.zero_finally), beyond: cells[cells.len() - 1], cells };
        alone.release(STEADY_STEPS);
        Some(self.skip(n, from, cycle, true, bounds))
    }
}

/// How far the value function may lie above the lower one in steps to come.
struct Outlook {
    /// At most, in all of them, one step ahead: in cells, at odds of 0, about the kink, and anywhere.
    ahead: Vec<f64>,
    at_zero: f64,
    at_kink: f64,
    anywhere: f64,
    /// After the last.
    finally: Vec<f64>,
    zero_finally: f64,
}

impl Alone {
    /// If it is so much now and all steps to come take so much.
    fn outlook(
        &self,
        now: &Amounts,
        taken: &Amounts,
        kink: [f64; 2],
        cycle: &Cycle,
        steps: u64,
    ) -> Option<Outlook> {
        let (g, rate) = self.cells.followed(taken, kink, cycle)?;
        let over = now.cells.iter().zip(&g).map(|(e, g)| e - g);
        let first = over.fold(now.zero, f64::max);
        let cycles = amplification(cycle.killed(), steps);
        let left = (1.0 - cycle.killed() * cycles).clamp(0.0, 1.0) * (1.0 + SLACK) + SLACK;
        let last = scaled::<true>(left * first.max(0.0) + rate * cycles);
        let most_of_all = first.max(last).max(0.0);
        let (ahead, zero) = self.cells.ahead(&g, cycle);
        let with = |e: f64, all: f64| scaled::<true>((e + all).max(0.0));
        let ahead: Vec<f64> = ahead.iter().map(|e| with(*e, most_of_all)).collect();
        let finally: Vec<f64> = g.iter().map(|e| with(*e, last)).collect();
        Some(Outlook {
            at_zero: with(zero, most_of_all),
            at_kink: self.cells.most_between(&ahead, kink[0], kink[1]),
            anywhere: with(most(&g), most_of_all),
            zero_finally: with(0.0, last),
            ahead,
            finally,
        })
    }
}
