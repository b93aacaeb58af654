//! Drifting loads: the summary, the line of a sweep, and utilization against the interval.

use super::answer::{Answer, BestThreshold, Both, Curve, Fixed, Mean};
use crate::complaint::Complaint;
use crate::document::log::Log;
use crate::document::rule::Threshold;
use crate::plot::chart::{Axis, Chart, Series};
use crate::plot::{self, Format};
use crate::plot::{AGAINST, BAND, THRESHOLD};
use crate::problems::claims::Claim;
use crate::problems::kind::{self, Accuracy, Headline};
use crate::problems::settings::Choice;
use crate::problems::shared::recommended::{Simple, is_dearer};
use crate::problems::stopping::answer::CostByState;
use crate::text::Row;
use crate::text::digits::{brief, compared, every, exceeded};
use crate::text::within;
use plotters::prelude::BLACK;
use remapping::overlap::Overlap;
use std::fmt::Write;

impl kind::Answer for Answer {
    fn fault(&self) -> Option<String> {
        Answer::fault(self)
    }

    fn accuracy(&self) -> Accuracy {
        match self.statistical {
            true => Accuracy::sampled(self.gap_percent, self.gap_interval),
            false => Accuracy::Proved,
        }
    }

    fn headline(&self) -> Headline {
        match self.bounds {
            None => Headline::Sentence(headline(self)),
            Some(_) => Headline::InSummary,
        }
    }

    fn of_the_program(&self, log: &Log) -> Option<String> {
        of_the_program(self, log)
    }

    fn claims(&self) -> Vec<Claim> {
        Answer::claims(self)
    }

    fn ignores(&self, option: Choice) -> Option<&'static str> {
        match option {
            Choice::Step | Choice::Values => None,
            other => Some(other.is_for()),
        }
    }

    fn summary(&self, text: &mut String) {
        summary(text, self);
    }

    fn cells(&self) -> Row {
        cells(self)
    }

    fn draw(&self, title: &str, format: Format) -> Result<Vec<u8>, Complaint> {
        plot::picture(format, &picture(title, self))
    }
}

/// What to do, and what it is worth, of an answer over all states.
fn headline(answer: &Answer) -> String {
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
    let closest = answer.closest_threshold.first().filter(|closest| {
        answer.best_threshold.is_none() && !answer.is_above_all(closest.threshold)
    });
    match (closest, answer.recommended()) {
        (Some(closest), _) => format!(
            "Remap about when max - mean exceeds {} after step {}: the optimum costs {optimum}, {others}",
            exceeded(closest.threshold),
            closest.step
        ),
        (None, Some((simple, cost))) => {
            let rule = match simple {
                Simple::Never => "Do not remap".to_owned(),
                Simple::Every(interval) => format!("Remap {}", every(interval)),
                Simple::Above(threshold) => {
                    format!("Remap when max - mean exceeds {}", exceeded(threshold))
                }
            };
            let cost = compared(cost, value);
            format!("{rule}: that costs {cost} the optimum, {optimum}, which is {others}")
        }
        (None, None) => format!("The optimal policy costs {optimum}, {others}"),
    }
}

/// The rule of the headline in seconds and steps of the program, where it is one of a number.
fn of_the_program(answer: &Answer, Log { unit_seconds, stride, .. }: &Log) -> Option<String> {
    let closest = answer.closest_threshold.first();
    let (simple, about) = match (answer.best_threshold, closest) {
        (None, Some(closest)) if !answer.is_above_all(closest.threshold) => {
            (Simple::Above(closest.threshold), " about")
        }
        _ => (answer.recommended()?.0, ""),
    };
    let asked = if *stride > 1 { format!(", asked {}", every(*stride)) } else { String::new() };
    match simple {
        Simple::Never => None,
        Simple::Every(interval) => {
            Some(format!("remap {}", every(interval.saturating_mul(*stride))))
        }
        Simple::Above(threshold) => {
            let seconds = exceeded(threshold * unit_seconds);
            Some(format!("remap{about} when max - mean exceeds {seconds} seconds{asked}"))
        }
    }
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
        // Outward to the digits shown.
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

/// What units moved cost.
pub(crate) fn moved(text: &mut String, fixed: f64, each: f64) {
    let _ = writeln!(text, "a remap costs {fixed}, and {each} for each unit it moves");
}

/// When remaps come into force.
pub(crate) fn late(text: &mut String, Overlap { steps, slowdown }: Overlap) {
    let slower = 100.0 * slowdown;
    let _ = writeln!(
        text,
        "a remap comes into force {steps} steps after its decision, which are {slower} % slower; steps since a remap are counted from its decision"
    );
}

/// A policy and a lower bound, both from sample paths.
fn sampled(text: &mut String, answer: &Answer, bounds: Both) {
    if let Some(curve) = &answer.threshold_curve {
        rule(text, curve, Some((None, answer.never.value)));
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

/// Both bounds.
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

/// What the rule is not: it is made of the policy, which sees more than max - mean.
pub(crate) const POLICY: &str = "the policy that the rule was made of, which sees all loads, is";

/// How far from the optimum something is at most; where paths do not tell that, what they show.
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

/// The policy as a rule of few numbers, with what that costs itself; first what costs less, if that is the best interval, or never, of
/// which the cost is known.
pub(crate) fn rule(text: &mut String, curve: &Curve, best: Option<(Option<u64>, f64)>) {
    if let Some((interval, known)) = best.filter(|(_, known)| is_dearer(curve, *known)) {
        let what =
            interval.map_or("Do not remap".to_owned(), |steps| format!("Remap {}", every(steps)));
        let _ = writeln!(
            text,
            "{what}: that costs {known:.3} exactly, less than the paths drawn say of the rule found, which is:"
        );
    }
    let never = curve.by_steps_since.iter().all(|at| at.threshold == Threshold::NEVER);
    let _ =
        write!(text, "{}", if never { "Do not remap" } else { "Remap when max - mean is above" });
    for (i, at) in curve.by_steps_since.iter().enumerate().filter(|_| !never) {
        let next = curve.by_steps_since.get(i + 1);
        let above = exceeded(at.threshold);
        let _ = match (i, next) {
            (0, None) => write!(text, " {above}"),
            (0, Some(next)) => write!(text, " {above} up to {} steps after a remap", next.from - 1),
            (_, Some(next)) => write!(text, ", {above} up to {}", next.from - 1),
            (_, None) => write!(text, ", {above} later"),
        };
    }
    for at in curve.by_step.iter().filter(|at| at.threshold > 0.0 && !never) {
        let above = exceeded(at.threshold);
        let _ = write!(text, "; from step {} on, also above {above}", at.from);
    }
    let _ = writeln!(text);
    if let (Some(cost), Some(gap)) = (curve.cost, curve.gap_percent) {
        let Mean { mean, low, high } = cost;
        let known = match low < high {
            true => format!("99 % confidence {low:.3} to {high:.3}"),
            false if never => "exactly".to_owned(),
            false => "the same on each path".to_owned(),
        };
        let what = format!("This rule costs {mean:.3} ({known}),");
        within_percent(text, &what, gap, curve.gap_interval);
    }
}

/// A share in percent, to two digits: `.09`.
fn percent(value: f64) -> String {
    let text = format!("{value:.2}");
    let (sign, digits) = text.strip_prefix('-').map_or(("", &*text), |digits| ("-", digits));
    let sign = if digits == "0.00" { "" } else { sign };
    format!("{sign}{}", digits.strip_prefix('0').unwrap_or(digits))
}

/// The cells of a sweep's table.
fn cells(answer: &Answer) -> crate::text::Row {
    if let (Some(bounds), Some(gap)) = (answer.bounds, answer.gap_percent) {
        return sampled_cells(bounds, gap, answer.gap_interval, answer.remaps);
    }
    let numbers =
        [("value", answer.value), ("remaps", answer.remaps), ("utilization", answer.utilization)];
    let cell = |number: Option<f64>| number.map_or(String::new(), |number| format!("{number:.9}"));
    numbers.into_iter().map(|(heading, number)| (heading.to_owned(), cell(number))).collect()
}

/// The threshold against the steps since the last remap.
pub(crate) fn thresholds<'a>(title: &'a str, curve: &Curve) -> Chart<'a> {
    let finite = |at: &&Threshold| at.threshold < Threshold::NEVER;
    let list: Vec<Threshold> = curve.by_steps_since.iter().filter(finite).copied().collect();
    let end = 1.5 * list.last().map_or(1, |last| last.from) as f64 + 10.0;
    let mut points = Vec::new();
    for (i, at) in list.iter().enumerate() {
        let next = list.get(i + 1).map_or(end, |next| next.from as f64);
        points.extend([(at.from as f64, at.threshold), (next, at.threshold)]);
    }
    let most = list.iter().map(|at| at.threshold).fold(0.0, f64::max);
    let mut series = vec![Series::line(THRESHOLD, points).named("remap above")];
    if let Some(last) = curve.by_step.last().filter(|last| last.threshold > 0.0) {
        let name = format!("from step {} on", last.from);
        let level = [(1.0, last.threshold), (end, last.threshold)];
        series.push(Series::line(BAND, level).named(name));
    }
    let most = curve.by_step.last().map_or(most, |last| most.max(last.threshold));
    let x = Axis::new("steps since the last remap", 1.0..end, 0);
    if list.is_empty() {
        let words = vec![("do not remap".to_owned(), (0.4 * end, 0.5))];
        let series = vec![Series::words(THRESHOLD, words)];
        return Chart { title, x, y: Axis::new("max - mean", 0.0..1.0, 1), series };
    }
    Chart { title, x, y: Axis::new("max - mean", 0.0..1.1 * most + 1e-3, 2), series }
}

/// The same of bounds from sample paths.
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

/// Utilization against the interval between remaps [NRS86, Fig. 4]; of many ranks their rule.
fn picture<'a>(title: &'a str, answer: &Answer) -> Chart<'a> {
    if let Some(curve) = &answer.threshold_curve {
        return thresholds(title, curve);
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
    // Where work depends on the mapping, as at the ends of the levels, it is not where the curve is highest.
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
