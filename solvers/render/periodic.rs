//! Periodic intervals as people see them: the table of methods, the curve of the imbalance.

use super::curve::framed;
use crate::plot::chart::{Axis, Chart, Series};
use crate::plot::{COLOURS, THRESHOLD};
use crate::solution::periodic::{Answer, Line};
use plotters::prelude::{BLACK, SeriesLabelPosition};
use std::fmt::Write;

const WIDTH: usize = 72;
const HEIGHT: usize = 12;

/// An interval in words.
fn steps(interval: Option<u64>) -> String {
    interval.map_or("never".to_owned(), |steps| steps.to_string())
}

/// The sign of what is bounded.
fn symbol(answer: &Answer) -> &'static str {
    if answer.quantity == "rms_deviation" { "v" } else { "d" }
}

/// The part of the summary that is this problem's own.
pub fn summary(answer: &Answer) -> String {
    let mut text = curve(answer);
    let symbol = symbol(answer);
    let _ = match answer.interval {
        Some(0) => {
            writeln!(text, "the bound {symbol} <= {} is broken after one step", answer.bound)
        }
        Some(interval) => writeln!(
            text,
            "remap every {interval} steps: the longest interval with {symbol} <= {} ({})",
            answer.bound, answer.interval_by
        ),
        None => writeln!(text, "never remap: {symbol} stays within {}", answer.bound),
    };
    let width = answer.methods.iter().map(|line| line.name.len()).max().unwrap_or(0);
    let _ = writeln!(text, "  {:width$}  {:>8}  {:>14}", "method", "interval", "real crossing");
    for line in &answer.methods {
        let real = line.real.map_or(String::new(), |real| format!("{real:.6}"));
        let confidence = line.confidence.map_or(String::new(), |(low, high)| {
            format!(" [{low}, {}]", high.map_or("..".to_owned(), |high| high.to_string()))
        });
        let interval = steps(line.interval);
        let _ = writeln!(
            text,
            "  {:width$}  {interval:>8}  {real:>14}  {}{confidence}",
            line.name, line.guarantee
        );
    }
    if let Some(cost) = &answer.cost_aware {
        let _ = match (cost.interval, cost.tolerance_max_over_mean) {
            (Some(interval), Some(tolerance)) => writeln!(
                text,
                "at {} per remap: every {interval} steps, {:.6} per step; tolerance max/mean = 1 + {tolerance:.6}{}",
                cost.remap_cost,
                cost.cost_per_step,
                cost.tolerance_max_deviation.map_or(String::new(), |d| format!(", D = {d:.6}"))
            ),
            _ => writeln!(text, "at {} per remap: remapping never pays", cost.remap_cost),
        };
    }
    if let Some(simulated) = &answer.simulated {
        let _ = writeln!(
            text,
            "{} sample paths (seed {}) leave the bound at step {:.2} +- {:.2}",
            simulated.runs, simulated.seed, simulated.mean, simulated.half_width
        );
    }
    let _ = writeln!(
        text,
        "numerical error of the imbalance: {:.1e}",
        answer.methods.iter().map(|line| line.error).fold(answer.deviation_error, f64::max)
    );
    text
}

/// The line of a sweep: every method, then what was simulated and what a remap cost asks for.
pub fn cells(answer: &Answer) -> Vec<(String, String)> {
    let cell = |line: &Line| (line.name.to_owned(), steps(line.interval));
    let mut cells: Vec<_> = answer.methods.iter().map(cell).collect();
    if let Some(simulated) = &answer.simulated {
        let value = format!("{:.2} +- {:.2}", simulated.mean, simulated.half_width);
        cells.push(("simulated".to_owned(), value));
    }
    if let Some(cost) = &answer.cost_aware {
        cells.push(("cost_aware".to_owned(), steps(cost.interval)));
        cells.push(("cost_per_step".to_owned(), format!("{:.6}", cost.cost_per_step)));
    }
    cells
}

/// The imbalance against time in text, the bound as a line.
fn curve(answer: &Answer) -> String {
    let last = answer.deviation.len() - 1;
    let highest = answer.deviation.iter().copied().fold(answer.bound, f64::max);
    if last == 0 || highest <= 0.0 {
        return String::new();
    }
    let top = highest * 1.05;
    let columns = WIDTH.min(last + 1);
    let level = |value: f64| ((value / top * HEIGHT as f64) as usize).min(HEIGHT - 1);
    let mut rows = vec![vec![' '; columns]; HEIGHT];
    rows[HEIGHT - 1 - level(answer.bound)].fill('-');
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
    format!("  {}   (# imbalance   - bound {})\n", answer.deviation_is, answer.bound)
        + &framed(rows, (0, last as u64), columns, "step t")
}

/// The imbalance against time with the bound and the interval of each method: [FXW03, Figs. 4-8].
pub fn picture<'a>(title: &'a str, answer: &'a Answer) -> Chart<'a> {
    let last = answer.deviation.len().saturating_sub(1).max(1) as f64;
    let highest = answer.deviation.iter().copied().fold(answer.bound, f64::max);
    let top = if highest > 0.0 { 1.1 * highest } else { 1.0 };
    let curve = answer.deviation.iter().enumerate().map(|(t, d)| (t as f64, *d));
    let bound = [(0.0, answer.bound), (last, answer.bound)];
    let mut series = vec![
        Series::line(THRESHOLD, curve).named(format!("imbalance {}", answer.deviation_is)),
        Series::line(BLACK, bound).named(format!("bound {}", answer.bound)),
    ];
    let methods =
        answer.methods.iter().map(|line| (line.name.as_str(), line.interval, answer.bound));
    let cost = answer.cost_aware.iter().map(|cost| ("least cost", cost.interval, top));
    let colours = COLOURS.into_iter().skip(1).cycle();
    for ((name, interval, height), colour) in methods.chain(cost).zip(colours) {
        let shown = interval.map(|steps| steps as f64).filter(|steps| *steps <= last);
        let place = shown.into_iter().flat_map(|steps| [(steps, 0.0), (steps, height)]);
        series.push(Series::line(colour, place).named(format!("{name}: {}", steps(interval))));
    }
    Chart {
        title,
        x: Axis::new("steps t since the last remap", 0.0..last, 0),
        y: Axis::new(&answer.deviation_is, 0.0..top, 4),
        series,
        key: SeriesLabelPosition::LowerRight,
    }
}
