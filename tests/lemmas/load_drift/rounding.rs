//! Bounds on the value of drifting loads against the same recursion in fractions: what rounding
//! does is in them, for few steps and for a million.

use super::problems::{figure, prepared};
use crate::phase_change::problems::{cases, exact, ratio};
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

fn double(value: &Rational) -> f64 {
    value.to_f64().value()
}

/// Rows of decimals that sum to 1: of a birth-death chain, or full ones.
fn rows() -> impl Strategy<Value = (Vec<Vec<Rational>>, bool)> {
    let hundredths = |k: i64| ratio(k, 100);
    let near = prop::collection::vec((0i64..=50, 0i64..=50), 2..4).prop_map(move |moves| {
        let last = moves.len() - 1;
        let row = |(level, &(up, down)): (usize, &(i64, i64))| {
            let (up, down) = (if level < last { up } else { 0 }, if level > 0 { down } else { 0 });
            let mut row = vec![Rational::ZERO; last + 1];
            row[level] = hundredths(100 - up - down);
            if level < last {
                row[level + 1] = hundredths(up);
            }
            if level > 0 {
                row[level - 1] = hundredths(down);
            }
            row
        };
        (moves.iter().enumerate().map(row).collect(), true)
    });
    let full = (2usize..4).prop_flat_map(move |levels| {
        let row = prop::collection::vec(0i64..=33, levels - 1).prop_map(move |shares| {
            let left = 100 - shares.iter().sum::<i64>();
            shares.into_iter().chain([left]).map(hundredths).collect::<Vec<_>>()
        });
        (prop::collection::vec(row, levels), Just(false))
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
    let rules =
        prop_oneof![Just(Rebalance::Split), Just(Rebalance::Nearest), Just(Rebalance::Stochastic)];
    let timings = prop_oneof![Just(Timing::AfterStep), Just(Timing::BeforeStep)];
    let objectives = prop_oneof![Just(Objective::Imbalance), Just(Objective::Makespan)];
    let sizes = (1usize..4, rows(), 0u32..3, 0.0f64..1.0, 1..=steps, cost());
    (sizes, rules, timings, objectives, each).prop_map(
        |(sizes, rebalance, timing, objective, each)| {
            let each = if rebalance == Rebalance::Split { each } else { Rational::ZERO };
            let (processors, (rows, near), lowest, place, steps, remap_cost) = sizes;
            let levels = rows.len();
            let chain = if near {
                let up: Vec<_> = (0..levels)
                    .map(|l| rows[l].get(l + 1).cloned().unwrap_or(Rational::ZERO))
                    .collect();
                let down: Vec<_> = (0..levels)
                    .map(|l| if l > 0 { rows[l][l - 1].clone() } else { Rational::ZERO })
                    .collect();
                ProcessChain::BirthDeath(BirthDeath::from_rationals(&up, &down).unwrap())
            } else {
                let rounded: Vec<Vec<f64>> =
                    rows.iter().map(|row| row.iter().map(double).collect()).collect();
                ProcessChain::Dense(Dense::new(&rounded).unwrap())
            };
            let rounded = LoadDrift {
                processors,
                chain,
                lowest: f64::from(lowest),
                initial: (place * levels as f64) as usize,
                steps,
                remap_cost: double(&remap_cost),
                per_unit_moved: double(&each),
                rebalance,
                timing,
                objective,
            };
            Model { rows, remap_cost, each, rounded }
        },
    )
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
        match self.rounded.per_unit_moved > 0.0 {
            true => {
                let units = Rational::from(self.rounded.units_moved(levels) as u64);
                &self.remap_cost + &self.each * units
            }
            false => self.remap_cost.clone(),
        }
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
    let mut backward = Backward::new(problem, &states, &transition, Control::Optimal, Carry::Value);
    while backward.remaining() > 0 {
        backward.advance();
    }
    backward.value_bounds()
}

proptest! {
    #![proptest_config(cases(96))]

    #[test]
    fn the_exact_value_lies_within_the_bounds(model in model(7)) {
        let (value, Bounds { lower, upper }) = (model.value(), bounds(&model.rounded));
        let near = double(&value);
        prop_assert!(exact(lower) <= value && value <= exact(upper), "{lower} {near} {upper}");
        prop_assert!(upper - lower <= 1e-12 * near.max(1.0), "{lower} {near} {upper}");
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
