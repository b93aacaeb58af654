//! Independent factors: the Kronecker product, applied mode by mode.

use super::{BirthDeath, ChainError, Dense, Exchangeable, Operator, usable};
use rayon::prelude::*;

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

/// The Kronecker product of its factors, on tuples of their states in row-major order: the state
/// of the last factor varies fastest.
///
/// The product matrix is never formed; an application costs the sum over the factors of what each
/// costs on all states. Modes are processed depth first: as soon as one row of the first mode is
/// there, the others are applied to it while it is in the cache.
#[derive(Debug)]
pub struct Product {
    factors: Vec<Factor>,
    /// `inner[k]`: the number of joint states of the factors after k.
    inner: Vec<usize>,
    states: usize,
}

/// Blocks of at least this many numbers are shared among threads.
const PARALLEL: usize = 1 << 14;

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

    /// How many numbers of scratch memory the factors from `mode` on use for one of their blocks.
    fn scratch(&self, mode: usize) -> usize {
        (mode + 1..self.factors.len()).map(|k| self.inner[k - 1]).sum::<usize>()
            + (mode..self.factors.len()).map(|k| self.whole(k)).sum::<usize>()
    }

    /// How many numbers factor `k` needs for its result before the next mode can start.
    fn whole(&self, k: usize) -> usize {
        match &self.factors[k] {
            Factor::Exchangeable(chain) if self.inner[k] > 1 => chain.states() * self.inner[k],
            _ => 0,
        }
    }

    /// Applies the factors from `mode` on, for one level of the first of them.
    fn slab(&self, mode: usize, level: usize, v: &[f64], out: &mut [f64], scratch: &mut [f64]) {
        let (row, scratch) = scratch.split_at_mut(self.inner[mode]);
        match &self.factors[mode] {
            Factor::BirthDeath(chain) => chain.row_into(level, v, row),
            Factor::Dense(chain) => chain.row_into(level, v, row),
            Factor::Exchangeable(_) => unreachable!("needs all of its levels"),
        }
        self.apply_modes(mode + 1, row, out, scratch);
    }

    /// Applies the factors from `mode` on to one block.
    fn apply_modes(&self, mode: usize, v: &[f64], out: &mut [f64], scratch: &mut [f64]) {
        let width = self.inner[mode];
        let factor = &self.factors[mode];
        if width == 1 {
            return factor.apply_rows(v, out, 1);
        }
        let parallel = out.len() >= PARALLEL;
        if let Factor::Exchangeable(chain) = factor {
            let (whole, scratch) = scratch.split_at_mut(self.whole(mode));
            chain.apply_rows(v, whole, width);
            let slabs = out.par_chunks_exact_mut(width).zip(whole.par_chunks_exact(width));
            if parallel {
                slabs.for_each_init(
                    || vec![0.0; self.scratch(mode + 1)],
                    |scratch, (out, v)| self.apply_modes(mode + 1, v, out, scratch),
                );
            } else {
                for (out, v) in out.chunks_exact_mut(width).zip(whole.chunks_exact(width)) {
                    self.apply_modes(mode + 1, v, out, scratch);
                }
            }
            return;
        }
        let slab = |level: usize, out: &mut [f64], scratch: &mut [f64]| {
            self.slab(mode, level, v, out, scratch);
        };
        if parallel {
            out.par_chunks_exact_mut(width).enumerate().for_each_init(
                || vec![0.0; self.scratch(mode)],
                |scratch, (level, out)| slab(level, out, scratch),
            );
        } else {
            for (level, out) in out.chunks_exact_mut(width).enumerate() {
                slab(level, out, scratch);
            }
        }
    }
}

impl Operator for Product {
    fn states(&self) -> usize {
        self.states
    }

    fn apply_into(&self, v: &[f64], out: &mut [f64]) {
        assert!(v.len() == self.states && out.len() == self.states);
        let whole = if self.inner[0] > 1 { self.whole(0) } else { 0 };
        let local = if self.states >= PARALLEL { whole } else { self.scratch(0) };
        self.apply_modes(0, v, out, &mut vec![0.0; local]);
    }

    fn apply_then(&self, v: &[f64], out: &mut [f64], finish: &(dyn Fn(usize, &mut [f64]) + Sync)) {
        let width = self.inner[0];
        let by_level = !matches!(self.factors[0], Factor::Exchangeable(_));
        if self.states < PARALLEL || width == 1 || !by_level {
            self.apply_into(v, out);
            return finish(0, out);
        }
        assert!(v.len() == self.states && out.len() == self.states);
        let slabs = out.par_chunks_exact_mut(width).enumerate();
        slabs.for_each_init(
            || vec![0.0; self.scratch(0)],
            |scratch, (level, out)| {
                self.slab(0, level, v, out, scratch);
                finish(level * width, out);
            },
        );
    }

    fn rounding(&self) -> f64 {
        self.factors.iter().map(|factor| factor.operator().rounding()).sum()
    }

    fn conserves(&self) -> bool {
        self.factors.iter().all(|factor| factor.operator().conserves())
    }

    fn reversing_weights(&self) -> Option<Vec<f64>> {
        let mut product = vec![1.0];
        for factor in &self.factors {
            let weights = factor.operator().reversing_weights()?;
            product = product.iter().flat_map(|p| weights.iter().map(move |w| p * w)).collect();
        }
        usable(product)
    }
}
