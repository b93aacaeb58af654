//! A change of phase: the summary, the line of a sweep, the threshold curve, and policies compared.

use super::curve::{self, points, window};
use super::{Row, shorten};
use crate::plot::{BAND, DrawError, Picture, SIZE, THRESHOLD, draw_key};
use crate::problems::phase_change::compare::Costs;
use crate::solution::Bounds;
use crate::solution::phase_change::Answer;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::fmt::Write;

/// The readable summary.
pub fn summary(text: &mut String, answer: &Answer) {
    let thresholds = answer.curve();
    let _ = write!(text, "{}", curve::draw(&thresholds));
    let last = answer.last_step;
    let _ = match answer.n0 {
        0 => writeln!(text, "remapping never pays: keep the mapping whatever the detector says"),
        n0 if n0 > last => {
            writeln!(text, "n0 = {n0}: remapping can pay up to the last step, {last}")
        }
        n0 => writeln!(text, "n0 = {n0}: from step {n0} to the last, {last}, remapping never pays"),
    };
    if let Some((first, bounds)) = thresholds.runs().next().map(|run| (run.first, run.bounds)) {
        let width = bounds.width();
        let _ = writeln!(
            text,
            "pi_{first} = {:.12} +- {:.1e}: remap when p exceeds it",
            bounds.middle(),
            0.5 * width
        );
    }
    if let Some(through) = answer.stationary_through {
        let _ = writeln!(text, "steps 0..={through} share one threshold");
    }
    if let Some(value) = answer.value {
        let (middle, half) = (value.middle(), value.half_width());
        let _ = writeln!(text, "expected completion time = {middle:.10} +- {half:.1e}");
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

/// A line of a sweep's table.
pub fn cells(answer: &Answer) -> Row {
    let start = answer.curve().at(0);
    let start = start.map_or(String::new(), |bounds| format!("{:.12}", bounds.middle()));
    let value = answer.value.map(|value| format!("{:.9}", value.middle()));
    vec![
        ("n0".to_owned(), answer.n0.to_string()),
        ("pi_0".to_owned(), start),
        ("expected time".to_owned(), value.unwrap_or_default()),
    ]
}

/// pi_n against n with its certified band.
pub struct ThresholdCurve<'a> {
    /// Above the picture.
    pub title: &'a str,
    /// What is drawn.
    pub answer: &'a Answer,
}

impl Picture for ThresholdCurve<'_> {
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), DrawError>
    where
        B::ErrorType: 'static,
    {
        area.fill(&WHITE)?;
        let curve = &self.answer.curve();
        let Some((first, last)) = window(curve) else { return Ok(()) };
        let steps = first as f64..(last as f64).max(first as f64 + 1.0);
        let mut chart = ChartBuilder::on(area)
            .caption(self.title, ("sans-serif", 24))
            .margin(18)
            .x_label_area_size(48)
            .y_label_area_size(64)
            .build_cartesian_2d(steps, 0.0..1.02)?;
        chart
            .configure_mesh()
            .x_desc("decision step n")
            .y_desc("remap when p exceeds pi_n")
            .x_label_formatter(&|step| format!("{step:.0}"))
            .y_label_formatter(&|p| format!("{p:.1}"))
            .label_style(("sans-serif", 16))
            .light_line_style(TRANSPARENT)
            .draw()?;
        let inside = |step: &u64| (first..=last).contains(step);
        let width = SIZE.0 as usize;
        let band = |side: fn(&Bounds) -> f64| {
            let steps: Vec<u64> =
                points(curve, width).into_iter().map(|(n, _)| n).filter(inside).collect();
            steps
                .into_iter()
                .filter_map(move |n| Some((n as f64, side(&curve.at(n)?))))
                .collect::<Vec<_>>()
        };
        let (lower, upper) = (band(|b| b.lower), band(|b| b.upper));
        let outline: Vec<_> = lower.iter().chain(upper.iter().rev()).copied().collect();
        chart
            .draw_series(std::iter::once(Polygon::new(outline, BAND.mix(0.6))))?
            .label(format!("certified band, at most {:.1e} wide", curve.width()))
            .legend(|(x, y)| Rectangle::new([(x, y - 5), (x + 24, y + 5)], BAND.mix(0.6).filled()));
        let mut middle: Vec<_> = points(curve, width).into_iter().collect();
        if let Some(start) = curve.at(first) {
            middle.push((first, start.middle()));
        }
        middle.retain(|(n, _)| inside(n));
        middle.sort_by_key(|(n, _)| *n);
        let line = middle.into_iter().map(|(n, p)| (n as f64, p));
        chart
            .draw_series(LineSeries::new(line, THRESHOLD.stroke_width(2)))?
            .label("threshold pi_n")
            .legend(|(x, y)| PathElement::new([(x, y), (x + 24, y)], THRESHOLD.stroke_width(2)));
        draw_key(&mut chart, SeriesLabelPosition::LowerLeft)?;
        Ok(())
    }
}

/// The table of a comparison.
pub fn table(title: &str, costs: &Costs) -> String {
    let mut text = format!("{title}\n");
    let _ = writeln!(
        text,
        "{:<20}{:>26}{:>10}{:>11}{:>22}{:>10}",
        "policy", "expected time", "remaps", "premature", "above optimal", "kept %"
    );
    for line in &costs.policies {
        let metrics = &line.per_metric;
        let cost = format!("{:.6} ± {:.1e}", line.mean, line.half_width);
        let number = |count: Option<Bounds>| {
            count.map_or(String::new(), |bounds| format!("{:.4}", bounds.middle()))
        };
        let (remaps, premature) = (number(metrics.remaps), number(metrics.premature_remaps));
        let regret = metrics.regret_optimal;
        let kept = metrics.gain_kept.map_or(String::new(), |kept| format!("{:.2}", kept.middle()));
        let _ = writeln!(
            text,
            "{:<20}{cost:>26}{remaps:>10}{premature:>11}{:>22}{kept:>10}",
            line.policy,
            format!("{:.6} ± {:.1e}", regret.middle(), regret.half_width()),
        );
    }
    text
}
