//! One application of the chain to an approximation of J, with a bound on its rounding.
//!
//! An approximation v is stored as a base B and the *saving* d = B - v. If P preserves constants,
//! continuing saves
//!
//! ```text
//! B - (psi + P v) = P d - psi
//! ```
//!
//! This form is the accurate one: J is close to R except near balance, so d is small where J is
//! large, and the rounding of `P d` is relative to `P d`, not to R. One application of P plus
//! O(states).

use super::vector;
use crate::chain::Finish;
use crate::machine::widest;
use crate::stopping::{AfterRemap, Problem};
use pulp::{Simd, WithSimd};
use std::sync::atomic::{AtomicU64, Ordering};

/// The savings of both actions of the Bellman operator at some v, with work vectors.
#[derive(Debug, Clone)]
pub(in crate::stopping) struct Sweep {
    /// Saving of continuing relative to the base: `B - psi - P v`.
    pub gain: Vec<f64>,
    /// Saving of remapping relative to the base: `B - R(v)`.
    pub stop: f64,
    /// The base B.
    pub base: f64,
    /// R(v).
    pub remap: f64,
    /// v, if P does not preserve constants.
    value: Vec<f64>,
    /// The bounds on errors.
    pub rounding: Rounding,
}

/// Bounds on the errors of the computed savings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::stopping) struct Rounding {
    /// Relative to the function that P was applied to.
    relative: f64,
    /// B, if P was applied to v rather than to d; otherwise 0.
    base: f64,
    /// The greatest `-d`, if P was applied to d.
    excess: f64,
    /// Error of `stop`.
    pub stop: f64,
}

impl Rounding {
    /// A bound on the error of `gain` in a state with running cost `psi`, including its own
    /// rounding.
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

    /// Computes the savings of both actions at `base - saving`.
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

    /// One sweep of value iteration for a one-sided bound, in one pass over memory. `saving` is an
    /// upper bound if `side` is 1 and a lower bound if it is -1, and remains one. `excess` is that
    /// of `saving` on all ranks. Returns the new excess of the own part, and the greatest amount by
    /// which entries are below those of `other`, if given.
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

    /// Sets the saving of remapping, and the bounds on errors.
    fn weigh(&mut self, problem: &Problem, base: f64, saving: &[f64], excess: f64) {
        self.base = base;
        if self.value.is_empty() {
            self.rounding.excess = excess;
        } else {
            self.rounding.base = base;
        }
        (self.stop, self.rounding.stop, self.remap) = match problem.after {
            AfterRemap::Stop => {
                let stop = base - problem.remap_cost;
                (stop, f64::EPSILON * stop.abs(), problem.remap_cost)
            }
            // The mean of B is B.
            AfterRemap::Uniform => {
                let mean = problem.mean(saving);
                let slack = problem.mean_rounding() * (mean.abs() + 2.0 * excess);
                let stop = mean - problem.remap_cost;
                (stop, slack + f64::EPSILON * stop.abs(), base - stop)
            }
        };
    }

    /// Whether continuing is the better action in an unbalanced state.
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

/// The greatest `-d`; 0 if there is none.
pub(in crate::stopping) fn excess(saving: &[f64]) -> f64 {
    vector::maximum_of([saving], |[d]| -d)
}

/// Raises a nonnegative number that is stored by its bits, which have the same order.
fn raise(maximum: &AtomicU64, found: f64) {
    if found.to_bits() > maximum.load(Ordering::Relaxed) {
        maximum.fetch_max(found.to_bits(), Ordering::Relaxed);
    }
}

/// The update of a saving.
#[derive(Clone, Copy)]
struct Closer {
    side: f64,
    base: f64,
    stop: f64,
    /// Whether the chain was applied to v rather than to the saving.
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
        // The old value is a bound already.
        let closer = if (new - old) * side < 0.0 { new } else { old };
        if psi == 0.0 { base } else { closer }
    }
}

/// Independent maxima, for vectorization.
const LANES: usize = 8;

/// Applies [`Closer::of`] in place to an image, given the running cost, the old saving and the
/// other side's saving.
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
