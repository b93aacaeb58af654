//! Claims about the value function of a change of phase: where it rises, its concavity, and its
//! number of segments.

use super::lemmas::{BRANCHES, Case, ratio, show};
use crate::proving::Verdict;
use crate::proving::brute_force::Direct;
use remapping::Rational;
use remapping::phase_change::Hazard;
use remapping::phase_change::exact::ExactStep;

pub(crate) fn linear_and_concave(case: &Case) -> Verdict {
    let last = case.steps().len() - 1;
    let from = last.saturating_sub(BRANCHES - 1);
    let direct = Direct::new(&case.problem, from as u64);
    let triples = [(0, 24, 1), (0, 24, 2), (3, 23, 2), (1, 9, 1)];
    Verdict::all((from..=last).flat_map(|n| triples.map(|t| (n, t))).map(|(n, (a, b, third))| {
        let n = n as u64;
        let share = ratio(third, 3);
        let blend = |x: Rational, y: Rational| (Rational::ONE - &share) * x + &share * y;
        let (p, q) = (ratio(a, 24), ratio(b, 24));
        let middle = blend(p.clone(), q.clone());
        let linear = direct.remap(n, &middle) == blend(direct.remap(n, &p), direct.remap(n, &q));
        let concave = direct.retain(n, &middle)
            >= blend(direct.retain(n, &p), direct.retain(n, &q))
            && direct.value(n, &middle) >= blend(direct.value(n, &p), direct.value(n, &q));
        let place = || format!("step {n}, between p = {} and {}", show(&p), show(&q));
        Verdict::holds_if(linear && concave, place)
    }))
}

pub(crate) fn value_in_odds_rises(case: &Case) -> Verdict {
    rises(case, |step, p| step.value.value(p) / (Rational::ONE - p), false)
}

pub(crate) fn value_rises(case: &Case) -> Verdict {
    rises(case, |step, p| step.value.value(p), true)
}

/// Whether a function of p increases over the breakpoints of V, 0 and, with `through_one`, 1.
fn rises(
    case: &Case,
    function: impl Fn(&ExactStep, &Rational) -> Rational,
    through_one: bool,
) -> Verdict {
    Verdict::all(case.steps().iter().enumerate().map(|(n, step)| {
        let mut ends = step.value.breakpoints();
        ends.insert(0, Rational::ZERO);
        ends.extend(through_one.then_some(Rational::ONE));
        let fall = ends.windows(2).find(|p| function(step, &p[0]) > function(step, &p[1]));
        let shown = |p: &[Rational]| {
            let [low, high] = [&p[0], &p[1]].map(|p| show(&function(step, p)));
            let step = case.first + n as u64;
            format!("step {step}: {low} at p = {}, {high} at p = {}", show(&p[0]), show(&p[1]))
        };
        fall.map_or(Verdict::Holds, |p| Verdict::Fails(shown(p)))
    }))
}

pub(crate) fn value_falls_with_n(case: &Case) -> Verdict {
    let constant = matches!(case.problem.hazard, Hazard::Constant(_));
    if !constant || !case.problem.lifetime.has_increasing_failure_rate() {
        return Verdict::Silent;
    }
    Verdict::all(case.steps().windows(2).enumerate().map(|(n, pair)| {
        let points = (0..=12).map(|k| ratio(k, 12));
        let wrong = points.into_iter().find(|p| pair[0].value.value(p) < pair[1].value.value(p));
        wrong.map_or(Verdict::Holds, |p| Verdict::Fails(format!("step {n}, p = {}", show(&p))))
    }))
}

pub(crate) fn one_more_segment(case: &Case) -> Verdict {
    // The claim is about a detector that says yes or no.
    let [change, none] = case.problem.detector.levels() else { return Verdict::Silent };
    let (alpha, beta) = (&change.before, &none.after);
    let both = alpha * beta;
    let ratio = (Rational::ONE - alpha) * (Rational::ONE - beta) - &both;
    Verdict::all(case.steps().windows(2).enumerate().map(|(n, pair)| {
        let hazard = case.problem.hazard_exact(n as u64 + 1);
        let other = Rational::ONE - &pair[0].threshold;
        if &pair[0].threshold * &both > other * hazard * &ratio {
            return Verdict::Silent;
        }
        let (lines, next) = (pair[0].value.lines().len(), pair[1].value.lines().len());
        Verdict::holds_if(lines <= next + 1, || format!("step {n}: {lines} segments after {next}"))
    }))
}

pub(crate) fn segments_double(case: &Case) -> Verdict {
    let counts: Vec<usize> = case.steps().iter().map(|step| step.value.lines().len()).collect();
    // A few segments do not show a trend.
    let pairs = counts.windows(2).enumerate().filter(|(_, pair)| pair[1] >= 4);
    Verdict::all(pairs.map(|(n, pair)| {
        let step = case.first + n as u64;
        let shown = || format!("{} segments at step {step}, {} at the next", pair[0], pair[1]);
        Verdict::holds_if(pair[0] as f64 >= 1.75 * pair[1] as f64, shown)
    }))
}
