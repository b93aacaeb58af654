//! Periodic intervals as people see them: the table of methods, the curve of the imbalance.

use super::plot::{DrawError, Picture, THRESHOLD, draw_key};
use crate::periodic::{Answer, CostLine, Line, Steps};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::fmt::Write;

const WIDTH: usize = 72;
const HEIGHT: usize = 12;

/// The sign of what is bounded.
fn symbol(answer: &Answer) -> &'static str {
    if answer.quantity == "rms_deviation" { "v" } else { "d" }
}

/// The part of the summary that is this problem's own.
pub fn summary(answer: &Answer) -> String {
    let mut text = curve(answer);
    let _ = writeln!(text, "{}", headline(answer));
    if let Some(last) = answer.deviation_through {
        let _ = writeln!(text, "the curve ends at step {last}, before the interval does");
    }
    let width = answer.methods.iter().map(|line| line.name.len()).max().unwrap_or(0);
    let _ = writeln!(text, "  {:width$}  {:>8}  {:>14}", "method", "interval", "real crossing");
    for line in &answer.methods {
        let real = line.real.map_or(String::new(), |real| format!("{real:.6}"));
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
    if let Some(simulated) = &answer.simulated {
        let _ = writeln!(
            text,
            "{} sample paths (seed {}) leave the bound at step {:.2} +- {:.2} (95 % confidence, sampled)",
            simulated.runs,
            simulated.seed,
            simulated.steps.value,
            simulated.steps.half_width()
        );
    }
    let _ = writeln!(
        text,
        "numerical error of the imbalance: {:.1e}",
        answer.methods.iter().map(|line| line.error).fold(answer.deviation_error, f64::max)
    );
    text
}

/// The answer in a sentence.
fn headline(answer: &Answer) -> String {
    let (symbol, bound, by) = (symbol(answer), answer.bound, answer.interval_by);
    match (answer.interval, answer.at_least) {
        (None, _) => format!("never remap: {symbol} stays within {bound} ({by})"),
        (Some(0), Some(_)) => {
            format!("not decided: whether {symbol} <= {bound} after one step is not known")
        }
        (Some(interval), Some(_)) => format!(
            "remap every {interval} steps: {symbol} <= {bound} at least so long ({by}); the search for the \
             longest interval was stopped"
        ),
        (Some(0), None) if by == "rms_bound" => {
            format!(
                "{symbol} <= {bound} may be broken after one step, by some laws of these moments ({by})"
            )
        }
        (Some(interval), None) if by == "rms_bound" => format!(
            "remap every {interval} steps: {symbol} <= {bound} at least so long, for any laws of these moments \
             ({by})"
        ),
        (Some(0), None) => format!("the bound {symbol} <= {bound} is broken after one step"),
        (Some(interval), None) => format!(
            "remap every {interval} steps: the longest interval with {symbol} <= {bound} ({by})"
        ),
    }
}

/// The interval of least cost in words.
fn cheapest(cost: &CostLine) -> String {
    let tolerance = |tolerance: f64| {
        let deviation = cost.tolerance_max_deviation;
        let deviation = deviation.map_or(String::new(), |d| format!(", D = {d:.6}"));
        format!("; tolerance max/mean = 1 + {tolerance:.6}{deviation}")
    };
    let per_step = cost.cost_per_step.map_or(String::new(), |cost| format!(", {cost:.6} per step"));
    match (cost.interval, cost.best_so_far) {
        (Steps::Never, _) => "remapping never pays".to_owned(),
        (Steps::Known(interval), _) => {
            let tolerance = cost.tolerance_max_over_mean.map_or(String::new(), tolerance);
            format!("every {interval} steps{per_step}{tolerance}")
        }
        (_, None) => "not computed".to_owned(),
        (_, Some(best)) => format!(
            "not decided; of the intervals up to {} the cheapest is {}, {:.6} per step",
            best.looked_through, best.interval, best.cost_per_step
        ),
    }
}

/// The line of a sweep: every method, then what was simulated and what a remap cost asks for.
pub fn cells(answer: &Answer) -> Vec<(String, String)> {
    let cell = |line: &Line| (line.name.to_owned(), line.interval.to_string());
    let mut cells: Vec<_> = answer.methods.iter().map(cell).collect();
    if let Some(simulated) = &answer.simulated {
        let value = format!("{:.2} +- {:.2}", simulated.steps.value, simulated.steps.half_width());
        cells.push(("simulated".to_owned(), value));
    }
    if let Some(cost) = &answer.cost_aware {
        cells.push(("cost_aware".to_owned(), cost.interval.to_string()));
        let per_step = cost.cost_per_step.map_or(String::new(), |cost| format!("{cost:.6}"));
        cells.push(("cost_per_step".to_owned(), per_step));
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
    let mut text =
        format!("  {}   (# imbalance   - bound {})\n", answer.deviation_is, answer.bound);
    for (row, line) in rows.into_iter().enumerate() {
        let label = match row {
            0 => format!("{top:>8.4} "),
            row if row == HEIGHT - 1 => format!("{:>8.4} ", 0.0),
            _ => " ".repeat(9),
        };
        let line: String = line.into_iter().collect();
        let _ = writeln!(text, "{label}|{}", line.trim_end());
    }
    let gap = columns.saturating_sub(1 + last.to_string().len()).max(1);
    let _ = writeln!(text, "{}+{}", " ".repeat(9), "-".repeat(columns));
    let _ = writeln!(text, "{}0{}{last}   step t", " ".repeat(10), " ".repeat(gap));
    text
}

/// The imbalance against time with the bound and the interval of each method: [FXW03, Figs. 4-8].
pub struct DeviationPicture<'a> {
    /// The model's title.
    pub title: &'a str,
    /// What to draw.
    pub answer: &'a Answer,
}

/// Colours of the methods' intervals.
const COLOURS: [RGBColor; 8] = [
    RGBColor(31, 90, 166),
    RGBColor(214, 96, 20),
    RGBColor(46, 134, 64),
    RGBColor(176, 42, 60),
    RGBColor(122, 82, 160),
    RGBColor(125, 85, 60),
    RGBColor(200, 110, 170),
    RGBColor(100, 100, 100),
];

impl Picture for DeviationPicture<'_> {
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), DrawError>
    where
        B::ErrorType: 'static,
    {
        area.fill(&WHITE)?;
        let answer = self.answer;
        let last = (answer.deviation.len() - 1).max(1) as f64;
        let highest = answer.deviation.iter().copied().fold(answer.bound, f64::max);
        let top = if highest > 0.0 { 1.1 * highest } else { 1.0 };
        let mut chart = ChartBuilder::on(area)
            .caption(self.title, ("sans-serif", 24))
            .margin(18)
            .x_label_area_size(48)
            .y_label_area_size(72)
            .build_cartesian_2d(0.0..last, 0.0..top)?;
        chart
            .configure_mesh()
            .x_desc("steps t since the last remap")
            .y_desc(answer.deviation_is)
            .x_label_formatter(&|step| format!("{step:.0}"))
            .label_style(("sans-serif", 16))
            .light_line_style(TRANSPARENT)
            .draw()?;
        let line = answer.deviation.iter().enumerate().map(|(t, d)| (t as f64, *d));
        chart
            .draw_series(LineSeries::new(line, THRESHOLD.stroke_width(3)))?
            .label(format!("imbalance {}", answer.deviation_is))
            .legend(|(x, y)| PathElement::new([(x, y), (x + 24, y)], THRESHOLD.stroke_width(3)));
        let bound = [(0.0, answer.bound), (last, answer.bound)];
        chart
            .draw_series(LineSeries::new(bound, BLACK.stroke_width(2)))?
            .label(format!("bound {}", answer.bound))
            .legend(|(x, y)| PathElement::new([(x, y), (x + 24, y)], BLACK.stroke_width(2)));
        for (line, colour) in answer.methods.iter().zip(COLOURS.into_iter().cycle()) {
            let name = format!("{}: {}", line.name, line.interval);
            let shown =
                line.interval.number().map(|steps| steps as f64).filter(|steps| *steps <= last);
            let place = shown.map(|steps| [(steps, 0.0), (steps, answer.bound)]);
            chart
                .draw_series(place.map(|ends| PathElement::new(ends, colour.stroke_width(2))))?
                .label(name)
                .legend(move |(x, y)| {
                    PathElement::new([(x, y), (x + 24, y)], colour.stroke_width(2))
                });
        }
        draw_key(&mut chart, SeriesLabelPosition::LowerRight)?;
        Ok(())
    }
}
