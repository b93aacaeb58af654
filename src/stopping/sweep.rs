//! One application of the chain to an approximation of J, with a bound on its rounding.
//!
//! An approximation v is kept as a base B and the *saving* d = B - v. Where P keeps constants,
//! continuing saves `B - (psi + P v) = P d - psi`. This is the accurate way round: J is close to R
//! except where balance is near, so d is small where J is large, and the rounding of `P d` is
//! relative to `P d`, not to R.

use super::{AfterRemap, Problem, vector};
use crate::chain::Finish;
use crate::machine::widest;
use pulp::{Simd, WithSimd};
use std::sync::atomic::{AtomicU64, Ordering};

/// What the two branches of the Bellman operator save at some v, and room to compute it.
#[derive(Debug, Clone)]
pub(super) struct Sweep {
    /// What continuing saves against the base: `B - psi - P v`.
    pub gain: Vec<f64>,
    /// What remapping saves against the base: `B - R(v)`.
    pub stop: f64,
    /// The base B.
    pub base: f64,
    /// R(v).
    remap: f64,
    /// v, where P does not keep constants.
    value: Vec<f64>,
    rounding: Rounding,
}

/// What bounds the errors of the computed savings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rounding {
    /// Relative to what P was applied to.
    relative: f64,
    /// B, if P was applied to v rather than to d, otherwise 0.
    base: f64,
    /// The largest `-d`, if it was applied to d.
    excess: f64,
    /// Of `stop`.
    pub stop: f64,
}

impl Rounding {
    /// A bound on the error of `gain` in a state with running cost `psi`, whose own rounding it
    /// includes.
    #[inline(always)]
    pub fn slack(&self, psi: f64, gain: f64) -> f64 {
        let own = 4.0 * f64::EPSILON * (psi + gain.abs());
        // P |d| is at most P d + 2 max(-d).
        let size = (self.base - (gain + psi)).abs() + 2.0 * self.excess;
        self.relative * size + own + f64::EPSILON * self.base
    }
}

impl Sweep {
    /// Room for sweeps of this problem.
    pub fn new(problem: &Problem) -> Self {
        let n = problem.states();
        let value = if problem.operator.conserves() { Vec::new() } else { vec![0.0; n] };
        let relative = (problem.operator.rounding() + 4.0) * f64::EPSILON;
        let rounding = Rounding { relative, base: 0.0, excess: 0.0, stop: 0.0 };
        Self { gain: vec![0.0; n], stop: 0.0, base: 0.0, remap: 0.0, value, rounding }
    }

    /// Computes what both branches save at `base - saving`.
    pub fn run(&mut self, problem: &Problem, base: f64, saving: &[f64]) {
        let running = problem.running();
        if self.value.is_empty() {
            problem.operator.apply_then(saving, &mut self.gain, Finish::Less(running));
        } else {
            vector::update_from(&mut self.value, [saving], move |_, [d]| base - d);
            problem.operator.apply_into(&self.value, &mut self.gain);
            vector::update_from(&mut self.gain, [running], move |image, [psi]| base - psi - image);
        }
        let [excess] = problem.largest([excess(saving)]);
        self.weigh(problem, base, saving, excess);
    }

    /// Moves a side of value iteration by one sweep, in one pass over memory: `saving` comes from above if `side` is
    /// 1, from below if it is -1, and stays on its side. `excess` is that of `saving` on all ranks. Returns the new
    /// one of the own part, and how far its entries are at most below those of `other`, if that is given.
    pub fn close(
        &mut self,
        problem: &Problem,
        base: f64,
        (saving, side, excess): (&mut Vec<f64>, f64, f64),
        other: Option<&[f64]>,
    ) -> [f64; 2] {
        self.weigh(problem, base, saving, excess);
        let Self { gain: image, value, rounding, stop, .. } = self;
        if !value.is_empty() {
            vector::update_from(value, [saving], move |_, [d]| base - d);
        }
        let closer = Closer {
            side,
            base,
            stop: *stop + side * rounding.stop,
            of_value: !value.is_empty(),
            rounding: *rounding,
        };
        let maxima = [const { AtomicU64::new(0) }; 2];
        let old = &**saving;
        let part = |start: usize, image: &mut [f64]| {
            let range = start..start + image.len();
            let other = other.unwrap_or(old);
            let from = [&problem.running[range.clone()], &old[range.clone()], &other[range]];
            let found = widest(Close { closer, image, from });
            maxima.iter().zip(found).for_each(|(maximum, found)| raise(maximum, found));
        };
        let function = if value.is_empty() { old } else { value };
        problem.operator.apply_then(function, image, Finish::Parts(&part));
        std::mem::swap(saving, image);
        maxima.map(|maximum| f64::from_bits(maximum.into_inner()))
    }

    /// Sets what remapping saves, and the bounds on errors.
    fn weigh(&mut self, problem: &Problem, base: f64, saving: &[f64], excess: f64) {
        self.base = base;
        if self.value.is_empty() {
            self.rounding.excess = excess;
        } else {
            self.rounding.base = base;
        }
        (self.stop, self.rounding.stop) = match problem.after {
            AfterRemap::Stop => {
                (base - problem.remap_cost, f64::EPSILON * (base - problem.remap_cost).abs())
            }
            // The mean of B is B.
            AfterRemap::Uniform => {
                let mean = problem.mean(saving);
                let slack = problem.mean_rounding() * (mean.abs() + 2.0 * excess);
                let stop = mean - problem.remap_cost;
                (stop, slack + f64::EPSILON * stop.abs())
            }
        };
        self.remap = match problem.after {
            AfterRemap::Stop => problem.remap_cost,
            AfterRemap::Uniform => base - self.stop,
        };
    }

    /// R(v).
    pub fn remap(&self) -> f64 {
        self.remap
    }

    /// The bounds on errors.
    pub fn rounding(&self) -> Rounding {
        self.rounding
    }

    /// Whether continuing is the cheaper branch in an unbalanced state.
    pub fn continues(&self, state: usize) -> bool {
        self.gain[state] > self.stop
    }

    /// Sets `saving` to that of the image under the Bellman operator.
    pub fn take(&self, problem: &Problem, saving: &mut [f64]) {
        let (base, stop) = (self.base, self.stop);
        vector::update_from(saving, [&problem.running, &self.gain], move |_, [psi, gain]| {
            let larger = if gain > stop { gain } else { stop };
            if psi == 0.0 { base } else { larger }
        });
    }
}

/// The largest `-d`, 0 if there is none.
pub(super) fn excess(saving: &[f64]) -> f64 {
    vector::maximum_of([saving], |[d]| -d)
}

/// Raises a number that is not negative, whose bits these are: they are in the same order.
fn raise(maximum: &AtomicU64, found: f64) {
    if found.to_bits() > maximum.load(Ordering::Relaxed) {
        maximum.fetch_max(found.to_bits(), Ordering::Relaxed);
    }
}

/// What becomes of a saving.
#[derive(Clone, Copy)]
struct Closer {
    side: f64,
    base: f64,
    stop: f64,
    /// Whether the chain moved v, and not what is saved.
    of_value: bool,
    rounding: Rounding,
}

impl Closer {
    #[inline(always)]
    fn of(self, image: f64, psi: f64, old: f64) -> f64 {
        let Self { side, base, stop, of_value, rounding } = self;
        let gain = if of_value { base - psi - image } else { image - psi };
        let go = gain + side * rounding.slack(psi, gain);
        let new = if go > stop { go } else { stop };
        // The side it comes from is a bound already.
        let closer = if (new - old) * side < 0.0 { new } else { old };
        if psi == 0.0 { base } else { closer }
    }
}

/// Maxima kept side by side.
const LANES: usize = 8;

/// [`Closer::of`] an image, in its place, from the running cost, the old saving and that of the other side.
struct Close<'a> {
    closer: Closer,
    image: &'a mut [f64],
    from: [&'a [f64]; 3],
}

impl WithSimd for Close<'_> {
    type Output = [f64; 2];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> [f64; 2] {
        let Self { closer, image, from } = self;
        let mut maxima = [[0.0; LANES]; 2];
        let mut take = |k: usize, image: &mut f64, [psi, old, other]: [f64; 3]| {
            *image = closer.of(*image, psi, old);
            maxima[0][k] = vector::larger(maxima[0][k], -*image);
            maxima[1][k] = vector::larger(maxima[1][k], other - *image);
        };
        let (rows, rest) = image.as_chunks_mut::<LANES>();
        let [psi, old, other] = from.map(|x| x.as_chunks::<LANES>());
        for (((image, psi), old), other) in rows.iter_mut().zip(psi.0).zip(old.0).zip(other.0) {
            for k in 0..LANES {
                take(k, &mut image[k], [psi[k], old[k], other[k]]);
            }
        }
        for (k, image) in rest.iter_mut().enumerate() {
            take(k, image, [psi.1[k], old.1[k], other.1[k]]);
        }
        maxima.map(|maxima| maxima.into_iter().fold(0.0, vector::larger))
    }
}
