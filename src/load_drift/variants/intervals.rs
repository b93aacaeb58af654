//! Exact evaluation of every fixed remap interval, without a joint state space.
//!
//! Between remaps the processors are independent. After a remap with sum of levels t, r - k of them
//! are at level f and k at level f + 1. Let F_l be the distribution function of one chain n steps
//! after level l, and p_l its probabilities. Then after n steps
//!
//! ```text
//! E max = lowest + sum over x of (1 - F_f(x)^(r-k) F_{f+1}(x)^k).
//! ```
//!
//! The next remap depends on the total alone, whose distribution is the convolution p_f^{*(r-k)} *
//! p_{f+1}^{*k}. Reference: [NRS86, section 3].

use super::periods::Periods;
use crate::chain::{ROW_SUM_TOLERANCE, Wanted};
use crate::load_drift::state_space::distributions::{
    Laws, SETTLED, Sums, Support, are_settled, convolve, identity, multiply,
};
use crate::load_drift::{LoadDrift, Outcome, ProcessChain, Ranks, States, Transition, Unremapped};
use crate::observer::{Halt, Observer};
use crate::overlap::Overlap;
use crate::parallel;
use nalgebra::DMatrix;
use std::ops::ControlFlow;

/// `PATIENCE`: periods per sum of levels that are computed one by one before the remaining ones are
/// computed by repeated squaring. `DOUBLED`: the largest number of sums for which squaring is used.
const PATIENCE: usize = 8;
const DOUBLED: usize = 256;

/// A fixed interval and its outcome.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntervalOutcome {
    /// Remap every this many steps; an interval of the whole horizon never remaps.
    pub interval: u64,
    /// The exact expectations.
    pub outcome: Outcome,
}

/// The exact expectations of all fixed intervals 1..=longest.
#[derive(Debug, Clone, PartialEq)]
pub struct Intervals {
    /// Expected cost of a remap after n steps from the start, n = 0, 1, ...; one number if it is
    /// constant.
    remap_costs: Vec<f64>,
    outcomes: Vec<IntervalOutcome>,
    /// Expected cost of the first n steps without a remap, n = 0, 1, ...
    unremapped: Vec<f64>,
    halted: Option<Halt>,
}

impl Intervals {
    /// Evaluates the intervals 1..=min(`longest`, steps). The interval of all steps never remaps.
    /// After a halt the interval being evaluated is the last. Time per interval: O(T) convolutions
    /// of distributions of length r L, with T = r (L-1) + 1 totals, and steps / interval products
    /// with a T x T matrix.
    ///
    /// # Panics
    /// When the cost of a remap depends on the loads: see [`overlapping`](Self::overlapping).
    pub fn new(problem: &LoadDrift, longest: u64, observer: &dyn Observer) -> Intervals {
        assert!(problem.per_unit_moved == 0.0, "units moved are counted on states");
        Intervals::evaluate(problem, Overlap::NONE, longest, observer, Vec::new)
    }

    /// The same with remaps delayed by d steps, and where units moved have a cost. Their expected
    /// number takes one application of the operator to all states per interval. All ranks that
    /// share the states call it. An interval is the time between two decisions, and nothing is
    /// decided while a remap is in progress. Intervals of at most d steps equal that of d + 1. A
    /// remap that would take effect after the last step is not made.
    ///
    /// # Panics
    /// When `states` and `transition` belong to another problem.
    pub fn overlapping(
        problem: &LoadDrift,
        overlap: Overlap,
        (states, ranks): (&States, &Ranks),
        transition: &Transition,
        longest: u64,
        observer: &dyn Observer,
    ) -> Intervals {
        if problem.per_unit_moved == 0.0 {
            return Intervals::evaluate(problem, overlap, longest, observer, Vec::new);
        }
        let all = Wanted::new(
            problem.processors,
            &vec![states.largest_excess(); states.distinct_totals()],
        );
        // Expected cost of a remap beyond the fixed part after n more steps, in each state.
        let mut expected = problem.surcharges(states);
        let mut around = ranks.room(states.count());
        let balanced = (0..states.distinct_totals())
            .map(|total| states.multisets().rank(&problem.balanced(total)[0].1));
        // For even splits, a larger total has a higher rank.
        let own: Vec<usize> = balanced
            .map(|rank| rank.wrapping_sub(states.first()))
            .filter(|state| *state < states.count())
            .collect();
        let advance = || {
            around.own().copy_from_slice(&expected);
            around.expect(ranks, transition, &all, &mut expected);
            ranks.gather(own.iter().map(|state| expected[*state]).collect())
        };
        Intervals::evaluate(problem, overlap, longest, observer, advance)
    }

    /// `surcharges` returns, call by call for 1, 2, ... steps after a remap, the expected cost of
    /// the next remap beyond the fixed part, by the total at the last remap. It returns an empty
    /// list where there is no such cost.
    fn evaluate(
        problem: &LoadDrift,
        overlap: Overlap,
        longest: u64,
        observer: &dyn Observer,
        mut surcharges: impl FnMut() -> Vec<f64>,
    ) -> Intervals {
        let rows = problem.chain.rows();
        let levels = rows.len();
        let totals = problem.processors * (levels - 1) + 1;
        // A delay past the last step means that no remap takes effect.
        let late = overlap.steps.min(problem.steps) as usize;
        let longest = longest.max(late as u64 + 1).min(problem.steps);
        let starts: Vec<usize> = (0..totals).filter(|&total| problem.keeps(total)).collect();
        let mut laws: Laws = identity(levels);
        let mut sums = Sums::new(problem, overlap.slowdown, totals);
        let mut outcomes = Vec::new();
        let first = problem.initial * problem.processors;
        let mut remap_costs = vec![problem.remap_cost];
        let mut halted = None;
        for n in 1..=longest as usize {
            sums.reach(n + late, &starts, &rows);
            laws = if late == 0 { sums.laws.clone() } else { multiply(&rows, &laws) };
            let moved = surcharges();
            let slower = sums.slower[n + late][first] - sums.slower[n][first];
            if late > 0 || !moved.is_empty() {
                let more = moved.get(first).unwrap_or(&0.0);
                remap_costs.push(problem.remap_cost + more + slower);
            }
            let outcome = problem.evaluate_interval([n, late], &laws, &starts, &sums, &moved);
            outcomes.push(IntervalOutcome { interval: n as u64, outcome });
            if (late + 1..longest as usize).contains(&n)
                && let ControlFlow::Break(halt) = observer.check()
            {
                halted = Some(halt);
                break;
            }
        }
        if let Some(soonest) = outcomes.get(late).copied() {
            outcomes[..late].iter_mut().for_each(|one| one.outcome = soonest.outcome);
        }
        let cost = &sums.cost[..=outcomes.len()];
        let unremapped = cost.iter().map(|cost| cost[first]).collect();
        Intervals { remap_costs, outcomes, unremapped, halted }
    }

    /// The outcome of one interval shorter than the number of steps.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    pub fn only(problem: &LoadDrift, interval: u64) -> Outcome {
        assert!(problem.per_unit_moved == 0.0, "units moved are counted on states");
        let rows = problem.chain.rows();
        let totals = problem.processors * (rows.len() - 1) + 1;
        let starts: Vec<usize> = (0..totals).filter(|&total| problem.keeps(total)).collect();
        let mut sums = Sums::new(problem, 0.0, totals);
        sums.reach(interval as usize, &starts, &rows);
        problem.evaluate_interval([interval as usize, 0], &sums.laws, &starts, &sums, &[])
    }

    /// The outcome without remaps. Time: O(L) per step for birth–death chains, otherwise O(L^2).
    pub fn never(problem: &LoadDrift) -> Outcome {
        Unremapped::of(problem, &()).expect("nobody stops it").never
    }

    /// n*, the interval in 1..=steps that minimizes W(n), the expected average cost per step if the
    /// first remap is after step n [NRS86, section 3]; of equal ones the longest.
    pub fn least_average_cost(problem: &LoadDrift) -> u64 {
        Unremapped::of(problem, &()).expect("nobody stops it").least_average_cost
    }

    /// An upper bound on the expected objective of remapping every `interval` steps (never, if
    /// these are all steps). `value` is the computed objective. Where units moved have a cost, the
    /// bound holds for never only.
    ///
    /// Sources of the error: the distribution of a chain after n steps is a sum of products of n
    /// rounded probabilities. E max is a sum over the levels of 1 minus a product of r sums of it.
    /// The distribution of the totals after k remaps is a sum of products of k r such
    /// distributions. A converged distribution may keep changing by as much as it changed last.
    pub fn upper_bound(problem: &LoadDrift, interval: u64, value: f64) -> f64 {
        let unit = f64::EPSILON;
        let (levels, r) = (problem.chain.levels() as f64, problem.processors as f64);
        let (steps, between) = (problem.steps as f64, interval.min(problem.steps) as f64);
        let periods = (steps / between).ceil();
        // Rows of decimals may sum to a little more or less than 1.
        let rows = match problem.chain {
            ProcessChain::BirthDeath(_) => 0.0,
            ProcessChain::Dense(_) => 2.0 * ROW_SUM_TOLERANCE,
        };
        let law = (between + 1.0) * ((levels + 2.0) * unit + rows);
        let step = levels * r * (law + 4.0 * unit) + 4.0 * unit * (problem.lowest + levels);
        let totals = (r * law + (2.0 * r * levels + 8.0) * unit) * periods;
        let settled = SETTLED * levels * r * steps * (periods + between);
        let relative = (2.0 * (totals + 4.0 * steps * unit)).exp();
        (value * relative + 2.0 * steps * step + settled) * (1.0 + 4.0 * unit)
    }

    /// Outcomes of all intervals, from 1 on.
    pub fn all(&self) -> &[IntervalOutcome] {
        &self.outcomes
    }

    /// The halt that ended the evaluation early, if any.
    pub fn halted(&self) -> Option<Halt> {
        self.halted
    }

    /// The interval of least value; of equal ones the longest.
    pub fn best(&self) -> IntervalOutcome {
        let mut best = self.outcomes[0];
        for &interval in &self.outcomes[1..] {
            if interval.outcome.value <= best.outcome.value {
                best = interval;
            }
        }
        best
    }

    /// W(n), the expected average cost per step if the first remap is after step n [NRS86, section
    /// 3]; n from 1 to the longest interval.
    pub fn average_cost(&self, n: u64) -> f64 {
        (self.unremapped[n as usize] + self.remap_cost(n)) / n as f64
    }

    /// The interval of least [`average_cost`](Self::average_cost); of equal ones the longest.
    pub fn least_average(&self) -> u64 {
        let longer = |best: u64, n: u64| match self.average_cost(n) <= self.average_cost(best) {
            true => n,
            false => best,
        };
        (1..=self.outcomes.len() as u64).fold(1, longer)
    }

    /// Expected cost of a remap n steps after the start, n from 1 to the longest interval.
    pub fn remap_cost(&self, n: u64) -> f64 {
        *self.remap_costs.get(n as usize).unwrap_or(&self.remap_costs[0])
    }

    /// Expected cost of step n = 1, 2, ... without remaps.
    pub fn growth(&self) -> Vec<f64> {
        self.unremapped.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }
}

impl LoadDrift {
    /// Whether some remap results in loads with this sum of levels.
    fn keeps(&self, total: usize) -> bool {
        use crate::load_drift::Rebalance;
        self.rebalance == Rebalance::Split || total.is_multiple_of(self.processors)
    }

    /// Outcome of an interval of n steps, with remaps delayed by `late` steps.
    fn evaluate_interval(
        &self,
        [interval, late]: [usize; 2],
        laws: &Laws,
        starts: &[usize],
        sums: &Sums<'_>,
        surcharges: &[f64],
    ) -> Outcome {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        // Steps after a decision that are made under the new mapping.
        let own = |at: &[f64], sum: &[Vec<f64>], steps: usize, first: bool| match first || late == 0
        {
            true => dot(at, &sum[steps]),
            false => dot(at, &sum[steps]) - dot(at, &sum[late]),
        };
        let (cost, work, slower) = (&sums.cost, &sums.work, &sums.slower);
        let totals = cost[0].len();
        let mut at = vec![0.0; totals];
        at[self.initial * self.processors] = 1.0;
        let (mut value, mut done, mut remaps) = (0.0, 0.0, 0u64);
        let mut left = self.steps as usize;
        let reach = interval + late;
        let beside = |at: &[f64]| match late {
            0 => 0.0,
            _ => dot(at, &slower[reach]) - dot(at, &slower[interval]),
        };
        if left > reach {
            let kernel = self.remap_kernel(laws, starts, totals);
            let period = |at: &[f64], first: bool| {
                let paid = own(at, cost, reach, first) + dot(at, surcharges) + beside(at);
                (paid, own(at, work, reach, first))
            };
            while left > reach {
                let (paid, worked) = period(&at, remaps == 0);
                value += paid;
                done += worked;
                remaps += 1;
                left -= interval;
                let mut next = vec![0.0; totals];
                for (&start, row) in starts.iter().zip(&kernel) {
                    if at[start] > 0.0 {
                        row.add_to(&mut next, at[start]);
                    }
                }
                let settled = are_settled(&at, &next);
                at = next;
                let more = left.saturating_sub(1 + late) / interval;
                if settled {
                    let (paid, worked) = period(&at, false);
                    value += more as f64 * paid;
                    done += more as f64 * worked;
                    remaps += more as u64;
                    left -= more * interval;
                } else if remaps as usize == PATIENCE * totals
                    && more > remaps as usize
                    && totals <= DOUBLED
                {
                    let mut periods = Periods {
                        kernel: DMatrix::zeros(totals, totals),
                        sums: DMatrix::zeros(totals, 2),
                    };
                    for (&start, row) in starts.iter().zip(&kernel) {
                        let (mut from, mut to) = (vec![0.0; totals], vec![0.0; totals]);
                        from[start] = 1.0;
                        row.add_to(&mut to, 1.0);
                        let (paid, worked) = period(&from, false);
                        periods.sums.row_mut(start).copy_from_slice(&[paid, worked]);
                        periods.kernel.row_mut(start).copy_from_slice(&to);
                    }
                    let [paid, worked] = periods.play(more, &mut at);
                    value += paid;
                    done += worked;
                    remaps += more as u64;
                    left -= more * interval;
                }
            }
        }
        value += own(&at, cost, left, remaps == 0) + self.remap_cost * remaps as f64;
        done += own(&at, work, left, remaps == 0);
        Outcome::new(self.objective, value, done, remaps as f64)
    }

    /// For each start, the distribution of the sum of levels after each processor has moved by
    /// `laws` and the loads have been rebalanced.
    fn remap_kernel(&self, laws: &Laws, starts: &[usize], totals: usize) -> Vec<Support> {
        let r = self.processors;
        let powers = parallel::map_all(laws, &|law| {
            let mut powers = vec![vec![1.0]];
            for k in 0..r {
                powers.push(convolve(&powers[k], law));
            }
            powers
        });
        let sum_of = |(p, levels): (f64, Vec<usize>)| (p, levels.iter().sum::<usize>());
        let balanced = |total| self.balanced(total).into_iter().map(sum_of).collect();
        let remapped: Vec<Vec<(f64, usize)>> = (0..totals).map(balanced).collect();
        let one = |&start: &usize| {
            let (lower, extra) = (start / r, start % r);
            let sum = match extra {
                0 => powers[lower][r].clone(),
                _ => convolve(&powers[lower][r - extra], &powers[lower + 1][extra]),
            };
            let mut law = vec![0.0; totals];
            for (p, remapped) in sum.iter().zip(&remapped) {
                remapped.iter().for_each(|&(probability, total)| law[total] += probability * p);
            }
            Support::of(&law)
        };
        parallel::map_all(starts, &one)
    }
}
