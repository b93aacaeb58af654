//! Rules of few thresholds from sample paths: their sentence, their cost and their picture.

use super::answer::{Curve, Mean};
use crate::document::rule::Threshold;
use crate::plot::chart::{Axis, Chart, Series};
use crate::plot::{COLOURS, THRESHOLD};
use crate::problems::kind::Headline;
use crate::problems::shared::recommended::{Recommended, is_dearer};
use crate::text::digits::{every, exceeded};
use std::fmt::Write;

/// The recommendation, once sampling found a rule of few thresholds; another policy costs exactly
/// `known`. The summary below states what the paths show.
pub(crate) fn sampled_headline(
    curve: Option<&Curve>,
    recommended: Option<Recommended>,
    known: f64,
) -> Headline {
    let (Some(curve), Some(recommended)) = (curve, recommended) else { return Headline::InSummary };
    let what = match recommended {
        Recommended::Never => "Do not remap".to_owned(),
        Recommended::Every(interval) => format!("Remap {}", every(interval)),
        _ => return Headline::Final(by_curve(curve)),
    };
    let than = "than the thresholds found do on the paths drawn";
    Headline::Final(match is_dearer(curve, known) {
        true => format!("{what}: that costs {known:.3} exactly, less {than}"),
        false => what,
    })
}

/// The thresholds of the rule, each with the steps at which it holds.
fn by_curve(curve: &Curve) -> String {
    let mut text = "Remap when max - mean is above".to_owned();
    for (i, at) in curve.by_steps_since.iter().enumerate() {
        let next = curve.by_steps_since.get(i + 1);
        let above = level(at.threshold);
        let _ = match (i, next) {
            (0, None) => write!(text, " {above}"),
            (0, Some(next)) => write!(text, " {above} up to {} steps after a remap", next.from - 1),
            (_, Some(next)) => write!(text, ", {above} up to {}", next.from - 1),
            (_, None) => write!(text, ", {above} later"),
        };
    }
    for (steps, threshold) in besides(curve) {
        let _ = write!(text, "; {steps}, also above {}", level(threshold));
    }
    text
}

/// A threshold in words.
fn level(threshold: f64) -> String {
    if threshold == Threshold::NEVER { "all there is".to_owned() } else { exceeded(threshold) }
}

/// The additional thresholds by step: the steps in words, and the threshold.
fn besides(curve: &Curve) -> impl Iterator<Item = (String, f64)> {
    let next = curve.by_step.iter().skip(1).map(Some).chain([None]);
    let levels = curve.by_step.iter().zip(next).filter(|(at, _)| at.threshold > 0.0);
    levels.map(|(at, next)| {
        let steps = match next.map(|next| next.from - 1) {
            None => format!("from step {} on", at.from),
            Some(last) if last == at.from => format!("at step {last}"),
            Some(last) => format!("at steps {} to {last}", at.from),
        };
        (steps, at.threshold)
    })
}

/// Writes the cost of the rule, and whether another policy costs less.
pub(crate) fn cost_of_rule(text: &mut String, curve: &Curve, is_dearer: bool) {
    let (Some(cost), Some(gap)) = (curve.cost, curve.gap_percent) else { return };
    let Mean { mean, low, high } = cost;
    let known = match low < high {
        true => format!("99 % confidence {low:.3} to {high:.3}"),
        false if curve.is_never() => "exactly".to_owned(),
        false => "the same on each path".to_owned(),
    };
    let rule = if is_dearer { "The thresholds found cost" } else { "This rule costs" };
    within_percent(text, &format!("{rule} {mean:.3} ({known}),"), gap, curve.gap_interval);
}

/// A number in percent with two decimals: `.09`.
fn percent(value: f64) -> String {
    let text = format!("{value:.2}");
    let (sign, digits) = text.strip_prefix('-').map_or(("", &*text), |digits| ("-", digits));
    let sign = if digits == "0.00" { "" } else { sign };
    format!("{sign}{}", digits.strip_prefix('0').unwrap_or(digits))
}

/// The policy from which the rule was derived; it observes more than max - mean.
pub(crate) const POLICY: &str = "the policy that the rule was made of, which sees all loads, is";

/// Writes an upper bound on the distance from the optimum; where paths do not give one, what they
/// show.
pub(crate) fn within_percent(text: &mut String, what: &str, gap: f64, interval: Option<[f64; 2]>) {
    let gap = percent(gap);
    let _ = match interval.map(|ends| ends.map(percent)) {
        Some([low, high]) => {
            writeln!(text, "{what} within {gap} % of optimal, 95 % confidence {low} to {high}")
        }
        None => writeln!(
            text,
            "{what} {gap} % above the lower bound on each of the paths drawn, which gives no interval"
        ),
    };
}

/// The threshold against the steps since the last remap. Another rule, if recommended, is stated in
/// words.
pub(crate) fn thresholds<'a>(
    title: &'a str,
    curve: Option<&Curve>,
    recommended: Option<Recommended>,
) -> Chart<'a> {
    let x = |end| Axis::new("steps since the last remap", 1.0..end, 0);
    let found = curve.filter(|_| recommended == Some(Recommended::ThresholdCurve));
    let Some(curve) = found else {
        let what = match recommended {
            Some(Recommended::Never) => "do not remap".to_owned(),
            Some(Recommended::Every(interval)) => format!("remap {}", every(interval)),
            _ => "not solved".to_owned(),
        };
        let series = vec![Series::words(THRESHOLD, [(what, (4.0, 0.5))])];
        return Chart { title, x: x(10.0), y: Axis::new("max - mean", 0.0..1.0, 1), series };
    };
    let finite = |at: &&Threshold| at.threshold < Threshold::NEVER;
    let list: Vec<Threshold> = curve.by_steps_since.iter().filter(finite).copied().collect();
    let end = 1.5 * list.last().map_or(1, |last| last.from) as f64 + 10.0;
    let mut points = Vec::new();
    for (i, at) in list.iter().enumerate() {
        let next = list.get(i + 1).map_or(end, |next| next.from as f64);
        points.extend([(at.from as f64, at.threshold), (next, at.threshold)]);
    }
    let mut most = list.iter().map(|at| at.threshold).fold(0.0, f64::max);
    let mut series = vec![Series::line(THRESHOLD, points).named("remap above")];
    for ((steps, threshold), colour) in besides(curve).zip(COLOURS.into_iter().skip(1).cycle()) {
        if threshold == Threshold::NEVER {
            series.push(Series::line(colour, []).named(format!("{steps}: never")));
            continue;
        }
        most = most.max(threshold);
        let line = [(1.0, threshold), (end, threshold)];
        series.push(Series::line(colour, line).named(format!("{steps}, also")));
    }
    Chart { title, x: x(end), y: Axis::new("max - mean", 0.0..1.1 * most + 1e-3, 2), series }
}
