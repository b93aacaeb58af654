//! Figs. 6 to 8 of [NR90] as pictures.

use super::compare::Comparison;
use super::figure::{Curve, Policy};
use plotters::coord::Shift;
use plotters::prelude::*;

/// Size of the picture, in pixels.
pub const SIZE: (u32, u32) = (1500, 640);

type Area<'a, DB> = DrawingArea<DB, Shift>;
type Drawn<DB> = Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;

const OLD: RGBColor = RGBColor(31, 119, 180);
const NEW: RGBColor = RGBColor(214, 92, 30);
const OPTIMAL: RGBColor = RGBColor(40, 140, 70);
const HINDSIGHT: RGBColor = RGBColor(120, 120, 120);

/// Draws the curves on the left and the envelope on the right, with text in the font `family`.
pub fn draw<DB: DrawingBackend>(
    comparison: &Comparison,
    title: &str,
    family: &str,
    area: &DrawingArea<DB, Shift>,
) -> Drawn<DB> {
    area.fill(&WHITE)?;
    let area = area.margin(10, 0, 0, 0).titled(title, (family, 24))?;
    let (left, right) = area.split_horizontally((56).percent_width());
    curves(comparison, family, &left)?;
    envelope(comparison, family, &right)?;
    area.present()
}

/// Percent difference against the position of the change.
fn curves<DB: DrawingBackend>(comparison: &Comparison, family: &str, area: &Area<'_, DB>) -> Drawn<DB> {
    let at = &comparison.figure.at;
    let (Some(&first), Some(&last)) = (at.first(), at.last()) else { return Ok(()) };
    let shown = [
        (Policy::StaticOld, "old mapping throughout", OLD),
        (Policy::StaticNew, "new mapping throughout", NEW),
        (Policy::Optimal, "optimal thresholds", OPTIMAL),
        (Policy::Clairvoyant, "best remap in hindsight", HINDSIGHT),
    ];
    let ends = |curve: &Curve| {
        let low = curve.percent.iter().map(|p| p.mean - p.half_width).fold(0.0, f64::min);
        let high = curve.percent.iter().map(|p| p.mean + p.half_width).fold(0.0, f64::max);
        (low, high)
    };
    let (low, high) = (shown.iter()).map(|(policy, ..)| ends(comparison.figure.curve(*policy)))
        .fold((0.0, 0.0f64), |(low, high): (f64, f64), (l, h)| (low.min(l), high.max(h)));
    let room = 0.05 * (high - low).max(1e-9);
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .margin_right(24)
        .x_label_area_size(52)
        .y_label_area_size(64)
        .build_cartesian_2d(first..last.max(first + 1e-9), low - room..high + room)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(BLACK.mix(0.12))
        .x_desc(comparison.axis)
        .y_desc("slower than the fixed threshold policy, percent")
        .x_label_formatter(&|value| format!("{}", (value * 100.0).round() / 100.0))
        .y_label_formatter(&|value| format!("{value:.0}"))
        .label_style((family, 16))
        .axis_desc_style((family, 18))
        .draw()?;
    chart.draw_series(LineSeries::new([(first, 0.0), (last, 0.0)], BLACK.mix(0.6)))?;
    for (policy, name, colour) in shown {
        let curve = comparison.figure.curve(policy);
        let points = || at.iter().zip(&curve.percent);
        let upper = points().map(|(x, p)| (*x, p.mean + p.half_width));
        let lower = points().map(|(x, p)| (*x, p.mean - p.half_width));
        let band: Vec<(f64, f64)> = upper.chain(lower.rev()).collect();
        chart.draw_series([Polygon::new(band, colour.mix(0.18))])?;
        let line = points().map(|(x, p)| (*x, p.mean));
        chart
            .draw_series(LineSeries::new(line.clone(), colour.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(2)));
        if matches!(policy, Policy::StaticOld | Policy::StaticNew) {
            chart.draw_series(line.map(|point| Circle::new(point, 3, colour.filled())))?;
        }
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperMiddle)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.3))
        .label_font((family, 16))
        .draw()
}

/// Fig. 8: gain of remapping against its cost, both as multiples of the cost in the model.
fn envelope<DB: DrawingBackend>(comparison: &Comparison, family: &str, area: &Area<'_, DB>) -> Drawn<DB> {
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
        .label_style((family, 16))
        .axis_desc_style((family, 18))
        .draw()?;
    if edge.0 < edge.1 {
        chart
            .draw_series(LineSeries::new([(edge.0, edge.0), (edge.1, edge.1)], BLACK.stroke_width(2)))?
            .label("edge of the envelope, D = G T")
            .legend(|(x, y)| PathElement::new([(x, y), (x + 22, y)], BLACK.stroke_width(2)));
    }
    for (pays, name, colour) in
        [(true, "remapping is faster", OPTIMAL), (false, "the old mapping is faster", NEW)]
    {
        let these = points.iter().filter(|point| (point.advantage.mean > 0.0) == pays);
        let marks = these.map(|point| Circle::new((point.gain, point.remap_cost), 4, colour.filled()));
        chart
            .draw_series(marks)?
            .label(name)
            .legend(move |(x, y)| Circle::new((x + 11, y), 4, colour.filled()));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.3))
        .label_font((family, 16))
        .draw()
}
