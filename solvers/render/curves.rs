//! A sweep as curves: the numbers of its table against the first parameter, one chart below the
//! other. For drifting loads it shows the optimal cost per step between both bounds.

use super::row;
use crate::document::Bounds;
use crate::plot::chart::{Axis, Chart, Series};
use crate::plot::{Area, COLOURS, Canvas, DrawError, Picture, SIZE};
use crate::problems::load_drift::answer::Both;
use crate::problems::registry::Body;
use crate::problems::registry::sweep::Run;
use plotters::prelude::*;
use serde_json::Value;

/// The most curves of a chart; others are left out.
const MOST_CURVES: usize = 8;

/// The most charts: the first columns of the table.
const MOST_CHARTS: usize = 4;

/// The height of each chart in pixels, where there are several.
const LOW: u32 = 360;

/// The data of one run: the position on the axis, the other parameters, and the numbers of its row.
struct Point {
    x: f64,
    /// The error of its numbers, relative to them or to 1.
    tolerance: f64,
    others: String,
    cells: Vec<(String, Option<f64>)>,
    cost: Option<Cost>,
}

/// The optimal cost per step: an interval that contains it, with certainty or with high confidence,
/// the lower bound, and the policy's cost.
#[derive(Clone, Copy)]
struct Cost {
    within: [f64; 2],
    means: [f64; 2],
}

impl Cost {
    /// The cost of a run of drifting loads.
    fn of(run: &Run) -> Option<Cost> {
        let (within, both, steps) = match &run.solution.body {
            Body::LoadDrift(answer) => (answer.value_bounds, answer.bounds, answer.steps),
            Body::ContinuousDrift(answer) => (answer.value_bounds, answer.bounds, answer.steps),
            _ => return None,
        };
        let each = |value: f64| value / steps as f64;
        let Bounds { lower, upper } = within;
        let means = match both {
            Some(Both { lower, upper }) => [lower.mean, upper.mean],
            None => [lower, upper],
        };
        let whole = lower.is_finite() && upper < f64::MAX;
        whole.then(|| Cost { within: [lower, upper].map(each), means: means.map(each) })
    }
}

/// The content of a chart.
enum Drawn {
    Cost,
    Column(String),
}

/// The runs so far.
pub struct Curves {
    title: String,
    path: String,
    points: Vec<Point>,
}

impl Curves {
    /// For the first parameter, at `path`.
    pub fn new(title: &str, path: &str) -> Curves {
        Curves { title: title.to_owned(), path: path.to_owned(), points: Vec::new() }
    }

    /// Adds a run if its first parameter is a number.
    pub fn add(&mut self, run: &Run) {
        let Some(x) = run.set.first().and_then(|(_, value)| value.as_f64()) else { return };
        let other = |(path, value): &(String, Value)| {
            format!("{} = {value}", path.rsplit('.').next().unwrap_or(path))
        };
        let others: Vec<String> = run.set.iter().skip(1).map(other).collect();
        let cells = row(run).into_iter().skip(run.set.len());
        let cells = cells.map(|(name, text)| (name, number(&text))).collect();
        let (others, tolerance) = (others.join(", "), run.solution.tolerance);
        self.points.push(Point { x, tolerance, others, cells, cost: Cost::of(run) });
    }

    /// The columns of the table whose numbers differ by more than their errors, or the first column
    /// with numbers.
    fn columns(&self) -> Vec<String> {
        let Some(first) = self.points.first() else { return Vec::new() };
        let names = first.cells.iter().map(|(name, _)| name.clone());
        let values = |name: &str| -> Vec<f64> {
            self.points.iter().filter_map(|point| point.value(name)).collect()
        };
        let numeric: Vec<String> = names.filter(|name| !values(name).is_empty()).collect();
        let off = self.points.iter().map(|point| point.tolerance).fold(0.0, f64::max);
        let varies = |name: &&String| {
            let values = values(name);
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            high - low > 2.0 * off * low.abs().max(high.abs()).max(1.0)
        };
        let varying: Vec<String> =
            numeric.iter().filter(varies).take(MOST_CHARTS).cloned().collect();
        match varying.is_empty() {
            true => numeric.into_iter().take(1).collect(),
            false => varying,
        }
    }

    /// The charts to draw.
    fn drawn(&self) -> Vec<Drawn> {
        if self.points.iter().any(|point| point.cost.is_some()) {
            return vec![Drawn::Cost];
        }
        self.columns().into_iter().map(Drawn::Column).collect()
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

/// The least margin around numbers, relative to them: the labels of axes have digits down to this.
const LEAST_ROOM: f64 = 1e-4;

/// The range of some numbers, with a margin.
fn ends(values: impl Iterator<Item = f64> + Clone) -> std::ops::Range<f64> {
    let low = values.clone().fold(f64::INFINITY, f64::min);
    let high = values.fold(f64::NEG_INFINITY, f64::max);
    if !(low.is_finite() && high.is_finite()) {
        return 0.0..1.0;
    }
    let largest = low.abs().max(high.abs());
    let room = match high > low {
        true => (0.05 * (high - low)).max(LEAST_ROOM * largest).max(f64::MIN_POSITIVE),
        false => (0.5 * largest).max(LEAST_ROOM),
    };
    low - room..high + room
}

impl Curves {
    /// One of the charts; the first has the title.
    fn chart<'a>(&'a self, what: &'a Drawn, title: &'a str) -> Chart<'a> {
        let mut names: Vec<&str> = Vec::new();
        for point in &self.points {
            if !names.contains(&point.others.as_str()) {
                names.push(&point.others);
            }
        }
        let value = |point: &Point| match what {
            Drawn::Cost => None,
            Drawn::Column(column) => point.value(column),
        };
        let mut series = Vec::new();
        for (others, colour) in names.iter().take(MOST_CURVES).zip(COLOURS) {
            let of = || self.points.iter().filter(|point| point.others == **others);
            if let Drawn::Cost = what {
                series.extend(between(others, colour, of()));
                continue;
            }
            let mut curve: Vec<(f64, f64)> =
                of().filter_map(|point| Some((point.x, value(point)?))).collect();
            curve.sort_by(|a, b| a.0.total_cmp(&b.0));
            series.push(Series::line(colour, curve.clone()).named((*others).to_owned()));
            series.push(Series::dots(colour, curve));
        }
        let places = || self.points.iter().map(|point| point.x);
        let (least, most) =
            (places().fold(f64::INFINITY, f64::min), places().fold(f64::NEG_INFINITY, f64::max));
        // Numbers of processors and similar parameters.
        let logarithmic = matches!(what, Drawn::Cost) && least > 0.0 && most >= 20.0 * least;
        let x = if logarithmic { least / 1.1..most * 1.1 } else { ends(places()) };
        let costs = || self.points.iter().filter_map(|point| point.cost);
        let (name, y) = match what {
            Drawn::Cost => (
                match costs().any(|cost| cost.means[0] < cost.means[1]) {
                    true => "cost per step: policy and lower bound, shaded with errors",
                    false => "cost per step",
                },
                ends(costs().flat_map(|cost| cost.within)),
            ),
            Drawn::Column(column) => (column.as_str(), ends(self.points.iter().filter_map(value))),
        };
        let digits = |range: &std::ops::Range<f64>| {
            (2.0 - (range.end - range.start).log10()).ceil().clamp(0.0, 300.0) as usize
        };
        let (along, up) = (digits(&x), digits(&y));
        let x = Axis { logarithmic, ..Axis::new(&self.path, x, along) };
        Chart { title, x, y: Axis::new(name, y, up), series }
    }
}

impl Picture for Curves {
    fn size(&self) -> (u32, u32) {
        match self.drawn().len() {
            0 | 1 => SIZE,
            many => (SIZE.0, LOW * many as u32),
        }
    }

    fn draw<B: Canvas>(&self, area: &Area<B>) -> Result<(), DrawError> {
        let mut drawn = self.drawn();
        if drawn.is_empty() {
            drawn.push(Drawn::Column("no numbers".to_owned()));
        }
        let parts = area.split_evenly((drawn.len(), 1));
        for (place, (what, part)) in drawn.iter().zip(&parts).enumerate() {
            let title = if place == 0 { self.title.as_str() } else { "" };
            self.chart(what, title).draw(part)?;
        }
        Ok(())
    }
}

/// The costs of some runs: both bounds as lines, and the interval as a band.
fn between<'a>(
    name: &str,
    colour: RGBColor,
    points: impl Iterator<Item = &'a Point>,
) -> Vec<Series> {
    let mut costs: Vec<(f64, Cost)> =
        points.filter_map(|point| Some((point.x, point.cost?))).collect();
    costs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let end = |which: usize| costs.iter().map(move |(x, cost)| (*x, cost.within[which]));
    let mean = |which: usize| costs.iter().map(move |(x, cost)| (*x, cost.means[which]));
    vec![
        Series::area(colour, 0.2, end(0).chain(end(1).rev())),
        Series::line(colour, mean(1)).named(name.to_owned()),
        Series::dots(colour, mean(1)),
        Series::line(colour, mean(0)),
    ]
}
