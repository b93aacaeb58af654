//! The problem by brute force, in two ways that share nothing with the solvers: the recursion
//! followed down every branch at a single belief, and the sum over all report sequences and times
//! of change.

use super::problems::{cases, point, problem};
use proptest::prelude::*;
use remapping::Rational;
use remapping::phase_change::exact::ExactStep;
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
        let ahead = self.reports(n, p);
        ahead.fold(Rational::ZERO, |mean, (_, chance, p)| mean + chance * self.value(n + 1, &p))
    }

    /// The possible reports of step n + 1 after belief p, their probabilities, and the beliefs then.
    fn reports(&self, n: u64, p: &Rational) -> impl Iterator<Item = (usize, Rational, Rational)> {
        let prior = p + (Rational::ONE - p) * self.problem.hazard_exact(n + 1);
        let other = Rational::ONE - &prior;
        let levels = self.problem.detector.levels().iter().enumerate();
        levels.filter_map(move |(report, level)| {
            let (yes, no) = (&prior * &level.after, &other * &level.before);
            let chance = &yes + no;
            (chance > Rational::ZERO).then(|| (report, chance.clone(), yes / chance))
        })
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

/// P(changed, reports) and P(unchanged, reports), by the sum over the times of change.
fn weights(problem: &PhaseChange, reports: &[usize]) -> (Rational, Rational) {
    let levels = problem.detector.levels();
    let likelihood = |(time, report): (usize, &usize), change: usize| {
        if time < change { levels[*report].before.clone() } else { levels[*report].after.clone() }
    };
    let (mut changed, mut quiet) = (Rational::ZERO, Rational::ONE);
    for change in 0..reports.len() {
        let hazard = problem.hazard_exact(change as u64 + 1);
        let seen = reports.iter().enumerate().map(|report| likelihood(report, change));
        changed += seen.fold(&quiet * &hazard, |weight, likelihood| weight * likelihood);
        quiet *= Rational::ONE - hazard;
    }
    let seen = reports.iter().map(|report| &levels[*report].before);
    (changed, seen.fold(quiet, |weight, likelihood| weight * likelihood))
}

/// All report sequences of at most four steps that go on from these, which have this probability
/// and lead to belief p.
fn follow(
    (direct, steps): (&Direct<'_>, &[ExactStep]),
    reports: &mut Vec<usize>,
    (chance, p): (Rational, Rational),
) -> Result<(), TestCaseError> {
    let (changed, quiet) = weights(direct.problem, reports);
    let total = &changed + quiet;
    prop_assert_eq!(&chance, &total, "{:?}", reports);
    prop_assert_eq!(&p, &(changed / total), "{:?}", reports);
    let n = reports.len() as u64;
    let (threshold, remaps) =
        (&steps[reports.len()].threshold, direct.remap(n, &p) < direct.retain(n, &p));
    prop_assert_eq!(p > *threshold, remaps, "{:?}: p = {}, pi = {}", reports, p, threshold);
    if n < direct.problem.last_step().min(4) {
        for (report, share, next) in direct.reports(n, &p) {
            reports.push(report);
            follow((direct, steps), reports, (&chance * share, next))?;
            reports.pop();
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn beliefs_and_decisions_are_those_of_all_report_sequences(problem in problem(5)) {
        let truth = twin::solve(&problem, usize::MAX, &()).unwrap();
        let start = (Rational::ONE, Rational::ZERO);
        follow((&Direct::new(&problem), &truth.steps), &mut Vec::new(), start)?;
    }

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
