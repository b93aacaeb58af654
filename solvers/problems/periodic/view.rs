//! Periodic intervals for people: the summary, the table of methods, and the picture of the
//! imbalance.

use super::answer::{Answer, CostLine, Line, Period, Steps};
use crate::complaint::Complaint;
use crate::document::log::Log;
use crate::plot::chart::{Axis, Chart, Series};
use crate::plot::{self, COLOURS, Format, THRESHOLD};
use crate::problems::kind::{self, Accuracy, Headline};
use crate::problems::settings::Choice;
use crate::problems::shared::recommended::Recommended;
use crate::text::Row;
use crate::text::curve::framed;
use crate::text::digits::{every, plain, sampled, up};
use crate::text::numbers::Numbers;
use plotters::prelude::BLACK;
use std::fmt::Write;

impl kind::Answer for Answer {
    fn fault(&self) -> Option<String> {
        let empty = self.deviation.is_empty() || self.methods.is_empty() && self.bound.is_some();
        empty.then(|| "it has no methods, or no deviation".to_owned())
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::Told
    }

    fn headline(&self) -> Headline {
        Headline::Final(headline(self, self.recommended()))
    }

    fn recommended(&self) -> Option<Recommended> {
        Answer::recommended(self)
    }

    fn of_the_program(&self, log: &Log) -> Option<String> {
        match self.recommended()? {
            Recommended::Every(interval) => {
                Some(format!("remap {}", every(interval.saturating_mul(log.stride))))
            }
            _ => None,
        }
    }

    fn is_sampled(&self) -> bool {
        self.simulated.is_some()
    }

    fn ignores(&self, option: Choice) -> Option<&'static str> {
        match option {
            Choice::Simulate => None,
            other => Some(other.is_for()),
        }
    }

    fn numbers(&self, numbers: &mut Numbers) {
        if let Some(bound) = self.bound {
            numbers.put("bound", bound);
        }
        let what = match self.at_least {
            None if self.bound.is_none() => "interval",
            Some(_) => "interval within the bound, at least: the search was stopped",
            None if self.interval_by == "rms_bound" => "safe interval within the bound",
            None => "longest interval within the bound",
        };
        match (self.interval, self.at_least) {
            (Some(steps), _) => numbers.put(what, steps),
            (None, None) => numbers.put(what, "never ends"),
            // It was not computed.
            (None, Some(_)) => {}
        }
        if self.bound.is_some() {
            numbers.put("proved by", &self.interval_by);
        }
        if let Some(cost) = &self.cost_aware {
            numbers.put("cost of a remap", cost.remap_cost);
            numbers.put("interval of least cost", cost.interval);
            if let Some(per_step) = cost.cost_per_step {
                numbers.put("cost per step", plain(per_step));
            }
        }
        numbers.put("numerical error of the imbalance", up(self.deviation_error));
    }

    fn summary(&self, text: &mut String) {
        text.push_str(&summary(self));
    }

    fn cells(&self) -> Row {
        let cell = |line: &Line| (line.name.clone(), line.interval.to_string());
        let mut cells: Vec<_> = self.methods.iter().map(cell).collect();
        if let Some(simulated) = &self.simulated {
            let value = sampled(simulated.steps).joined("+-");
            cells.push(("simulated, 95 %".to_owned(), value));
        }
        if let Some(cost) = &self.cost_aware {
            cells.push(("cost_aware".to_owned(), cost.interval.to_string()));
            let per_step = cost.cost_per_step.map_or(String::new(), |cost| format!("{cost:.6}"));
            cells.push(("cost_per_step".to_owned(), per_step));
        }
        cells
    }

    fn draw(&self, title: &str, format: Format) -> Result<Vec<u8>, Complaint> {
        plot::picture(format, &picture(title, self, self.recommended()))
    }
}

const WIDTH: usize = 72;
const HEIGHT: usize = 12;

/// The least error that shows in six decimals.
const TOLD: f64 = 5e-7;

/// The symbol of the bounded quantity.
fn symbol(answer: &Answer) -> &'static str {
    if answer.quantity == "rms_deviation" { "v" } else { "d" }
}

/// The part of the summary that is specific to this problem.
fn summary(answer: &Answer) -> String {
    let mut text = curve(answer);
    if let Some(last) = answer.deviation_through {
        let _ = writeln!(text, "the curve ends at step {last}, before the interval does");
    }
    let width = answer.methods.iter().map(|line| line.name.len()).max().unwrap_or(0);
    if !answer.methods.is_empty() {
        let _ = writeln!(text, "  {:width$}  {:>8}  {:>14}", "method", "interval", "real crossing");
    }
    for line in &answer.methods {
        let real = line.real.map_or(String::new(), |real| crossing(real, line.interval));
        let confidence = line.confidence.map_or(String::new(), |(low, high)| {
            format!(" [{low}, {}]", high.map_or("..".to_owned(), |high| high.to_string()))
        });
        let interval = line.interval;
        let _ = writeln!(
            text,
            "  {:width$}  {interval:>8}  {real:>14}  {}{confidence}",
            line.name, line.guarantee
        );
    }
    if let Some(cost) = &answer.cost_aware {
        let _ = writeln!(text, "at {} per remap: {}", cost.remap_cost, cheapest(cost));
    }
    for period in &answer.sequence {
        let Period { from, initial_load, interval } = period;
        let length = match interval {
            None => "never remap again".to_owned(),
            Some(0) => "the bound is broken after one step".to_owned(),
            Some(steps) => format!("remap after {steps} steps"),
        };
        let _ = writeln!(text, "  from step {from}, at mean load {initial_load:.6}: {length}");
    }
    if let Some(simulated) = &answer.simulated {
        let _ = writeln!(
            text,
            "{} sample paths (seed {}) leave the bound at step {} (95 % confidence, sampled)",
            simulated.runs,
            simulated.seed,
            sampled(simulated.steps).joined("+-")
        );
    }
    tell_error(&mut text, answer);
    text
}

/// A real crossing time. It is not rounded up to a step beyond the interval.
fn crossing(real: f64, interval: Steps) -> String {
    let text = format!("{real:.6}");
    let next = interval.number().map(|steps| steps as f64 + 1.0);
    let contradicts =
        |text: &str| next.is_some_and(|next| text.parse::<f64>().is_ok_and(|x| x >= next));
    if real.fract() > 0.5 && contradicts(&text) { format!("{}.999999", real.trunc()) } else { text }
}

/// Writes the largest error of the imbalances shown, if any: the one at the start is exact.
fn tell_error(text: &mut String, answer: &Answer) {
    let methods = answer.methods.iter().filter_map(|line| line.error);
    let cost = answer.cost_aware.as_ref().and_then(|cost| cost.tolerance_max_deviation_error);
    let curve = Some(answer.deviation_error).filter(|_| answer.deviation.len() > 1);
    if let Some(error) = methods.chain(cost).chain(curve).reduce(f64::max) {
        let _ = writeln!(text, "numerical error of the imbalance: {}", up(error));
    }
}

/// The recommended interval in a sentence, and the reason for it.
fn headline(answer: &Answer, recommended: Option<Recommended>) -> String {
    let recommended = match recommended {
        None => return not_decided(answer),
        Some(Recommended::Every(interval)) => Some(interval),
        Some(_) => None,
    };
    let what = recommended.map_or("Never remap".to_owned(), |n| format!("Remap {}", every(n)));
    let cost = answer.cost_aware.as_ref();
    let is_cheapest = cost.is_some_and(|cost| cost.interval.number() == recommended);
    let cheapest = match recommended {
        _ if !is_cheapest => None,
        None => Some("it does not pay"),
        Some(_) => Some("the least cost per step"),
    };
    let reasons: Vec<String> =
        cheapest.map(str::to_owned).into_iter().chain(within_bound(answer, is_cheapest)).collect();
    let cheaper = match cost.map(|cost| cost.interval) {
        Some(Steps::Never) if !is_cheapest => {
            "; without the bound, never would cost less".to_owned()
        }
        Some(Steps::Known(steps)) if !is_cheapest => {
            format!("; without the bound, {} would cost less", every(steps))
        }
        _ => String::new(),
    };
    format!("{what}: {}{cheaper}", reasons.join("; "))
}

/// How long the bound is kept: in addition to an interval of least cost, or as the reason itself.
fn within_bound(answer: &Answer, is_beside: bool) -> Option<String> {
    let bound = answer.bound?;
    let (symbol, by) = (symbol(answer), answer.interval_by.as_str());
    Some(match (answer.interval, answer.at_least) {
        (None, _) => format!("{symbol} stays within {bound} ({by})"),
        (Some(0), _) if by == "rms_bound" => {
            format!(
                "{symbol} <= {bound} may be broken after one step, by some laws of these moments ({by})"
            )
        }
        (Some(0), _) => format!("the bound {symbol} <= {bound} is broken after one step"),
        (Some(steps), _) if is_beside => {
            let more = if by == "exact" && answer.at_least.is_none() { "" } else { " or more" };
            format!("{symbol} <= {bound} is kept for {steps} steps{more} ({by})")
        }
        (Some(_), Some(_)) => format!(
            "{symbol} <= {bound} at least so long ({by}); the search for a longer one was stopped"
        ),
        (Some(_), None) if by == "rms_bound" => {
            format!("{symbol} <= {bound} at least so long, for any laws of these moments ({by})")
        }
        (Some(_), None) => format!("the longest interval with {symbol} <= {bound} ({by})"),
    })
}

/// What is known where a limit stopped the search for the recommendation.
fn not_decided(answer: &Answer) -> String {
    let undecided = answer.bound.filter(|_| answer.at_least == Some(0));
    match (undecided, &answer.cost_aware) {
        (Some(bound), _) => {
            let symbol = symbol(answer);
            format!("Not decided: whether {symbol} <= {bound} after one step is not known")
        }
        (None, Some(cost)) => {
            let kept = within_bound(answer, true).map_or(String::new(), |kept| format!("; {kept}"));
            format!("The least cost per step is {}{kept}", cheapest(cost))
        }
        (None, None) => "The least cost per step was not computed".to_owned(),
    }
}

/// The interval of least cost in words.
fn cheapest(cost: &CostLine) -> String {
    let tolerance = |tolerance: f64| {
        let deviation = cost.tolerance_max_deviation;
        let error = cost.tolerance_max_deviation_error.filter(|error| *error > TOLD);
        let error = error.map_or(String::new(), |error| format!(" ± {}", up(error)));
        let deviation = deviation.map_or(String::new(), |d| format!(", D = {d:.6}{error}"));
        format!("; tolerance max/mean = 1 + {tolerance:.6}{deviation}")
    };
    let per_step = cost.cost_per_step.map_or(String::new(), |cost| format!(", {cost:.6} per step"));
    match (cost.interval, cost.best_so_far) {
        (Steps::Never, _) => "remapping never pays".to_owned(),
        (Steps::Known(interval), _) => {
            let tolerance = cost.tolerance_max_over_mean.map_or(String::new(), tolerance);
            format!("{}{per_step}{tolerance}", every(interval))
        }
        (_, None) => "not computed".to_owned(),
        (_, Some(best)) => format!(
            "not decided; of the intervals up to {} the cheapest is {}, {:.6} per step",
            best.looked_through, best.interval, best.cost_per_step
        ),
    }
}

/// The imbalance against time as text, with the bound as a line.
fn curve(answer: &Answer) -> String {
    let last = answer.deviation.len() - 1;
    let highest = answer.deviation.iter().copied().fold(answer.bound.unwrap_or(0.0), f64::max);
    if last == 0 || highest <= 0.0 {
        return String::new();
    }
    let top = highest * 1.05;
    let columns = WIDTH.min(last + 1);
    let level = |value: f64| ((value / top * HEIGHT as f64) as usize).min(HEIGHT - 1);
    let mut rows = vec![vec![' '; columns]; HEIGHT];
    if let Some(bound) = answer.bound {
        rows[HEIGHT - 1 - level(bound)].fill('-');
    }
    let times = (0..columns).map(|column| column * last / (columns - 1));
    for (column, time) in times.enumerate() {
        rows[HEIGHT - 1 - level(answer.deviation[time])][column] = '#';
    }
    let rows = rows.into_iter().enumerate().map(|(row, line)| {
        let label = match row {
            0 => format!("{top:>8.4} "),
            row if row == HEIGHT - 1 => format!("{:>8.4} ", 0.0),
            _ => " ".repeat(9),
        };
        (label, line.into_iter().collect())
    });
    let bound = answer.bound.map_or_else(String::new, |bound| format!("   - bound {bound}"));
    format!("  {}   (# imbalance{bound})\n", answer.deviation_is)
        + &framed(rows, (0, last as u64), columns, "step t")
}

/// The imbalance against time with the bound and the interval of each method: [FXW03, Figs. 4-8].
fn picture<'a>(title: &'a str, answer: &'a Answer, recommended: Option<Recommended>) -> Chart<'a> {
    let last = answer.deviation.len().saturating_sub(1).max(1) as f64;
    let highest = answer.deviation.iter().copied().fold(answer.bound.unwrap_or(0.0), f64::max);
    let top = if highest > 0.0 { 1.1 * highest } else { 1.0 };
    let curve = answer.deviation.iter().enumerate().map(|(t, d)| (t as f64, *d));
    let named = format!("imbalance {}", answer.deviation_is);
    let mut series = vec![Series::line(THRESHOLD, curve).named(named)];
    if let Some(bound) = answer.bound {
        let line = [(0.0, bound), (last, bound)];
        series.push(Series::line(BLACK, line).named(format!("bound {bound}")));
    }
    let height = answer.bound.unwrap_or(top);
    let methods = answer.methods.iter().map(|line| (line.name.as_str(), line.interval, height));
    let cost = answer.cost_aware.iter().map(|cost| ("least cost", cost.interval, top));
    let colours = COLOURS.into_iter().skip(1).cycle();
    let place = |interval: Option<u64>, height: f64| {
        let shown = interval.map(|steps| steps as f64).filter(|steps| *steps <= last);
        shown.into_iter().flat_map(move |steps| [(steps, 0.0), (steps, height)])
    };
    for ((name, interval, height), colour) in methods.chain(cost).zip(colours) {
        let line = Series::line(colour, place(interval.number(), height));
        series.push(line.named(format!("{name}: {interval}")));
    }
    match recommended {
        Some(Recommended::Every(interval)) => series.push(
            Series::line(BLACK, place(Some(interval), top))
                .named(format!("recommended: remap {}", every(interval))),
        ),
        Some(_) => series.push(Series::line(BLACK, []).named("recommended: never remap")),
        None => {}
    }
    Chart {
        title,
        x: Axis::new("steps t since the last remap", 0.0..last, 0),
        y: Axis::new(&answer.deviation_is, 0.0..top, 4),
        series,
    }
    .told_apart()
}
