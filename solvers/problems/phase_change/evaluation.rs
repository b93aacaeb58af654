//! The costs of policies for a change of phase, between certified bounds.

use crate::model::number::Decimal;
use crate::run::Watch;
use remapping::Rational;
use remapping::belief;
use remapping::phase_change::evaluation::{
    Estimating, EvaluationError, Fineness, ThresholdPolicy, evaluate, evaluate_estimating,
};
use remapping::phase_change::{self, Accuracy, Bounds, PhaseChange, Solution};

/// The desired width of a cost's bounds, relative to max(1, |cost|).
pub const AIM: f64 = 1e-6;

/// The error by which merged pieces may widen a value, in gains: the first one, and finer ones if
/// that is too coarse.
pub const MERGES: [f64; 6] = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7];

/// The most pieces of finer evaluations: a few seconds of work.
const MOST_PIECES: u64 = 200_000_000;

/// The relative rounding error of a product that equals another.
const TIE: f64 = 1e-12;

/// rho of [NR86, sec. VIII].
pub const CERTAINTY: f64 = 0.8;

/// The decision rule of a policy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// The optimal thresholds.
    Optimal,
    /// The same threshold at every step [NR90, sec. IV].
    Fixed(f64),
    /// The same while D <= T G [NR90, sec. IV], where T is the mean number of remaining cycles
    /// including the present one, L_n. D = T G within 1e-12 counts as paying.
    Guarded(f64),
    /// The heuristic that estimates the gain first, with this factor as its error [NR86, sec.
    /// VIII].
    Heuristic1986(f64),
    /// Never remap.
    Never,
}

impl std::str::FromStr for Rule {
    type Err = String;
    fn from_str(name: &str) -> Result<Rule, String> {
        match name.trim().split_once(':') {
            None if name.trim() == "optimal" => Ok(Rule::Optimal),
            None if name.trim() == "never" => Ok(Rule::Never),
            None if name.trim() == "heuristic_1986" => Ok(Rule::Heuristic1986(1.0)),
            Some(("heuristic_1986", factor)) => match factor.parse::<f64>() {
                Ok(factor) if factor > 0.0 && factor.is_finite() => Ok(Rule::Heuristic1986(factor)),
                _ => Err(format!("{factor:?} is not a factor above 0")),
            },
            Some(("fixed", tau)) => probability(tau).map(Rule::Fixed),
            Some(("guarded", tau)) => probability(tau).map(Rule::Guarded),
            _ => Err("there is no such policy".to_owned()),
        }
    }
}

/// A threshold in the name of a policy.
pub fn probability(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(tau) if (0.0..=1.0).contains(&tau) => Ok(tau),
        _ => Err(format!("{text:?} is not a probability")),
    }
}

/// The optimal thresholds of a problem, step by step.
pub fn optimal_thresholds(solution: &Solution, last: u64) -> Vec<f64> {
    (0..=last).map(|n| solution.curve.at(n).map_or(1.0, |bounds| bounds.middle())).collect()
}

impl Rule {
    /// The thresholds of this rule; `None` for the heuristic, whose thresholds depend on its
    /// estimates.
    pub fn thresholds(&self, problem: &PhaseChange, solution: &Solution) -> Option<Vec<f64>> {
        let last = problem.last_step();
        let double = |value: Rational| value.to_f64().value();
        let (delay, gain) = (double(&problem.test + &problem.install), double(problem.gain()));
        let all = |threshold: f64| vec![threshold; last as usize + 1];
        match *self {
            Rule::Optimal => Some(optimal_thresholds(solution, last)),
            Rule::Fixed(tau) => Some(all(tau)),
            Rule::Guarded(tau) => {
                let pays = |n: u64| delay <= problem.lifetime.residual_mean(n) * gain * (1.0 + TIE);
                Some((0..=last).map(|n| if pays(n) { tau } else { 1.0 }).collect())
            }
            Rule::Heuristic1986(_) => None,
            Rule::Never => Some(all(1.0)),
        }
    }

    /// The cost of this rule, to `aim` absolutely if possible.
    pub fn cost(
        &self,
        problem: &PhaseChange,
        solution: &Solution,
        aim: Option<f64>,
        watch: &Watch,
    ) -> Result<Bounds, EvaluationError> {
        match (*self, self.thresholds(problem, solution)) {
            (Rule::Heuristic1986(factor), _) => estimating(problem, factor, aim, watch),
            (_, Some(thresholds)) => expected(problem, problem, &thresholds, aim, watch),
            (_, None) => unreachable!("every other rule has thresholds"),
        }
    }
}

/// The expected cost on `problem` of a policy whose beliefs are computed by `assumed`.
pub fn expected(
    problem: &PhaseChange,
    assumed: &PhaseChange,
    thresholds: &[f64],
    aim: Option<f64>,
    watch: &Watch,
) -> Result<Bounds, EvaluationError> {
    let policy = ThresholdPolicy { assumed, thresholds };
    let limits = (unit(&[problem.gain()]), MOST_PIECES);
    finer(limits, aim, |fineness| evaluate(problem, policy, fineness, watch))
}

/// n0 of the heuristic of 1986, whose estimate of the gain has the error `factor`: 0 if it never
/// remaps.
pub fn pays_until(
    problem: &PhaseChange,
    factor: f64,
    watch: &Watch,
) -> Result<u64, EvaluationError> {
    // The exact value of the decimal that was given.
    let factor = Decimal::parse(&factor.to_string()).expect("finite").exact;
    let misjudged =
        PhaseChange { after: &problem.remapped + factor * problem.gain(), ..problem.clone() };
    let accuracy = Accuracy { tolerance: 1e-2, segments: None };
    Ok(phase_change::solve(&misjudged, accuracy, watch)?.onset)
}

/// The cost of the heuristic of 1986, whose estimate of the gain has the error `factor`.
fn estimating(
    problem: &PhaseChange,
    factor: f64,
    aim: Option<f64>,
    watch: &Watch,
) -> Result<Bounds, EvaluationError> {
    let pays_until = pays_until(problem, factor, watch)?;
    let policy = Estimating { assumed: problem, certainty: CERTAINTY, pays_until };
    let limits = (unit(&[problem.gain()]), MOST_PIECES);
    finer(limits, aim, |fineness| evaluate_estimating(problem, policy, fineness, watch))
}

/// The largest gain, which errors are relative to; 1 if there is none.
pub fn unit(gains: &[Rational]) -> f64 {
    let most = gains.iter().map(|gain| gain.to_f64().value().abs()).fold(0.0, f64::max);
    if most > 0.0 { most } else { 1.0 }
}

/// Evaluates with increasing accuracy, until the bounds are `aim` apart (by default [`AIM`]) or it
/// takes more than `most` pieces. Errors are relative to `scale`.
pub fn finer<P>(
    (scale, most): (f64, u64),
    aim: Option<f64>,
    evaluate: impl Fn(Fineness) -> Result<Bounds, belief::EvaluationError<P>>,
) -> Result<Bounds, belief::EvaluationError<P>> {
    let mut best = Bounds { lower: f64::NEG_INFINITY, upper: f64::INFINITY };
    for (k, merge) in MERGES.iter().enumerate() {
        let pieces = if k == 0 { u64::MAX } else { most };
        let Bounds { lower, upper } = match evaluate(Fineness { merge: merge * scale, pieces }) {
            Err(belief::EvaluationError::TooLong(_)) => break,
            found => found?,
        };
        // The bounds of every run hold, so their intersection does.
        best = Bounds { lower: best.lower.max(lower), upper: best.upper.min(upper) };
        let aim = aim.unwrap_or(AIM * best.lower.abs().max(1.0));
        if best.upper - best.lower <= aim {
            break;
        }
    }
    Ok(best)
}
