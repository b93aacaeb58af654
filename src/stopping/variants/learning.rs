//! The cost of stopping, learned from observed steps of an unknown chain: the extensions that
//! \[YXW03\] closes with.
//!
//! Paths start in a uniformly distributed unbalanced state and run until they balance. Three
//! learners observe the same steps from s to t, each of which costs psi(s):
//!
//! ```text
//! Robbins and Monro:    Q(s) += n^-0.7 (psi(s) + min(rho, Q(t)) - Q(s)),  n the visits of s
//! their average:        A(s) += 4 / (n + 3) (Q(s) - A(s)): later iterates count for more
//! relative frequencies: J of the chain with observed frequencies as transition probabilities
//! ```
//!
//! Q is the cost of continuing, by Q-learning (Watkins 1989); the cost of a remap, rho, is known.
//! In states not yet observed the policy remaps. O(1) per observed step, plus value iteration for
//! the frequencies.

use crate::random::stream;
use crate::stopping::{AfterRemap, Problem};
use rand::{Rng, RngExt};

/// The learning method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
pub enum Learner {
    /// The last iterate of stochastic approximation (Robbins and Monro).
    Last,
    /// A weighted average of the iterates.
    Averaged,
    /// Relative frequencies, and the optimum for them (certainty equivalence).
    Frequencies,
}

/// A chain to be observed, and the costs: the environment of Q-learning.
pub struct School {
    rows: Vec<Vec<f64>>,
    running: Vec<f64>,
    remap_cost: f64,
    starts: Vec<usize>,
}

/// Most states, since the transition matrix is stored densely.
pub const MOST_STATES: usize = 3000;

/// Value iteration ends when a sweep moves J by less than this fraction of rho.
const SETTLED: f64 = 1e-7;

impl School {
    /// From a problem that ends with a remap. `None` for other problems, too many states, or no
    /// unbalanced state.
    pub fn new(problem: &Problem) -> Option<School> {
        let running = problem.running().to_vec();
        let starts: Vec<usize> = (0..running.len()).filter(|&s| running[s] > 0.0).collect();
        let fits = problem.after == AfterRemap::Stop && running.len() <= MOST_STATES;
        (fits && !starts.is_empty()).then(|| School {
            rows: problem.transition_rows(),
            running,
            remap_cost: problem.remap_cost(),
            starts,
        })
    }

    /// The error of what is learned after each of these numbers of observed steps, in ascending
    /// order. It is the mean of |min(rho, Q) - J| over the unbalanced states, in percent of rho.
    /// `exact` is J in every state.
    ///
    /// # Panics
    /// Unless `exact` has one entry for each state.
    pub fn distances(
        &self,
        learner: Learner,
        exact: &[f64],
        observations: &[u64],
        (seed, run): (u64, u64),
    ) -> Vec<f64> {
        assert_eq!(exact.len(), self.running.len());
        let n = self.running.len();
        let mut draws = stream(seed, run);
        let mut state = self.start(&mut draws);
        let (mut q, mut average) = (vec![self.remap_cost; n], vec![self.remap_cost; n]);
        let (mut visits, mut seen) = (vec![0u64; n], Seen::new(n));
        let mut distances = Vec::with_capacity(observations.len());
        let mut done = 0;
        for &until in observations {
            while done < until {
                let next = self.next(state, &mut draws);
                visits[state] += 1;
                let count = visits[state] as f64;
                let ahead =
                    if self.running[next] == 0.0 { 0.0 } else { q[next].min(self.remap_cost) };
                let target = self.running[state] + ahead;
                q[state] += count.powf(-0.7) * (target - q[state]);
                average[state] += 4.0 / (count + 3.0) * (q[state] - average[state]);
                seen.note(state, next);
                state = if self.running[next] == 0.0 { self.start(&mut draws) } else { next };
                done += 1;
            }
            let learnt = match learner {
                Learner::Last => q.clone(),
                Learner::Averaged => average.clone(),
                Learner::Frequencies => self.optimum(&seen),
            };
            let apart = |&s: &usize| (learnt[s].min(self.remap_cost) - exact[s]).abs();
            let mean = self.starts.iter().map(apart).sum::<f64>() / self.starts.len() as f64;
            distances.push(100.0 * mean / self.remap_cost);
        }
        distances
    }

    fn start(&self, draws: &mut impl Rng) -> usize {
        self.starts[draws.random_range(0..self.starts.len())]
    }

    fn next(&self, state: usize, draws: &mut impl Rng) -> usize {
        let mut left: f64 = draws.random();
        let mut last = state;
        for (t, p) in self.rows[state].iter().enumerate().filter(|(_, p)| **p > 0.0) {
            (left, last) = (left - p, t);
            if left < 0.0 {
                break;
            }
        }
        last
    }

    /// J of the chain with the observed frequencies as transition probabilities, by value
    /// iteration.
    fn optimum(&self, seen: &Seen) -> Vec<f64> {
        let mut j = vec![self.remap_cost; self.running.len()];
        j.iter_mut().zip(&self.running).filter(|(_, psi)| **psi == 0.0).for_each(|(j, _)| *j = 0.0);
        loop {
            let mut moved = 0.0_f64;
            for &s in &self.starts {
                let Some(ahead) = seen.mean(s, &j) else { continue };
                let new = (self.running[s] + ahead).min(self.remap_cost);
                moved = moved.max((new - j[s]).abs());
                j[s] = new;
            }
            if moved <= SETTLED * self.remap_cost {
                return j;
            }
        }
    }
}

/// Observed transitions with their counts.
struct Seen(Vec<Vec<(usize, u64)>>);

impl Seen {
    fn new(states: usize) -> Seen {
        Seen(vec![Vec::new(); states])
    }

    fn note(&mut self, from: usize, to: usize) {
        match self.0[from].iter_mut().find(|(t, _)| *t == to) {
            Some((_, count)) => *count += 1,
            None => self.0[from].push((to, 1)),
        }
    }

    /// The mean of `j` after a step from this state, by frequencies; `None` if it was not observed.
    fn mean(&self, from: usize, j: &[f64]) -> Option<f64> {
        let all: u64 = self.0[from].iter().map(|(_, count)| count).sum();
        let sum: f64 = self.0[from].iter().map(|(t, count)| *count as f64 * j[*t]).sum();
        (all > 0).then(|| sum / all as f64)
    }
}
