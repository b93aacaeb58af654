//! Policies side by side: the table, and utilization against the mean interval.

use super::plot::{BAND, DrawError, THRESHOLD, draw_key};
use crate::sampling::{Line, Report};
use plotters::coord::Shift;
use plotters::prelude::*;
use remapping::estimate::Estimate;
use std::fmt::Write;

/// The table of a comparison.
pub fn table(title: &str, report: &Report) -> String {
    let mut text = format!(
        "{title}\n{} runs, seed {}; ± half of the 95 % confidence interval of a mean, sampled\n",
        report.runs, report.seed
    );
    let widest = report.policies.iter().map(|line| line.policy.len()).max().unwrap_or(0).max(12);
    let _ = writeln!(
        text,
        "{:<widest$}{:>22}{:>14}{:>13}{:>9}{:>9}{:>20}{:>20}",
        "policy",
        "cost",
        "exact",
        "utilization",
        "remaps",
        "spacing",
        "above optimal",
        "above clairvoyant"
    );
    for line in &report.policies {
        let metrics = &line.per_metric;
        let cost = with_width(line.cost);
        let exact = line.exact.map_or(String::new(), |value| format!("{value:.4}"));
        let spacing = metrics.spacing.map_or(String::new(), |mean| format!("{:.2}", mean.value));
        let optimal = metrics.regret_optimal.map_or(String::new(), with_width);
        let clairvoyant = metrics.regret_clairvoyant.map_or(String::new(), with_width);
        let _ = writeln!(
            text,
            "{:<widest$}{cost:>22}{exact:>14}{:>13.5}{:>9.2}{spacing:>9}{optimal:>20}{clairvoyant:>20}",
            line.policy, metrics.utilization_of_means, metrics.remaps.value
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
    text
}

fn with_width(found: Estimate) -> String {
    match found.half_width() {
        width if width > 0.0 && width.is_finite() => format!("{:.3} ± {width:.3}", found.value),
        _ => format!("{:.3}", found.value),
    }
}

/// Utilization against the mean number of steps between remaps [NRS86, Figs. 4 and 5].
pub struct Picture<'a> {
    /// Above the picture.
    pub title: &'a str,
    /// What is drawn.
    pub report: &'a Report,
}

impl super::plot::Picture for Picture<'_> {
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), DrawError>
    where
        B::ErrorType: 'static,
    {
        area.fill(&WHITE)?;
        let place = |line: &Line| {
            let spacing = line.per_metric.spacing?;
            Some((spacing.value, line.per_metric.utilization_of_means))
        };
        let lines = &self.report.policies;
        let points: Vec<(&Line, (f64, f64))> =
            lines.iter().filter_map(|line| Some((line, place(line)?))).collect();
        let level = lines.iter().find(|line| line.policy == "never");
        let never = level.map(|line| line.per_metric.utilization_of_means);
        let heights = || points.iter().map(|(_, (_, u))| *u).chain(never);
        let (least, most) = (heights().fold(1.0, f64::min), heights().fold(0.0, f64::max));
        let margin = (0.05 * (most - least)).max(1e-3);
        let widest = points.iter().map(|(_, (m, _))| *m).fold(1.0, f64::max);
        let mut chart = ChartBuilder::on(area)
            .caption(self.title, ("sans-serif", 24))
            .margin(18)
            .x_label_area_size(48)
            .y_label_area_size(64)
            .build_cartesian_2d(0.0..1.25 * widest, least - margin..most + margin)?;
        chart
            .configure_mesh()
            .x_desc("mean steps between remaps")
            .y_desc("utilization")
            .x_label_formatter(&|m| format!("{m:.0}"))
            .y_label_formatter(&|u| format!("{u:.3}"))
            .label_style(("sans-serif", 16))
            .light_line_style(TRANSPARENT)
            .draw()?;
        if let Some(never) = never {
            let level = [(0.0, never), (1.25 * widest, never)];
            chart
                .draw_series(LineSeries::new(level, BAND.stroke_width(2)))?
                .label("never")
                .legend(|(x, y)| PathElement::new([(x, y), (x + 24, y)], BAND.stroke_width(2)));
        }
        let mut fixed: Vec<(f64, f64)> = points
            .iter()
            .filter(|(line, _)| line.policy.starts_with("fixed"))
            .map(|(_, place)| *place)
            .collect();
        fixed.sort_by(|a, b| a.0.total_cmp(&b.0));
        chart.draw_series(LineSeries::new(fixed, THRESHOLD.stroke_width(2)))?;
        for (line, place) in &points {
            let name = line.policy.clone();
            let mark = EmptyElement::at(*place)
                + Circle::new((0, 0), 4, THRESHOLD.filled())
                + Text::new(name, (7, -7), ("sans-serif", 14));
            chart.draw_series(std::iter::once(mark))?;
        }
        if never.is_some() {
            draw_key(&mut chart, SeriesLabelPosition::LowerRight)?;
        }
        Ok(())
    }
}
