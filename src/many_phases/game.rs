//! A problem in doubles, and the steps that a discounted program is evaluated for.

use super::problem::{Horizon, ManyPhases, Remap};
use crate::Rational;
use crate::rounding::{SLACK, nearest, outward};

/// A discounted program is evaluated until this fraction of its cost remains, for at most so many
/// steps.
const LEFT: f64 = 1e-9;
const MOST_SWEPT: f64 = 1e5;

/// The parameters in doubles.
pub(super) struct Game {
    pub(super) count: usize,
    pub(super) reports: usize,
    pub(super) cycle: Vec<Vec<f64>>,
    pub(super) switch: Vec<Vec<f64>>,
    pub(super) fitted: bool,
    /// `moves[r][z][y]`: probability that phase y follows z and observation r is made.
    pub(super) moves: Vec<Vec<Vec<f64>>>,
    pub(super) initial: Vec<f64>,
    /// Bounds on the cost beyond the truncated horizon, for a discounted program.
    pub(super) beyond: (f64, f64),
    /// Bound on the rounding error of a step, relative to the largest cost.
    pub(super) slack: f64,
}

/// Number of steps evaluated of a program with discount `rate`; at rate 0 one step is the whole
/// cost.
pub(super) fn looked_at(rate: f64) -> u64 {
    (LEFT.ln() / rate.ln()).clamp(1.0, MOST_SWEPT) as u64
}

impl Game {
    /// Width of the bounds due to the cost beyond the truncated horizon.
    pub(super) fn left_out(&self, horizon: &Horizon) -> f64 {
        match horizon {
            Horizon::Ends(_) => 0.0,
            Horizon::Discounted(rate) => {
                let rate = nearest(rate);
                rate.powf(looked_at(rate) as f64) * (self.beyond.1 - self.beyond.0)
            }
        }
    }

    pub(super) fn new(problem: &ManyPhases, horizon: &Horizon) -> Game {
        let doubles = |table: &Vec<Vec<Rational>>| -> Vec<Vec<f64>> {
            table.iter().map(|row| row.iter().map(nearest).collect()).collect()
        };
        let (count, reports) = (problem.phases(), problem.reports());
        let (transition, detector) = (doubles(&problem.transition), doubles(&problem.detector));
        let moves = |r: usize| -> Vec<Vec<f64>> {
            let to = |row: &Vec<f64>| (0..count).map(|y| row[y] * detector[y][r]).collect();
            transition.iter().map(to).collect()
        };
        let cycle = doubles(&problem.cycle);
        let beyond = match horizon {
            Horizon::Ends(_) => (0.0, 0.0),
            Horizon::Discounted(rate) => {
                let left = nearest(&(Rational::ONE / (Rational::ONE - rate)));
                let all = || cycle.iter().flatten().copied();
                let (least, most) =
                    (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
                (
                    outward::<false>(least * left, least * left),
                    outward::<true>(most * left, most * left),
                )
            }
        };
        Game {
            count,
            reports,
            switch: doubles(&problem.switch),
            fitted: problem.remap == Remap::Fitted,
            moves: (0..reports).map(moves).collect(),
            initial: problem.initial.iter().map(nearest).collect(),
            beyond,
            slack: SLACK * (4.0 + (count * reports) as f64 / 4.0),
            cycle,
        }
    }

    /// Joint probabilities of the next phase and `report`, given `belief`.
    pub(super) fn joint(&self, belief: &[f64], report: usize) -> Vec<f64> {
        let mut sum = vec![0.0; self.count];
        for (p, row) in belief.iter().zip(&self.moves[report]) {
            sum.iter_mut().zip(row).for_each(|(sum, chance)| *sum += p * chance);
        }
        sum
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Magnitude of a mean of `values` for its rounding error; the mean itself may be much smaller.
pub(super) fn magnitude(chances: &[f64], values: impl IntoIterator<Item = f64>) -> f64 {
    chances.iter().zip(values).map(|(p, value)| p * value.abs()).sum()
}
