//! The claims of \[NR86\] and \[NR90\] about one change of phase.

use super::certainty::{average_over_n, minus_the_gain, scalar_recursion};
use super::lemmas::{BRANCHES, Case, inside, mixed, ratio, show};
use super::value_shape::{
    linear_and_concave, one_more_segment, segments_double, value_falls_with_n, value_in_odds_rises,
    value_rises,
};
use crate::proving::Truth::{Fails, Theorem};
use crate::proving::brute_force::Direct;
use crate::proving::{Claim, Verdict};
use remapping::belief::{Belief, Likelihood};
use remapping::phase_change::exact::{self, ExactStep};
use remapping::phase_change::{PhaseChange, Premature};
use remapping::{Bounds, Rational};

pub(crate) const CLAIMS: &[Claim<Case>] = &[
    Claim {
        statement: "above one threshold remapping is cheaper, up to it retaining is (any law of N, \
                    any hazards)",
        source: "[NR90, Theorem 1], [NR86, Theorem 2]",
        truth: Theorem,
        check: one_threshold,
    },
    Claim {
        statement: "the cost of remapping is linear in p, those of retaining and of the optimum are \
                    concave",
        source: "[NR90, Lemma 1]",
        truth: Theorem,
        check: linear_and_concave,
    },
    Claim {
        statement: "the functions of p are those of following every report from every p",
        source: "[NR90, section III]",
        truth: Theorem,
        check: every_branch,
    },
    Claim {
        statement: "with an increasing failure rate pi_n = 1 exactly from n0 on",
        source: "[NR90, Lemma 1, claims 3 and 4]",
        truth: Theorem,
        check: single_switch,
    },
    Claim {
        statement: "at certainty d(n) = D_d + D_r - G - s_n x_(n+1), x_n = min(D_d + D_r, G + s_n \
                    x_(n+1)); n0 is where it turns",
        source: "in place of [NR90, Lemma A-2]",
        truth: Theorem,
        check: scalar_recursion,
    },
    Claim {
        statement: "h_n(p) >= D_d (1-p)(1 - s_n (1-h)) + p h_n(1), where premature remaps are undone",
        source: "proof of Theorem 1, docs/errata.md",
        truth: Theorem,
        check: bounded_excess,
    },
    Claim {
        statement: "V / (1 - p) never falls as p grows",
        source: "odds form",
        truth: Theorem,
        check: value_in_odds_rises,
    },
    Claim {
        statement: "with an increasing failure rate and a constant hazard V never grows with n",
        source: "[NR90, section III]",
        truth: Theorem,
        check: value_falls_with_n,
    },
    Claim {
        statement: "a step adds one segment at most where odds(pi) <= h ((1-alpha)(1-beta)/(alpha \
                    beta) - 1)",
        source: "in place of [NR86, section VIII]",
        truth: Theorem,
        check: one_more_segment,
    },
    Claim {
        statement: "after a report the odds are its likelihood ratio times (o + h)/(1 - h)",
        source: "[NR90, section III.B]",
        truth: Theorem,
        check: odds_are_affine,
    },
    Claim {
        statement: "thresholds depend on D_d/G, D_r/G, alpha, beta, hazards and the law of N alone",
        source: "normal form",
        truth: Theorem,
        check: normal_form,
    },
    Claim {
        statement: "a detector whose reports are mixed with coin tosses is worth no more",
        source: "Blackwell",
        truth: Theorem,
        check: noise_never_helps,
    },
    Claim {
        statement: "the certified bounds of all thresholds and of V contain the exact ones",
        source: "remap solve",
        truth: Theorem,
        check: certified_bounds,
    },
    Claim {
        statement: "thresholds do not fall from one step to the next",
        source: "a natural guess from [NR90, Fig. 3]",
        truth: Fails(FALLING),
        check: thresholds_rise,
    },
    Claim {
        statement: "pi_n = 1 exactly from n0 on, whatever the law of N",
        source: "[NR90, Lemma 1, claim 4] without its premise",
        truth: Fails(DECREASING_FAILURE_RATE),
        check: single_switch_always,
    },
    Claim {
        statement: "d(n) is the average of d(n | N = m) over m",
        source: "[NR86, Lemma 4], [NR90, Lemma A-2]",
        truth: Fails(CLAIRVOYANT),
        check: average_over_n,
    },
    Claim {
        statement: "d(n | N = m) = e_R - e_B for all n <= m - K",
        source: "[NR86, Lemma 4], [NR90, Lemma A-2]",
        truth: Fails(ONE_STEP_LATER),
        check: minus_the_gain,
    },
    Claim {
        statement: "the number of linear segments of V doubles at each step",
        source: "[NR86, section VIII], [NR90, section IV]",
        truth: Fails(FEW_SEGMENTS),
        check: segments_double,
    },
    Claim {
        statement: "V does not fall as p grows",
        source: "a natural guess",
        truth: Fails(FALLING_VALUE),
        check: value_rises,
    },
];

const FALLING: &str = include_str!("../../models/counterexamples/falling_thresholds.ron");
const DECREASING_FAILURE_RATE: &str =
    include_str!("../../models/counterexamples/falling_failure_rate.ron");
const CLAIRVOYANT: &str = include_str!("../../models/counterexamples/unknown_lifetime.ron");
const ONE_STEP_LATER: &str = include_str!("../../models/counterexamples/gain_one_step_later.ron");
const FEW_SEGMENTS: &str = include_str!("../../models/counterexamples/few_segments.ron");
const FALLING_VALUE: &str = include_str!("../../models/counterexamples/falling_value.ron");

/// 0, the breakpoints of C_t, the threshold, 1, and a point between each two. The signs of a
/// piecewise linear function at these points determine its signs everywhere.
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

/// Checks every step at every probe.
fn at_probes(case: &Case, holds: impl Fn(usize, &Rational) -> bool, what: &str) -> Verdict {
    Verdict::all(case.steps().iter().enumerate().map(|(n, step)| {
        let wrong = probes(step).into_iter().find(|p| !holds(n, p));
        let shown =
            |p: Rational| format!("step {}, p = {}: {what}", case.first + n as u64, show(&p));
        wrong.map_or(Verdict::Holds, |p| Verdict::Fails(shown(p)))
    }))
}

fn one_threshold(case: &Case) -> Verdict {
    let holds = |n: usize, p: &Rational| {
        (*p > case.steps()[n].threshold) == (case.excess(n, p) < Rational::ZERO)
    };
    at_probes(case, holds, "the cheaper branch is not that of the threshold")
}

fn every_branch(case: &Case) -> Verdict {
    let last = case.steps().len() - 1;
    let from = last.saturating_sub(BRANCHES - 1);
    let direct = Direct::new(&case.problem, from as u64);
    let points = [0, 1, 7, 12, 21, 24].map(|k| ratio(k, 24));
    Verdict::all((from..=last).flat_map(|n| points.iter().map(move |p| (n, p))).map(|(n, p)| {
        let step = &case.steps()[n];
        let agree = direct.retain(n as u64, p) == step.retain.value(p)
            && direct.remap(n as u64, p) == step.remap.value(p)
            && direct.value(n as u64, p) == step.value.value(p);
        Verdict::holds_if(agree, || format!("step {n}, p = {}: the functions differ", show(p)))
    }))
}

fn single_switch(case: &Case) -> Verdict {
    if case.problem.lifetime.has_increasing_failure_rate() {
        single_switch_always(case)
    } else {
        Verdict::Silent
    }
}

fn single_switch_always(case: &Case) -> Verdict {
    let never = |step: &ExactStep| step.threshold == Rational::ONE;
    let early = case.steps().iter().take(case.exact.onset as usize).position(never);
    Verdict::holds_if(early.is_none(), || {
        let step = case.first + early.unwrap_or_default() as u64;
        format!("pi = 1 at step {step}, before n0 = {}", case.first + case.exact.onset)
    })
}

fn bounded_excess(case: &Case) -> Verdict {
    if case.problem.premature != Premature::Revert {
        return Verdict::Silent;
    }
    let holds = |n: usize, p: &Rational| {
        let quiet = Rational::ONE - case.problem.hazard_exact(n as u64 + 1);
        let left = Rational::ONE - case.survival(n) * quiet;
        let bound =
            &case.problem.test * (Rational::ONE - p) * left + p * case.excess(n, &Rational::ONE);
        case.excess(n, p) >= bound
    };
    at_probes(case, holds, "C_m - C_t is below the bound")
}

fn odds_are_affine(case: &Case) -> Verdict {
    let double = |value: &Rational| value.to_f64().value();
    let hazard = case.problem.hazard_exact(1);
    if hazard == Rational::ONE {
        return Verdict::Silent;
    }
    // Beliefs are doubles: their error is that of 1 - h, where h is rounded.
    let close = 1e-12 + 4.0 * f64::EPSILON / double(&(Rational::ONE - &hazard));
    let levels = case.problem.detector.levels();
    let points = (0..12).flat_map(|k| levels.iter().map(move |level| (ratio(k, 12), level)));
    Verdict::all(points.map(|(p, level)| {
        let (yes, no) = (&level.after, &level.before);
        if *no == Rational::ZERO {
            return Verdict::Silent;
        }
        let odds = &p / (Rational::ONE - &p);
        let expected = double(&(yes / no * (odds + &hazard) / (Rational::ONE - &hazard)));
        let report = Likelihood { before: double(no), after: double(yes) };
        let belief = Belief::new(double(&p)).and_then(|p| p.prior(double(&hazard)).given(report));
        let found = belief.map_or(f64::NAN, |belief| belief.odds());
        Verdict::holds_if((found - expected).abs() <= close * expected, || {
            format!("p = {}: {found} instead of {expected}", show(&p))
        })
    }))
}

fn thresholds_of(problem: &PhaseChange) -> Option<Vec<Rational>> {
    let steps = exact::solve(problem, 200, &()).ok()?.steps;
    Some(steps.into_iter().map(|step| step.threshold).collect())
}

fn normal_form(case: &Case) -> Verdict {
    let mut other = case.problem.clone();
    let (factor, first, second) = (ratio(7, 3), ratio(5, 2), ratio(1, 3));
    other.before += &first;
    if let Premature::Keep { before_remapped } = &mut other.premature {
        *before_remapped += &first;
        *before_remapped *= &factor;
    }
    other.after += &second;
    other.remapped += &second;
    let PhaseChange { before, after, remapped, test, install, .. } = &mut other;
    [before, after, remapped, test, install].into_iter().for_each(|cost| *cost *= &factor);
    let Some(found) = thresholds_of(&other) else { return Verdict::Silent };
    let same = found.iter().zip(case.steps()).all(|(found, step)| *found == step.threshold);
    Verdict::holds_if(same, || "other costs of the same normal form move the thresholds".to_owned())
}

fn noise_never_helps(case: &Case) -> Verdict {
    if case.steps().len() > 12 {
        return Verdict::Silent;
    }
    let noisy = PhaseChange { detector: mixed(&case.problem.detector), ..case.problem.clone() };
    let Ok(noisy) = exact::solve(&noisy, 400, &()) else { return Verdict::Silent };
    Verdict::all(case.steps().iter().zip(&noisy.steps).enumerate().map(|(n, (sharp, blunt))| {
        let points = (0..=12).map(|k| ratio(k, 12));
        let wrong = points.into_iter().find(|p| sharp.value.value(p) > blunt.value.value(p));
        wrong.map_or(Verdict::Holds, |p| Verdict::Fails(format!("step {n}, p = {}", show(&p))))
    }))
}

fn certified_bounds(case: &Case) -> Verdict {
    let solution = case.bounds();
    let steps = case.steps().iter().zip(case.first..);
    let mut verdicts: Vec<Verdict> = steps
        .map(|(step, n)| match solution.curve.at(n) {
            Some(Bounds { lower, upper }) if lower < 0.0 || upper > 1.0 => {
                Verdict::Fails(format!("step {n}: [{lower}, {upper}] is not within [0, 1]"))
            }
            Some(bounds) => inside(&format!("the threshold of step {n}"), &step.threshold, bounds),
            None => Verdict::Silent,
        })
        .collect();
    // With an increasing failure rate, n0 of the last steps is that of the program.
    if case.first == 0 || case.exact.onset > 0 {
        let onset = case.exact.onset + case.first;
        let found = solution.onset;
        verdicts.push(Verdict::holds_if(onset == found, || format!("n0 is {onset}, not {found}")));
    }
    let value = solution.value.filter(|_| case.first == 0);
    verdicts.extend(value.map(|bounds| inside("V", &case.exact.value(), bounds)));
    Verdict::all(verdicts)
}

fn thresholds_rise(case: &Case) -> Verdict {
    let exact = case.steps().windows(2).zip(case.first..).map(|(pair, n)| {
        let [this, next] = [&pair[0].threshold, &pair[1].threshold];
        let shown = || format!("pi_{n} = {} > pi_{} = {}", show(this), n + 1, show(next));
        Verdict::holds_if(this <= next, shown)
    });
    let verdict = Verdict::all(exact);
    if matches!(verdict, Verdict::Fails(_)) || case.first == 0 {
        return verdict;
    }
    // The whole program, by bounds that do not overlap.
    let runs: Vec<_> = case.bounds().curve.runs().collect();
    Verdict::all(runs.windows(2).map(|pair| {
        let (this, next) = (pair[0].bounds, pair[1].bounds);
        let n = pair[0].last;
        let shown = || format!("pi_{n} >= {} > {} >= pi_{}", this.lower, next.upper, n + 1);
        Verdict::holds_if(this.lower <= next.upper, shown)
    }))
}
