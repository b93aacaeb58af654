//! A change of phase: the summary, the row of a sweep, and pictures of the threshold curve and of
//! compared policies.

use super::answer::{Answer, Exact, Hazard};
use crate::complaint::Complaint;
use crate::document::Bounds;
use crate::plot::chart::{Axis, Chart, Series};
use crate::plot::{self, AGAINST, BAND, Format, SIZE, THRESHOLD};
use crate::problems::claims::{Claim, of_curve};
use crate::problems::kind::{self, Headline};
use crate::problems::phase_change::compare::{Costs, Line};
use crate::problems::settings::Choice;
use crate::text::curve::{self, points, window};
use crate::text::digits::{compared_between, compared_within, proved, settled, up};
use crate::text::numbers::Numbers;
use crate::text::{Row, shorten, within};
use std::fmt::Write;

impl kind::Answer for Answer {
    fn fault(&self) -> Option<String> {
        let (list, last) = (&self.threshold, self.last_step);
        let first = self.stationary_through.map_or(self.first_step, |n| n.checked_add(1));
        let first = first.unwrap_or(0);
        // A computation that was stopped early has none.
        if !list.is_empty() && first.checked_add(list.len() as u64) != last.checked_add(1) {
            return Some(format!(
                "`threshold` has {} entries for the steps {first} to {last}",
                list.len()
            ));
        }
        let ends = [
            ("threshold_lower", &self.threshold_lower),
            ("threshold_upper", &self.threshold_upper),
        ];
        if let Some((name, other)) = ends.iter().find(|(_, ends)| ends.len() != list.len()) {
            let (all, own) = (list.len(), other.len());
            return Some(format!("`threshold` has {all} entries, but `{name}` has {own}"));
        }
        let head = self.threshold_head.as_ref().map_or(0, Vec::len) as u64;
        let known = self.first_step.unwrap_or(0).saturating_add(head) <= first;
        let ends = [self.threshold_stationary_lower, self.threshold_stationary_upper];
        let through = self.stationary_through;
        if !known || ends.iter().any(|end| end.is_some() != through.is_some()) {
            return Some(
                "`threshold_stationary` lacks its bounds, or `stationary_through`, or they do not fit \
                 the head"
                    .to_owned(),
            );
        }
        let hazard = self.belief.as_ref().map_or(&[][..], |belief| match &belief.hazard {
            Hazard::Constant(hazard) => std::slice::from_ref(hazard),
            Hazard::PerStep(list) => list,
        });
        let head: Vec<f64> = self.threshold_head.iter().flatten().flatten().copied().collect();
        let errors: Vec<f64> =
            self.belief.iter().flat_map(|belief| [belief.false_alarm, belief.missed]).collect();
        let stationary: Vec<f64> =
            [self.threshold_stationary].into_iter().chain(ends).flatten().collect();
        let lists = [
            ("threshold", &list[..]),
            ("threshold_lower", &self.threshold_lower),
            ("threshold_upper", &self.threshold_upper),
            ("belief.hazard", hazard),
            ("belief", &errors),
            ("threshold_head", &head),
            ("threshold_stationary", &stationary),
        ];
        let (name, i, p) = lists.into_iter().find_map(|(name, list)| {
            let outside = list.iter().position(|p| !(0.0..=1.0).contains(p))?;
            Some((name, outside, list[outside]))
        })?;
        let single = ["belief", "threshold_head", "threshold_stationary"].contains(&name);
        let entry = if single { name.to_owned() } else { format!("{name}[{i}]") };
        Some(format!("`{entry}` is {p}, not between 0 and 1"))
    }

    fn headline(&self) -> Headline {
        Headline::Sentence(headline(self))
    }

    fn contradiction(&self) -> Option<String> {
        let exact = self.exact.as_ref()?.n0;
        let n0 = self.n0.filter(|n0| *n0 != exact)?;
        Some(format!("n0 is given as {n0}, and is exactly {exact}"))
    }

    fn claims(&self) -> Vec<Claim> {
        let exact = self.exact.as_ref();
        let thresholds = exact.map(|Exact { threshold, .. }| threshold.as_slice());
        let mut claims = of_curve("pi", &self.curve(), thresholds);
        let value = self.value.map(|value| Claim::relative("V", value.lower, value.upper));
        claims.extend(value.map(|claim| claim.with(exact.and_then(|e| e.value.parse().ok()))));
        claims
    }

    fn ignores(&self, option: Choice) -> Option<&'static str> {
        match option {
            Choice::Segments | Choice::Exact => None,
            other => Some(other.is_for()),
        }
    }

    fn numbers(&self, numbers: &mut Numbers) {
        numbers.put("last step M", self.last_step);
        let n0 = match (self.n0, self.n0_between) {
            (Some(n0), _) => n0.to_string(),
            (None, Some([least, most])) => format!("between {least} and {most}"),
            (None, None) => "not known".to_owned(),
        };
        numbers.put("no remap from step n0", n0);
        let curve = self.curve();
        if let Some(run) = curve.runs().next() {
            match run.bounds {
                Bounds::NEVER => {
                    numbers.put(&format!("threshold at step {}", run.first), "never remap")
                }
                bounds => numbers.bounds(&format!("threshold at step {}", run.first), bounds),
            }
        }
        numbers.put("widest bounds of a threshold", up(curve.width()));
        if let Some(value) = self.value {
            numbers.bounds("expected time", value);
        }
        if let Some(exact) = &self.exact {
            numbers.put("expected time, exactly", &exact.value);
        }
    }

    fn summary(&self, text: &mut String) {
        summary(text, self);
    }

    fn cells(&self) -> Row {
        let start = self.curve().at(0);
        let start = start.map_or(String::new(), |bounds| format!("{:.12}", bounds.middle()));
        let value = self.value.map(|value| format!("{:.9}", value.middle()));
        vec![
            ("n0".to_owned(), self.n0.map_or(String::new(), |n0| n0.to_string())),
            ("pi_0".to_owned(), start),
            ("expected time".to_owned(), value.unwrap_or_default()),
        ]
    }

    fn draw(&self, title: &str, format: Format) -> Result<Vec<u8>, Complaint> {
        plot::picture(format, &picture(title, self))
    }
}

/// The recommendation and its value.
fn headline(answer: &Answer) -> String {
    let thresholds = answer.curve();
    let Some(run) = thresholds.runs().next().filter(|_| answer.n0 != Some(0)) else {
        return match answer.n0 {
            Some(0) => "Keep the mapping whatever the detector says: remapping never pays",
            _ => "Not solved: the threshold of no step is known",
        }
        .to_owned();
    };
    let at = match run.last - run.first {
        0 => format!("at step {}", run.first),
        _ => format!("at steps {} to {}", run.first, run.last),
    };
    let mut text = match run.bounds {
        Bounds::NEVER => format!("Do not remap {at}"),
        bounds => {
            let threshold = settled(bounds);
            format!(
                "Remap when p, the probability that the phase has changed, exceeds {threshold} {at}"
            )
        }
    };
    if let Some(value) = answer.value.filter(|value| value.middle().is_finite()) {
        text += &format!(": the expected completion time is {}", settled(value));
        let never = answer.never.filter(|never| never.is_finite());
        if let Some(how) = never.and_then(|never| compared_within(value, never)) {
            text += &format!(", {how} without remaps");
        }
    }
    text
}

/// The readable summary.
fn summary(text: &mut String, answer: &Answer) {
    let thresholds = answer.curve();
    let _ = write!(text, "{}", curve::draw(&thresholds));
    let last = answer.last_step;
    if let Some([least, most]) = answer.n0_between {
        let _ = writeln!(
            text,
            "n0 is {least} or more and {most} or less: the costs are too near to each other to tell"
        );
    }
    let _ = match (answer.n0, thresholds.first_step()) {
        (None, Some(_)) if answer.n0_between.is_some() => Ok(()),
        (Some(0), _) => Ok(()),
        (Some(n0), _) if n0 > last => {
            writeln!(text, "n0 = {n0}: remapping can pay up to the last step, {last}")
        }
        (Some(n0), _) => {
            writeln!(text, "n0 = {n0}: from step {n0} to the last, {last}, remapping never pays")
        }
        (None, Some(first)) => {
            writeln!(
                text,
                "from step {first} to the last, {last}, remapping never pays; earlier steps are not computed"
            )
        }
        (None, None) => writeln!(text, "no step was computed"),
    };
    if let Some((first, bounds)) = thresholds.runs().next().map(|run| (run.first, run.bounds)) {
        let shown = within(bounds);
        let _ = writeln!(text, "pi_{first} = {shown}: remap when p exceeds it");
    }
    if let Some(through) = answer.stationary_through {
        let _ = writeln!(text, "steps 0..={through} share one threshold");
    }
    if let Some(value) = answer.value {
        let _ = writeln!(text, "expected completion time = {}", within(value));
    }
    let _ = writeln!(text, "{} linear segments at most", answer.segments);
    if let Some(exact) = &answer.exact {
        let _ = writeln!(text, "exactly: n0 = {}, V = {}", exact.n0, shorten(&exact.value));
        for (n, (fraction, decimal)) in
            exact.threshold.iter().zip(&exact.threshold_decimal).enumerate()
        {
            let _ = writeln!(text, "  pi_{n} = {decimal:.15} = {}", shorten(fraction));
        }
    }
}

/// pi_n against n with its certified band.
fn picture<'a>(title: &'a str, answer: &Answer) -> Chart<'a> {
    let curve = answer.curve();
    let (first, last) = window(&curve).unwrap_or((0, 1));
    let steps = first as f64..(last as f64).max(first as f64 + 1.0);
    let mut shown: Vec<u64> = points(&curve, SIZE.0 as usize).into_iter().map(|(n, _)| n).collect();
    shown.push(first);
    shown.retain(|n| (first..=last).contains(n));
    shown.sort_unstable();
    let side = |read: fn(&Bounds) -> f64| -> Vec<(f64, f64)> {
        shown.iter().filter_map(|n| Some((*n as f64, read(&curve.at(*n)?)))).collect()
    };
    let outline = side(|b| b.lower).into_iter().chain(side(|b| b.upper).into_iter().rev());
    let width = curve.width();
    let mut series = vec![
        Series::area(BAND, 0.6, outline)
            .named(format!("certified band, at most {} wide", up(width))),
        Series::line(THRESHOLD, side(Bounds::middle)).named("threshold pi_n"),
    ];
    if let Some(n0) = answer.n0.map(|n0| n0 as f64).filter(|n0| *n0 > 0.0 && steps.contains(n0)) {
        let end = Series::line(AGAINST, [(n0, 0.0), (n0, 1.0)]);
        series.push(end.named("n0: from here on remapping never pays"));
    }
    Chart {
        title,
        x: Axis::new("decision step n", steps, 0),
        y: Axis::new("remap when p exceeds pi_n", 0.0..1.02, 1),
        series,
    }
}

/// The excess of each policy over the optimal one, as bars with their bounds.
pub fn regrets<'a>(title: &'a str, costs: &Costs) -> Chart<'a> {
    let count = costs.policies.len().max(1) as f64;
    let most = costs.policies.iter().map(|line| line.per_metric.regret_optimal.upper);
    let most = 1.25 * most.fold(f64::MIN_POSITIVE, f64::max);
    let mut series = Vec::new();
    for (k, line) in costs.policies.iter().enumerate() {
        let (regret, top) = (line.per_metric.regret_optimal, count - k as f64);
        let (value, bar) = (regret.middle(), [top - 0.3, top - 0.7]);
        let corners = [(0.0, bar[0]), (value, bar[0]), (value, bar[1]), (0.0, bar[1])];
        series.push(Series::area(BAND, 1.0, corners));
        let ends = [(regret.lower, top - 0.5), (regret.upper, top - 0.5)];
        series.push(Series::line(THRESHOLD, ends));
        let word = format!("{}   {value:.6}", line.policy);
        series.push(Series::words(THRESHOLD, [(word, (value, top - 0.5))]));
    }
    Chart {
        title,
        x: Axis::new(costs.measure.excess(), 0.0..most, 4),
        y: Axis { digits: None, ..Axis::new("", 0.0..count, 0) },
        series,
    }
}

/// The cheapest policy other than the optimum, as far as the bounds decide it, and its cost.
fn best_of(policies: &[Line]) -> Option<String> {
    let bounds = |line: &Line| Bounds { lower: line.lower, upper: line.upper };
    let known = || policies.iter().filter(|line| bounds(line).middle().is_finite());
    let others = || known().filter(|line| line.policy != "optimal");
    let optimum = known().find(|line| line.policy == "optimal").map(bounds);
    let least = others().map(|line| line.upper).min_by(f64::total_cmp)?;
    let mut near: Vec<&Line> = others().filter(|line| line.lower <= least).collect();
    near.sort_by(|a, b| bounds(a).middle().total_cmp(&bounds(b).middle()));
    let lower = near.iter().map(|line| line.lower).fold(f64::INFINITY, f64::min);
    let cost = Bounds { lower, upper: near.iter().map(|line| line.upper).fold(lower, f64::max) };
    let (last, first) = near.split_last()?;
    let names: Vec<&str> = first.iter().map(|line| line.policy.as_str()).collect();
    let which = match names.join(", ") {
        names if names.is_empty() => format!("is {}: it costs", last.policy),
        names => format!("is {names} or {}, whose bounds overlap: it costs", last.policy),
    };
    let narrow = |bounds: Bounds| bounds.width() <= 1e-4 * bounds.middle().abs();
    Some(match optimum {
        Some(optimum) if narrow(cost) && narrow(optimum) => {
            let how = compared_between(cost, optimum);
            format!("The best of these beside the optimum {which} {how} it")
        }
        Some(optimum) => {
            let (cost, optimum) = (settled(cost), settled(optimum));
            format!(
                "The best of these beside the optimum {which} {cost}, and the optimum {optimum}"
            )
        }
        None => format!("The best of these {which} {}", settled(cost)),
    })
}

/// The table of a comparison.
pub fn table(title: &str, costs: &Costs) -> String {
    let mut text = format!("{title}\n");
    if let Some(sentence) = best_of(&costs.policies) {
        let _ = writeln!(text, "{sentence}");
    }
    text += "± half of the proved bounds\n";
    let _ = writeln!(
        text,
        "{:<19} {:>27} {:>9} {:>10} {:>25} {:>9}",
        "policy",
        costs.measure.name(),
        "remaps",
        "premature",
        "above optimal",
        "kept %"
    );
    for line in &costs.policies {
        let metrics = &line.per_metric;
        let cost = proved(Bounds { lower: line.lower, upper: line.upper }).joined("±");
        // As many decimals as are known, and the error where these are few.
        let known = |bounds: Bounds, decimals: usize| {
            let half_width = bounds.half_width();
            match half_width < 0.5 * 0.1_f64.powi(decimals as i32) {
                true => format!("{:.decimals$}", bounds.middle()),
                false if half_width.is_finite() => proved(bounds).joined("±"),
                false => "-".to_owned(),
            }
        };
        let number = |count: Option<Bounds>| count.map_or(String::new(), |bounds| known(bounds, 4));
        let (remaps, premature) = (number(metrics.remaps), number(metrics.premature_remaps));
        let regret = metrics.regret_optimal;
        let kept = metrics.gain_kept.map_or(String::new(), |kept| known(kept, 2));
        let _ = writeln!(
            text,
            "{:<19} {cost:>27} {remaps:>9} {premature:>10} {:>25} {kept:>9}",
            line.policy,
            proved(regret).joined("±"),
        );
    }
    text
}
