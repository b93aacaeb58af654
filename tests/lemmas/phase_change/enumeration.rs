//! The problem by brute force, which shares nothing with the solvers: the recursion followed down
//! every branch at a single belief.

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

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn exact_costs_agree_with_the_recursion_followed_branch_by_branch(
        problem in problem(5), p in point(),
    ) {
        let truth = twin::solve(&problem, usize::MAX, &()).unwrap();
        let direct = Direct::new(&problem);
        prop_assert_eq!(truth.value(), direct.value(0, &Rational::ZERO));
        for (n, step) in truth.steps.iter().enumerate() {
            let n = n as u64;
            let (retain, remap) = (direct.retain(n, &p), direct.remap(n, &p));
            prop_assert_eq!(p > step.threshold, remap < retain, "step {}: {}", n, step.threshold);
            prop_assert_eq!(step.retain.value(&p), retain);
            prop_assert_eq!(step.remap.value(&p), remap);
            prop_assert_eq!(step.value.value(&p), direct.value(n, &p));
        }
    }
}
