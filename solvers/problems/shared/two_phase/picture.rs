//! The model problems as pictures: Figs. 6 to 8 of \[NR90\], and thresholds by scenario.

use super::answer::Answer;
use crate::plot::chart::{Axis, Chart, Series};
use crate::plot::{AGAINST, Area, COLOURS, Canvas, DrawError, FONT, Picture, THRESHOLD};
use plotters::prelude::*;
use remapping::estimate::Estimate;
use remapping::two_phase::figure::Policy;
use remapping::two_phase::workload::Comparison;

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

    fn draw<B: Canvas>(&self, area: &Area<B>) -> Result<(), DrawError> {
        let area = area.margin(10, 0, 0, 0).titled(self.title, (FONT, 24))?;
        let (left, right) = area.split_horizontally(56.percent_width());
        curves(self.comparison).map_or(Ok(()), |chart| chart.draw(&left))?;
        envelope(self.comparison).map_or(Ok(()), |chart| chart.draw(&right))
    }
}

/// The most scenarios that are drawn.
const SHOWN: usize = 6;

/// The optimal thresholds of some scenarios.
pub fn picture<'a>(title: &'a str, answer: &Answer) -> Chart<'a> {
    let solved: Vec<_> =
        answer.scenarios.iter().filter(|scenario| scenario.parameters.is_some()).collect();
    let steps = solved.iter().map(|scenario| scenario.threshold.len()).max().unwrap_or(1);
    let shown = solved.len().min(SHOWN);
    let series = COLOURS.into_iter().take(shown).enumerate().map(|(index, colour)| {
        let scenario = solved[index * (solved.len() - 1) / (shown - 1).max(1)];
        let line = scenario.threshold.iter().enumerate().map(|(n, pi)| (n as f64, *pi));
        Series::line(colour, line).named(format!("{}: {}", answer.axis, scenario.at))
    });
    Chart {
        title,
        x: Axis::new("decision step n", 0.0..steps.saturating_sub(1).max(1) as f64, 0),
        y: Axis::new("remap when p exceeds pi_n", 0.0..1.02, 1),
        series: series.collect(),
    }
}

/// The difference in percent against the time of the change.
fn curves(comparison: &Comparison) -> Option<Chart<'_>> {
    let at = &comparison.figure.at;
    let (&first, &last) = (at.first()?, at.last()?);
    let shown = [
        (Policy::StaticOld, "old mapping throughout"),
        (Policy::StaticNew, "new mapping throughout"),
        (Policy::Optimal, "optimal thresholds"),
        (Policy::Clairvoyant, "best remap in hindsight"),
    ];
    // A single run has no interval; its band has no height.
    let ends = |p: &Estimate| match p.half_width().is_finite() {
        true => [p.lower, p.value, p.upper],
        false => [p.value; 3],
    };
    let (mut low, mut high) = (0.0f64, 0.0f64);
    let mut series = vec![Series::line(BLACK, [(first, 0.0), (last, 0.0)])];
    for ((policy, name), colour) in shown.into_iter().zip(COLOURS) {
        let Some(curve) = comparison.figure.curve(policy) else { continue };
        let side = |end: usize| -> Vec<(f64, f64)> {
            at.iter().zip(&curve.percent).map(|(x, p)| (*x, ends(p)[end])).collect()
        };
        let (lower, middle, upper) = (side(0), side(1), side(2));
        low = lower.iter().map(|point| point.1).fold(low, f64::min);
        high = upper.iter().map(|point| point.1).fold(high, f64::max);
        let outline = upper.into_iter().chain(lower.into_iter().rev());
        series.push(Series::area(colour, 0.18, outline));
        series.push(Series::line(colour, middle.iter().copied()).named(name));
        if matches!(policy, Policy::StaticOld | Policy::StaticNew) {
            series.push(Series::dots(colour, middle));
        }
    }
    let room = 0.05 * (high - low).max(1.0);
    let name = "slower than the fixed threshold policy, percent";
    Some(Chart {
        title: "",
        x: Axis::new(comparison.axis, first..last.max(first + 0.1), 2),
        y: Axis::new(name, low - room..high + room, 0),
        series,
    })
}

/// Fig. 8: the gain of remapping against its cost, both as multiples of the cost in the model.
fn envelope(comparison: &Comparison) -> Option<Chart<'_>> {
    let points: Vec<_> = comparison.envelope.iter().filter(|point| point.gain > 0.0).collect();
    let span = |values: &mut dyn Iterator<Item = f64>| {
        let (low, high) = values.fold((f64::INFINITY, 0.0f64), |(l, h), v| (l.min(v), h.max(v)));
        (low / 1.5)..(high * 1.5)
    };
    points.first()?;
    let gains = span(&mut points.iter().map(|point| point.gain));
    // Space for the legend below the points.
    let costs = span(&mut points.iter().map(|point| point.remap_cost));
    let costs = costs.start / 6.0..costs.end;
    let edge = [gains.start.max(costs.start), gains.end.min(costs.end)];
    let mut series = Vec::new();
    if edge[0] < edge[1] {
        let edge = Series::line(BLACK, edge.map(|end| (end, end)));
        series.push(edge.named("edge of the envelope, D = G T"));
    }
    for (pays, name, colour) in
        [(true, "remapping is faster", THRESHOLD), (false, "the old mapping is faster", AGAINST)]
    {
        let these = points.iter().filter(|point| (point.advantage.value > 0.0) == pays);
        let marks = these.map(|point| (point.gain, point.remap_cost));
        series.push(Series::dots(colour, marks).named(name));
    }
    let axis = |name, range| Axis { logarithmic: true, ..Axis::new(name, range, 4) };
    Some(Chart {
        title: "",
        x: axis("gain per cycle x cycles left, G T", gains),
        y: axis("cost of a remap, D", costs),
        series,
    })
}
