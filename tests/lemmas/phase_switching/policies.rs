//! What policies of two thresholds cost on recurring phases: against all branches, the optimum and
//! simulation.

use super::values::{recurring, switching};
use crate::phase_change::problems::{cases, exact, law, ratio};
use crate::shared::{double, meet};
use approx::abs_diff_eq;
use proptest::prelude::*;
use rand::RngExt;
use remapping::lifetime::Lifetime;
use remapping::phase_switching::evaluation::{
    Beliefs, EvaluationError, Fineness, TwoThresholds, average, evaluate,
};
use remapping::phase_switching::{PhaseSwitching, exact as twin, long_run, solve};
use remapping::simulate::{Estimate, stream};
use remapping::{Bounds, Rational};

const ALL: Fineness = Fineness { merge: 0.0, pieces: u64::MAX };

/// A policy played by its definition: the belief that the second phase is on, moved by its own
/// rates.
struct Player {
    beliefs: Beliefs,
    rates: [f64; 2],
    levels: Vec<[f64; 2]>,
}

impl Player {
    fn new(problem: &PhaseSwitching, beliefs: Beliefs) -> Player {
        let levels = problem.detector.levels().iter();
        Player {
            beliefs,
            rates: [double(&problem.rates[0]), double(&problem.rates[1])],
            levels: levels.map(|level| [double(&level.before), double(&level.after)]).collect(),
        }
    }

    fn switched(&self, p: f64, to: usize) -> f64 {
        if self.beliefs == Beliefs::Rebased { to as f64 } else { p }
    }

    fn next(&self, p: f64, mapping: usize, level: usize) -> f64 {
        let [a, b] = match (self.beliefs, mapping) {
            (Beliefs::Bayes, _) => self.rates,
            (Beliefs::Rebased, 0) => [self.rates[0], 0.0],
            (Beliefs::Rebased, _) => [0.0, self.rates[1]],
            (Beliefs::LastReport, _) => [0.5, 0.5],
        };
        let prior = p * (1.0 - b) + (1.0 - p) * a;
        let (no, yes) = ((1.0 - prior) * self.levels[level][0], prior * self.levels[level][1]);
        if no + yes > 0.0 { yes / (no + yes) } else { prior }
    }
}

/// The cost from step n by every report and change of phase: the phase is `phase`.
fn branches(
    problem: &PhaseSwitching,
    lifetime: &Lifetime,
    player: &Player,
    pair: &dyn Fn(u64) -> [f64; 2],
    (n, phase, mut mapping, mut p): (u64, usize, usize, f64),
) -> f64 {
    let mut cost = 0.0;
    let [up, down] = pair(n);
    if (mapping == 0 && p > up) || (mapping == 1 && p < down) {
        cost += double(problem.switch[mapping].as_ref().unwrap());
        mapping = 1 - mapping;
        p = player.switched(p, mapping);
    }
    cost += double(&problem.cycle[phase][mapping]);
    let survival = lifetime.continuation(n);
    if survival == 0.0 {
        return cost;
    }
    let leaves = player.rates[phase];
    for (next, moved) in [(phase, 1.0 - leaves), (1 - phase, leaves)] {
        for level in 0..player.levels.len() {
            let chance = survival * moved * player.levels[level][next];
            if chance > 0.0 {
                let place = (n + 1, next, mapping, player.next(p, mapping, level));
                cost += chance * branches(problem, lifetime, player, pair, place);
            }
        }
    }
    cost
}

fn beliefs() -> impl Strategy<Value = Beliefs> {
    prop_oneof![Just(Beliefs::Bayes), Just(Beliefs::Rebased), Just(Beliefs::LastReport)]
}

/// Thresholds that no belief meets.
fn odd_pairs(count: usize) -> impl Strategy<Value = Vec<[f64; 2]>> {
    let one = || (0u32..97).prop_map(|k| f64::from(k) / 97.0 + 0.001_234_567_891);
    prop::collection::vec([one(), one()], count)
}

proptest! {
    #![proptest_config(cases(160))]

    #[test]
    fn costs_are_those_of_all_branches(
        problem in switching(), (lifetime, _) in law(4), beliefs in beliefs(), pairs in odd_pairs(5), merge in 0..3u8,
    ) {
        let last = lifetime.last() as usize;
        let thresholds = &pairs[..=last];
        let policy = TwoThresholds { beliefs, thresholds };
        let fineness = Fineness { merge: [0.0, 1e-3, 0.3][usize::from(merge)], ..ALL };
        let found = evaluate(&problem, &lifetime, policy, fineness, &());
        if problem.switch.contains(&None) {
            prop_assert_eq!(found, Err(EvaluationError::NoSwitch));
            return Ok(());
        }
        let Bounds { lower, upper } = found.unwrap();
        let player = Player::new(&problem, beliefs);
        let initial = double(&problem.initial);
        let from = |phase| {
            let place = (0, phase, 0, initial);
            branches(&problem, &lifetime, &player, &|n| thresholds[n as usize], place)
        };
        let truth = (1.0 - initial) * from(0) + initial * from(1);
        let blur = 1e-12 * (1.0 + truth.abs());
        prop_assert!(lower <= truth + blur && truth <= upper + blur, "{truth} not in {lower} {upper}");
        if merge == 0 {
            prop_assert!(upper - lower <= 1e-9 * (1.0 + truth.abs()), "{lower} {upper}");
        }
    }

    #[test]
    fn optimal_thresholds_cost_the_optimum_and_no_others_less(
        problem in switching(), (lifetime, _) in law(6), beliefs in beliefs(), pairs in odd_pairs(7),
    ) {
        if problem.switch.contains(&None) {
            return Ok(());
        }
        let optimum = twin::solve(&problem, &lifetime, usize::MAX, &()).unwrap().value;
        let solution = solve(&problem, &lifetime, 1e-11, &()).unwrap();
        // A threshold at the edge is passed there too.
        let at = |n: u64| {
            let (up, down) = (solution.to_second.at(n).unwrap(), solution.to_first.at(n).unwrap());
            let up = if up.upper == 0.0 { -1.0 } else { up.middle() };
            [up, if down.lower == 1.0 { 2.0 } else { down.middle() }]
        };
        let best: Vec<[f64; 2]> = (0..=lifetime.last()).map(at).collect();
        let policy = TwoThresholds { beliefs: Beliefs::Bayes, thresholds: &best };
        let Bounds { lower, upper } = evaluate(&problem, &lifetime, policy, ALL, &()).unwrap();
        let value = double(&optimum);
        prop_assert!(abs_diff_eq!(lower, value, epsilon = 1e-8) && abs_diff_eq!(upper, value, epsilon = 1e-8),
            "{value} {lower} {upper}");
        let policy = TwoThresholds { beliefs, thresholds: &pairs[..best.len()] };
        let Bounds { upper: other, .. } = evaluate(&problem, &lifetime, policy, ALL, &()).unwrap();
        prop_assert!(exact(other) >= optimum, "{other} {value}");
    }
}

fn averaged(problem: &PhaseSwitching, beliefs: Beliefs, pair: [f64; 2]) -> Bounds {
    let policy = TwoThresholds { beliefs, thresholds: &[pair] };
    let fineness = Fineness { merge: 1e-7, pieces: 100_000_000 };
    average(problem, policy, 1e-6, fineness, &()).unwrap()
}

/// The average cost of a step on sample paths.
pub fn simulated(problem: &PhaseSwitching, beliefs: Beliefs, pair: [f64; 2]) -> Estimate {
    let player = Player::new(problem, beliefs);
    const STEPS: u32 = 20_000;
    let runs = (0..40).map(|run| {
        let mut random = stream(11, run);
        let (mut phase, mut mapping, mut p, mut cost) = (0usize, 0usize, 0.0, 0.0);
        for _ in 0..STEPS {
            if (mapping == 0 && p > pair[0]) || (mapping == 1 && p < pair[1]) {
                cost += double(problem.switch[mapping].as_ref().unwrap());
                mapping = 1 - mapping;
                p = player.switched(p, mapping);
            }
            cost += double(&problem.cycle[phase][mapping]);
            if random.random_bool(player.rates[phase]) {
                phase = 1 - phase;
            }
            let second = random.random_bool(player.levels[0][phase]);
            p = player.next(p, mapping, usize::from(!second));
        }
        cost / f64::from(STEPS)
    });
    Estimate::of(&runs.collect::<Vec<_>>())
}

#[test]
fn averages_are_those_of_the_optimum_and_of_simulation() {
    let problem = recurring();
    let endless = long_run(&problem, 1e-9, &()).unwrap();
    let best = [endless.to_second.middle(), endless.to_first.middle()];
    let bounds = averaged(&problem, Beliefs::Bayes, best);
    assert!(meet(bounds, endless.average) && bounds.width() < 1e-5, "{bounds:?}");
    for (beliefs, pair) in [
        (Beliefs::Bayes, [0.7, 0.3]),
        (Beliefs::Rebased, [0.8, 0.2]),
        (Beliefs::LastReport, [0.5, 0.5]),
    ] {
        let Bounds { lower, upper } = averaged(&problem, beliefs, pair);
        assert!(upper - lower < 1e-4 && lower > endless.average.upper - 1e-9, "{lower} {upper}");
        let found = simulated(&problem, beliefs, pair);
        assert!(found.agrees(0.5 * (lower + upper), 2.0), "{beliefs:?} {found:?} {lower} {upper}");
    }
}

/// The difference of a double next to 1 from 1 has no digits: both chances are taken from
/// fractions.
#[test]
fn chances_next_to_one_keep_their_digits() {
    let far = Rational::from(100_000_000_000_000u64);
    let near = Rational::ONE - Rational::ONE / &far;
    let costly = |rates: [Rational; 2], initial: Rational| PhaseSwitching {
        cycle: [[far.clone(), far.clone()], [Rational::ZERO, Rational::ZERO]],
        switch: [Some(Rational::ONE), Some(Rational::ONE)],
        rates,
        initial,
        ..recurring()
    };
    let never = TwoThresholds { beliefs: Beliefs::Bayes, thresholds: &[[1.0, 0.0]] };
    let cost = |problem: &PhaseSwitching, last: u64| {
        evaluate(problem, &Lifetime::fixed(last), never, ALL, &()).unwrap()
    };
    // One chance in 10^14 of a cycle that takes 10^14.
    let still = [Rational::ZERO, Rational::ZERO];
    let found = cost(&costly(still, near.clone()), 0);
    assert!(meet(found, [1.0; 2].into()) && found.width() < 1e-12, "{found:?}");
    // The same at the second step.
    let found = cost(&costly([near, Rational::ZERO], Rational::ZERO), 1);
    assert!(meet(found, [1e14 + 1.0; 2].into()) && found.width() < 1.0, "{found:?}");
}

#[test]
fn long_averages_are_those_of_long_horizons() {
    let problem = recurring();
    for beliefs in [Beliefs::Bayes, Beliefs::Rebased, Beliefs::LastReport] {
        let Bounds { lower, upper } = averaged(&problem, beliefs, [0.8, 0.3]);
        let policy = TwoThresholds { beliefs, thresholds: &[[0.8, 0.3]] };
        let fineness = Fineness { merge: 1e-6, ..ALL };
        let lifetime = Lifetime::fixed(1999);
        let found = evaluate(&problem, &lifetime, policy, fineness, &()).unwrap();
        let start = 40.0 / 2000.0;
        assert!(
            found.upper / 2000.0 >= lower - start && found.lower / 2000.0 <= upper + start,
            "{found:?} {lower} {upper}"
        );
    }
}

#[test]
fn what_is_missing_is_said() {
    let problem = recurring();
    let two = TwoThresholds { beliefs: Beliefs::Bayes, thresholds: &[[0.5, 0.5]; 2] };
    let wrong = EvaluationError::WrongLength { expected: 4, found: 2 };
    assert_eq!(evaluate(&problem, &Lifetime::fixed(3), two, ALL, &()), Err(wrong));
    let wrong = EvaluationError::WrongLength { expected: 1, found: 2 };
    assert_eq!(average(&problem, two, 1e-6, ALL, &()), Err(wrong));
    let one = PhaseSwitching { switch: [Some(ratio(1, 1)), None], ..problem };
    let never = TwoThresholds { beliefs: Beliefs::Bayes, thresholds: &[[1.0, 0.0]] };
    assert!(evaluate(&one, &Lifetime::fixed(3), never, ALL, &()).is_ok());
    let goes = TwoThresholds { beliefs: Beliefs::Bayes, thresholds: &[[0.5, 0.0]] };
    assert!(evaluate(&one, &Lifetime::fixed(3), goes, ALL, &()).is_ok());
    let returns = TwoThresholds { beliefs: Beliefs::Bayes, thresholds: &[[0.5, 0.5]] };
    let found = evaluate(&one, &Lifetime::fixed(3), returns, ALL, &());
    assert_eq!(found, Err(EvaluationError::NoSwitch));
}

/// What is next to certain, and what is beside it, both count: 1 less the initial chance is not a
/// difference of doubles.
#[test]
fn first_phases_that_are_hardly_possible() {
    let large = Rational::from(100_000_000_000_000u64);
    let problem = PhaseSwitching {
        cycle: [[large.clone(), &large + &large], [Rational::ZERO, Rational::ZERO]],
        switch: [Some(Rational::ONE), Some(Rational::ONE)],
        rates: [Rational::ZERO, Rational::ZERO],
        initial: Rational::ONE - Rational::ONE / large,
        ..recurring()
    };
    let policy = TwoThresholds { beliefs: Beliefs::Bayes, thresholds: &[[1.0, 0.0]] };
    let found = evaluate(&problem, &Lifetime::fixed(0), policy, ALL, &()).unwrap();
    assert!(meet(found, [1.0; 2].into()) && found.width() < 1e-12, "{found:?}");
}
