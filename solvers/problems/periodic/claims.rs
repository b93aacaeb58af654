//! The claims of \[FXW03\] about periodic intervals.

use super::lemmas::Case;
use crate::proving::Truth::{Fails, Theorem};
use crate::proving::{Claim, Verdict};
use remapping::periodic::{ExpectedImbalance, Kind, distribution_free_factor, first_crossing};

pub(crate) const CLAIMS: &[Claim<Case>] = &[
    Claim {
        statement: "E max |w_i - wbar| is that of following every place",
        source: "[FXW03, (1)], remap solve",
        truth: Theorem,
        check: deviation_by_enumeration,
    },
    Claim {
        statement: "E max - mean and mean - E min are those of following every place",
        source: "[FXW03, (16)], over all reals",
        truth: Theorem,
        check: extremes_by_enumeration,
    },
    Claim {
        statement: "v(t) is that of following every place",
        source: "[FXW03, (20)]",
        truth: Theorem,
        check: rms_by_enumeration,
    },
    Claim {
        statement: "d^2 + theta^2 <= v^2 <= N (d^2 + theta^2)",
        source: "[FXW03, Lemma 3.1]",
        truth: Theorem,
        check: lemma_3_1,
    },
    Claim {
        statement: "the expected imbalance over the time never grows",
        source: "Jensen: what the search for intervals rests on",
        truth: Theorem,
        check: imbalance_over_time,
    },
    Claim {
        statement: "(N-1)/sqrt(2N-1) deviations bound E max - mean and mean - E min, each",
        source: "[FXW03, (7)]",
        truth: Theorem,
        check: distribution_free,
    },
    Claim {
        statement: "the exact interval is that of looking at every step",
        source: "[FXW03, problem P_I]",
        truth: Theorem,
        check: search_by_looking,
    },
    Claim {
        statement: "the root 2 c0 / (c1 + sqrt(c1^2 - 4 c2 c0)) is where v(t) first exceeds the bound",
        source: "[FXW03, (23)]",
        truth: Theorem,
        check: root_by_looking,
    },
    Claim {
        statement: "the interval of v(t) is safe for problem P_I",
        source: "[FXW03, Lemma 3.1]",
        truth: Theorem,
        check: |case| keeps_the_bound(case, Kind::RmsBound),
    },
    Claim {
        statement: "the interval of both order statistics keeps both extremes within the bound",
        source: "[FXW03, Theorem 4.3] with d2 repaired",
        truth: Theorem,
        check: |case| sides(case, Kind::OrderStatistics),
    },
    Claim {
        statement: "v over the bound of (7) is sqrt((2N-1)/(N-1)) for identical laws",
        source: "[FXW03, (26)]",
        truth: Theorem,
        check: equation_26,
    },
    Claim {
        statement: "the distribution-free interval keeps the bound of problem P_I",
        source: "[FXW03, Theorem 4.1]",
        truth: Fails(THREE_NORMAL),
        check: |case| keeps_the_bound(case, Kind::DistributionFree),
    },
    Claim {
        statement: "the interval by extreme values of normal laws keeps the bound of problem P_I",
        source: "[FXW03, Theorem 4.2]",
        truth: Fails(TABLE_1),
        check: |case| keeps_the_bound(case, Kind::NormalExtremes),
    },
    Claim {
        statement: "bounding E max bounds mean - E min too",
        source: "[FXW03, Theorem 4.3]: d2 = -d1",
        truth: Fails(SKEWED),
        check: |case| sides(case, Kind::OrderStatisticsOneSided),
    },
    Claim {
        statement: "T* of (22) is where v(t) first exceeds B",
        source: "[FXW03, Theorem 5.1] as printed",
        truth: Fails(TWO_MEANS),
        check: equation_22,
    },
];

const THREE_NORMAL: &str = include_str!("../../models/counterexamples/three_normal_loads.ron");
const TABLE_1: &str = include_str!("../../models/periodic/table1.ron");
const SKEWED: &str = include_str!("../../models/counterexamples/skewed_to_the_left.ron");
const TWO_MEANS: &str = include_str!("../../models/counterexamples/means_that_differ.ron");

/// The last step up to which intervals are compared with a check of every step.
const HORIZON: u64 = 40;

/// The last step of an interval that is checked.
const FAR: u64 = 200;

/// The expectation of a function of the positions of all processors.
fn expectation(places: &[Vec<(f64, f64)>], f: &dyn Fn(&[f64]) -> f64) -> f64 {
    fn visit(
        left: &[Vec<(f64, f64)>],
        at: &mut Vec<f64>,
        p: f64,
        f: &dyn Fn(&[f64]) -> f64,
    ) -> f64 {
        let Some((first, rest)) = left.split_first() else { return p * f(at) };
        let mut sum = 0.0;
        for (place, q) in first {
            at.push(*place);
            sum += visit(rest, at, p * q, f);
            at.pop();
        }
        sum
    }
    visit(places, &mut Vec::new(), 1.0, f)
}

fn mean(at: &[f64]) -> f64 {
    at.iter().sum::<f64>() / at.len() as f64
}

fn largest(at: &[f64]) -> f64 {
    at.iter().map(|place| (place - mean(at)).abs()).fold(0.0, f64::max)
}

fn squares(at: &[f64]) -> f64 {
    at.iter().map(|place| (place - mean(at)).powi(2)).sum()
}

/// Compares a number of the engine with that of an enumeration, after 1, 2 and 3 steps.
fn by_enumeration(
    case: &Case,
    mut found: impl FnMut(u32) -> Option<f64>,
    f: &dyn Fn(&[f64]) -> f64,
) -> Verdict {
    let mut verdicts = Vec::new();
    for time in 1..=3 {
        let (Some(places), Some(found)) = (case.places(time), found(time)) else { continue };
        let truth = expectation(&places, f);
        let close = (found - truth).abs() <= 1e-10 * truth.max(1.0);
        verdicts.push(Verdict::holds_if(close, || {
            format!("{found} after {time} steps, by enumeration {truth}")
        }));
    }
    Verdict::all(verdicts)
}

fn deviation_by_enumeration(case: &Case) -> Verdict {
    let Some(mut imbalance) = case.exact() else { return Verdict::Silent };
    let found = |time| Some(imbalance.max_deviation(u64::from(time)).value);
    by_enumeration(case, found, &largest)
}

fn extremes_by_enumeration(case: &Case) -> Verdict {
    let Some(mut imbalance) = ExpectedImbalance::new(&case.processors) else {
        return Verdict::Silent;
    };
    let above = |time| Some(imbalance.extremes(f64::from(time)).above);
    let highest = |at: &[f64]| at.iter().copied().fold(f64::NEG_INFINITY, f64::max) - mean(at);
    let first = by_enumeration(case, above, &highest);
    let below = |time| Some(imbalance.extremes(f64::from(time)).below);
    let lowest = |at: &[f64]| mean(at) - at.iter().copied().fold(f64::INFINITY, f64::min);
    Verdict::all([first, by_enumeration(case, below, &lowest)])
}

fn rms_by_enumeration(case: &Case) -> Verdict {
    let found = |time| {
        let time = f64::from(time);
        // v(t) is relative to a mean load, which must be positive.
        let load = Some(case.processors.mean_load(time)).filter(|load| *load > 0.0)?;
        let root = case.processors.rms_deviation(time) * load;
        Some(root * root)
    };
    by_enumeration(case, found, &squares)
}

fn lemma_3_1(case: &Case) -> Verdict {
    Verdict::all((1..=3).map(|time| {
        let Some(places) = case.places(time) else { return Verdict::Silent };
        let (n, slack) = (places.len() as f64, 1.0 + 1e-12);
        let deviation = expectation(&places, &|at| largest(at).powi(2));
        let all = expectation(&places, &squares);
        let right = deviation <= all * slack && all <= n * deviation * slack;
        Verdict::holds_if(right, || format!("{deviation} and {all} after {time} steps"))
    }))
}

fn imbalance_over_time(case: &Case) -> Verdict {
    let Some(mut imbalance) = ExpectedImbalance::new(&case.processors) else {
        return Verdict::Silent;
    };
    let exact = imbalance.is_exact();
    let mut before = [f64::INFINITY; 3];
    Verdict::all((1..=10).map(|time| {
        let extremes = imbalance.extremes(time as f64);
        let largest = if exact { imbalance.max_deviation(time).value } else { 0.0 };
        let now = [largest, extremes.above, extremes.below].map(|e| e / time as f64);
        let slack = 1e-9 * (1.0 + now[0].max(now[1]));
        let right = now.iter().zip(before).all(|(now, before)| *now <= before + slack);
        let shown = format!("{now:?} after {time} steps, {before:?} before");
        before = now;
        Verdict::holds_if(right, || shown)
    }))
}

fn distribution_free(case: &Case) -> Verdict {
    let (Some(law), Some(mut imbalance)) =
        (case.processors.common(), ExpectedImbalance::new(&case.processors))
    else {
        return Verdict::Silent;
    };
    let factor = distribution_free_factor(case.processors.count());
    Verdict::all([1.0, 2.0, 5.0, 9.0].map(|time| {
        let found = imbalance.extremes(time);
        let bound = factor * (law.variance() * time).sqrt() * (1.0 + 1e-12) + found.error;
        let right = found.above <= bound && found.below <= bound;
        Verdict::holds_if(right, || format!("{found:?} after {time} steps, the bound is {bound}"))
    }))
}

/// The first step, up to `HORIZON`, at which an imbalance exceeds the bound by more than rounding.
fn first_violation(
    case: &Case,
    bound: f64,
    mut imbalance: impl FnMut(u64) -> Option<f64>,
) -> Option<Option<u64>> {
    for time in 1..=HORIZON {
        let average = case.processors.mean_load(time as f64);
        if average <= 0.0 || imbalance(time)? > bound * average * (1.0 + 1e-9) {
            return Some(Some(time));
        }
    }
    Some(None)
}

fn search_by_looking(case: &Case) -> Verdict {
    let (Some(mut imbalance), Some(interval)) = (case.exact(), case.interval(Kind::Exact)) else {
        return Verdict::Silent;
    };
    let value = |time| Some(imbalance.max_deviation(time).value);
    let Some(violated) = first_violation(case, case.bound, value) else { return Verdict::Silent };
    let right = match (interval.steps, violated) {
        (Some(steps), Some(time)) => steps + 1 == time,
        (Some(steps), None) => steps >= HORIZON,
        (None, violated) => violated.is_none(),
    };
    Verdict::holds_if(right, || {
        format!("the interval is {:?}, the first violation at {violated:?}", interval.steps)
    })
}

/// The safe crossing time for the root mean square; infinite if there is none.
fn sound_root(case: &Case) -> f64 {
    let p = &case.processors;
    let found = first_crossing(p.variance(), p.drift(), p.load(), p.mean(), case.bound);
    found.real.unwrap_or(f64::INFINITY)
}

fn root_by_looking(case: &Case) -> Verdict {
    let root = sound_root(case);
    if case.bound == 0.0 || (case.processors.variance() == 0.0 && case.processors.drift() == 0.0) {
        return Verdict::Silent;
    }
    let value = |time: f64| case.processors.rms_deviation(time) - case.bound;
    let load_left = |time: f64| case.processors.mean_load(time) > 0.0;
    let end = root.min(1e6);
    let before = (1..200).map(|k| end * f64::from(k) / 200.0);
    let early = before.into_iter().find(|time| load_left(*time) && value(*time) > 1e-9);
    let after = root * (1.0 + 1e-6) + 1e-9;
    let late = root < 1e6 && load_left(after) && value(after) < -1e-9;
    Verdict::holds_if(early.is_none() && !late, || {
        format!("v exceeds the bound at {early:?}; the root is {root}")
    })
}

/// Some steps within an interval: the first ones and the last.
fn times(interval: Option<u64>) -> impl Iterator<Item = u64> {
    let end = interval.unwrap_or(HORIZON);
    (1..=end.min(5)).chain((end > 5).then_some(end).filter(|end| *end <= FAR))
}

fn keeps_the_bound(case: &Case, kind: Kind) -> Verdict {
    let (Some(mut imbalance), Some(interval)) = (case.exact(), case.interval(kind)) else {
        return Verdict::Silent;
    };
    Verdict::all(times(interval.steps).map(|time| {
        let found = imbalance.max_deviation(time);
        let relative = found.value / case.processors.mean_load(time as f64);
        let shown = || {
            let (bound, steps) = (case.bound, interval.steps);
            format!("d({time}) = {relative:.6} > {bound}, within the interval {steps:?}")
        };
        Verdict::holds_if(relative <= case.bound * (1.0 + 1e-9), shown)
    }))
}

fn sides(case: &Case, kind: Kind) -> Verdict {
    let (Some(mut imbalance), Some(interval)) =
        (ExpectedImbalance::new(&case.processors), case.interval(kind))
    else {
        return Verdict::Silent;
    };
    Verdict::all(times(interval.steps).map(|time| {
        let found = imbalance.extremes(time as f64);
        let load = case.processors.mean_load(time as f64);
        let [above, below] = [found.above, found.below].map(|side| side / load);
        let right = above.max(below) <= case.bound * (1.0 + 1e-9) + found.error;
        Verdict::holds_if(right, || {
            let (bound, steps) = (case.bound, interval.steps);
            format!(
                "d1({time}) = {above:.6}, d2({time}) = {below:.6}, the bound is {bound}, the \
                 interval {steps:?}"
            )
        })
    }))
}

fn equation_26(case: &Case) -> Verdict {
    let Some(law) = case.processors.common().filter(|law| law.variance() > 0.0) else {
        return Verdict::Silent;
    };
    let (count, time) = (case.processors.count(), 7.0);
    let load = case.processors.mean_load(time);
    if load <= 0.0 {
        return Verdict::Silent;
    }
    let free = distribution_free_factor(count) * (law.variance() * time).sqrt() / load;
    let (ratio, n) = (case.processors.rms_deviation(time) / free, count as f64);
    let expected = ((2.0 * n - 1.0) / (n - 1.0)).sqrt();
    Verdict::holds_if((ratio - expected).abs() <= 1e-9, || format!("{ratio}, not {expected}"))
}

/// Equation (22) as printed: V_L is the limit of v, T_2 is where v is largest, and B* is its value
/// there.
fn equation_22(case: &Case) -> Verdict {
    let p = &case.processors;
    let (load, mean, variance) = (p.load(), p.mean(), p.variance());
    let limit = p.drift() / (mean * mean);
    let a2 = variance - 2.0 * load * mean * limit;
    let (first, second) = (load * load * limit / a2, load * variance / (mean * a2));
    let square =
        |time: f64| (variance * time + p.drift() * time * time) / p.mean_load(time).powi(2);
    let (top, bound) = (square(second), case.bound * case.bound);
    let m = (top - limit) / (bound - limit);
    let root = m * (1.0 - 1.0 / m).sqrt();
    let printed = (2.0 * m - 2.0 * root - 1.0) * second - 2.0 * (m - root - 1.0) * first;
    // For 0 < B < B* and B other than V_L.
    if mean == 0.0 || variance == 0.0 || !printed.is_finite() || (0.0..=1.0).contains(&m) {
        return Verdict::Silent;
    }
    let root = sound_root(case);
    let close = (printed - root).abs() <= 1e-6 * root.max(1.0);
    Verdict::holds_if(close || root == f64::INFINITY, || {
        format!("(22) gives {printed:.6}, v(t) reaches the bound at {root:.6}")
    })
}
