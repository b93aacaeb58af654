//! One process whose load moves by at most one level in a step.

use super::{ChainError, Operator, ROW_SUM_TOLERANCE, probability, usable};
use crate::Rational;
use rayon::prelude::*;

/// What a walk does with the probability of stepping out of its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// It is added to the inward move.
    Reflect,
    /// It is added to staying.
    Hold,
}

/// A birth–death chain on levels 0..L: up, stay or down by one, with probabilities that may depend
/// on the level.
#[derive(Debug, Clone, PartialEq)]
pub struct BirthDeath {
    up: Vec<f64>,
    stay: Vec<f64>,
    down: Vec<f64>,
}

impl BirthDeath {
    /// The walk with the same `up` and `down` probabilities at every inner level.
    ///
    /// # Errors
    /// Fewer than two levels, or probabilities outside [0, 1] or summing to more than one.
    pub fn walk(levels: usize, up: f64, down: f64, edge: Edge) -> Result<Self, ChainError> {
        if levels < 2 {
            return Err(ChainError::TooFewLevels(levels));
        }
        probability(up, || "up".into())?;
        probability(down, || "down".into())?;
        let mut ups = vec![up; levels];
        let mut downs = vec![down; levels];
        (ups[levels - 1], downs[0]) = (0.0, 0.0);
        if edge == Edge::Reflect {
            ups[0] += down;
            downs[levels - 1] += up;
        }
        Self::new(ups, downs)
    }

    /// The chain that moves from level i up with probability `up[i]`, down with `down[i]`, and
    /// stays otherwise.
    ///
    /// # Errors
    /// Lists of different lengths or of fewer than two levels, entries outside [0, 1], a level with
    /// up + down > 1, or a step out of the range.
    pub fn new(up: Vec<f64>, down: Vec<f64>) -> Result<Self, ChainError> {
        let levels = up.len();
        if levels < 2 {
            return Err(ChainError::TooFewLevels(levels));
        }
        if down.len() != levels {
            let what = "down (one entry for each entry of up)".into();
            return Err(ChainError::Shape { what, expected: levels, found: down.len() });
        }
        let mut stay = Vec::with_capacity(levels);
        for level in 0..levels {
            probability(up[level], || format!("up[{level}]"))?;
            probability(down[level], || format!("down[{level}]"))?;
            let sum = up[level] + down[level];
            if sum > 1.0 + ROW_SUM_TOLERANCE {
                return Err(ChainError::TooMuchMotion { level, sum });
            }
            stay.push((1.0 - up[level] - down[level]).max(0.0));
        }
        if down[0] != 0.0 {
            let (direction, edge, value) = ("down", "lowest", down[0]);
            return Err(ChainError::LeavesRange { direction, edge, value });
        }
        if up[levels - 1] != 0.0 {
            let (direction, edge, value) = ("up", "highest", up[levels - 1]);
            return Err(ChainError::LeavesRange { direction, edge, value });
        }
        Ok(Self { up, stay, down })
    }

    /// The same as [`new`](Self::new) for exact probabilities: those of moving and of staying are
    /// each rounded once.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn from_rationals(up: &[Rational], down: &[Rational]) -> Result<Self, ChainError> {
        let double = |p: &Rational| p.to_f64().value();
        let mut chain =
            Self::new(up.iter().map(double).collect(), down.iter().map(double).collect())?;
        for (stay, (up, down)) in chain.stay.iter_mut().zip(up.iter().zip(down)) {
            *stay = double(&(Rational::ONE - up - down)).max(0.0);
        }
        Ok(chain)
    }

    /// The number of levels L.
    pub fn levels(&self) -> usize {
        self.up.len()
    }

    /// The probability of moving up from `level`.
    pub fn up(&self, level: usize) -> f64 {
        self.up[level]
    }

    /// The probability of staying at `level`.
    pub fn stay(&self, level: usize) -> f64 {
        self.stay[level]
    }

    /// The probability of moving down from `level`.
    pub fn down(&self, level: usize) -> f64 {
        self.down[level]
    }

    /// The same chain as a list of rows.
    pub fn rows(&self) -> Vec<Vec<f64>> {
        let levels = self.levels();
        (0..levels)
            .map(|i| {
                let mut row = vec![0.0; levels];
                row[i] = self.stay[i];
                if i > 0 {
                    row[i - 1] = self.down[i];
                }
                if i + 1 < levels {
                    row[i + 1] = self.up[i];
                }
                row
            })
            .collect()
    }

    /// Row `level` of the operator on rows of `width` values: `out = sum of P(level, j) v[j, ..]`.
    pub(super) fn row_into(&self, level: usize, v: &[f64], out: &mut [f64]) {
        let width = out.len();
        let row = |j: usize| &v[j * width..(j + 1) * width];
        let (stay, here) = (self.stay[level], row(level));
        if level == 0 {
            let up = self.up[0];
            for ((out, here), above) in out.iter_mut().zip(here).zip(row(1)) {
                *out = stay * here + up * above;
            }
        } else if level + 1 == self.levels() {
            let down = self.down[level];
            for ((out, here), below) in out.iter_mut().zip(here).zip(row(level - 1)) {
                *out = down * below + stay * here;
            }
        } else {
            let (up, down) = (self.up[level], self.down[level]);
            let (below, above) = (row(level - 1), row(level + 1));
            for (((out, here), below), above) in out.iter_mut().zip(here).zip(below).zip(above) {
                *out = down * below + stay * here + up * above;
            }
        }
    }

    /// Rows 0..`levels` of the operator on rows of `width` values, for a function `v` that is known
    /// at these levels and, unless they are all, at the one above.
    pub(super) fn span_into(&self, levels: usize, v: &[f64], out: &mut [f64], width: usize) {
        if width > 1 {
            for (level, out) in out.chunks_exact_mut(width).enumerate() {
                self.row_into(level, v, out);
            }
            return;
        }
        out[0] = self.stay[0] * v[0] + self.up[0] * v[1];
        let through = levels.min(self.levels() - 1);
        let (down, stay, up) =
            (&self.down[1..through], &self.stay[1..through], &self.up[1..through]);
        let n = through - 1;
        let (below, here, above) = (&v[..n], &v[1..n + 1], &v[2..n + 2]);
        let (down, stay, up) = (&down[..n], &stay[..n], &up[..n]);
        for (i, out) in out[1..n + 1].iter_mut().enumerate() {
            *out = down[i] * below[i] + stay[i] * here[i] + up[i] * above[i];
        }
        if levels == self.levels() {
            let last = levels - 1;
            out[last] = self.down[last] * v[last - 1] + self.stay[last] * v[last];
        }
    }

    /// Rows 0..`out.len()` of the operator, for a function given as `padded`: a number that does not
    /// matter, the values at these levels, and that at the level above (which does not matter either
    /// if there is no such level). All must be finite.
    pub(super) fn padded_into(&self, padded: &[f64], out: &mut [f64]) {
        let n = out.len();
        let (down, stay, up) = (&self.down[..n], &self.stay[..n], &self.up[..n]);
        let (below, here, above) = (&padded[..n], &padded[1..n + 1], &padded[2..n + 2]);
        for (i, out) in out.iter_mut().enumerate() {
            *out = down[i] * below[i] + stay[i] * here[i] + up[i] * above[i];
        }
    }

    /// Detailed-balance weights of the levels.
    pub(super) fn weights(&self) -> Option<Vec<f64>> {
        let mut weights = vec![1.0];
        for level in 1..self.levels() {
            let (there, back) = (self.up[level - 1], self.down[level]);
            // Levels that do not communicate may have any weights.
            let ratio = if there == 0.0 && back == 0.0 { 1.0 } else { there / back };
            weights.push(weights[level - 1] * ratio);
        }
        usable(weights)
    }
}

impl Operator for BirthDeath {
    fn states(&self) -> usize {
        self.levels()
    }

    fn apply_into(&self, v: &[f64], out: &mut [f64]) {
        assert!(v.len() == self.levels() && out.len() == self.levels());
        out.par_iter_mut().with_min_len(1 << 14).enumerate().for_each(|(level, out)| {
            self.row_into(level, v, std::slice::from_mut(out));
        });
    }

    fn rounding(&self) -> f64 {
        2.0
    }

    fn conserves(&self) -> bool {
        true
    }

    fn reversing_weights(&self) -> Option<Vec<f64>> {
        self.weights()
    }
}
