//! What steps add to the value by which the belief has forgotten where it started.
//!
//! V_0 is the sum of s_0 ... s_{n-1} (e_1 - (D_n - c)^+) at the belief p_n over all steps n, on average. After so many steps as
//! `kinks.rs` needs these means are known without following V; before, V is followed as if nothing came after.

use super::kinks::{Means, Typical};
use super::operator::{Filter, Line};
use super::recursion::Pair;
use crate::lifetime::Lifetime;
use crate::rounding::{DoubleDouble, SLACK, outward};
use crate::{Halt, Observer};
use std::ops::ControlFlow;

/// What the means may add to the width of a step, as a part of its share; and what is not known of the gains.
const MEANS: f64 = 0.35;
const GAINS: f64 = 0.75;

/// What they may add more where a step seldom comes, as a multiple.
const MOST: f64 = 1e9;

/// As many steps are worth it.
pub(super) const STEPS: std::ops::RangeInclusive<u64> = 256..=200_000;

pub(super) struct Mixed {
    means: Means,
    running: Line,
    /// The chance of every step to come at all.
    chances: Vec<f64>,
    /// By how much a step may widen the value, and how much more it may where it is certain.
    allowance: f64,
    times: f64,
    above: DoubleDouble,
    below: DoubleDouble,
}

impl Mixed {
    /// `allowance` is what a step may widen the value by.
    pub(super) fn of(
        filter: &Filter,
        lifetime: &Lifetime,
        (running, initial): (Line, f64),
        (typical, allowance): (&Typical<'_>, f64),
        observer: &dyn Observer,
    ) -> ControlFlow<Halt, Option<Mixed>> {
        let last = lifetime.last();
        let limits = (0.5 * MEANS * allowance, last / 2);
        let means = Means::of(filter, initial, typical, limits, observer)?;
        let Some(means) = means else { return ControlFlow::Continue(None) };
        let mut chances = vec![1.0];
        for n in 0..last {
            chances.push(chances[n as usize] * lifetime.continuation(n));
        }
        let later = &chances[means.from as usize..];
        let times =
            later.iter().sum::<f64>() / later.iter().map(|chance| chance.cbrt()).sum::<f64>();
        let [above, below] = [DoubleDouble::default(); 2];
        ControlFlow::Continue(Some(Mixed {
            means,
            running,
            chances,
            allowance,
            times,
            above,
            below,
        }))
    }

    /// The first of its steps.
    pub(super) fn from(&self) -> u64 {
        self.means.from
    }

    /// Takes in step `n` with these gains: what is not known of them as a multiple of what may be.
    pub(super) fn step(&mut self, n: u64, gains: &Pair) -> f64 {
        let chance = self.chances[n as usize];
        let [low, high] = self.means.of_line(n, self.running);
        let (more, over) = self.means.after(n, &gains.upper);
        let (less, under) = self.means.after(n, &gains.lower);
        let (least, most) = (low - (more + over), high - (less - under));
        // A product of n chances.
        let blur = (2.0 + n as f64) * chance + f64::MIN_POSITIVE / SLACK;
        self.above = self.above.plus(outward::<true>(chance * most, blur * most));
        self.below = self.below.plus(outward::<false>(chance * least, blur * least));
        let may = GAINS * self.allowance * (self.times * chance.powf(-2.0 / 3.0)).min(MOST);
        (more - less) / may
    }

    /// Bounds on the value, with those of the steps before.
    pub(super) fn with(&self, (low, high): (f64, f64)) -> (f64, f64) {
        let [below, above] = [self.below.value(), self.above.value()];
        (
            outward::<false>(low + below, low.abs() + below.abs()),
            outward::<true>(high + above, high.abs() + above.abs()),
        )
    }
}
