//! Discretization of a distribution on a lattice, with a bound of its error.
//!
//! Let `S` have distribution function `F`, and let the cells be the intervals between neighboring
//! points `x_k` of a lattice. Two distributions approximate that of `S`. `M` is the mean of the
//! cell that `S` falls into. `Z` moves `M` to one of the two ends of its cell so that the mean is
//! kept. Then `E g(M) <= E g(S) <= E g(Z)` for every convex `g`, by Jensen's inequality twice, and
//! `Z` lives on the lattice. Both need only the probability of each cell and the first moment
//! within it. These follow from `F` and from `T(x) = E[S - E S; S > x]`. For a gamma distribution
//! `T` is `x` times the scale times the density; for a normal one it is the variance times the
//! density.

use super::LatticeLaw;
use super::extremes::Marginal;
use super::gamma::Tails;
use crate::observer::{Halt, Observer};
use std::ops::ControlFlow;

/// Largest number of cells of a distribution.
const MOST_CELLS: f64 = 1e6;

/// Number of cells between two checks of the observer.
const CELLS_AT_A_TIME: usize = 64;

/// The points `centre + span * k`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// Where `k = 0` is.
    pub centre: f64,
    /// Distance of neighboring points, positive.
    pub span: f64,
}

/// A distribution split onto the points of a grid.
#[derive(Debug, Clone)]
pub struct Cells {
    /// Distribution of `k`, where `Z = centre + span * k`.
    pub law: LatticeLaw,
    /// `E[Z - M | Z]` in spans, for each value of `Z`.
    pub pull: Vec<f64>,
    /// `E (Z - M)^2` in squared spans.
    pub spread: f64,
    /// Bound of the Wasserstein distance, in spans, between the distributions of `Z` and `M` here
    /// and those of exact arithmetic. It covers the omitted tails and the rounding of `F` and `T`.
    pub distance: f64,
}

impl Cells {
    /// Splits a distribution; `None` if that takes more than a million cells, or after a halt.
    pub fn new(law: &Marginal, count: usize, grid: Grid, observer: &dyn Observer) -> Option<Self> {
        let (low, high) = law.ends(count as f64);
        let place = |x: f64| (x - grid.centre) / grid.span;
        let (first, last) = (place(low).floor() - 1.0, place(high).ceil() + 1.0);
        if !(last - first < MOST_CELLS && first.abs() < 1e15 && last.abs() < 1e15) {
            return None;
        }
        let (first, cells) = (first as i64, (last - first) as usize);
        // Probability of each cell, and mean position in it, from 0 to 1.
        let mut found = Pieces { parts: vec![(0.0, 0.0); cells], distance: 0.0 };
        match law {
            Marginal::Lattice { origin, span, law, .. } => {
                for (k, &p) in (law.first()..).zip(law.weights()) {
                    let at = place(origin + span * k as f64) - first as f64;
                    let cell = (at.floor().max(0.0) as usize).min(cells - 1);
                    let part = &mut found.parts[cell];
                    part.0 += p;
                    part.1 += p * (at - cell as f64).clamp(0.0, 1.0);
                }
                for part in &mut found.parts {
                    part.1 = if part.0 > 0.0 { (part.1 / part.0).min(1.0) } else { 0.0 };
                }
                let size = place(low).abs().max(place(high).abs());
                found.distance = 8.0 * f64::EPSILON * (1.0 + size) + 4.0 * law.rounding();
            }
            _ => found.integrate(law, grid, first, observer).continue_value()?,
        }
        let rounding = if let Marginal::Lattice { law, .. } = law { law.rounding() } else { 0.0 };
        Some(found.split(first, rounding))
    }
}

/// Cells with the probability of each and the mean position in it.
struct Pieces {
    parts: Vec<(f64, f64)>,
    distance: f64,
}

impl Pieces {
    /// Computes the cells from the tails of a continuous distribution.
    fn integrate(
        &mut self,
        law: &Marginal,
        grid: Grid,
        first: i64,
        observer: &dyn Observer,
    ) -> ControlFlow<Halt> {
        let (mean, accuracy) = (law.mean(), law.accuracy());
        let at = |j: usize| grid.centre + grid.span * (first + j as i64) as f64;
        let ends = |j: usize| (at(j), law.tails(at(j)), law.excess(at(j)));
        let mut before = ends(0);
        // Probability outside all cells, moved to the ends.
        self.distance = 2.0 * before.2 / grid.span;
        let cells = self.parts.len();
        for (j, part) in self.parts.iter_mut().enumerate() {
            if j % CELLS_AT_A_TIME == 0 {
                observer.check()?;
            }
            let after = ends(j + 1);
            let (Tails { below, above }, tails) = (before.1, after.1);
            let mut p = if tails.below <= 0.5 {
                tails.below - below
            } else if above <= 0.5 {
                above - tails.above
            } else {
                1.0 - below - tails.above
            };
            // The omitted tails count in the outer cells.
            p += if j == 0 { below } else { 0.0 };
            p += if j + 1 == cells { tails.above } else { 0.0 };
            let p = p.max(0.0);
            let moment = (mean - before.0) * p + before.2 - after.2;
            let mean_place = if p > 0.0 { moment / (grid.span * p) } else { 0.0 };
            *part = (p, mean_place.clamp(0.0, 1.0));
            let small = below.min(above) + tails.below.min(tails.above);
            let lost = (after.0 - mean).abs().max((before.0 - mean).abs()) * small;
            self.distance += accuracy * (small + (lost + before.2 + after.2) / grid.span);
            before = after;
        }
        self.distance += 2.0 * before.2 / grid.span;
        let size = mean.abs().max(at(0).abs()).max(before.0.abs());
        self.distance += 16.0 * f64::EPSILON * size / grid.span;
        ControlFlow::Continue(())
    }

    /// Moves the probability of each cell to its ends.
    fn split(self, first: i64, rounding: f64) -> Cells {
        let Pieces { parts, mut distance } = self;
        let total: f64 = parts.iter().map(|part| part.0).sum();
        distance += (total - 1.0).abs() * parts.len() as f64;
        let mut weights = vec![0.0; parts.len() + 1];
        let mut pull = vec![0.0; parts.len() + 1];
        let mut spread = 0.0;
        for (j, &(p, right)) in parts.iter().enumerate() {
            let p = p / total;
            let pulled = p * right * (1.0 - right);
            weights[j] += p * (1.0 - right);
            weights[j + 1] += p * right;
            pull[j] -= pulled;
            pull[j + 1] += pulled;
            spread += pulled;
        }
        for (pull, weight) in pull.iter_mut().zip(&weights) {
            *pull = if *weight > 0.0 { (*pull / weight).clamp(-1.0, 1.0) } else { 0.0 };
        }
        Cells { law: LatticeLaw::rounded(first, weights, rounding), pull, spread, distance }
    }
}
