//! Independent factors: the Kronecker product, applied mode by mode.

use super::kernel::{Pair, Rows};
use super::{BirthDeath, ChainError, Dense, Exchangeable, Finish, Operator, usable};
use rayon::prelude::*;
use std::ops::Range;

/// One factor of a [`Product`].
#[derive(Debug)]
pub enum Factor {
    /// One process with steps of at most one level.
    BirthDeath(BirthDeath),
    /// One process with any transition matrix.
    Dense(Dense),
    /// Several equal processes.
    Exchangeable(Exchangeable),
}

impl Factor {
    fn operator(&self) -> &dyn Operator {
        match self {
            Factor::BirthDeath(chain) => chain,
            Factor::Dense(chain) => chain,
            Factor::Exchangeable(chain) => chain,
        }
    }

    /// Applies the factor to rows of `width` values.
    fn apply_rows(&self, v: &[f64], out: &mut [f64], width: usize) {
        match self {
            Factor::BirthDeath(chain) => chain.span_into(chain.levels(), v, out, width),
            Factor::Dense(chain) => {
                for (level, out) in out.chunks_exact_mut(width).enumerate() {
                    chain.row_into(level, v, out);
                }
            }
            Factor::Exchangeable(chain) => chain.apply_rows(v, out, width),
        }
    }
}

/// The Kronecker product of its factors, on tuples of their states in row-major order: the state of
/// the last factor varies fastest.
///
/// The product matrix is never formed; an application costs the sum over the factors of what each
/// costs on all states. Modes are processed depth first: each row of the first mode passes through
/// the others while it is in the cache. If rows are longer than the cache, the first mode computes
/// only as much ahead as the second needs for its next row.
#[derive(Debug)]
pub struct Product {
    factors: Vec<Factor>,
    /// `inner[k]`: the number of joint states of the factors after k.
    inner: Vec<usize>,
    states: usize,
}

/// Blocks of at least this many numbers are split among threads.
const PARALLEL: usize = 1 << 14;

/// Number of doubles that fit the nearest cache.
const CACHED: usize = 1 << 12;

/// A function of one level, its first state, output and scratch memory.
type EachLevel<'a> = dyn Fn((usize, usize), &mut [f64], &mut [f64]) + Sync + 'a;

impl Product {
    /// The joint chain of independent factors.
    ///
    /// # Errors
    /// No factors, or more states than a `usize` can count.
    pub fn new(factors: Vec<Factor>) -> Result<Self, ChainError> {
        if factors.is_empty() {
            return Err(ChainError::NoProcess);
        }
        let mut states = 1usize;
        let mut inner = Vec::new();
        for factor in factors.iter().rev() {
            inner.push(states);
            states = states.checked_mul(factor.operator().states()).ok_or_else(|| {
                let sizes = factors.iter().map(|f| f.operator().states().to_string());
                ChainError::TooManyStates(sizes.collect::<Vec<_>>().join(" x "))
            })?;
        }
        inner.reverse();
        Ok(Self { factors, inner, states })
    }

    /// The factors.
    pub fn factors(&self) -> &[Factor] {
        &self.factors
    }

    /// Scratch memory that the factors from `mode` on use for one block.
    fn scratch(&self, mode: usize) -> usize {
        let width = self.inner[mode];
        match &self.factors[mode..] {
            [_] => 0,
            [Factor::BirthDeath(_), Factor::BirthDeath(second)] => second.levels() + 2,
            [Factor::Exchangeable(_), ..] => self.whole(mode) + self.scratch(mode + 1),
            _ if self.two_at_once(mode).is_some() => {
                4 * self.inner[mode + 1] + self.scratch(mode + 2)
            }
            _ => width + self.scratch(mode + 1),
        }
    }

    /// Numbers that factor `k` must compute before the next mode can start.
    fn whole(&self, k: usize) -> usize {
        match &self.factors[k] {
            Factor::Exchangeable(chain) if self.inner[k] > 1 => chain.states() * self.inner[k],
            _ => 0,
        }
    }

    /// Factors `mode` and the next, if rows of the first are so long that those of the second
    /// should be computed as early as possible.
    fn two_at_once(&self, mode: usize) -> Option<(&BirthDeath, &BirthDeath)> {
        match &self.factors[mode..] {
            [Factor::BirthDeath(first), Factor::BirthDeath(second), _, ..]
                if self.inner[mode] > CACHED && second.levels() > 3 =>
            {
                Some((first, second))
            }
            _ => None,
        }
    }

    /// Applies the factors from `mode` on, for one level of the first of them, to the states from
    /// `start` on.
    fn slab(
        &self,
        (mode, level, start): (usize, usize, usize),
        v: Rows<'_>,
        out: &mut [f64],
        scratch: &mut [f64],
        finish: Finish<'_>,
    ) {
        let width = self.inner[mode];
        if let Some((first, second)) = self.two_at_once(mode) {
            let part = self.inner[mode + 1];
            let (ring, scratch) = scratch.split_at_mut(3 * part);
            let (row, scratch) = scratch.split_at_mut(part);
            for ahead in 0..=second.levels() {
                if ahead < second.levels() {
                    let at = |j: usize| &v.at(j, width)[ahead * part..][..part];
                    first.row_from(level, at, &mut ring[ahead % 3 * part..][..part]);
                }
                let Some(here) = ahead.checked_sub(1) else { continue };
                second.row_from(here, |j| &ring[j % 3 * part..][..part], row);
                let done = here * part;
                let out = &mut out[done..done + part];
                self.apply_modes((mode + 2, start + done), row, out, scratch, finish);
            }
            return;
        }
        if let [Factor::BirthDeath(first), Factor::BirthDeath(second)] = &self.factors[mode..] {
            return Pair { first, second, level, v }.apply(out, scratch, start, finish);
        }
        let (row, scratch) = scratch.split_at_mut(width);
        match &self.factors[mode] {
            Factor::BirthDeath(chain) => chain.row_from(level, |j| v.at(j, width), row),
            Factor::Dense(chain) => chain.row_into(level, v.whole(), row),
            Factor::Exchangeable(_) => unreachable!("needs all of its levels"),
        }
        self.apply_modes((mode + 1, start), row, out, scratch, finish);
    }

    /// Applies the factors from `mode` on to one block, that of the states from `start` on.
    fn apply_modes(
        &self,
        (mode, start): (usize, usize),
        v: &[f64],
        out: &mut [f64],
        scratch: &mut [f64],
        finish: Finish<'_>,
    ) {
        let width = self.inner[mode];
        let cached = out.len() <= CACHED;
        let keep = Finish::Keep;
        let (later, now) = if cached || width == 1 { (keep, finish) } else { (finish, keep) };
        match &self.factors[mode..] {
            [factor] => factor.apply_rows(v, out, 1),
            [Factor::BirthDeath(first), Factor::BirthDeath(second)] if cached => {
                let v = Rows::all(v);
                return Pair { first, second, level: 0, v }.apply(out, scratch, start, finish);
            }
            [Factor::Exchangeable(chain), ..] => {
                let (whole, scratch) = scratch.split_at_mut(self.whole(mode));
                chain.apply_rows(v, whole, width);
                let whole = &*whole;
                let row = |level: usize| &whole[level * width..(level + 1) * width];
                self.by_level((mode, start), out, scratch, &|(level, start), out, scratch| {
                    self.apply_modes((mode + 1, start), row(level), out, scratch, later);
                });
            }
            _ => self.by_level((mode, start), out, scratch, &|(level, start), out, scratch| {
                self.slab((mode, level, start), Rows::all(v), out, scratch, later);
            }),
        }
        now.finish(start, out);
    }

    /// Calls `each(level, first state)` for the levels of factor `mode` with their part of `out`.
    fn by_level(
        &self,
        (mode, start): (usize, usize),
        out: &mut [f64],
        scratch: &mut [f64],
        each: &EachLevel<'_>,
    ) {
        let width = self.inner[mode];
        let at = |level: usize| (level, start + level * width);
        if out.len() >= PARALLEL {
            let levels = out.par_chunks_exact_mut(width).enumerate();
            levels.for_each_init(
                || vec![0.0; self.scratch(mode)],
                |scratch, (level, out)| each(at(level), out, scratch),
            );
        } else {
            let levels = out.chunks_exact_mut(width).enumerate();
            levels.for_each(|(level, out)| each(at(level), out, scratch));
        }
    }

    /// The number of levels of the first factor, and of states of each. Rows can be computed for
    /// some of these levels alone, given the adjacent ones, if there are several factors and the
    /// first is a birth–death chain.
    pub(super) fn slabs(&self) -> (usize, usize) {
        (self.factors[0].operator().states(), self.inner[0])
    }

    /// The product of what each factor has in its own state, for states that cover some levels of
    /// the first factor.
    pub(super) fn product_of_slabs(
        &self,
        states: Range<usize>,
        of: impl Fn(&dyn Operator) -> Option<Vec<f64>>,
    ) -> Option<Vec<f64>> {
        let width = self.inner[0];
        let levels = states.start / width..states.end / width;
        let mut product = vec![1.0];
        for (mode, factor) in self.factors.iter().enumerate() {
            let all = of(factor.operator())?;
            let own = if mode == 0 { &all[levels.clone()] } else { &all[..] };
            product = product.iter().flat_map(|p| own.iter().map(move |w| p * w)).collect();
        }
        Some(product)
    }

    /// [`Operator::apply_then`] for the states with some levels of the first factor, counted from
    /// the first of them; see [`slabs`](Self::slabs).
    pub(super) fn apply_slabs(
        &self,
        first: usize,
        v: Rows<'_>,
        out: &mut [f64],
        finish: Finish<'_>,
    ) {
        let local = if out.len() >= PARALLEL { 0 } else { self.scratch(0) };
        self.by_level((0, 0), out, &mut vec![0.0; local], &|(level, start), out, scratch| {
            self.slab((0, first + level, start), v, out, scratch, finish);
        });
    }

    fn apply(&self, v: &[f64], out: &mut [f64], finish: Finish<'_>) {
        assert!(v.len() == self.states && out.len() == self.states);
        let local = if self.states >= PARALLEL { self.whole(0) } else { self.scratch(0) };
        self.apply_modes((0, 0), v, out, &mut vec![0.0; local], finish);
    }
}

impl Operator for Product {
    fn states(&self) -> usize {
        self.states
    }

    fn apply_into(&self, v: &[f64], out: &mut [f64]) {
        self.apply(v, out, Finish::Keep);
    }

    fn apply_then(&self, v: &[f64], out: &mut [f64], finish: Finish<'_>) {
        self.apply(v, out, finish);
    }

    fn rounding(&self) -> f64 {
        self.factors.iter().map(|factor| factor.operator().rounding()).sum()
    }

    fn conserves(&self) -> bool {
        self.factors.iter().all(|factor| factor.operator().conserves())
    }

    fn reversing_weights(&self) -> Option<Vec<f64>> {
        usable(self.product_of_slabs(0..self.states, |factor| factor.reversing_weights())?)
    }

    fn is_reversible(&self) -> bool {
        self.factors.iter().all(|factor| factor.operator().is_reversible())
    }
}
