//! Lemma 1 and Theorem 1 \[NR90\], for any law of N and any hazards.

use super::enumeration::Direct;
use super::problems::{cases, detector, point, problem, reverting};
use proptest::prelude::*;
use remapping::Rational;
use remapping::belief::{Level, Levels};
use remapping::phase_change::exact::{self as twin, ExactStep};
use remapping::phase_change::{Hazard, PhaseChange, Premature};

/// 0, the breakpoints of C_t, the threshold, 1, and a point between any two of them: a piecewise
/// linear function has the sign pattern it shows on these.
fn probes(step: &ExactStep) -> Vec<Rational> {
    let mut ends = step.retain.breakpoints();
    ends.extend([Rational::ZERO, step.threshold.clone(), Rational::ONE]);
    ends.sort();
    ends.dedup();
    let between: Vec<_> =
        ends.windows(2).map(|pair| (&pair[0] + &pair[1]) / Rational::from(2)).collect();
    ends.extend(between);
    ends
}

fn steps(problem: &PhaseChange) -> Vec<ExactStep> {
    twin::solve(problem, usize::MAX, &()).unwrap().steps
}

/// Whether the value of one problem is nowhere above that of the other.
fn never_dearer(one: &PhaseChange, other: &PhaseChange, p: &Rational) -> Result<(), TestCaseError> {
    for (one, other) in steps(one).iter().zip(&steps(other)) {
        prop_assert!(one.value.value(p) <= other.value.value(p));
    }
    Ok(())
}

fn excess(step: &ExactStep, p: &Rational) -> Rational {
    step.remap.value(p) - step.retain.value(p)
}

/// The point that divides the way from a to b as `share` says.
fn blend(share: &Rational, a: &Rational, b: &Rational) -> Rational {
    (Rational::ONE - share) * a + share * b
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn remapping_cost_is_linear_in_p(
        problem in problem(4), p in point(), q in point(), share in point(),
    ) {
        let direct = Direct::new(&problem);
        for n in 0..=problem.last_step() {
            let cost = direct.remap(n, &blend(&share, &p, &q));
            prop_assert_eq!(cost, blend(&share, &direct.remap(n, &p), &direct.remap(n, &q)));
        }
    }

    #[test]
    fn retaining_cost_and_value_are_concave_in_p(
        problem in problem(4), p in point(), q in point(), share in point(),
    ) {
        let direct = Direct::new(&problem);
        for n in 0..=problem.last_step() {
            let middle = blend(&share, &p, &q);
            let chord = blend(&share, &direct.retain(n, &p), &direct.retain(n, &q));
            prop_assert!(direct.retain(n, &middle) >= chord);
            let chord = blend(&share, &direct.value(n, &p), &direct.value(n, &q));
            prop_assert!(direct.value(n, &middle) >= chord);
        }
    }

    #[test]
    fn retaining_cost_is_piecewise_linear_in_p(problem in problem(6), share in point()) {
        for step in steps(&problem) {
            let breaks = step.retain.breakpoints();
            prop_assert_eq!(breaks.len() + 1, step.retain.lines().len());
            let mut ends = vec![Rational::ZERO];
            ends.extend(breaks);
            ends.push(Rational::ONE);
            for pair in ends.windows(2) {
                let middle = blend(&share, &pair[0], &pair[1]);
                let chord = blend(&share, &step.retain.value(&pair[0]), &step.retain.value(&pair[1]));
                prop_assert_eq!(step.retain.value(&middle), chord);
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(256))]

    /// Theorem 1, without increasing failure rates and for hazards that change.
    #[test]
    fn remapping_is_cheaper_exactly_above_the_threshold(problem in problem(7)) {
        for (n, step) in steps(&problem).iter().enumerate() {
            for p in probes(step) {
                if p > step.threshold {
                    prop_assert!(excess(step, &p) < Rational::ZERO, "step {n}, p = {p}");
                } else {
                    prop_assert!(excess(step, &p) >= Rational::ZERO, "step {n}, p = {p}");
                }
            }
        }
    }

    #[test]
    fn excess_cost_is_bounded_by_what_it_is_at_certainty(problem in reverting(7)) {
        for (n, step) in steps(&problem).iter().enumerate() {
            let survival = problem.lifetime.continuation_exact(n as u64);
            let quiet = Rational::ONE - problem.hazard_exact(n as u64 + 1);
            let at_one = excess(step, &Rational::ONE);
            for p in probes(step) {
                let other = Rational::ONE - &p;
                let bound = &problem.test * other * (Rational::ONE - &survival * &quiet) + &p * &at_one;
                prop_assert!(excess(step, &p) >= bound, "step {n}, p = {p}");
            }
        }
    }

    /// Remapping never pays for certain that nothing has changed: waiting one cycle is no dearer.
    #[test]
    fn excess_cost_without_a_change_is_the_price_of_haste(problem in problem(7)) {
        let (delay, regret) = match &problem.premature {
            Premature::Revert => (problem.test.clone(), Rational::ZERO),
            Premature::Keep { before_remapped } => {
                (&problem.test + &problem.install, before_remapped - &problem.before)
            }
        };
        for (n, step) in steps(&problem).iter().enumerate() {
            let at_zero = excess(step, &Rational::ZERO);
            if problem.premature == Premature::Revert {
                prop_assert_eq!(at_zero, delay.clone());
            } else {
                let failure = Rational::ONE - problem.lifetime.continuation_exact(n as u64);
                prop_assert!(at_zero >= &delay * failure + &regret);
            }
        }
    }

    #[test]
    fn excess_cost_at_certainty_follows_a_scalar_recursion(problem in problem(7)) {
        let (delay, gain) = (&problem.test + &problem.install, problem.gain());
        let mut x = Rational::ZERO;
        for (n, step) in steps(&problem).iter().enumerate().rev() {
            let retain = &gain + problem.lifetime.continuation_exact(n as u64) * &x;
            prop_assert_eq!(excess(step, &Rational::ONE), &delay - &retain, "step {}", n);
            x = retain.min(delay.clone());
        }
    }

    /// Lemma 1, claims 3 and 4.
    #[test]
    fn increasing_failure_rates_make_n0_a_single_switch(problem in problem(7)) {
        let solution = twin::solve(&problem, usize::MAX, &()).unwrap();
        let never = |n: u64| solution.steps[n as usize].threshold == Rational::ONE;
        let last = problem.last_step();
        prop_assert!((solution.onset..=last).all(never));
        prop_assert!(solution.onset == 0 || !never(solution.onset - 1));
        if problem.lifetime.has_increasing_failure_rate() {
            prop_assert!(!(0..solution.onset).any(never));
        }
    }

    /// V itself may fall with p (see the counterexamples); V / (1 - p), the cost in odds, never
    /// does.
    #[test]
    fn value_over_the_chance_of_no_change_is_nondecreasing_in_p(problem in problem(6)) {
        for step in steps(&problem) {
            let mut ends = step.value.breakpoints();
            ends.insert(0, Rational::ZERO);
            let scaled = |p: &Rational| step.value.value(p) / (Rational::ONE - p);
            let values: Vec<_> = ends.iter().map(scaled).collect();
            prop_assert!(values.windows(2).all(|pair| pair[0] <= pair[1]));
            // Beyond the last breakpoint it is a line in the odds, with slope V(1).
            prop_assert!(step.value.value(&Rational::ONE) >= Rational::ZERO);
        }
    }

    /// Up to the threshold, C_m is a bound whose growth says when V rises all the way to p = 1.
    #[test]
    fn value_is_nondecreasing_in_p_iff_starting_over_costs_no_more_than_being_done(
        problem in reverting(6),
    ) {
        for step in steps(&problem) {
            if step.threshold == Rational::ONE {
                continue;
            }
            let mut ends = step.value.breakpoints();
            ends.insert(0, Rational::ZERO);
            ends.push(Rational::ONE);
            let values: Vec<_> = ends.iter().map(|p| step.value.value(p)).collect();
            let rises = values.windows(2).all(|pair| pair[0] <= pair[1]);
            let start_over = step.retain.value(&Rational::ZERO);
            prop_assert_eq!(rises, start_over <= &step.remap.at_one - &problem.test);
        }
    }

    #[test]
    fn value_is_nonincreasing_in_n_for_increasing_failure_rates_and_constant_hazard(
        problem in problem(6), p in point(),
    ) {
        prop_assume!(problem.lifetime.has_increasing_failure_rate());
        prop_assume!(matches!(problem.hazard, Hazard::Constant(_)));
        let steps = steps(&problem);
        for pair in steps.windows(2) {
            prop_assert!(pair[0].value.value(&p) >= pair[1].value.value(&p));
        }
    }

    #[test]
    fn value_is_nondecreasing_in_every_cost(problem in problem(5), which in 0..5usize, p in point()) {
        let mut dearer = problem.clone();
        let PhaseChange { before, after, remapped, test, install, .. } = &mut dearer;
        let cost = [before, after, remapped, test, install].into_iter().nth(which).unwrap();
        *cost += Rational::ONE;
        prop_assume!(dearer.validate().is_ok());
        never_dearer(&problem, &dearer, &p)?;
    }

    #[test]
    fn a_worse_detector_never_helps(problem in problem(5), share in point(), p in point()) {
        // Reports replaced, with some probability, by a fair die.
        let mut noisy = problem.clone();
        let levels = problem.detector.levels();
        let fair = Rational::ONE / Rational::from(levels.len());
        let mixed = |read: fn(&Level) -> &Rational| {
            levels.iter().map(|level| blend(&share, read(level), &fair)).collect()
        };
        noisy.detector = Levels::new(mixed(|level| &level.before), mixed(|level| &level.after)).unwrap();
        never_dearer(&problem, &noisy, &p)?;
    }

    /// An atom of odds x leaves two images only if h (1-beta)/alpha < (1-h) x <= (odds(pi) + h)
    /// beta / (1-alpha); so where odds(pi) <= h ((1-alpha)(1-beta)/(alpha beta) - 1) a step adds
    /// one at most.
    #[test]
    fn segments_grow_by_one_at_most_where_the_threshold_is_low(problem in problem(8)) {
        let [change, none] = problem.detector.levels() else { return Ok(()) };
        let (alpha, beta) = (&change.before, &none.after);
        let both = alpha * beta;
        let steps = steps(&problem);
        for (n, pair) in steps.windows(2).enumerate() {
            let hazard = problem.hazard_exact(n as u64 + 1);
            let threshold = &pair[0].threshold;
            let other = Rational::ONE - threshold;
            let ratio = (Rational::ONE - alpha) * (Rational::ONE - beta) - &both;
            if threshold * &both <= other * hazard * ratio {
                let (lines, next) = (pair[0].value.lines().len(), pair[1].value.lines().len());
                prop_assert!(lines <= next + 1, "step {n}: {lines} after {next}");
            }
        }
    }

    /// Nothing is lost by asking one more detector.
    #[test]
    fn a_second_detector_never_costs(problem in problem(4), second in detector(), p in point()) {
        let mut both = problem.clone();
        both.detector = problem.detector.and(&second);
        never_dearer(&both, &problem, &p)?;
    }
}
