//! Policies compared on sample paths: the table, and the picture of utilization against the mean
//! interval.

use crate::plot::chart::{Axis, Chart, Series};
use crate::plot::{BAND, THRESHOLD};
use crate::problems::sampling::{Line, Report};
use crate::text::digits::{brief, plain, sampled};
use remapping::estimate::Estimate;
use std::fmt::Write;

/// The remark below a table where runs agree.
const AGREED: &str =
    "numbers without ± are exact, or the same in all runs, which gives no interval\n";

/// The table of a comparison.
pub fn table(title: &str, report: &Report) -> String {
    let mut text = format!("{title}\n");
    let played = report.policies.iter().filter(|line| line.cost.value.is_finite());
    if let Some(best) = played.min_by(|a, b| a.cost.value.total_cmp(&b.cost.value)) {
        let name = short(&best.policy);
        let _ = write!(text, "The cheapest on these paths is {name}, {}", with_width(best.cost));
        let optimal = report.policies.iter().find(|line| line.policy == "optimal");
        let _ = match optimal.and_then(|line| line.exact) {
            Some(exact) if report.without_end => {
                writeln!(text, "; the policy that is best without an end costs {}", brief(exact))
            }
            Some(exact) => writeln!(
                text,
                "; the least that any policy costs, in expectation, is {}",
                brief(exact)
            ),
            None => writeln!(text),
        };
    }
    let _ = writeln!(
        text,
        "{} runs, seed {}; ± half of the 95 % confidence interval of a mean, sampled",
        report.runs, report.seed
    );
    let names: Vec<String> = report.policies.iter().map(|line| short(&line.policy)).collect();
    let widest = names.iter().map(String::len).max().unwrap_or(0).max(12);
    let timed = report.policies.iter().any(|line| line.per_metric.utilization_of_means.is_some());
    let column = if timed { 13 } else { 0 };
    let _ = writeln!(
        text,
        "{:<widest$}{:>22}{:>14}{:>column$}{:>9}{:>9}{:>20}{:>20}",
        "policy",
        "cost",
        "exact",
        if timed { "utilization" } else { "" },
        "remaps",
        "spacing",
        "above optimal",
        "above clairvoyant"
    );
    let best_is_exact =
        report.policies.iter().any(|line| line.policy == "optimal" && line.exact.is_some());
    for (name, line) in names.iter().zip(&report.policies) {
        let metrics = &line.per_metric;
        let cost = with_width(line.cost);
        let exact = line.exact.map_or(String::new(), plain);
        let spacing = metrics.spacing.map_or(String::new(), |mean| format!("{:.2}", mean.value));
        let is_exact = line.exact.is_some() && best_is_exact;
        let above = |above: Estimate| if is_exact { plain(above.value) } else { with_width(above) };
        let optimal = metrics.regret_optimal.map_or(String::new(), above);
        let clairvoyant = metrics.regret_clairvoyant.map_or(String::new(), with_width);
        let share =
            metrics.utilization_of_means.map_or(String::new(), |share| format!("{share:.5}"));
        let _ = writeln!(
            text,
            "{name:<widest$}{cost:>22}{exact:>14}{share:>column$}{:>9.2}{spacing:>9}{optimal:>20}{clairvoyant:>20}",
            metrics.remaps.value
        );
    }
    if let Some(least) = report.clairvoyant {
        let _ = writeln!(
            text,
            "{:<widest$}{:>22}  knowing each path in advance",
            "clairvoyant",
            with_width(least)
        );
    }
    let costs = report.policies.iter().map(|line| line.cost).chain(report.clairvoyant);
    if report.runs > 0 && costs.into_iter().any(|found| !found.is_bounded()) {
        text.push_str(AGREED);
    }
    text
}

/// The name of a policy, with its parameter in four significant digits. JSON has all of them.
fn short(name: &str) -> String {
    let parameter = name.split_once(':').and_then(|(rule, number)| {
        let number = number.parse::<f64>().ok().filter(|number| number.fract() != 0.0)?;
        let places = (3 - number.abs().log10().floor() as i32).clamp(0, 12) as usize;
        let digits = format!("{number:.places$}");
        Some(format!("{rule}:{}", digits.trim_end_matches('0').trim_end_matches('.')))
    });
    parameter.unwrap_or_else(|| name.to_owned())
}

fn with_width(found: Estimate) -> String {
    match found.half_width() {
        width if width > 0.0 => sampled(found).joined("±"),
        _ => plain(found.value),
    }
}

/// Utilization against the mean number of steps between remaps [NRS86, Figs. 4 and 5]; the cost,
/// where utilization is unknown.
pub fn picture<'a>(title: &'a str, report: &Report) -> Chart<'a> {
    let timed = report.policies.iter().all(|line| line.per_metric.utilization_of_means.is_some());
    let height = |line: &Line| match line.per_metric.utilization_of_means {
        Some(share) if timed => share,
        _ => line.cost.value,
    };
    let place = |line: &Line| {
        let spacing = line.per_metric.spacing?;
        Some((short(&line.policy), (spacing.value, height(line))))
    };
    let points: Vec<(String, (f64, f64))> = report.policies.iter().filter_map(place).collect();
    let never = report.policies.iter().find(|line| line.policy == "never").map(height);
    let heights = || points.iter().map(|(_, (_, u))| *u).chain(never);
    let (least, most) = match heights().next() {
        Some(first) => (heights().fold(first, f64::min), heights().fold(first, f64::max)),
        None => (0.0, 1.0),
    };
    let margin = (0.05 * (most - least)).max(1e-3);
    let end = 1.25 * points.iter().map(|(_, (m, _))| *m).fold(1.0, f64::max);
    let mut series = Vec::new();
    if let Some(never) = never {
        series.push(Series::line(BAND, [(0.0, never), (end, never)]).named("never"));
    }
    let fixed = points.iter().filter(|(name, _)| name.starts_with("fixed"));
    let mut fixed: Vec<(f64, f64)> = fixed.map(|(_, place)| *place).collect();
    fixed.sort_by(|a, b| a.0.total_cmp(&b.0));
    series.push(Series::line(THRESHOLD, fixed));
    series.push(Series::words(THRESHOLD, points));
    let (what, places) = if timed { ("utilization", 3) } else { ("expected cost", 1) };
    Chart {
        title,
        x: Axis::new("mean steps between remaps", 0.0..end, 0),
        y: Axis::new(what, least - margin..most + margin, places),
        series,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short() {
        let long = ["threshold:2.3333333333333335", "menon_offline:0.13498832", "fixed:12", "zhai"];
        let names = long.map(short);
        assert_eq!(names, ["threshold:2.333", "menon_offline:0.135", "fixed:12", "zhai"]);
        assert_eq!(short("threshold:1234.56"), "threshold:1235");
    }
}
