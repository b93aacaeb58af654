//! The backward recursion of many phases: lower bounds on values at the points of a grid, and upper
//! bounds from the costs of policies, one for each point.

use crate::core::budget::{Budget, Refusal};
use crate::core::decimal::Number;
use crate::core::proof::Proof;
use crate::core::span::{Span, UNIT, WEIGHT, down, up, wide};
use crate::lifetime::remaining::Remaining;
use crate::many_phases::points::Points;
use crate::many_phases::{Choice, Grid, ManyPhases};
use num_bigint::BigInt;
use num_rational::BigRational;
use rayon::prelude::*;

/// The most numbers kept for the images of all points, and the finest grid, as a power of two.
const MOST: (usize, u32) = (1 << 22, 12);

/// Costs or probabilities, each rounded down and up.
type Table = Vec<Vec<[u64; 2]>>;

/// The parameters of the model as integers.
struct Game {
    phases: usize,
    fitted: bool,
    cycle: Table,
    switch: Table,
    /// By observation, the phase before and the phase after.
    moves: Vec<Table>,
    corners: Vec<usize>,
}

/// A belief, and the belief that follows each observation.
struct Point {
    belief: Vec<u64>,
    ways: Vec<Way>,
}

/// The masses of the phases after an observation, rounded down, and the surrounding points with
/// their weights.
struct Way {
    masses: Vec<u64>,
    around: Vec<(usize, u64)>,
}

/// Bounds by mapping and point.
struct Values {
    lower: Vec<Vec<u64>>,
    upper: Vec<Vec<Vec<u64>>>,
}

fn units(table: &[Vec<Number>], bits: u32) -> Result<Table, Refusal> {
    let row = |row: &Vec<Number>| row.iter().map(|x| Span::from(&x.0).units(bits)).collect();
    table.iter().map(row).collect()
}

/// The exact scalar product of two lists.
fn product(a: &[u64], b: impl Iterator<Item = u64>) -> u128 {
    a.iter().zip(b).map(|(a, b)| wide(*a, b)).sum()
}

impl ManyPhases {
    /// Proves bounds on the least expected time.
    pub(crate) fn prove(&self, how: &Grid, budget: &Budget) -> Result<Proof, Refusal> {
        let Grid { bits, level, sweeps } = *how;
        let (phases, reports) = (self.cycle.len(), self.reports_made());
        if bits > 60 || level > MOST.1 || (sweeps > 0) != self.discount.is_some() {
            return Err(Refusal::Malformed);
        }
        let grid = Points::new(phases, 1 << level, MOST.0 / (phases * reports * phases))?;
        let corners = (0..phases).map(|z| grid.corner(phases, z));
        let moves = |report: usize| {
            let chance = |from: usize, to: usize| {
                Span::from(&(&self.transition[from][to].0 * &self.detector[to][report].0))
                    .units(WEIGHT)
            };
            (0..phases).map(|from| (0..phases).map(|to| chance(from, to)).collect()).collect()
        };
        let game = Game {
            phases,
            fitted: self.remap == Choice::Fitted,
            cycle: units(&self.cycle, bits)?,
            switch: units(&self.switch, bits)?,
            moves: (0..reports).map(moves).collect::<Result<_, Refusal>>()?,
            corners: corners.collect::<Option<_>>().ok_or(Refusal::Malformed)?,
        };
        let initial = self.first_belief().into_iter().map(|p| Span::from(&p).units(WEIGHT));
        let initial = initial.collect::<Result<Vec<[u64; 2]>, Refusal>>()?;
        let whole =
            |point: &Vec<u32>| point.iter().map(|n| u64::from(*n) << (WEIGHT - level)).collect();
        let mut beliefs: Vec<Vec<u64>> = grid.list.iter().map(whole).collect();
        // The last point is the initial belief.
        beliefs.push(initial.iter().map(|p| p[0]).collect());
        let points = beliefs.into_iter().map(|belief| game.point(belief, &grid));
        let points = points.collect::<Result<Vec<Point>, Refusal>>()?;
        let last = self.lifetime.as_ref().map(Remaining::new).transpose()?;
        let steps = last.as_ref().map_or(sweeps, |remaining| remaining.last + 1);
        let each = points.len() * phases * reports * phases * (2 * phases + 8);
        budget.spend(steps.saturating_mul(each as u64))?;
        // A program without an end costs at most the dearest cycle, repeated forever.
        let beyond = match &self.discount {
            Some(rate) => {
                let dearest = self.cycle.iter().flatten().map(|cost| &cost.0).max();
                let left = BigRational::from(BigInt::from(1)) - &rate.0;
                Span::from(&(dearest.ok_or(Refusal::Malformed)? / left)).units(bits)?[1]
            }
            None => 0,
        };
        let mut values = Values {
            lower: vec![vec![0; points.len()]; phases],
            upper: vec![vec![vec![beyond; phases]; points.len()]; phases],
        };
        match (&self.lifetime, last) {
            (Some(law), Some(mut remaining)) => {
                for n in (0..steps).rev() {
                    remaining.step_back(law, n);
                    values = game.step(&points, &values, remaining.survival.units(WEIGHT)?)?;
                }
            }
            _ => {
                let rate = self.discount.as_ref().ok_or(Refusal::Malformed)?;
                for _ in 0..steps {
                    values = game.step(&points, &values, Span::from(&rate.0).units(WEIGHT)?)?;
                }
            }
        }
        let (low, vector) = (values.lower[0].last(), values.upper[0].last());
        let (Some(low), Some(vector)) = (low, vector) else { return Err(Refusal::Malformed) };
        let high = product(vector, initial.iter().map(|p| p[1])).div_ceil(UNIT.into());
        Ok(Proof::Value(Span::between(*low, high, bits).reals().into()))
    }
}

impl Game {
    fn point(&self, belief: Vec<u64>, grid: &Points) -> Result<Point, Refusal> {
        let way = |moves: &Table| {
            let mass = |to: usize| {
                let chances = moves.iter().map(|row| row[to][0]);
                (product(&belief, chances) >> WEIGHT) as u64
            };
            let masses: Vec<u64> = (0..self.phases).map(mass).collect();
            Ok(Way { around: grid.around(&masses)?, masses })
        };
        let ways = self.moves.iter().map(way).collect::<Result<_, Refusal>>()?;
        Ok(Point { belief, ways })
    }

    /// One step back. `survival` bounds the probability that the program continues from it.
    fn step(&self, points: &[Point], next: &Values, survival: [u64; 2]) -> Result<Values, Refusal> {
        let by_point = |m: usize| {
            let keep = points.par_iter().map(|point| {
                let low = self.bound_below(point, m, &next.lower[m], survival[0]);
                (low, self.bound_above(point, m, &next.upper[m], survival[1]))
            });
            keep.unzip()
        };
        let (lower, upper): (Vec<Vec<u64>>, Vec<Vec<Vec<u64>>>) =
            (0..self.phases).map(by_point).unzip();
        let keep = Values { lower, upper };
        let best = |m: usize| {
            let all = (0..points.len()).into_par_iter();
            all.map(|k| self.decide(&points[k], (m, k), &keep)).unzip()
        };
        let (lower, upper): (Vec<Vec<u64>>, Vec<Vec<Vec<u64>>>) =
            (0..self.phases).map(best).unzip();
        let largest = lower.iter().flatten().chain(upper.iter().flatten().flatten()).max();
        match largest {
            Some(0..0x1000_0000_0000_0000) => Ok(Values { lower, upper }),
            _ => Err(Refusal::TooLarge),
        }
    }

    /// The least cost of keeping mapping m. By concavity, the value at the masses is at least the
    /// weighted sum of its values at the points.
    fn bound_below(&self, point: &Point, m: usize, next: &[u64], survival: u64) -> u64 {
        let now = product(&point.belief, self.cycle.iter().map(|row| row[m][0]));
        let around = point.ways.iter().flat_map(|way| &way.around);
        let ahead: u128 = around.map(|(place, weight)| wide(next[*place], *weight)).sum();
        (now >> WEIGHT) as u64 + down((ahead >> WEIGHT) as u64, survival)
    }

    /// For each phase, the cost of keeping a mapping and then following the policy of one of the
    /// surrounding points after each observation.
    fn bound_above(&self, point: &Point, m: usize, next: &[Vec<u64>], survival: u64) -> Vec<u64> {
        let mut ahead = vec![0u128; self.phases];
        for (way, moves) in point.ways.iter().zip(&self.moves) {
            let cost = |place: &usize| product(&way.masses, next[*place].iter().copied());
            let places = way.around.iter().map(|(place, _)| *place);
            let vector = &next[places.min_by_key(cost).unwrap_or(self.corners[0])];
            for (ahead, row) in ahead.iter_mut().zip(moves) {
                *ahead += product(vector, row.iter().map(|p| p[1]));
            }
        }
        let cost = |(ahead, row): (u128, &Vec<[u64; 2]>)| {
            row[m][1] + up(ahead.div_ceil(UNIT.into()) as u64, survival)
        };
        ahead.into_iter().zip(&self.cycle).map(cost).collect()
    }

    /// The lesser cost of keeping mapping m and of switching to another one.
    fn decide(&self, point: &Point, (m, k): (usize, usize), keep: &Values) -> (u64, Vec<u64>) {
        let (mut low, mut vector) = (keep.lower[m][k], keep.upper[m][k].clone());
        let mut cost = product(&point.belief, vector.iter().copied());
        let mut offer = |other: u64, own: Vec<u64>| {
            let other_cost = product(&point.belief, own.iter().copied());
            low = low.min(other);
            if other_cost < cost {
                (vector, cost) = (own, other_cost);
            }
        };
        let switch = &self.switch[m];
        if self.fitted {
            // Each phase is known here, and has its own mapping.
            let known = |side: usize| {
                let corners = self.corners.iter().enumerate();
                let cost = |(z, corner): (usize, &usize)| match side {
                    0 => switch[z][0] + keep.lower[z][*corner],
                    _ => switch[z][1] + keep.upper[z][*corner][z],
                };
                Vec::from_iter(corners.map(cost))
            };
            offer((product(&point.belief, known(0).into_iter()) >> WEIGHT) as u64, known(1));
        } else {
            for j in (0..self.phases).filter(|j| *j != m) {
                // Switching is paid by mass: the initial belief may sum to less than 1.
                let fee = down(switch[j][0], point.belief.iter().sum());
                let own = keep.upper[j][k].iter().map(|cost| cost + switch[j][1]);
                offer(fee + keep.lower[j][k], own.collect());
            }
        }
        (low, vector)
    }
}
