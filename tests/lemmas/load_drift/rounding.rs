//! Bounds on the value of drifting loads against the same recursion in fractions: what rounding
//! does is in them, for few steps and for a million.

use super::problems::{figure, finish, prepared, rules};
use crate::phase_change::problems::{cases, exact, ratio};
use crate::shared::{double, holds};
use crate::thorough::few_or_all;
use proptest::prelude::*;
use remapping::Bounds;
use remapping::Rational;
use remapping::chain::{BirthDeath, Dense};
use remapping::load_drift::{
    Backward, Carry, Control, Intervals, LoadDrift, Objective, ProcessChain, Rebalance, Timing,
};

/// The exact numbers of a model beside the rounded ones.
#[derive(Debug, Clone)]
struct Model {
    rows: Vec<Vec<Rational>>,
    remap_cost: Rational,
    /// For each unit moved; 0 unless loads are split evenly.
    each: Rational,
    rounded: LoadDrift,
}

/// Rows of decimals that sum to 1, and their chain: a birth-death chain, or full rows.
fn rows() -> impl Strategy<Value = (Vec<Vec<Rational>>, ProcessChain)> {
    let hundredths = |k: i64| ratio(k, 100);
    let near = prop::collection::vec((0i64..=50, 0i64..=50), 2..4).prop_map(move |mut moves| {
        let last = moves.len() - 1;
        (moves[last].0, moves[0].1) = (0, 0);
        let row = |(level, &(up, down)): (usize, &(i64, i64))| -> Vec<Rational> {
            let to = |to: usize| match (to + 1).checked_sub(level) {
                Some(2) => up,
                Some(1) => 100 - up - down,
                Some(0) => down,
                _ => 0,
            };
            (0..=last).map(to).map(hundredths).collect()
        };
        let rows = moves.iter().enumerate().map(row).collect();
        let (up, down): (Vec<_>, Vec<_>) =
            moves.iter().map(|&(up, down)| (hundredths(up), hundredths(down))).unzip();
        (rows, ProcessChain::BirthDeath(BirthDeath::from_rationals(&up, &down).unwrap()))
    });
    let full = (2usize..4).prop_flat_map(move |levels| {
        let row = prop::collection::vec(0i64..=33, levels - 1).prop_map(move |shares| {
            let left = 100 - shares.iter().sum::<i64>();
            shares.into_iter().chain([left]).map(hundredths).collect::<Vec<_>>()
        });
        prop::collection::vec(row, levels).prop_map(|rows| {
            let rounded: Vec<Vec<f64>> =
                rows.iter().map(|row| row.iter().map(double).collect()).collect();
            (rows, ProcessChain::Dense(Dense::new(&rounded).unwrap()))
        })
    });
    prop_oneof![2 => near, 1 => full]
}

fn model(steps: u64) -> impl Strategy<Value = Model> {
    let cost = || {
        prop_oneof![
            4 => (0i64..300).prop_map(|k| ratio(k, 100)),
            1 => (1i64..10).prop_map(|k| Rational::from(k) / Rational::from(10).pow(310)),
            1 => (1i64..10).prop_map(|k| Rational::from(k) * Rational::from(10).pow(300)),
        ]
    };
    let each = prop_oneof![1 => Just(Rational::ZERO), 2 => cost()];
    let sizes = (1usize..4, rows(), 0u32..3, 0.0f64..1.0, 1..=steps, cost());
    (sizes, rules(), each).prop_map(|(sizes, (rebalance, timing, objective), each)| {
        let each = if rebalance == Rebalance::Split { each } else { Rational::ZERO };
        let (processors, (rows, chain), lowest, place, steps, remap_cost) = sizes;
        let rounded = LoadDrift {
            initial: (place * rows.len() as f64) as usize,
            chain,
            lowest: f64::from(lowest),
            per_unit_moved: double(&each),
            rebalance,
            timing,
            objective,
            ..figure(processors, steps, double(&remap_cost))
        };
        Model { rows, remap_cost, each, rounded }
    })
}

impl Model {
    fn cost(&self, levels: &[usize]) -> Rational {
        let problem = &self.rounded;
        let lowest = Rational::from(problem.lowest as u64);
        let total = Rational::from(levels.iter().sum::<usize>() as u64);
        let mean = &lowest + total / Rational::from(levels.len() as u64);
        let max = lowest + Rational::from(levels.iter().copied().max().unwrap() as u64);
        if problem.objective == Objective::Imbalance { max - mean } else { max }
    }

    /// What a remap of these levels costs.
    fn remap(&self, levels: &[usize]) -> Rational {
        let units = match self.rounded.per_unit_moved > 0.0 {
            true => self.rounded.units_moved(levels) as u64,
            false => 0,
        };
        &self.remap_cost + &self.each * Rational::from(units)
    }

    /// The least expected objective over all L^r ordered load vectors.
    fn value(&self) -> Rational {
        let problem = &self.rounded;
        let (r, levels) = (problem.processors, self.rows.len());
        let vectors: Vec<Vec<usize>> = (0..levels.pow(r as u32))
            .map(|index| (0..r).map(|i| index / levels.pow(i as u32) % levels).collect())
            .collect();
        let place =
            |vector: &[usize]| vector.iter().rev().fold(0, |index, level| index * levels + level);
        let decide = |ahead: &[Rational]| -> Vec<Rational> {
            let least = |vector: &Vec<usize>| {
                let to = problem.balanced(vector.iter().sum());
                let extra = vector.iter().sum::<usize>() % r;
                let up = Rational::from(extra as u64) / Rational::from(r as u64);
                let shares = match to.len() {
                    1 => vec![Rational::ONE],
                    _ => vec![Rational::ONE - &up, up],
                };
                let after =
                    to.iter().zip(shares).fold(self.remap(vector), |sum, ((_, to), share)| {
                        sum + share * &ahead[place(to)]
                    });
                after.min(ahead[place(vector)].clone())
            };
            vectors.iter().map(least).collect()
        };
        let pay = |ahead: &[Rational]| -> Vec<Rational> {
            vectors.iter().zip(ahead).map(|(vector, ahead)| self.cost(vector) + ahead).collect()
        };
        let transit = |ahead: &[Rational]| -> Vec<Rational> {
            let expectation = |from: &Vec<usize>| {
                vectors.iter().zip(ahead).fold(Rational::ZERO, |sum, (to, ahead)| {
                    let moves = from.iter().zip(to).map(|(&i, &j)| &self.rows[i][j]);
                    sum + moves.fold(Rational::ONE, |p, step| p * step) * ahead
                })
            };
            vectors.iter().map(expectation).collect()
        };
        let mut ahead = vec![Rational::ZERO; vectors.len()];
        for step in (1..=problem.steps).rev() {
            if problem.timing == Timing::AfterStep {
                if step < problem.steps {
                    ahead = decide(&ahead);
                }
                ahead = transit(&pay(&ahead));
            } else {
                ahead = pay(&ahead);
                if step > 1 {
                    ahead = transit(&decide(&ahead));
                }
            }
        }
        ahead[place(&vec![problem.initial; r])].clone()
    }
}

fn bounds(problem: &LoadDrift) -> Bounds {
    let (states, transition) = prepared(problem);
    let backward = Backward::new(problem, &states, &transition, Control::Optimal, Carry::Value);
    finish(backward).value_bounds()
}

proptest! {
    #![proptest_config(cases(96))]

    #[test]
    fn the_exact_value_lies_within_the_bounds(model in model(7)) {
        let (value, bounds) = (model.value(), bounds(&model.rounded));
        let near = double(&value);
        prop_assert!(holds(bounds, &value), "{bounds:?} {near}");
        prop_assert!(bounds.width() <= 1e-12 * near.max(1.0), "{bounds:?} {near}");
        // No fixed interval beats the optimum.
        let steps = model.rounded.steps;
        if model.rounded.per_unit_moved > 0.0 {
            let never = Intervals::never(&model.rounded).value;
            prop_assert!(exact(Intervals::upper_bound(&model.rounded, steps, never)) >= value);
            return Ok(());
        }
        for fixed in Intervals::new(&model.rounded, steps, &()).all() {
            let most =
                Intervals::upper_bound(&model.rounded, fixed.interval, fixed.outcome.value);
            prop_assert!(exact(most) >= value, "every {}: {most} {near}", fixed.interval);
        }
    }
}

/// The mean of a walk from the middle stays there: one processor takes 10 a step, however many
/// there are.
#[test]
fn a_million_steps_are_within_their_bounds() {
    let tenth = || ratio(1, 10);
    let mut up = vec![tenth(); 19];
    let mut down = up.clone();
    (up[18], down[0]) = (Rational::ZERO, Rational::ZERO);
    for steps in [1_000, few_or_all(100_000, 1_000_000)] {
        let problem = LoadDrift {
            chain: ProcessChain::BirthDeath(BirthDeath::from_rationals(&up, &down).unwrap()),
            objective: Objective::Makespan,
            ..figure(1, steps, 8.0)
        };
        let Bounds { lower, upper } = bounds(&problem);
        let value = 10.0 * steps as f64;
        assert!(lower <= value && value <= upper, "{lower} {upper}");
        assert!(upper - lower <= 1e-8 * value, "{lower} {upper}");
        let never = Intervals::never(&problem).value;
        assert!(Intervals::upper_bound(&problem, steps, never) >= value);
    }
}
