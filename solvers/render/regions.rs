//! The decision maps of a sweep over one parameter in one picture, and the work for each.

use crate::plot::chart::{Axis, Chart, Series};
use crate::plot::{Area, Canvas, DrawError, Picture, THRESHOLD};
use crate::problems::registry::Body;
use crate::problems::registry::sweep::Run;
use crate::problems::stopping::map::{
    BALANCED, Cell, NOTHING, Panel, draw_panels, legend_entry, panels,
};
use plotters::prelude::*;

/// A cell is darker the more values of the parameter have it remap.
pub struct Regions {
    title: String,
    parameter: String,
    /// The values, and the applications of the transition operator, in the order of the sweep.
    runs: Vec<(f64, u64)>,
    /// The maps of the first run.
    panels: Vec<Panel>,
    /// For each cell the runs in which it remaps.
    remaps: Vec<Vec<bool>>,
}

/// The most colors of the legend.
const SHADES: usize = 10;

impl Regions {
    /// For a sweep over `parameter`.
    pub fn new(title: &str, parameter: &str) -> Self {
        let (title, parameter) = (title.to_owned(), parameter.to_owned());
        Self { title, parameter, runs: Vec::new(), panels: Vec::new(), remaps: Vec::new() }
    }

    /// Adds the next run; runs with other states are left out.
    pub fn add(&mut self, run: &Run) {
        let (Body::Stopping(answer), [(_, value)]) = (&run.solution.body, run.set.as_slice())
        else {
            return;
        };
        let panels = panels(answer);
        let cells: Vec<Cell> = panels.iter().flat_map(|panel| panel.cells.clone()).collect();
        if self.runs.is_empty() {
            self.remaps = vec![Vec::new(); cells.len()];
            self.panels = panels;
        }
        if cells.len() != self.remaps.len() {
            return;
        }
        let place = value.as_f64().unwrap_or(self.runs.len() as f64);
        self.runs.push((place, answer.iterations));
        for (remaps, cell) in self.remaps.iter_mut().zip(cells) {
            remaps.push(cell == Cell::Remap);
        }
    }

    /// The number of runs in which each cell remaps.
    fn counts(&self) -> Vec<usize> {
        self.remaps.iter().map(|runs| runs.iter().filter(|remaps| **remaps).count()).collect()
    }

    /// The meaning of remapping in `count` runs: regions that shrink along the sweep have a last
    /// value.
    fn meaning(&self, count: usize) -> String {
        let shrink = self.remaps.iter().all(|runs| runs.is_sorted_by(|a, b| a >= b));
        match count {
            0 => "never".to_owned(),
            _ if shrink => format!("up to {}", self.runs[count - 1].0),
            _ => format!("at {count} of {}", self.runs.len()),
        }
    }
}

/// A color from light to dark.
fn shade(share: f64) -> RGBColor {
    let light = RGBColor(214, 230, 246);
    let mix =
        |from: u8, to: u8| (f64::from(from) + share * (f64::from(to) - f64::from(from))) as u8;
    RGBColor(mix(light.0, THRESHOLD.0), mix(light.1, THRESHOLD.1), mix(light.2, THRESHOLD.2))
}

impl Picture for Regions {
    fn size(&self) -> (u32, u32) {
        (1240, 640)
    }

    fn draw<B: Canvas>(&self, area: &Area<B>) -> Result<(), DrawError> {
        if self.runs.is_empty() {
            return Ok(());
        }
        let area = area.titled(&self.title, ("sans-serif", 24))?;
        let (left, right) = area.split_horizontally(720);
        let (legend, maps) = left.split_vertically(72);
        let counts = self.counts();
        let mut distinct = counts.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let positive = distinct.iter().filter(|count| **count > 0).count();
        let colour = |count: usize| {
            let fewer = distinct.iter().filter(|other| (1..count).contains(other)).count();
            match count {
                0 => WHITE,
                _ => shade(fewer as f64 / positive.saturating_sub(1).max(1) as f64),
            }
        };
        let stride = distinct.len().div_ceil(SHADES);
        let name = format!("remap ({}):", self.parameter);
        legend.draw(&Text::new(name, (70, 4), ("sans-serif", 16)))?;
        let shown = distinct.iter().rev().step_by(stride);
        for (k, &count) in shown.enumerate() {
            let place = (70 + 128 * (k % 5) as i32, 26 + 23 * (k / 5) as i32);
            legend_entry(&legend, place, colour(count), &self.meaning(count))?;
        }
        draw_panels(&maps, &self.panels, |k, cell| match cell {
            Cell::Balanced => Some(BALANCED),
            Cell::Nothing => Some(NOTHING),
            _ => (counts[k] > 0).then(|| colour(counts[k])),
        })?;
        self.iterations().draw(&right)
    }
}

impl Regions {
    fn iterations(&self) -> Chart<'_> {
        let values = self.runs.iter().map(|run| run.0);
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
        let most = self.runs.iter().map(|run| run.1).max().unwrap_or(0) as f64;
        let points = || self.runs.iter().map(|&(value, count)| (value, count as f64));
        Chart {
            title: "",
            x: Axis::new(&self.parameter, low..high, 4),
            y: Axis::new("applications of the chain", 0.0..1.05 * most.max(1.0), 0),
            series: vec![Series::line(THRESHOLD, points()), Series::dots(THRESHOLD, points())],
        }
    }
}
