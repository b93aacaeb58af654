//! The cost of threshold policies: bounds against the tree of all reports, and against the optimum.

use super::problems::{binary, cases, detector, idle, probability, problem, ratio};
use crate::shared::{double, holds};
use crate::thorough::few_or_all;
use approx::abs_diff_eq;
use proptest::prelude::*;
use remapping::Bounds;
use remapping::Rational;
use remapping::belief::{Belief, Level, Levels, Likelihood};
use remapping::lifetime::Lifetime;
use remapping::phase_change::evaluation::{
    Estimating, Fineness, ThresholdPolicy, evaluate, evaluate_estimating,
};
use remapping::phase_change::{self, Accuracy, Hazard, PhaseChange, Premature};

/// The problem in doubles, followed report by report.
struct Tree<'a> {
    truth: &'a PhaseChange,
    assumed: &'a PhaseChange,
    rule: Rule<'a>,
}

#[derive(Clone, Copy)]
enum Rule<'a> {
    Thresholds(&'a [f64]),
    /// p_e, and the heuristic of 1986.
    Estimating(f64, Estimating<'a>),
}

/// What there is to do at a step.
enum Act {
    Retain,
    /// Remap for this share of the delays: D_d and D_r.
    Remap(f64, f64),
    /// Pay D_d, and decide again.
    Estimate,
}

impl Rule<'_> {
    /// The act and the threshold compared with.
    fn act(&self, n: u64, p: f64, estimated: Option<u64>) -> (Act, f64) {
        let above =
            |threshold: f64, act: Act| (if p > threshold { act } else { Act::Retain }, threshold);
        match (self, estimated) {
            (Rule::Thresholds(all), _) => above(all[n as usize], Act::Remap(1.0, 1.0)),
            (Rule::Estimating(p_e, _), None) => above(*p_e, Act::Estimate),
            (Rule::Estimating(_, rule), Some(_)) if n >= rule.pays_until => (Act::Retain, -1.0),
            (Rule::Estimating(_, rule), Some(k)) => {
                if k >= rule.pays_until {
                    return (Act::Retain, -1.0);
                }
                let share = (n - k) as f64 / (rule.pays_until - k) as f64;
                above(rule.certainty + (1.0 - rule.certainty) * share, Act::Remap(0.0, 1.0))
            }
        }
    }
}

fn likelihoods(problem: &PhaseChange) -> Vec<Likelihood> {
    let double =
        |level: &Level| Likelihood { before: double(&level.before), after: double(&level.after) };
    problem.detector.levels().iter().map(double).collect()
}

impl Tree<'_> {
    /// The cost from step `n` on; `None` for a belief too close to a threshold to call.
    fn cost(&self, n: u64, changed: bool, belief: Belief, estimated: Option<u64>) -> Option<f64> {
        let p = belief.probability();
        let (act, threshold) = self.rule.act(n, p, estimated);
        // The heuristic compares odds, which differ where probabilities near 1 do not.
        let tie = p == threshold && matches!(self.rule, Rule::Thresholds(_));
        if !tie && (p - threshold).abs() < 1e-12 {
            return None;
        }
        match act {
            Act::Retain => self.retain(n, changed, belief, estimated),
            Act::Remap(test, install) => self.remap(n, changed, test, install),
            Act::Estimate => {
                Some(double(&self.truth.test) + self.cost(n, changed, belief, Some(n))?)
            }
        }
    }

    fn remap(&self, n: u64, changed: bool, test: f64, install: f64) -> Option<f64> {
        let truth = self.truth;
        let test = test * double(&truth.test);
        let done = |cycles: f64| {
            test + install * double(&truth.install) + cycles * double(&truth.remapped)
        };
        if changed {
            return Some(done(truth.lifetime.residual_mean(n)));
        }
        match &truth.premature {
            Premature::Revert => Some(test + self.retain(n, false, Belief::UNCHANGED, None)?),
            Premature::Keep { before_remapped } => {
                let mut quiet = 0.0;
                for k in (n..=truth.last_step()).rev() {
                    let hazard = double(&truth.hazard_exact(k + 1));
                    quiet = 1.0 + truth.lifetime.continuation(k) * (1.0 - hazard) * quiet;
                }
                let dearer = double(&(before_remapped - &truth.remapped));
                Some(done(truth.lifetime.residual_mean(n)) + quiet * dearer)
            }
        }
    }

    fn retain(&self, n: u64, changed: bool, belief: Belief, estimated: Option<u64>) -> Option<f64> {
        let truth = self.truth;
        let cycle = double(if changed { &truth.after } else { &truth.before });
        let survival = truth.lifetime.continuation(n);
        if survival == 0.0 {
            return Some(cycle);
        }
        let hazard = double(&truth.hazard_exact(n + 1));
        let phases =
            if changed { vec![(true, 1.0)] } else { vec![(true, hazard), (false, 1.0 - hazard)] };
        let believed = double(&self.assumed.hazard_exact(n + 1));
        let mut ahead = 0.0;
        for (changed, weight) in phases {
            for (real, taken_for) in likelihoods(truth).iter().zip(likelihoods(self.assumed)) {
                let chance = if changed { real.after } else { real.before };
                if weight * chance > 0.0 {
                    let next = belief.prior(believed).given(taken_for).unwrap_or(belief);
                    ahead += weight * chance * self.cost(n + 1, changed, next, estimated)?;
                }
            }
        }
        Some(cycle + survival * ahead)
    }
}

/// The policy's model: the true one, or other hazards and errors.
fn assumed(problem: &PhaseChange, other: Option<(Rational, Levels)>) -> PhaseChange {
    match other {
        Some((hazard, detector)) if detector.levels().len() == problem.detector.levels().len() => {
            PhaseChange { hazard: Hazard::Constant(hazard), detector, ..problem.clone() }
        }
        _ => problem.clone(),
    }
}

/// Whether bounds enclose a cost, and are equal to it where nothing is merged.
fn near(Bounds { lower, upper }: Bounds, cost: f64, merge: f64) -> Result<(), TestCaseError> {
    let slack = 1e-11 * cost.abs().max(1.0);
    prop_assert!(lower - slack <= cost && cost <= upper + slack, "{lower} {cost} {upper}");
    prop_assert!(merge > 0.0 || upper - lower <= slack, "{lower} {upper}");
    Ok(())
}

proptest! {
    #![proptest_config(cases(few_or_all(128, 256)))]

    #[test]
    fn costs_of_threshold_policies_are_those_of_all_report_sequences(
        problem in problem(6),
        other in prop::option::of((probability(), detector())),
        thresholds in prop::collection::vec(0.0..1.0f64, 7), merge in prop_oneof![Just(0.0), 0.0..0.5],
    ) {
        let assumed = assumed(&problem, other);
        let mut thresholds = thresholds;
        thresholds.truncate(problem.last_step() as usize + 1);
        let rule = Rule::Thresholds(&thresholds);
        let tree = Tree { truth: &problem, assumed: &assumed, rule };
        let Some(cost) = tree.cost(0, false, Belief::UNCHANGED, None) else { return Ok(()) };
        let policy = ThresholdPolicy { assumed: &assumed, thresholds: &thresholds };
        let bounds = evaluate(&problem, policy, Fineness::merging(merge), &()).unwrap();
        near(bounds, cost, merge)?;
    }

    #[test]
    fn costs_of_the_1986_heuristic_are_those_of_all_report_sequences(
        problem in problem(6), hazard in probability(), certainty in 0.0..1.0f64, until in 0u64..9,
        merge in prop_oneof![Just(0.0), 0.0..0.5],
    ) {
        let problem = PhaseChange { hazard: Hazard::Constant(hazard.clone()), ..problem };
        let policy = Estimating { assumed: &problem, certainty, pays_until: until };
        let hazard = double(&hazard);
        let mut reports = likelihoods(&problem);
        reports.retain(|report| report.before + report.after > 0.0);
        reports.sort_by(|a, b| b.ratio().total_cmp(&a.ratio()));
        let (change, none) = (reports[0], reports[reports.len() - 1]);
        let hover = none.fixed_point(hazard).unwrap_or(Belief::UNCHANGED);
        let two = hover.prior(hazard).given(change).and_then(|once| once.prior(hazard).given(change));
        let estimate_above = two
            .and_then(|belief| Belief::from_odds(belief.odds() * (1.0 + 64.0 * f64::EPSILON)))
            .map_or(1.0, |belief| belief.probability());
        let rule = Rule::Estimating(estimate_above, policy);
        let tree = Tree { truth: &problem, assumed: &problem, rule };
        let Some(cost) = tree.cost(0, false, Belief::UNCHANGED, None) else { return Ok(()) };
        let bounds = evaluate_estimating(&problem, policy, Fineness::merging(merge), &()).unwrap();
        near(bounds, cost, merge)?;
    }

    #[test]
    fn no_threshold_policy_beats_the_optimum_and_the_optimal_one_attains_it(
        problem in problem(30), thresholds in prop::collection::vec(0.0..1.0f64, 31),
    ) {
        let accuracy = Accuracy { tolerance: 1e-9, segments: None };
        let solution = phase_change::solve(&problem, accuracy, &()).unwrap();
        let Bounds { lower: least, upper: most } = solution.value.unwrap();
        let steps = problem.last_step() as usize + 1;
        let cost = |thresholds: &[f64]| {
            let policy = ThresholdPolicy { assumed: &problem, thresholds };
            evaluate(&problem, policy, Fineness::merging(1e-6), &()).unwrap()
        };
        let scale = least.abs().max(1.0);
        let Bounds { upper, .. } = cost(&thresholds[..steps]);
        prop_assert!(upper >= least - 1e-12 * scale, "{upper} {least}");
        let best: Vec<f64> =
            (0..steps as u64).map(|n| solution.curve.at(n).unwrap().middle()).collect();
        let Bounds { lower, upper } = cost(&best);
        // Off by half a width of a threshold at most, at every step.
        let slack = 1e-7 * scale;
        prop_assert!(lower <= most + slack && upper >= least - slack, "{lower} {upper} {least}");
    }
}

/// A lasting remapping at step 1, when no change has come yet but for one in 10^12: what is left of
/// a million a cycle is hundreds of cycles times that chance.
#[test]
fn costs_that_nearly_cancel_stay_within_their_bounds() {
    let hazard = Rational::ONE / Rational::from(1_000_000_000_000u64);
    let problem =
        PhaseChange { remapped: Rational::from(1_000_000), ..watching(50, hazard.clone(), 1000) };
    // Cycle n of 1..=1000 comes after the change with probability 1 - (1 - h)^n, and costs a
    // million then.
    let quiet = Rational::ONE - &hazard;
    let (mut chance, mut cost) = (Rational::ONE, Rational::ZERO);
    for _ in 1..=1000 {
        chance *= &quiet;
        cost += (Rational::ONE - &chance) * &problem.remapped;
    }
    let mut thresholds = vec![0.0; 1001];
    thresholds[0] = 1.0;
    let policy = ThresholdPolicy { assumed: &problem, thresholds: &thresholds };
    let bounds = evaluate(&problem, policy, Fineness::merging(0.0), &()).unwrap();
    assert!(holds(bounds, &cost) && bounds.width() < 1e-9, "{bounds:?} {}", double(&cost));
}

/// Half of all changes have come at step 1, and reports say nothing: p is what it is compared with.
#[test]
fn a_belief_at_the_threshold_retains() {
    let hazard = ratio(1, 2);
    let problem = PhaseChange {
        before: Rational::ONE,
        after: Rational::from(2),
        remapped: Rational::ONE,
        test: Rational::from(3),
        premature: Premature::Revert,
        ..watching(50, hazard, 2)
    };
    let cost = |threshold: f64| {
        let thresholds = [1.0, threshold, 1.0];
        let policy = ThresholdPolicy { assumed: &problem, thresholds: &thresholds };
        evaluate(&problem, policy, Fineness::merging(0.0), &()).unwrap()
    };
    // Two cycles from step 1 on, each at 2 after the change, or at 1 after 3 for a remap.
    let Bounds { lower, upper } = cost(0.5);
    assert!(lower <= 4.25 && 4.25 <= upper && upper - lower < 1e-12, "{lower} {upper}");
    let Bounds { lower, upper } = cost(0.4999);
    assert!(lower > 5.0, "{lower} {upper}");
}

/// A free cycle counter: what a threshold does is when it is first exceeded.
fn watching(error: i64, hazard: Rational, last: u64) -> PhaseChange {
    PhaseChange {
        detector: binary(ratio(error, 100), ratio(error, 100)),
        premature: Premature::Keep { before_remapped: Rational::ZERO },
        ..idle(Lifetime::fixed(last), hazard)
    }
}

/// What it costs to remap where the belief exceeds `tau`.
fn passing(tau: f64, assumed: &PhaseChange, truth: &PhaseChange, merge: f64) -> Bounds {
    let policy = ThresholdPolicy { assumed, thresholds: &[tau; 1001] };
    evaluate(truth, policy, Fineness::merging(merge), &()).unwrap()
}

/// [NR90, Fig. 5]: the probability of a premature remapping within 1000 cycles.
#[test]
fn premature_remappings_within_a_thousand_cycles() {
    let all = [
        (5, 0.7, 0.116, 0.118),
        (5, 0.9, 0.0122, 0.0124),
        (25, 0.7, 0.221, 0.225),
        (25, 0.9, 0.061, 0.063),
    ];
    for &(error, tau, from, to) in &all[..few_or_all(2, 4)] {
        let assumed = watching(error, ratio(1, 1000), 1000);
        // No change comes; remapping costs 1, once.
        let hazard = Hazard::Constant(Rational::ZERO);
        let truth = PhaseChange { hazard, test: Rational::ONE, ..assumed.clone() };
        let Bounds { lower, upper } = passing(tau, &assumed, &truth, 2e-7);
        assert!(from <= lower && upper <= to, "{error} {tau}: {lower} {upper}");
        assert!(upper - lower < 2e-3, "{error} {tau}: {lower} {upper}");
    }
}

/// [NR90, Fig. 4]: expected cycles after a change until the belief, 0 before it, exceeds tau.
#[test]
fn cycles_until_a_change_is_believed() {
    let all = [(5, 0.7, 3.27), (5, 0.9, 4.33), (25, 0.7, 12.61), (25, 0.9, 14.82)];
    for &(error, tau, cycles) in &all[..few_or_all(2, 4)] {
        let assumed = watching(error, ratio(1, 1000), 1000);
        // The change comes at once; every cycle after it costs 1.
        let mut hazard = vec![Rational::ZERO; 1000];
        hazard[0] = Rational::ONE;
        let hazard = Hazard::PerStep(hazard);
        let truth = PhaseChange { hazard, after: Rational::ONE, ..assumed.clone() };
        let Bounds { lower, upper } = passing(tau, &assumed, &truth, 1e-5);
        // The first report comes with the first cycle after the change.
        assert!(abs_diff_eq!(lower + 1.0, cycles, epsilon = 0.01), "{error} {tau}: {lower}");
        assert!(upper - lower < 2e-4, "{error} {tau}: {lower} {upper}");
    }
}

/// Certain reports: any threshold below 1 is passed with the first cycle after the change, and not
/// before.
#[test]
fn with_an_always_informative_detector_the_threshold_policy_is_immediate() {
    let problem = PhaseChange {
        before: Rational::ONE,
        after: Rational::from(3),
        remapped: Rational::from(2),
        test: ratio(1, 2),
        install: ratio(1, 4),
        ..idle(Lifetime::fixed(60), ratio(1, 20))
    };
    // Quiet cycles cost 1, all others 2, and the remapping, if the change comes in time, 3/4.
    let quiet = Rational::ONE - ratio(1, 20);
    let calm = (0..=60).map(|n| quiet.pow(n)).fold(Rational::ZERO, |sum, term| sum + term);
    let cost = &calm
        + Rational::from(2) * (Rational::from(61) - &calm)
        + ratio(3, 4) * (Rational::ONE - quiet.pow(60));
    for tau in [0.001, 0.5, 0.999] {
        let thresholds = vec![tau; 61];
        let policy = ThresholdPolicy { assumed: &problem, thresholds: &thresholds };
        let bounds = evaluate(&problem, policy, Fineness::merging(0.0), &()).unwrap();
        assert!(holds(bounds, &cost) && bounds.width() < 1e-10, "{tau}: {bounds:?}");
    }
}
