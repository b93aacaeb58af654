//! The model problems as pictures: Figs. 6 to 8 of \[NR90\], and thresholds by scenario.

use super::plot::{DrawError, Picture, draw_key};
use crate::workload::compare::Comparison;
use crate::workload::figure::{Curve, Policy};
use crate::workload::solve::Answer;
use plotters::coord::Shift;
use plotters::prelude::*;
use remapping::estimate::Estimate;

const FONT: &str = "sans-serif";
const OLD: RGBColor = RGBColor(31, 119, 180);
const NEW: RGBColor = RGBColor(214, 92, 30);
const OPTIMAL: RGBColor = RGBColor(40, 140, 70);
const HINDSIGHT: RGBColor = RGBColor(120, 120, 120);

/// The curves of a comparison on the left, its envelope on the right.
pub struct Policies<'a> {
    /// The model's title.
    pub title: &'a str,
    /// What to draw.
    pub comparison: &'a Comparison,
}

impl Picture for Policies<'_> {
    fn size(&self) -> (u32, u32) {
        (1500, 640)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), DrawError>
    where
        B::ErrorType: 'static,
    {
        area.fill(&WHITE)?;
        let area = area.margin(10, 0, 0, 0).titled(self.title, (FONT, 24))?;
        let (left, right) = area.split_horizontally(56.percent_width());
        curves(self.comparison, &left)?;
        envelope(self.comparison, &right)
    }
}

/// The optimal thresholds of some scenarios.
pub struct ScenarioThresholds<'a> {
    /// The model's title.
    pub title: &'a str,
    /// What to draw.
    pub answer: &'a Answer,
}

/// Scenarios drawn at most.
const SHOWN: usize = 6;

impl Picture for ScenarioThresholds<'_> {
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), DrawError>
    where
        B::ErrorType: 'static,
    {
        area.fill(&WHITE)?;
        let solved: Vec<_> =
            self.answer.scenarios.iter().filter(|scenario| scenario.parameters.is_some()).collect();
        let steps = solved.iter().map(|scenario| scenario.threshold.len()).max().unwrap_or(1);
        let mut chart = ChartBuilder::on(area)
            .caption(self.title, (FONT, 22))
            .margin(18)
            .x_label_area_size(48)
            .y_label_area_size(64)
            .build_cartesian_2d(0.0..steps.saturating_sub(1).max(1) as f64, 0.0..1.02)?;
        chart
            .configure_mesh()
            .x_desc("decision step n")
            .y_desc("remap when p exceeds pi_n")
            .x_label_formatter(&|step| format!("{step:.0}"))
            .y_label_formatter(&|p| format!("{p:.1}"))
            .label_style((FONT, 16))
            .light_line_style(TRANSPARENT)
            .draw()?;
        let shown = solved.len().min(SHOWN);
        for index in 0..shown {
            let scenario = solved[index * (solved.len() - 1) / (shown - 1).max(1)];
            let colour = HSLColor(0.6 - 0.6 * index as f64 / shown as f64, 0.75, 0.4);
            let line = scenario.threshold.iter().enumerate().map(|(n, pi)| (n as f64, *pi));
            chart
                .draw_series(LineSeries::new(line, colour.stroke_width(2)))?
                .label(format!("{}: {}", self.answer.axis, scenario.at))
                .legend(move |(x, y)| {
                    PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(2))
                });
        }
        draw_key(&mut chart, SeriesLabelPosition::LowerLeft)?;
        Ok(())
    }
}

/// Percent difference against the position of the change.
fn curves<B: DrawingBackend>(
    comparison: &Comparison,
    area: &DrawingArea<B, Shift>,
) -> Result<(), DrawError>
where
    B::ErrorType: 'static,
{
    let at = &comparison.figure.at;
    let (Some(&first), Some(&last)) = (at.first(), at.last()) else { return Ok(()) };
    let shown = [
        (Policy::StaticOld, "old mapping throughout", OLD),
        (Policy::StaticNew, "new mapping throughout", NEW),
        (Policy::Optimal, "optimal thresholds", OPTIMAL),
        (Policy::Clairvoyant, "best remap in hindsight", HINDSIGHT),
    ];
    let ends = |curve: &Curve| {
        let ends = || curve.percent.iter().map(band);
        let low = ends().map(|(low, _)| low).fold(0.0, f64::min);
        let high = ends().map(|(_, high)| high).fold(0.0, f64::max);
        (low, high)
    };
    let (low, high) = (shown.iter())
        .filter_map(|(policy, ..)| comparison.figure.curve(*policy).map(ends))
        .fold((0.0, 0.0f64), |(low, high): (f64, f64), (l, h)| (low.min(l), high.max(h)));
    let room = 0.05 * (high - low).max(1.0);
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .margin_right(24)
        .x_label_area_size(52)
        .y_label_area_size(64)
        .build_cartesian_2d(first..last.max(first + 0.1), low - room..high + room)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(BLACK.mix(0.12))
        .x_desc(comparison.axis)
        .y_desc("slower than the fixed threshold policy, percent")
        .x_label_formatter(&|value| format!("{}", (value * 100.0).round() / 100.0))
        .y_label_formatter(&|value| format!("{value:.0}"))
        .label_style((FONT, 16))
        .axis_desc_style((FONT, 18))
        .draw()?;
    chart.draw_series(LineSeries::new([(first, 0.0), (last, 0.0)], BLACK.mix(0.6)))?;
    for (policy, name, colour) in shown {
        let Some(curve) = comparison.figure.curve(policy) else { continue };
        let points = || at.iter().zip(&curve.percent);
        let upper = points().map(|(x, p)| (*x, band(p).1));
        let lower = points().map(|(x, p)| (*x, band(p).0));
        let area: Vec<(f64, f64)> = upper.chain(lower.rev()).collect();
        chart.draw_series([Polygon::new(area, colour.mix(0.18))])?;
        let line = points().map(|(x, p)| (*x, p.value));
        chart
            .draw_series(LineSeries::new(line.clone(), colour.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(2)));
        if matches!(policy, Policy::StaticOld | Policy::StaticNew) {
            chart.draw_series(line.map(|point| Circle::new(point, 3, colour.filled())))?;
        }
    }
    draw_key(&mut chart, SeriesLabelPosition::UpperMiddle)?;
    Ok(())
}

/// Fig. 8: gain of remapping against its cost, both as multiples of the cost in the model.
/// The ends of an interval; the band of a single run, which has none, has no height.
fn band(found: &Estimate) -> (f64, f64) {
    if found.half_width().is_finite() {
        (found.lower, found.upper)
    } else {
        (found.value, found.value)
    }
}

fn envelope<B: DrawingBackend>(
    comparison: &Comparison,
    area: &DrawingArea<B, Shift>,
) -> Result<(), DrawError>
where
    B::ErrorType: 'static,
{
    let points: Vec<_> = comparison.envelope.iter().filter(|point| point.gain > 0.0).collect();
    let span = |values: &mut dyn Iterator<Item = f64>| {
        let (low, high) = values.fold((f64::INFINITY, 0.0f64), |(l, h), v| (l.min(v), h.max(v)));
        (low / 1.5)..(high * 1.5)
    };
    if points.is_empty() {
        return Ok(());
    }
    let gains = span(&mut points.iter().map(|point| point.gain));
    // Room for the legend below the points.
    let costs = span(&mut points.iter().map(|point| point.remap_cost));
    let costs = costs.start / 6.0..costs.end;
    let edge = (gains.start.max(costs.start), gains.end.min(costs.end));
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .margin_right(24)
        .x_label_area_size(52)
        .y_label_area_size(72)
        .build_cartesian_2d(gains.log_scale(), costs.log_scale())?;
    let short = |value: &f64| match *value {
        value if value >= 1e6 => format!("{}M", value / 1e6),
        value if value >= 1e3 => format!("{}k", value / 1e3),
        value => value.to_string(),
    };
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(BLACK.mix(0.12))
        .x_labels(5)
        .y_labels(5)
        .x_desc("gain per cycle x cycles left, G T")
        .y_desc("cost of a remap, D")
        .x_label_formatter(&short)
        .y_label_formatter(&short)
        .label_style((FONT, 16))
        .axis_desc_style((FONT, 18))
        .draw()?;
    if edge.0 < edge.1 {
        chart
            .draw_series(LineSeries::new(
                [(edge.0, edge.0), (edge.1, edge.1)],
                BLACK.stroke_width(2),
            ))?
            .label("edge of the envelope, D = G T")
            .legend(|(x, y)| PathElement::new([(x, y), (x + 22, y)], BLACK.stroke_width(2)));
    }
    for (pays, name, colour) in
        [(true, "remapping is faster", OPTIMAL), (false, "the old mapping is faster", NEW)]
    {
        let these = points.iter().filter(|point| (point.advantage.value > 0.0) == pays);
        let marks =
            these.map(|point| Circle::new((point.gain, point.remap_cost), 4, colour.filled()));
        chart
            .draw_series(marks)?
            .label(name)
            .legend(move |(x, y)| Circle::new((x + 11, y), 4, colour.filled()));
    }
    draw_key(&mut chart, SeriesLabelPosition::LowerRight)?;
    Ok(())
}
