//! Recurring phases: two thresholds and the room between them.

use super::Row;
use super::curve::{points, window};
use super::plot::{BAND, DrawError, SIZE, THRESHOLD, draw_key};
use crate::phase_change::Interval;
use crate::phase_switching::Answer;
use plotters::coord::Shift;
use plotters::prelude::*;
use remapping::threshold::{Bounds, Curve};
use std::fmt::Write;

const WIDTH: usize = 72;
const HEIGHT: usize = 16;

/// The thresholds of the first step: to the second mapping, and back.
fn start(answer: &Answer) -> Option<[Bounds; 2]> {
    let at = |curve: &Curve, list: &crate::phase_switching::Thresholds| match curve.first_step() {
        Some(first) => curve.at(first),
        None => Some(Bounds { lower: *list.lower.first()?, upper: *list.upper.first()? }),
    };
    let [up, down] = &answer.curves;
    Some([at(up, &answer.to_second)?, at(down, &answer.to_first)?])
}

/// What the program does at belief `p`: `2` go to the second mapping, `1` to the first, `.` stay.
fn act(p: f64, [up, down]: [Bounds; 2]) -> char {
    match () {
        () if p > up.middle() => '2',
        () if p < down.middle() => '1',
        () => '.',
    }
}

/// The readable summary.
pub fn summary(text: &mut String, answer: &Answer) {
    let legend = "2 go to the second mapping   1 go to the first   . stay";
    match answer.last_step {
        Some(_) => {
            let _ = writeln!(text, "  belief p in the second phase   ({legend})");
            text.push_str(&draw(&answer.curves));
        }
        None => {
            if let Some(bounds) = start(answer) {
                let cell = |k: usize| act((k as f64 + 0.5) / WIDTH as f64, bounds);
                let line: String = (0..WIDTH).map(cell).collect();
                let _ =
                    writeln!(text, "  belief p in the second phase, at every step\n  ({legend})");
                let _ = writeln!(text, "0 |{line}| 1");
            }
        }
    }
    if let Some([up, down]) = start(answer) {
        let half = |bounds: Bounds| 0.5 * bounds.width();
        let when = if answer.last_step.is_some() { "at step 0, " } else { "" };
        let _ = match up {
            Bounds::NEVER => writeln!(text, "{when}never go to the second mapping"),
            _ => writeln!(
                text,
                "{when}go to the second mapping when p exceeds {:.12} +- {:.1e}",
                up.middle(),
                half(up)
            ),
        };
        let _ = match down.upper {
            0.0 => writeln!(text, "{when}never go back to the first"),
            _ => writeln!(
                text,
                "{when}go back to the first when p is below {:.12} +- {:.1e}",
                down.middle(),
                half(down)
            ),
        };
    }
    let middle =
        |value: Interval| (0.5 * (value.lower + value.upper), 0.5 * (value.upper - value.lower));
    if let Some((value, half)) = answer.value.map(middle) {
        let _ = writeln!(text, "expected completion time = {value:.10} +- {half:.1e}");
    }
    if let Some((value, half)) = answer.average.map(middle) {
        let _ = writeln!(
            text,
            "average time of a cycle, switches included = {value:.12} +- {half:.1e}"
        );
    }
    let _ = writeln!(text, "{} linear pieces at most", answer.segments);
    if let Some(exact) = &answer.exact {
        let _ = writeln!(text, "exactly: V = {}", super::shorten(&exact.value));
        for (n, (up, down)) in exact.to_second.iter().zip(&exact.to_first).enumerate() {
            let (up, down) = (super::shorten(up), super::shorten(down));
            let _ =
                writeln!(text, "  step {n}: to the second above {up}, to the first below {down}");
        }
    }
}

/// The steps where either curve is worth drawing.
fn steps(curves: &[Curve; 2]) -> Option<(u64, u64)> {
    let (a, b) = (window(&curves[0])?, window(&curves[1])?);
    Some((a.0.min(b.0), a.1))
}

fn draw(curves: &[Curve; 2]) -> String {
    let Some((first, last)) = steps(curves) else { return String::new() };
    let columns = WIDTH.min((last - first + 1) as usize);
    let mut text = String::new();
    for row in 0..HEIGHT {
        let p = 1.0 - (row as f64 + 0.5) / HEIGHT as f64;
        let label = match row {
            0 => "1.0 ",
            row if row == HEIGHT / 2 => "0.5 ",
            row if row == HEIGHT - 1 => "0.0 ",
            _ => "    ",
        };
        let _ = write!(text, "{label}|");
        for column in 0..columns {
            let share = (column as f64 + 0.5) / columns as f64;
            let step = first + ((last - first + 1) as f64 * share) as u64;
            let at = |curve: &Curve| curve.at(step.min(last)).unwrap_or(Bounds::NEVER);
            text.push(act(p, [at(&curves[0]), at(&curves[1])]));
        }
        text.push('\n');
    }
    let right = last.to_string();
    let gap = columns.saturating_sub(first.to_string().len() + right.len()).max(1);
    let _ = writeln!(
        text,
        "    +{}\n     {first}{}{right}   step n",
        "-".repeat(columns),
        " ".repeat(gap)
    );
    text
}

/// A line of a sweep's table.
pub fn cells(answer: &Answer) -> Row {
    let shown = |bounds: Option<Bounds>| {
        bounds.map_or(String::new(), |bounds| format!("{:.12}", bounds.middle()))
    };
    let [up, down] = start(answer).map_or([None, None], |[up, down]| [Some(up), Some(down)]);
    let (name, cost) = match answer.average {
        Some(average) => ("average time", Some(average)),
        None => ("expected time", answer.value),
    };
    let cost = cost.map(|cost| format!("{:.9}", 0.5 * (cost.lower + cost.upper)));
    vec![
        ("to second above".to_owned(), shown(up)),
        ("to first below".to_owned(), shown(down)),
        (name.to_owned(), cost.unwrap_or_default()),
    ]
}

/// Both curves, and what the program does on either side of them.
pub struct Hysteresis<'a> {
    /// Above the picture.
    pub title: &'a str,
    /// What is drawn.
    pub answer: &'a Answer,
}

/// The colour of the curve back to the first mapping.
const BACK: RGBColor = RGBColor(190, 84, 32);

impl super::plot::Picture for Hysteresis<'_> {
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), DrawError>
    where
        B::ErrorType: 'static,
    {
        area.fill(&WHITE)?;
        let Some(start) = start(self.answer) else { return Ok(()) };
        let (first, last) = steps(&self.answer.curves).unwrap_or((0, 1));
        let last = last.max(first + 1);
        let lines: Vec<Vec<(f64, f64)>> = (0..2)
            .map(|k| match self.answer.last_step {
                None => [first, last].map(|n| (n as f64, start[k].middle())).to_vec(),
                Some(_) => {
                    let curve = &self.answer.curves[k];
                    let mut line = points(curve, SIZE.0 as usize);
                    line.extend(curve.at(first).map(|bounds| (first, bounds.middle())));
                    line.retain(|(n, _)| (first..=last).contains(n));
                    line.sort_by_key(|(n, _)| *n);
                    line.into_iter().map(|(n, p)| (n as f64, p)).collect()
                }
            })
            .collect();
        let mut chart = ChartBuilder::on(area)
            .caption(self.title, ("sans-serif", 24))
            .margin(18)
            .x_label_area_size(48)
            .y_label_area_size(64)
            .build_cartesian_2d(first as f64..last as f64, 0.0..1.0)?;
        let endless = self.answer.last_step.is_none();
        chart
            .configure_mesh()
            .x_desc(if endless { "at every step" } else { "decision step n" })
            .y_desc("belief p in the second phase")
            .x_labels(if endless { 0 } else { 10 })
            .x_label_formatter(&|step| format!("{step:.0}"))
            .y_label_formatter(&|p| format!("{p:.1}"))
            .label_style(("sans-serif", 16))
            .light_line_style(TRANSPARENT)
            .draw()?;
        let kinds = [
            (THRESHOLD, BAND, 1.0, "above: go to the second mapping"),
            (BACK, RGBColor(240, 205, 180), 0.0, "below: go back to the first"),
        ];
        for (line, (colour, fill, edge, name)) in lines.iter().zip(kinds) {
            let (Some(left), Some(right)) = (line.first(), line.last()) else { continue };
            let mut outline = line.clone();
            outline.extend([(right.0, edge), (left.0, edge)]);
            chart.draw_series(std::iter::once(Polygon::new(outline, fill.mix(0.5))))?;
            chart
                .draw_series(LineSeries::new(line.iter().copied(), colour.stroke_width(2)))?
                .label(name)
                .legend(move |(x, y)| {
                    PathElement::new([(x, y), (x + 24, y)], colour.stroke_width(2))
                });
        }
        draw_key(&mut chart, SeriesLabelPosition::MiddleLeft)?;
        Ok(())
    }
}
