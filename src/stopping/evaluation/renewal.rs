//! Relative costs of a policy that remaps and continues (policy evaluation for the average cost).
//!
//! D are the states that continue and the targets of remaps. y is the cost of a step from there and
//! of all that follows, relative to the average g. A remap from s costs `rho(s) + y(b(s))`, so on D
//!
//! ```text
//! y(s) + g = psi(s) + sum over t in C of P(s, t) y(t)
//!                   + sum over t in R of P(s, t) (rho(t) + y(b(t)))
//! ```
//!
//! C are the states that continue, R those that remap. D is small where remaps are cheap. The chain
//! leaves D quickly between two remaps, but the total load, which remaps keep, mixes slowly.
//!
//! 1. Stabilized biconjugate gradients, with a coarse correction for functions of the total alone:
//!    a direct solution on up to [`MOST_CLASSES`] classes of totals.
//! 2. The same with a multigrid cycle of the chain killed at remaps, if continuing lasts long.
//! 3. If levels trap loads, a banded factorization of that chain, plus an equation for each target.
//!
//! Solutions are unique up to constants; the one computed has the mean g.

use super::banded::{Banded, LEAST_BAND};
use super::biconjugate::{self, Next};
use super::multigrid::{self, Multigrid};
use super::remapped::{Remapped, Rule};
use crate::Observer;
use crate::stopping::state_space::targets::Targets;
use crate::stopping::{Problem, operator::vector};
use nalgebra::{DMatrix, DVector, Dyn, LU};
use std::borrow::Cow;
use std::cell::Cell;

/// Most classes of totals: a direct solution takes cubic time.
const MOST_CLASSES: usize = 128;

/// Initial distance of classes whose images are computed together: two walks move a total by two.
const APART: usize = 5;

/// Steps without a multigrid cycle.
const PLAIN: u64 = 40;

/// Most steps of one evaluation; the next one continues from there.
const STEPS: u64 = 300;

/// Corrections of a direct solution: if loads are trapped for 1e6 steps, each gains little.
const CORRECTIONS: u32 = 6;

/// Steps in a row that do not halve the least residual, after which the iteration ends.
const MOST_STEPS_IN_VAIN: u64 = 60;

/// Data shared by all evaluations.
pub(in crate::stopping) struct Renewal<'a> {
    problem: &'a Problem,
    rebalanced: &'a [usize],
    targets: &'a Targets,
    /// The class of each state.
    classes: Vec<u32>,
    count: usize,
    /// Weights in which the chain is reversible, by grid.
    weights: Option<Vec<Vec<f64>>>,
    /// The band of a factorization that succeeded after the iteration failed.
    band: Cell<Option<usize>>,
}

impl<'a> Renewal<'a> {
    pub fn new(problem: &'a Problem, rebalanced: &'a [usize], targets: &'a Targets) -> Self {
        let count = targets.count().min(MOST_CLASSES);
        let class = |state: usize| (targets.of(state) * count / targets.count()) as u32;
        Self {
            problem,
            rebalanced,
            targets,
            classes: (0..rebalanced.len()).map(class).collect(),
            count,
            weights: multigrid::weights(problem),
            band: Cell::new(None),
        }
    }

    /// Improves relative costs `h` of all states until no residual exceeds `accuracy`, if possible.
    /// Returns the number of applications of the operator.
    pub fn evaluate(
        &self,
        rule: &Rule<'_>,
        h: &mut [f64],
        accuracy: f64,
        limit: u64,
        observer: &dyn Observer,
    ) -> u64 {
        let mut system = System::new(self, rule);
        let right = system.chain.costs();
        let mut y = system.chain.killed.pack(h);
        let goes_on = |applications: u64| {
            applications < limit && observer.progress(applications, limit).is_continue()
        };
        if !(self.band.get().is_some() && system.solve_directly(&right, &mut y)) {
            system.solve(&right, &mut y, accuracy, goes_on);
        }
        system.chain.relative_costs(&y, h);
        system.chain.applications
    }
}

/// The equations of one policy on D.
struct System<'a> {
    renewal: &'a Renewal<'a>,
    remaps: &'a [bool],
    chain: Remapped<'a>,
    /// Membership in D.
    held: Vec<bool>,
    /// The class of each state of D, and the sizes of the classes.
    classes: Vec<u32>,
    sizes: Vec<f64>,
    coarse: Option<LU<f64, Dyn, Dyn>>,
    multigrid: Option<Multigrid<'a>>,
}

impl<'a> System<'a> {
    fn new(renewal: &'a Renewal<'a>, rule: &'a Rule<'a>) -> Self {
        let mut held: Vec<bool> = rule.remaps.iter().map(|remaps| !remaps).collect();
        for s in (0..held.len()).filter(|&s| rule.remaps[s]) {
            held[renewal.rebalanced[s]] = true;
        }
        let chain = Remapped::new(renewal.problem, renewal.targets, rule, &held);
        let classes: Vec<u32> = chain.killed.states().map(|s| renewal.classes[s]).collect();
        let mut sizes = vec![0.0; renewal.count];
        classes.iter().for_each(|class| sizes[*class as usize] += 1.0);
        let (remaps, coarse, multigrid) = (rule.remaps, None, None);
        let mut system = Self { renewal, remaps, chain, held, classes, sizes, coarse, multigrid };
        system.coarse = system.coarse_matrix().map(LU::new);
        system
    }

    /// The means of a function over the classes.
    fn restrict(&self, function: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.renewal.count];
        self.classes.iter().zip(function).for_each(|(class, x)| sums[*class as usize] += x);
        sums.iter().zip(&self.sizes).map(|(sum, size)| sum / size.max(1.0)).collect()
    }

    fn interpolate(&self, coarse: &[f64]) -> Vec<f64> {
        self.classes.iter().map(|class| coarse[*class as usize]).collect()
    }

    /// The system restricted to functions of the class.
    fn coarse_matrix(&mut self) -> Option<DMatrix<f64>> {
        let m = self.renewal.count;
        if m < 2 || self.sizes.contains(&0.0) {
            return None;
        }
        // Test vector without a pattern (multiples of the golden ratio, modulo 1).
        let test: Vec<f64> = (1..=m).map(|j| (j as f64 * 0.618_033_988_75).fract()).collect();
        let mut image = vec![0.0; self.classes.len()];
        self.chain.apply_chain(&self.interpolate(&test), &mut image);
        let expected = self.restrict(&image);
        let mut apart = APART;
        loop {
            let apart_now = apart.min(m);
            let mut matrix = DMatrix::zeros(m, m);
            for first in 0..apart_now {
                let mut unit = vec![0.0; m];
                unit.iter_mut().skip(first).step_by(apart_now).for_each(|x| *x = 1.0);
                self.chain.apply_chain(&self.interpolate(&unit), &mut image);
                for (i, x) in self.restrict(&image).into_iter().enumerate() {
                    // The nearest class of this residue; if all are separate, the class itself.
                    let j = if apart_now == m {
                        first
                    } else {
                        let low = i.saturating_sub(apart_now / 2);
                        low + (first + apart_now - low % apart_now) % apart_now
                    };
                    if j < m {
                        matrix[(i, j)] = x;
                    }
                }
            }
            let found = &matrix * DVector::from_column_slice(&test);
            let near = found.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= 1e-10);
            if near || apart_now == m {
                let states: f64 = self.sizes.iter().sum();
                for (j, size) in self.sizes.iter().enumerate() {
                    matrix.column_mut(j).add_scalar_mut(size / states);
                }
                return Some(matrix);
            }
            apart *= 2;
        }
    }

    /// Improves `x` until no residual exceeds `goal`, while it improves.
    fn solve(&mut self, right: &[f64], x: &mut [f64], goal: f64, goes_on: impl Fn(u64) -> bool) {
        let r = self.chain.residual(right, x);
        let (mut best, mut least, mut since, mut steps) = (x.to_vec(), f64::INFINITY, 0, 0);
        biconjugate::solve(self, r, x, |system, x, r| {
            let left = largest(r);
            since = if left < 0.5 * least { 0 } else { since + 1 };
            if left < least {
                least = left;
                best.copy_from_slice(x);
            }
            let ends = least <= goal || since >= MOST_STEPS_IN_VAIN || steps >= STEPS;
            if ends || !goes_on(system.chain.applications) {
                return Next::Stop;
            }
            let changes = steps == PLAIN;
            steps += 1;
            let Renewal { problem, weights: Some(weights), .. } = system.renewal else {
                return Next::Step;
            };
            if !changes || system.classes.len() == system.held.len() {
                return Next::Step;
            }
            system.multigrid = Multigrid::new(problem, weights, &system.held, &system.chain.killed);
            Next::Restart
        });
        x.copy_from_slice(&best);
        if least > goal && self.renewal.band.get().is_none() && goes_on(self.chain.applications) {
            self.solve_directly(right, x);
        }
    }

    /// Sets `x` to the solution by a factorization with some corrections, if that reduces the
    /// residual. Returns whether it ever did.
    ///
    /// Let B = I - P on D, E(s, c) the probability of a remap that leads to c, and m the mean. Then
    /// `B y = r + E y - m`: y combines the solutions for r, for each column of E and for ones.
    fn solve_directly(&mut self, right: &[f64], x: &mut [f64]) -> bool {
        let back = self.renewal.rebalanced;
        let mut targets: Vec<usize> =
            (0..back.len()).filter(|&s| self.remaps[s]).map(|s| back[s]).collect();
        targets.sort_unstable();
        targets.dedup();
        let (n, m) = (x.len(), targets.len());
        let band = self.renewal.band.get().unwrap_or(LEAST_BAND);
        let (factors, applications) = Banded::factors(&mut self.chain.killed, m + 1, band);
        self.chain.applications += applications;
        let Some(factors) = factors else { return false };
        let mut parts = vec![1.0; n * (m + 1)];
        for (c, target) in targets.iter().enumerate() {
            let remaps = self.remaps;
            let Remapped { killed, function, image, applications, .. } = &mut self.chain;
            vector::update(function, |s, _| f64::from(u8::from(remaps[s] && back[s] == *target)));
            self.renewal.problem.operator.apply_into(function, image);
            *applications += 1;
            let chances = killed.pack(image);
            parts.chunks_exact_mut(m + 1).zip(chances).for_each(|(row, chance)| row[c] = chance);
        }
        factors.solve(&mut parts, m + 1);
        let places = self.chain.killed.states().enumerate();
        let places = places.filter(|(_, s)| targets.binary_search(s).is_ok());
        let places: Vec<usize> = places.map(|(place, _)| place).collect();
        // The values at targets and the mean, expressed by themselves.
        let of = |function: &dyn Fn(usize) -> f64, row: usize| match places.get(row) {
            Some(place) => function(*place),
            None => (0..n).map(function).sum::<f64>() / n as f64,
        };
        let part = |place: usize, column: usize| parts[place * (m + 1) + column];
        let matrix = DMatrix::from_fn(m + 1, m + 1, |row, column| {
            let sign = if column == m { 1.0 } else { -1.0 };
            f64::from(u8::from(row == column)) + sign * of(&|place| part(place, column), row)
        });
        let matrix = LU::new(matrix);
        let mut found = x.to_vec();
        let mut left = self.chain.residual(right, &found);
        let mut least = largest(&left);
        for _ in 0..CORRECTIONS {
            factors.solve(&mut left, 1);
            let known = DVector::from_fn(m + 1, |row, _| of(&|place| left[place], row));
            let Some(known) = matrix.solve(&known) else { return false };
            for (place, row) in parts.chunks_exact(m + 1).enumerate() {
                let by_targets: f64 = row[..m].iter().zip(known.iter()).map(|(x, y)| x * y).sum();
                found[place] += left[place] + by_targets - row[m] * known[m];
            }
            left = self.chain.residual(right, &found);
            let now = largest(&left);
            if now < least && found.iter().all(|x| x.is_finite()) {
                least = now;
                x.copy_from_slice(&found);
                self.renewal.band.set(Some(factors.band));
            }
        }
        self.renewal.band.get().is_some()
    }
}

impl biconjugate::System for System<'_> {
    fn apply(&mut self, x: &[f64], out: &mut [f64]) {
        self.chain.apply(x, out);
    }

    fn precondition<'r>(&mut self, r: &'r [f64]) -> Cow<'r, [f64]> {
        let mut z = r.to_vec();
        if let Some(multigrid) = &mut self.multigrid {
            multigrid.cycle(&mut self.chain.killed, r, &mut z);
            self.chain.applications += multigrid::CYCLE;
        }
        if self.coarse.is_none() {
            return z.into();
        }
        let rest = self.chain.residual(r, &z);
        let rest = DVector::from_vec(self.restrict(&rest));
        if let Some(found) = self.coarse.as_ref().and_then(|coarse| coarse.solve(&rest)) {
            let correction = self.interpolate(found.as_slice());
            vector::update_from(&mut z, [&correction], |z, [more]| z + more);
        }
        z.into()
    }
}

fn largest(r: &[f64]) -> f64 {
    vector::maximum_of([r], |[r]| r.abs())
}
