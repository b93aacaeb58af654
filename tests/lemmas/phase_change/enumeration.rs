//! The problem by brute force, in two ways that share nothing with the solvers: the recursion
//! followed down every branch at a single belief, and the sum over all report sequences and times
//! of change.

use super::problems::{cases, point, problem};
use proptest::prelude::*;
use remapping::Rational;
use remapping::phase_change::{PhaseChange, Premature, exact as twin};

/// The recursion followed down every branch from one belief.
pub struct Direct<'a> {
    problem: &'a PhaseChange,
    /// E_n(0).
    from_certainty: Vec<Rational>,
}

impl<'a> Direct<'a> {
    pub fn new(problem: &'a PhaseChange) -> Direct<'a> {
        let last = problem.last_step();
        let mut direct =
            Direct { problem, from_certainty: vec![Rational::ZERO; last as usize + 1] };
        for n in (0..=last).rev() {
            direct.from_certainty[n as usize] = direct.expected(n, &Rational::ZERO);
        }
        direct
    }

    fn survival(&self, n: u64) -> Rational {
        self.problem.lifetime.continuation_exact(n)
    }

    /// L_n and A_n.
    fn cycles(&self, n: u64) -> (Rational, Rational) {
        let (mut all, mut quiet) = (Rational::ZERO, Rational::ZERO);
        for m in (n..=self.problem.last_step()).rev() {
            let survival = self.survival(m);
            all = Rational::ONE + &survival * all;
            let calm = Rational::ONE - self.problem.hazard_exact(m + 1);
            quiet = Rational::ONE + survival * calm * quiet;
        }
        (all, quiet)
    }

    /// E_n(p), the mean of V_{n+1} over the next report.
    fn expected(&self, n: u64, p: &Rational) -> Rational {
        if n == self.problem.last_step() {
            return Rational::ZERO;
        }
        let prior = p + (Rational::ONE - p) * self.problem.hazard_exact(n + 1);
        let other = Rational::ONE - &prior;
        let mut mean = Rational::ZERO;
        for level in self.problem.detector.levels() {
            let (yes, no) = (&prior * &level.after, &other * &level.before);
            let chance = &yes + &no;
            if chance > Rational::ZERO {
                mean += &chance * self.value(n + 1, &(&yes / &chance));
            }
        }
        mean
    }

    /// C_t.
    pub fn retain(&self, n: u64, p: &Rational) -> Rational {
        let running = p * &self.problem.after + (Rational::ONE - p) * &self.problem.before;
        running + self.survival(n) * self.expected(n, p)
    }

    /// C_m.
    pub fn remap(&self, n: u64, p: &Rational) -> Rational {
        let problem = self.problem;
        let (cycles, quiet) = self.cycles(n);
        let other = Rational::ONE - p;
        match &problem.premature {
            Premature::Revert => {
                let ahead = self.survival(n) * &self.from_certainty[n as usize];
                let changed = &problem.install + cycles * &problem.remapped;
                &problem.test + p * changed + other * (&problem.before + ahead)
            }
            Premature::Keep { before_remapped } => {
                let quiet = other * quiet;
                let running = (cycles - &quiet) * &problem.remapped + quiet * before_remapped;
                &problem.test + &problem.install + running
            }
        }
    }

    /// V_n(p).
    pub fn value(&self, n: u64, p: &Rational) -> Rational {
        self.retain(n, p).min(self.remap(n, p))
    }
}

/// The sum over sequences. A history is the reports since the last step `from` at which nothing had
/// changed for certain; its weights are P(changed, reports) and P(unchanged, reports), by
/// enumerating the time of change.
struct Sequences<'a> {
    problem: &'a PhaseChange,
    /// Weight of V at (step n, certainty), n = 0..=M.
    certain: Vec<Rational>,
    /// (n, p, remapping is strictly better) wherever the search came by.
    decisions: Vec<(u64, Rational, bool)>,
}

impl Sequences<'_> {
    fn weights(&self, from: u64, reports: &[usize]) -> (Rational, Rational) {
        let levels = self.problem.detector.levels();
        let likelihood = |report: usize, changed: bool| {
            if changed { &levels[report].after } else { &levels[report].before }
        };
        let (mut changed, mut quiet) = (Rational::ZERO, Rational::ONE);
        for time in 0..reports.len() {
            let hazard = self.problem.hazard_exact(from + 1 + time as u64);
            let weigh =
                |weight, (at, report): (usize, &usize)| weight * likelihood(*report, at >= time);
            changed += reports.iter().enumerate().fold(&quiet * &hazard, weigh);
            quiet *= Rational::ONE - hazard;
        }
        let quiet =
            reports.iter().fold(quiet, |weight, report| weight * likelihood(*report, false));
        (changed, quiet)
    }

    /// Least cost of going on from `from` after `reports`, times their probability, and the part of
    /// it that C_t has.
    fn cost(&mut self, from: u64, reports: &mut Vec<usize>) -> Rational {
        let n = from + reports.len() as u64;
        let (changed, quiet) = self.weights(from, reports);
        let total = &changed + &quiet;
        if total == Rational::ZERO {
            return Rational::ZERO;
        }
        let problem = self.problem;
        let retain =
            &changed * &problem.after + &quiet * &problem.before + self.go_on(from, reports);
        let lasting = |mean: &dyn Fn(u64) -> Rational| {
            // Sum over the cycles m >= n of P(N >= m | N >= n) times their mean time.
            let (mut sum, mut alive) = (Rational::ZERO, Rational::ONE);
            for m in n..=problem.last_step() {
                sum += &alive * mean(m);
                alive *= problem.lifetime.continuation_exact(m);
            }
            sum
        };
        let done = lasting(&|_| problem.remapped.clone());
        let remap = match &problem.premature {
            Premature::Revert => {
                let again =
                    if reports.is_empty() { retain.clone() } else { self.certain_retain(n) };
                &total * &problem.test + &changed * (&problem.install + done) + &quiet * again
            }
            Premature::Keep { before_remapped } => {
                let premature = lasting(&|m| {
                    let calm = (n + 1..=m).fold(Rational::ONE, |calm, k| {
                        calm * (Rational::ONE - problem.hazard_exact(k))
                    });
                    &calm * before_remapped + (Rational::ONE - &calm) * &problem.remapped
                });
                &total * (&problem.test + &problem.install) + &changed * done + &quiet * premature
            }
        };
        self.decisions.push((n, &changed / &total, remap < retain));
        retain.min(remap)
    }

    /// s_n times the cost after each next report.
    fn go_on(&mut self, from: u64, reports: &mut Vec<usize>) -> Rational {
        let n = from + reports.len() as u64;
        let survival = self.problem.lifetime.continuation_exact(n);
        if survival == Rational::ZERO {
            return Rational::ZERO;
        }
        let mut sum = Rational::ZERO;
        for report in 0..self.problem.detector.levels().len() {
            reports.push(report);
            sum += self.cost(from, reports);
            reports.pop();
        }
        survival * sum
    }

    /// C_t from certainty at step n: what an undone remapping leads to.
    fn certain_retain(&mut self, n: u64) -> Rational {
        let index = (self.problem.last_step() - n) as usize;
        self.certain[index].clone()
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn exact_costs_agree_with_the_recursion_followed_branch_by_branch(
        problem in problem(4), p in point(),
    ) {
        let truth = twin::solve(&problem, usize::MAX, &()).unwrap();
        let direct = Direct::new(&problem);
        for (n, step) in truth.steps.iter().enumerate() {
            let n = n as u64;
            prop_assert_eq!(step.retain.value(&p), direct.retain(n, &p));
            prop_assert_eq!(step.remap.value(&p), direct.remap(n, &p));
            prop_assert_eq!(step.value.value(&p), direct.value(n, &p));
        }
    }

    #[test]
    fn thresholds_agree_with_the_enumeration_of_all_report_sequences(problem in problem(5)) {
        let truth = twin::solve(&problem, usize::MAX, &()).unwrap();
        let last = problem.last_step();
        let mut search =
            Sequences { problem: &problem, certain: Vec::new(), decisions: Vec::new() };
        for from in (0..=last).rev() {
            let retain = problem.before.clone() + search.go_on(from, &mut Vec::new());
            search.certain.push(retain);
        }
        search.decisions.clear();
        let value = search.cost(0, &mut Vec::new());
        prop_assert_eq!(value, truth.value());
        for (n, p, remaps) in search.decisions {
            let threshold = &truth.steps[n as usize].threshold;
            prop_assert_eq!(p > *threshold, remaps, "step {}: p = {}, pi = {}", n, p, threshold);
        }
    }
}
