//! A sweep as curves: what the table shows, over the first parameter.

use super::row;
use crate::plot::chart::{Axis, Chart, Series};
use crate::plot::{COLOURS, DrawError, Picture};
use crate::solution::sweep::Run;
use plotters::coord::Shift;
use plotters::prelude::*;
use serde_json::Value;

/// Curves beside each other at most; others are left out.
const MOST: usize = 8;

/// What one run adds: the place on the axis, the values of the other parameters, and the numbers of its row.
struct Point {
    x: f64,
    others: String,
    cells: Vec<(String, Option<f64>)>,
}

/// The runs so far.
pub struct Curves {
    title: String,
    path: String,
    points: Vec<Point>,
}

impl Curves {
    /// Of the first parameter, at `path`.
    pub fn new(title: &str, path: &str) -> Curves {
        Curves { title: title.to_owned(), path: path.to_owned(), points: Vec::new() }
    }

    /// Takes in a run; its first parameter is a number.
    pub fn add(&mut self, run: &Run) {
        let Some(x) = run.set.first().and_then(|(_, value)| value.as_f64()) else { return };
        let other = |(path, value): &(String, Value)| {
            format!("{} = {value}", path.rsplit('.').next().unwrap_or(path))
        };
        let others: Vec<String> = run.set.iter().skip(1).map(other).collect();
        let cells = row(run).into_iter().skip(run.set.len());
        let cells = cells.map(|(name, text)| (name, number(&text))).collect();
        self.points.push(Point { x, others: others.join(", "), cells });
    }

    /// The first column of the table that has numbers which differ, or the first that has any.
    fn column(&self) -> Option<String> {
        let names = self.points.first()?.cells.iter().map(|(name, _)| name.clone());
        let values = |name: &str| -> Vec<f64> {
            self.points.iter().filter_map(|point| point.value(name)).collect()
        };
        let numeric: Vec<String> = names.filter(|name| !values(name).is_empty()).collect();
        let varies = |name: &&String| values(name).windows(2).any(|pair| pair[0] != pair[1]);
        numeric.iter().find(varies).or(numeric.first()).cloned()
    }
}

impl Point {
    fn value(&self, column: &str) -> Option<f64> {
        self.cells.iter().find(|(name, _)| name == column)?.1
    }
}

/// The number a cell begins with: `1.5 +- 1e-9` is 1.5.
fn number(text: &str) -> Option<f64> {
    let first = text.split_whitespace().next()?.trim_end_matches([',', ';', '%']);
    first.parse().ok().filter(|value: &f64| value.is_finite())
}

/// The ends of some numbers, with room around.
fn ends(values: impl Iterator<Item = f64> + Clone) -> std::ops::Range<f64> {
    let low = values.clone().fold(f64::INFINITY, f64::min);
    let high = values.fold(f64::NEG_INFINITY, f64::max);
    if !(low.is_finite() && high.is_finite()) {
        return 0.0..1.0;
    }
    let room = (0.05 * (high - low)).max(1e-9 * high.abs()).max(f64::MIN_POSITIVE);
    let room = if high > low { room } else { room.max(0.5) };
    low - room..high + room
}

impl Picture for Curves {
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), DrawError>
    where
        B::ErrorType: 'static,
    {
        let column = self.column().unwrap_or_else(|| "no numbers".to_owned());
        let mut names: Vec<&str> = Vec::new();
        for point in &self.points {
            if !names.contains(&point.others.as_str()) {
                names.push(&point.others);
            }
        }
        let mut series = Vec::new();
        for (others, colour) in names.iter().take(MOST).zip(COLOURS) {
            let of = self.points.iter().filter(|point| point.others == **others);
            let mut curve: Vec<(f64, f64)> =
                of.filter_map(|point| Some((point.x, point.value(&column)?))).collect();
            curve.sort_by(|a, b| a.0.total_cmp(&b.0));
            series.push(Series::line(colour, curve.clone()).named((*others).to_owned()));
            series.push(Series::dots(colour, curve));
        }
        let x = ends(self.points.iter().map(|point| point.x));
        let y = ends(self.points.iter().filter_map(|point| point.value(&column)));
        let digits = |range: &std::ops::Range<f64>| {
            (2.0 - (range.end - range.start).log10()).ceil().clamp(0.0, 9.0) as usize
        };
        let (along, up) = (digits(&x), digits(&y));
        let chart = Chart {
            title: &self.title,
            x: Axis::new(&self.path, x, along),
            y: Axis::new(&column, y, up),
            series,
        };
        chart.draw(area)
    }
}
