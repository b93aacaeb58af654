//! Drifting loads: the summary, the line of a sweep, and utilization against the interval.

use super::plot::{BAND, DrawError, Picture, THRESHOLD, draw_key};
use crate::load_drift::{Answer, Fixed};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::fmt::Write;

/// The readable summary.
pub fn summary(text: &mut String, answer: &Answer) {
    let _ = writeln!(text, "{} states", answer.states);
    let gap = |fixed: &Fixed| match answer.value {
        Some(value) if value > 0.0 => format!("{:+.2} %", 100.0 * (fixed.value / value - 1.0)),
        _ => String::new(),
    };
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
        line(&format!("every {interval} steps"), fixed.value, fixed.utilization, gap(fixed));
    }
    line("never", answer.never.value, answer.never.utilization, gap(&answer.never));
    let _ = writeln!(text, "  {:<18}{:>18}{:>13}", "", "expected cost", "utilization");
    if answer.value.is_none() {
        let bounds = answer.value_bounds;
        // Outward to the digits shown.
        let (lower, upper) =
            ((1e6 * bounds.lower).floor() / 1e6, (1e6 * bounds.upper).ceil() / 1e6);
        let _ = writeln!(text, "optimal cost between {lower:.6} and {upper:.6}");
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
        let _ = writeln!(
            text,
            "  {threshold:<8.4} after step {step} (other in {percent:.2} % of load vectors)"
        );
    }
}

/// The cells of a sweep's table.
pub fn cells(answer: &Answer) -> super::Row {
    let numbers =
        [("value", answer.value), ("remaps", answer.remaps), ("utilization", answer.utilization)];
    let cell = |number: Option<f64>| number.map_or(String::new(), |number| format!("{number:.9}"));
    numbers.into_iter().map(|(heading, number)| (heading.to_owned(), cell(number))).collect()
}

/// Utilization against the interval between remaps [NRS86, Fig. 4].
pub struct Utilizations<'a> {
    /// Above the picture.
    pub title: &'a str,
    /// What is drawn.
    pub answer: &'a Answer,
}

impl Picture for Utilizations<'_> {
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), DrawError>
    where
        B::ErrorType: 'static,
    {
        area.fill(&WHITE)?;
        let answer = self.answer;
        let best = answer.best_fixed.interval.unwrap_or(50) as usize;
        let shown = answer.intervals.len().min((6 * best).max(20));
        let intervals = &answer.intervals[..shown];
        let levels = [Some(answer.never.utilization), answer.utilization];
        let all = || intervals.iter().copied().chain(levels.into_iter().flatten());
        let (least, most) = (all().fold(1.0, f64::min), all().fold(0.0, f64::max));
        let margin = (0.05 * (most - least)).max(1e-3);
        let mut chart = ChartBuilder::on(area)
            .caption(self.title, ("sans-serif", 24))
            .margin(18)
            .x_label_area_size(48)
            .y_label_area_size(64)
            .build_cartesian_2d(0.0..shown as f64 + 1.0, least - margin..most + margin)?;
        chart
            .configure_mesh()
            .x_desc("steps between remaps")
            .y_desc("utilization")
            .x_label_formatter(&|m| format!("{m:.0}"))
            .y_label_formatter(&|u| format!("{u:.3}"))
            .label_style(("sans-serif", 16))
            .light_line_style(TRANSPARENT)
            .draw()?;
        let points = || (1..).map(f64::from).zip(intervals.iter().copied());
        chart
            .draw_series(LineSeries::new(points(), THRESHOLD.stroke_width(2)))?
            .label("fixed interval, exact")
            .legend(|(x, y)| PathElement::new([(x, y), (x + 24, y)], THRESHOLD.stroke_width(2)));
        let level = |u: f64| [(0.0, u), (shown as f64 + 1.0, u)];
        if let Some(optimal) = answer.utilization {
            chart
                .draw_series(LineSeries::new(level(optimal), BLACK.stroke_width(2)))?
                .label("optimal policy")
                .legend(|(x, y)| PathElement::new([(x, y), (x + 24, y)], BLACK.stroke_width(2)));
        }
        chart
            .draw_series(LineSeries::new(level(answer.never.utilization), BAND.stroke_width(2)))?
            .label("never")
            .legend(|(x, y)| PathElement::new([(x, y), (x + 24, y)], BAND.stroke_width(2)));
        draw_key(&mut chart, SeriesLabelPosition::LowerRight)?;
        Ok(())
    }
}
