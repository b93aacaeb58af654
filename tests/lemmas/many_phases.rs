//! Any number of phases: bounds against exact vectors, exact vectors against every branch and the
//! solver of two phases.

use crate::phase_change::problems::{cases, law, ratio};
use crate::phase_switching::values::{recurring, switching};
use crate::shared::{double, holds};
use proptest::prelude::*;
use remapping::Bounds;
use remapping::lifetime::Lifetime;
use remapping::many_phases::{Horizon, ManyPhases, PhasesError, Remap, exact, solve};
use remapping::phase_switching::{self as two, exact as twin};
use remapping::{Rational, Status};

/// A law on `count` places.
fn row(count: usize) -> impl Strategy<Value = Vec<Rational>> {
    prop::collection::vec(0i64..6, count).prop_map(|mut weights| {
        let total: i64 = weights.iter().sum();
        if total == 0 {
            weights[0] = 1;
        }
        let total = total.max(1);
        weights.into_iter().map(|weight| ratio(weight, total as u64)).collect()
    })
}

fn problem() -> impl Strategy<Value = ManyPhases> {
    (1usize..4, 1usize..4).prop_flat_map(|(count, reports)| {
        let tenths = |range: std::ops::Range<i64>| range.prop_map(|k| ratio(k, 10));
        let table = |range: std::ops::Range<i64>| {
            prop::collection::vec(prop::collection::vec(tenths(range), count), count)
        };
        let laws = |width: usize| prop::collection::vec(row(width), count);
        let remap = prop_oneof![Just(Remap::Chosen), Just(Remap::Fitted)];
        (table(0..30), table(0..20), laws(count), laws(reports), row(count), remap).prop_map(
            |(cycle, switch, transition, detector, initial, remap)| ManyPhases {
                cycle,
                switch,
                remap,
                transition,
                detector,
                initial,
            },
        )
    })
}

/// Q of every mapping at step n, every report followed.
fn keep(problem: &ManyPhases, lifetime: &Lifetime, n: u64, belief: &[Rational]) -> Vec<Rational> {
    let count = problem.phases();
    let survival = lifetime.continuation_exact(n);
    let mut ahead = vec![Rational::ZERO; count];
    for report in 0..problem.reports() {
        if survival == Rational::ZERO {
            break;
        }
        let joint: Vec<Rational> = (0..count)
            .map(|y| {
                let comes = belief.iter().zip(&problem.transition);
                comes.fold(Rational::ZERO, |sum, (p, row)| sum + p * &row[y])
                    * &problem.detector[y][report]
            })
            .collect();
        let chance = joint.iter().fold(Rational::ZERO, |sum, p| sum + p);
        if chance > Rational::ZERO {
            let next: Vec<Rational> = joint.iter().map(|p| p / &chance).collect();
            for (sum, value) in ahead.iter_mut().zip(value(problem, lifetime, n + 1, &next)) {
                *sum += &chance * value;
            }
        }
    }
    (0..count)
        .map(|m| {
            let now = belief.iter().zip(&problem.cycle);
            now.fold(Rational::ZERO, |sum, (p, row)| sum + p * &row[m]) + &survival * &ahead[m]
        })
        .collect()
}

/// The value under every mapping from step n on.
pub fn value(
    problem: &ManyPhases,
    lifetime: &Lifetime,
    n: u64,
    belief: &[Rational],
) -> Vec<Rational> {
    let count = problem.phases();
    let own = keep(problem, lifetime, n, belief);
    (0..count)
        .map(|m| match problem.remap {
            Remap::Chosen => (0..count)
                .map(|j| if j == m { own[m].clone() } else { &own[j] + &problem.switch[m][j] })
                .min()
                .unwrap(),
            Remap::Fitted => {
                let fit = (0..count).fold(Rational::ZERO, |sum, z| {
                    let known: Vec<Rational> =
                        (0..count).map(|y| ratio(i64::from(y == z), 1)).collect();
                    let cost = &problem.switch[m][z] + &keep(problem, lifetime, n, &known)[z];
                    sum + &belief[z] * cost
                });
                own[m].clone().min(fit)
            }
        })
        .collect()
}

/// What cannot be done costs more than there is to gain.
pub fn of_two(problem: &two::PhaseSwitching) -> ManyPhases {
    let [to, back] = problem.switch.clone().map(|cost| cost.unwrap_or(ratio(1000, 1)));
    let [a, b] = problem.rates.clone();
    let levels = problem.detector.levels();
    ManyPhases {
        cycle: problem.cycle.iter().map(|row| row.to_vec()).collect(),
        switch: vec![vec![Rational::ZERO, to], vec![back, Rational::ZERO]],
        remap: Remap::Chosen,
        transition: vec![vec![Rational::ONE - &a, a], vec![b.clone(), Rational::ONE - b]],
        detector: vec![
            levels.iter().map(|level| level.before.clone()).collect(),
            levels.iter().map(|level| level.after.clone()).collect(),
        ],
        initial: vec![Rational::ONE - &problem.initial, problem.initial.clone()],
    }
}

proptest! {
    #![proptest_config(cases(96))]

    #[test]
    fn vectors_are_those_of_all_branches(problem in problem(), (lifetime, _) in law(2)) {
        let found = exact(&problem, &lifetime, 4000, &()).unwrap();
        if let Some(found) = found {
            prop_assert_eq!(found, value(&problem, &lifetime, 0, &problem.initial)[0].clone());
        }
    }

    #[test]
    fn bounds_enclose_every_branch(problem in problem(), (lifetime, _) in law(3), points in 1usize..60) {
        let truth = value(&problem, &lifetime, 0, &problem.initial)[0].clone();
        let found = solve(&problem, &Horizon::Ends(lifetime), 1e-9, points, &()).unwrap();
        prop_assert!(holds(found.value, &truth), "{:?} {}", found.value, double(&truth));
    }

    #[test]
    fn two_phases_are_those_of_their_solver(problem in switching(), (lifetime, _) in law(5)) {
        let many = of_two(&problem);
        let truth = twin::solve(&problem, &lifetime, usize::MAX, &()).unwrap().value;
        if let Some(found) = exact(&many, &lifetime, 400, &()).unwrap() {
            prop_assert_eq!(&found, &truth);
        }
        let found = solve(&many, &Horizon::Ends(lifetime), 1e-12, 40, &()).unwrap();
        prop_assert!(holds(found.value, &truth));
    }
}

#[test]
fn long_programs_of_two_phases_are_enclosed() {
    let problem = recurring();
    let many = of_two(&problem);
    let lifetime = Lifetime::fixed(300);
    let Bounds { lower, upper } =
        two::solve(&problem, &lifetime, 1e-9, &()).unwrap().value.unwrap();
    let mut width = f64::INFINITY;
    for points in [10, 40, 200] {
        let found = solve(&many, &Horizon::Ends(lifetime.clone()), 1e-9, points, &()).unwrap();
        assert!(
            found.value.lower <= lower && upper <= found.value.upper,
            "{:?} {lower}",
            found.value
        );
        assert_eq!(found.status, Status::IterationLimit);
        let now = found.value.upper - found.value.lower;
        assert!(now < width, "{now} {width}");
        width = now;
    }
    assert!(width < 1e-2 * lower, "{width}");
}

#[test]
fn a_discount_is_a_program_that_ends_by_chance() {
    let many = of_two(&recurring());
    let found = solve(&many, &Horizon::Discounted(ratio(9, 10)), 1e-3, 200, &()).unwrap();
    // Cut after 120 steps: 121 * .9^121 = .00035 cycles less, of 2 at most.
    let lifetime = Lifetime::geometric(ratio(1, 10), 0, 120).unwrap();
    let cut = solve(&many, &Horizon::Ends(lifetime), 1e-3, 200, &()).unwrap();
    let (found, cut) = (found.value, cut.value);
    assert!(found.lower <= cut.upper + 1e-3 && cut.lower <= found.upper, "{found:?} {cut:?}");
    assert!(found.upper - found.lower < 0.1, "{found:?}");
}

/// Where the other mapping is free once its price is paid, the optimum is that price, to the last
/// bit.
#[test]
fn bounds_enclose_what_doubles_cannot_hold() {
    for price in [ratio(1, 10), ratio(7, 10), ratio(1, 3), ratio(1, 1_000_000_007)] {
        let free = ManyPhases {
            cycle: vec![vec![ratio(1, 1), Rational::ZERO]; 2],
            switch: vec![vec![Rational::ZERO, price.clone()], vec![Rational::ZERO; 2]],
            remap: Remap::Chosen,
            transition: vec![vec![ratio(1, 1), Rational::ZERO], vec![Rational::ZERO, ratio(1, 1)]],
            detector: vec![vec![ratio(1, 1)]; 2],
            initial: vec![ratio(1, 3), ratio(2, 3)],
        };
        let found = solve(&free, &Horizon::Ends(Lifetime::fixed(20)), 1e-9, 40, &()).unwrap().value;
        assert!(holds(found, &price), "{found:?} {price}");
        // Costs of both signs that cancel.
        let mut even = free.clone();
        even.cycle = vec![vec![ratio(7, 5), Rational::ONE], vec![ratio(-7, 10), Rational::ONE]];
        let found = solve(&even, &Horizon::Ends(Lifetime::fixed(20)), 1e-9, 40, &()).unwrap().value;
        assert!(found.lower <= 0.0 && 0.0 <= found.upper, "{found:?}");
        // Discounted by next to nothing, every cycle costs the same.
        let mut long = free;
        long.cycle = vec![vec![price.clone(); 2]; 2];
        let left = ratio(1, 1_000_000_007);
        let truth = price / &left;
        let horizon = Horizon::Discounted(Rational::ONE - left);
        let found = solve(&long, &horizon, 1e-3, 5, &()).unwrap().value;
        assert!(holds(found, &truth), "{found:?} {truth}");
    }
}

#[test]
fn what_is_no_problem_is_refused() {
    let good = of_two(&recurring());
    let refused = |problem: &ManyPhases, horizon: Horizon| {
        solve(problem, &horizon, 1e-3, 10, &()).unwrap_err()
    };
    let ends = || Horizon::Ends(Lifetime::fixed(3));
    let [mut short, mut odd, mut negative] = [&good; 3].map(ManyPhases::clone);
    short.detector[0].pop();
    odd.transition[0][0] = ratio(1, 2);
    negative.switch[0][1] = ratio(-1, 2);
    assert_eq!(refused(&short, ends()), PhasesError::Shape("detector"));
    assert_eq!(refused(&odd, ends()), PhasesError::NotALaw("transition"));
    assert_eq!(refused(&negative, ends()), PhasesError::NegativeCost);
    assert_eq!(refused(&good, Horizon::Discounted(Rational::ONE)), PhasesError::Discount);
}
