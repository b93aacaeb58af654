//! Drifting loads: the summary, the row of a sweep, and the picture of utilization against the
//! interval.

use super::answer::{Answer, BestThreshold, Both, Curve, Fixed, Mean};
use super::few_thresholds::{POLICY, cost_of_rule, sampled_headline, thresholds, within_percent};
use crate::complaint::Complaint;
use crate::document::dynamics::Dynamics;
use crate::document::log::Log;
use crate::plot::chart::{Axis, Chart, Series};
use crate::plot::{self, AGAINST, BAND, Format, THRESHOLD};
use crate::problems::claims::Claim;
use crate::problems::kind::{self, Accuracy, Headline};
use crate::problems::settings::Choice;
use crate::problems::shared::recommended::{Recommended, is_dearer};
use crate::problems::stopping::answer::CostByState;
use crate::text::digits::{brief, compared, every, exceeded};
use crate::text::numbers::Numbers;
use crate::text::{Row, within};
use plotters::prelude::BLACK;
use remapping::overlap::Overlap;
use std::fmt::Write;

impl kind::Answer for Answer {
    fn fault(&self) -> Option<String> {
        if let Some(fault) = self.dynamics.as_ref().and_then(Dynamics::fault) {
            return Some(fault);
        }
        if let Some(fault) = self.threshold_curve.as_ref().and_then(Curve::fault) {
            return Some(fault);
        }
        let letters = self.decision.as_ref()?;
        if letters.chars().any(|letter| !"RC".contains(letter)) {
            return Some("`decision` has letters other than R and C".to_owned());
        }
        (Some(letters.len() as u64) != self.states)
            .then(|| "`decision` has not one letter for each multiset of levels".to_owned())
    }

    fn accuracy(&self) -> Accuracy {
        match self.statistical {
            true => Accuracy::sampled(self.gap_percent, self.gap_interval),
            false => Accuracy::Proved,
        }
    }

    fn headline(&self) -> Headline {
        let (recommended, fixed) = (self.recommended(), self.best_fixed.value);
        match self.bounds {
            Some(_) => sampled_headline(self.threshold_curve.as_ref(), recommended, fixed),
            None => Headline::Sentence(solved_headline(self, recommended)),
        }
    }

    fn recommended(&self) -> Option<Recommended> {
        Answer::recommended(self)
    }

    fn of_the_program(&self, log: &Log) -> Option<String> {
        of_the_program(self, self.recommended()?, log)
    }

    fn claims(&self) -> Vec<Claim> {
        if self.statistical {
            // Confidence intervals prove nothing.
            return Vec::new();
        }
        let bounds = self.value_bounds;
        vec![Claim::relative("the value", bounds.lower, bounds.upper)]
    }

    fn ignores(&self, option: Choice) -> Option<&'static str> {
        match option {
            Choice::Step | Choice::Values => None,
            other => Some(other.is_for()),
        }
    }

    fn numbers(&self, numbers: &mut Numbers) {
        super::numbers::of(self, numbers);
    }

    fn summary(&self, text: &mut String) {
        summary(text, self);
    }

    fn cells(&self) -> Row {
        if let (Some(bounds), Some(gap)) = (self.bounds, self.gap_percent) {
            return sampled_cells(bounds, gap, self.gap_interval, self.remaps);
        }
        let numbers =
            [("value", self.value), ("remaps", self.remaps), ("utilization", self.utilization)];
        let cell =
            |number: Option<f64>| number.map_or(String::new(), |number| format!("{number:.9}"));
        numbers.into_iter().map(|(heading, number)| (heading.to_owned(), cell(number))).collect()
    }

    fn draw(&self, title: &str, format: Format) -> Result<Vec<u8>, Complaint> {
        plot::picture(format, &picture(title, self, self.recommended()))
    }
}

/// The recommendation and its value.
fn solved_headline(answer: &Answer, recommended: Option<Recommended>) -> String {
    let fixed = &answer.best_fixed;
    let Some(value) = answer.value else {
        let simple = match fixed.interval {
            Some(interval) => format!("remapping {}", every(interval)),
            None => "never remapping".to_owned(),
        };
        return format!("Not solved: until it is, {simple} costs {}", brief(fixed.value));
    };
    let mut others = format!("{} never remapping", compared(value, answer.never.value));
    if let Some(interval) = fixed.interval {
        let how = compared(value, fixed.value);
        let best = match answer.intervals_evaluated {
            None => "the best interval".to_owned(),
            Some(known) => format!("the best interval of up to {known}"),
        };
        others += &format!(" and {how} remapping {}, {best}", every(interval));
    }
    let optimum = brief(value);
    if answer.remaps == Some(0.0) {
        return format!("Do not remap: that costs {optimum}, the optimum");
    }
    let Some(recommended) = recommended else {
        return format!("The optimal policy costs {optimum}, {others}");
    };
    match answer.cost_of(recommended) {
        Some(cost) => {
            let rule = capital(&words(answer, recommended, (1.0, 1, usize::MAX), ""));
            let cost = compared(cost, value);
            format!("{rule}: that costs {cost} the optimum, {optimum}, which is {others}")
        }
        None => {
            let rule = capital(&words(answer, recommended, (1.0, 1, usize::MAX), " about"));
            format!("{rule}: the optimum costs {optimum}, {others}")
        }
    }
}

/// The rule of the headline in seconds and steps of the program.
fn of_the_program(
    answer: &Answer,
    recommended: Recommended,
    Log { unit_seconds, stride, job_steps, .. }: &Log,
) -> Option<String> {
    let asked = if *stride > 1 { format!(", asked {}", every(*stride)) } else { String::new() };
    // For a job of unknown length, only the rule of the first step is valid.
    let known = job_steps.map_or(1, |_| usize::MAX);
    let units = (*unit_seconds, *stride, known);
    match recommended {
        Recommended::Never | Recommended::ThresholdCurve => None,
        Recommended::Every(_) => Some(words(answer, recommended, units, "")),
        _ => {
            let known = answer.cost_of(recommended).is_some();
            let about = if known { "" } else { " about" };
            let words = words(answer, recommended, units, about);
            Some(format!("{words} seconds{asked}"))
        }
    }
}

/// A recommended rule in words: thresholds in units of `unit`, steps of `stride`, and the first
/// `known` thresholds by step.
fn words(
    answer: &Answer,
    recommended: Recommended,
    (unit, stride, known): (f64, u64, usize),
    about: &str,
) -> String {
    let above = |threshold: f64| match answer.is_above_all(threshold) {
        true => "no threshold".to_owned(),
        false => exceeded(threshold * unit),
    };
    match recommended {
        Recommended::Never => "do not remap".to_owned(),
        Recommended::Every(interval) => format!("remap {}", every(interval.saturating_mul(stride))),
        Recommended::Above(threshold) => {
            format!("remap{about} when max - mean exceeds {}", above(threshold))
        }
        Recommended::ClosestThreshold => {
            let mut listed: Vec<(u64, String)> = answer
                .closest_threshold
                .iter()
                .map(|at| (at.step.saturating_mul(stride), above(at.threshold)))
                .collect();
            listed.sort_by_key(|(step, _)| *step);
            listed.truncate(known);
            listed.dedup_by(|next, last| next.1 == last.1);
            let later =
                listed.iter().skip(1).map(|(step, above)| format!("; {above} from step {step} on"));
            let first = listed.first().map_or("", |(_, above)| above.as_str());
            format!("remap{about} when max - mean exceeds {first}{}", later.collect::<String>())
        }
        // Answers from sample paths begin with this rule.
        Recommended::ThresholdCurve => String::new(),
    }
}

fn capital(words: &str) -> String {
    let (first, others) = words.split_at(words.len().min(1));
    format!("{}{others}", first.to_uppercase())
}

/// The readable summary.
fn summary(text: &mut String, answer: &Answer) {
    if let Some(bounds) = answer.bounds {
        return sampled(text, answer, bounds);
    }
    if let Some(states) = answer.states {
        let most = |active: u64| format!(", at most {active} in steps over a region");
        let _ = writeln!(
            text,
            "{states} states{}",
            answer.active_states.map_or_else(String::new, most)
        );
    }
    if let Some(CostByState::Moved { fixed, per_unit_moved }) = answer.cost_by_state {
        moved(text, fixed, per_unit_moved);
    }
    if let Some(overlap) = answer.overlap {
        late(text, overlap);
    }
    let gap = |fixed: &Fixed| match answer.value {
        Some(value) if value > 0.0 => format!("{:+.2} %", 100.0 * (fixed.value / value - 1.0)),
        _ => String::new(),
    };
    let _ = writeln!(text, "  {:<18}{:>18}{:>13}", "", "expected cost", "utilization");
    let mut line = |name: &str, value: f64, utilization: f64, note: String| {
        let _ = writeln!(text, "  {name:<18}{value:>18.6}{utilization:>13.6}  {note}");
    };
    if let (Some(value), Some(utilization), Some(remaps)) =
        (answer.value, answer.utilization, answer.remaps)
    {
        line("optimal", value, utilization, format!("{remaps:.2} remaps expected"));
    }
    let fixed = &answer.best_fixed;
    if let Some(interval) = fixed.interval {
        line(&every(interval), fixed.value, fixed.utilization, gap(fixed));
    }
    line("never", answer.never.value, answer.never.utilization, gap(&answer.never));
    if answer.value.is_none() {
        let bounds = answer.value_bounds;
        // Rounded outward to the digits shown.
        let (lower, upper) =
            ((1e6 * bounds.lower).floor() / 1e6, (1e6 * bounds.upper).ceil() / 1e6);
        let _ = writeln!(text, "optimal cost between {lower:.6} and {upper:.6}");
    } else {
        let _ = writeln!(text, "optimal cost {}, proved", within(answer.value_bounds));
    }
    if let (Some(time), Some(work)) = (answer.time, answer.work) {
        let _ = writeln!(text, "expected time {time:.6} for {work:.6} of work");
    }
    if !answer.closest_threshold.is_empty() {
        let _ = writeln!(text, "closest simple rule: remap when max - mean exceeds");
    }
    for closest in &answer.closest_threshold {
        let percent = 100.0 * closest.disagreement;
        let (step, threshold) = (closest.step, closest.threshold);
        let above = match answer.is_above_all(threshold) {
            true => "never".to_owned(),
            false => exceeded(threshold),
        };
        let _ = writeln!(
            text,
            "  {above:<8} after step {step} (other in {percent:.2} % of load vectors)"
        );
    }
    if let (Some(best), Some(value)) = (answer.best_threshold, answer.value) {
        let BestThreshold { threshold, value: cost, searched: [from, to] } = best;
        let more = if value > 0.0 { 100.0 * (cost / value - 1.0) } else { 0.0 };
        let least = match threshold < from {
            true => format!("{} and ", exceeded(threshold)),
            false => String::new(),
        };
        let of_all = format!("of {least}all from {from:.4} to {to:.4}");
        let best = match threshold {
            _ if answer.is_above_all(threshold) => {
                format!("no threshold {of_all} costs less than never, which")
            }
            _ => format!("best threshold {of_all}: {} at all steps,", exceeded(threshold)),
        };
        let _ = writeln!(text, "{best} costs {cost:.6} ({more:+.2} %)");
    }
}

/// Writes the cost of moved units.
pub(crate) fn moved(text: &mut String, fixed: f64, each: f64) {
    let _ = writeln!(text, "a remap costs {fixed}, and {each} for each unit it moves");
}

/// Writes when remaps take effect.
pub(crate) fn late(text: &mut String, Overlap { steps, slowdown }: Overlap) {
    let slower = 100.0 * slowdown;
    let _ = writeln!(
        text,
        "a remap comes into force {steps} steps after its decision, which are {slower} % slower; steps since a remap are counted from its decision"
    );
}

/// Writes the summary of a policy and a lower bound from sample paths.
fn sampled(text: &mut String, answer: &Answer, bounds: Both) {
    if let Some(curve) = &answer.threshold_curve {
        cost_of_rule(text, curve, is_dearer(curve, answer.best_fixed.value));
    }
    if let Some(CostByState::Moved { fixed, per_unit_moved }) = answer.cost_by_state {
        moved(text, fixed, per_unit_moved);
    }
    if let Some(overlap) = answer.overlap {
        late(text, overlap);
    }
    let paths = answer.paths.unwrap_or(0);
    let _ = writeln!(text, "{} processors, {paths} sample paths", answer.processors);
    between(text, bounds, answer.remaps);
    let _ = writeln!(text, "  {:<18}{:>14.3}", "never", answer.never.value);
    let Some(gap) = answer.gap_percent else { return };
    within_percent(text, POLICY, gap, answer.gap_interval);
    let assumed = "assumed: an even split is never worse by more than half a remap, which is proved only away";
    let _ = writeln!(
        text,
        "{assumed}\nfrom the end levels and for log-concave moves (docs/many-ranks.md)"
    );
}

/// Writes both bounds.
pub(crate) fn between(text: &mut String, bounds: Both, remaps: Option<f64>) {
    let _ = writeln!(text, "  {:<18}{:>14}   99 % confidence", "", "expected cost");
    let mut line = |name: &str, Mean { mean, low, high }: Mean, note: &str| {
        let known = match low < high {
            true => format!("{low:.3} to {high:.3}"),
            false => "the same on each path".to_owned(),
        };
        let _ = writeln!(text, "  {name:<18}{mean:>14.3}   {known}{note}");
    };
    let remaps = remaps.map_or(String::new(), |remaps| format!(", {remaps:.2} remaps"));
    line("policy", bounds.upper, &remaps);
    line("any policy, least", bounds.lower, "");
}

/// The cells of bounds from sample paths.
pub(crate) fn sampled_cells(
    bounds: Both,
    gap: f64,
    interval: Option<[f64; 2]>,
    remaps: Option<f64>,
) -> crate::text::Row {
    let cells = [
        ("lower", format!("{:.3}", bounds.lower.mean)),
        ("upper", format!("{:.3}", bounds.upper.mean)),
        ("gap %", format!("{gap:.3}")),
        ("95 % up to", interval.map_or("unknown".to_owned(), |[_, high]| format!("{high:.3}"))),
        ("remaps", remaps.map_or(String::new(), |remaps| format!("{remaps:.2}"))),
    ];
    cells.map(|(heading, cell)| (heading.to_owned(), cell)).into()
}

/// Utilization against the interval between remaps [NRS86, Fig. 4]; with sampled bounds, the
/// thresholds of their rule.
fn picture<'a>(title: &'a str, answer: &Answer, recommended: Option<Recommended>) -> Chart<'a> {
    if answer.bounds.is_some() {
        return thresholds(title, answer.threshold_curve.as_ref(), recommended);
    }
    let intervals = &answer.fixed_utilization;
    let levels = [Some(answer.never.utilization), answer.utilization];
    let all = || intervals.iter().copied().chain(levels.into_iter().flatten());
    let (least, most) = (all().fold(1.0, f64::min), all().fold(0.0, f64::max));
    let margin = (0.05 * (most - least)).max(1e-3);
    let end = intervals.len().max(1) as f64 + 1.0;
    let level = |u: f64| [(0.0, u), (end, u)];
    let points = (1..).map(f64::from).zip(intervals.iter().copied());
    let mut series = vec![Series::line(THRESHOLD, points).named("fixed interval, exact")];
    if let Some(optimal) = answer.utilization {
        series.push(Series::line(BLACK, level(optimal)).named("optimal policy"));
    }
    series.push(Series::line(BAND, level(answer.never.utilization)).named("never"));
    // Where work depends on the mapping, as at the ends of the levels, the best interval is not
    // where utilization is highest.
    if let Some(interval) = answer.best_fixed.interval {
        let best = Series::dots(AGAINST, [(interval as f64, answer.best_fixed.utilization)]);
        series.push(best.named(format!("interval of least cost, {interval}")));
    }
    Chart {
        title,
        x: Axis::new("steps between remaps", 0.0..end, 0),
        y: Axis::new("utilization", least - margin..most + margin, 3),
        series,
    }
}
