//! One process whose load moves by at most one level in a step.

use super::kernel::{Levels, Row};
use super::{ChainError, Operator, misses_one, probability, usable};
use crate::Rational;
use crate::parallel;

/// What a walk does with the probability of stepping out of its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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
    /// The common row of all levels between the lowest and the highest, if there is one.
    between: Option<Row>,
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
            if sum > 1.0 && misses_one(sum, 3) {
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
        Ok(Self::of(up, stay, down))
    }

    /// The same as [`new`](Self::new) for exact probabilities. Those of moving and of staying are
    /// each rounded once.
    pub fn from_rationals(up: &[Rational], down: &[Rational]) -> Result<Self, ChainError> {
        let double = |p: &Rational| p.to_f64().value();
        let mut chain =
            Self::new(up.iter().map(double).collect(), down.iter().map(double).collect())?;
        for (direction, edge, p) in
            [("down", "lowest", &down[0]), ("up", "highest", &up[up.len() - 1])]
        {
            if *p != Rational::ZERO {
                return Err(ChainError::LeavesRange { direction, edge, value: double(p) });
            }
        }
        let most = Rational::ONE + Rational::from_parts(1.into(), 1_000_000_000u32.into());
        for (level, (stay, (up, down))) in
            chain.stay.iter_mut().zip(up.iter().zip(down)).enumerate()
        {
            // Deviations that doubles cannot distinguish from allowed values.
            for (name, p) in [("up", up), ("down", down)] {
                if *p > Rational::ONE {
                    let (what, value) = (format!("{name}[{level}]"), double(p));
                    return Err(ChainError::NotAProbability { what, value });
                }
            }
            if up + down > most {
                return Err(ChainError::TooMuchMotion { level, sum: double(&(up + down)) });
            }
            *stay = double(&(Rational::ONE - up - down)).max(0.0);
        }
        Ok(Self::of(chain.up, chain.stay, chain.down))
    }

    fn of(up: Vec<f64>, stay: Vec<f64>, down: Vec<f64>) -> Self {
        let mut chain = Self { up, stay, down, between: None };
        let row = chain.row(1);
        let same = (1..chain.levels() - 1).all(|level| chain.row(level) == row);
        chain.between = same.then_some(row);
        chain
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

    /// The probabilities of moving from `level`, and the levels below, here and above. A missing
    /// neighbor is replaced by the level itself, with probability 0.
    #[inline(always)]
    pub(super) fn neighbours(&self, level: usize) -> (Row, [usize; 3]) {
        let above = if level + 1 == self.levels() { level } else { level + 1 };
        (self.row(level), [level.saturating_sub(1), level, above])
    }

    /// The probabilities of moving from `level`.
    pub(super) fn row(&self, level: usize) -> Row {
        Row { down: self.down[level], stay: self.stay[level], up: self.up[level] }
    }

    /// Row `level` of the operator on rows of values; `at` returns the row of a level.
    pub(super) fn row_from<'v>(
        &self,
        level: usize,
        at: impl Fn(usize) -> &'v [f64],
        out: &mut [f64],
    ) {
        let (row, [below, here, above]) = self.neighbours(level);
        row.means(at(below), at(here), at(above), out);
    }

    /// Row `level` of the operator on rows of `width` values: `out = sum of P(level, j) v[j, ..]`.
    pub(super) fn row_into(&self, level: usize, v: &[f64], out: &mut [f64]) {
        let width = out.len();
        self.row_from(level, |j| &v[j * width..(j + 1) * width], out);
    }

    /// All rows, as lists by level.
    #[inline(always)]
    pub(super) fn rows_by_level(&self) -> Levels<'_> {
        Levels { down: &self.down, stay: &self.stay, up: &self.up, between: self.between }
    }

    /// Rows 0..`levels` of the operator on rows of `width` values. The function `v` is given at
    /// these levels and, unless they are all, at the next one.
    pub(super) fn span_into(&self, levels: usize, v: &[f64], out: &mut [f64], width: usize) {
        if width > 1 {
            for (level, out) in out.chunks_exact_mut(width).enumerate() {
                self.row_into(level, v, out);
            }
            return;
        }
        let last = self.levels() - 1;
        out[0] = self.stay[0] * v[0] + self.up[0] * v[1];
        self.rows_by_level().from(1).apply(v, &mut out[1..levels.min(last)]);
        if levels > last {
            out[last] = self.down[last] * v[last - 1] + self.stay[last] * v[last];
        }
    }
}

impl Operator for BirthDeath {
    fn states(&self) -> usize {
        self.levels()
    }

    fn staying(&self) -> Option<Vec<f64>> {
        Some(self.stay.clone())
    }

    fn apply_into(&self, v: &[f64], out: &mut [f64]) {
        assert!(v.len() == self.levels() && out.len() == self.levels());
        const PIECE: usize = 1 << 14;
        parallel::pieces(out, PIECE, &|piece, out| {
            for (level, out) in (piece * PIECE..).zip(out) {
                self.row_into(level, v, std::slice::from_mut(out));
            }
        });
    }

    fn rounding(&self) -> f64 {
        2.0
    }

    fn conserves(&self) -> bool {
        true
    }

    fn reversing_weights(&self) -> Option<Vec<f64>> {
        let mut weights = vec![1.0];
        for level in 1..self.levels() {
            let (there, back) = (self.up[level - 1], self.down[level]);
            // Levels that do not communicate may have any weights.
            let ratio = if there == 0.0 && back == 0.0 { 1.0 } else { there / back };
            weights.push(weights[level - 1] * ratio);
        }
        usable(weights)
    }

    /// Reversible if every step can be reversed.
    fn is_reversible(&self) -> bool {
        self.up.iter().zip(&self.down[1..]).all(|(there, back)| (*there > 0.0) == (*back > 0.0))
    }
}
