//! Decision maps as text and as pictures.

use crate::plot::{Area, BAND, Canvas, DrawError, Picture, THRESHOLD};
use crate::problems::registry::Body;
use crate::problems::registry::sweep::Run;
use crate::problems::stopping::answer::Answer;
use plotters::prelude::*;
use remapping::Status;
use std::fmt::Write;

/// The content of one cell of a map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cell {
    Balanced,
    Continue,
    Remap,
    /// Some of the load vectors of the cell remap.
    Mixed,
    /// There is no such load vector.
    Nothing,
}

/// How each kind of cell is shown: as a character, and with a color and its name.
const SHOWN: [(Cell, char, RGBColor, &str); 5] = [
    (Cell::Remap, '#', THRESHOLD, "remap"),
    (Cell::Mixed, '+', BAND, "remap some of them"),
    (Cell::Balanced, 'o', BALANCED, "balanced"),
    (Cell::Continue, '.', WHITE, "continue"),
    (Cell::Nothing, ' ', NOTHING, "no load vector"),
];

impl Cell {
    fn shown(self) -> (char, RGBColor) {
        let own = SHOWN.iter().find(|(cell, ..)| *cell == self);
        own.map_or((' ', NOTHING), |(_, letter, color, _)| (*letter, *color))
    }
}

/// A map over two quantities.
pub(crate) struct Panel {
    title: String,
    down: &'static str,
    across: &'static str,
    /// The values at the first row and at the first column.
    origin: (i64, i64),
    columns: usize,
    pub(crate) cells: Vec<Cell>,
}

/// The characters across one map, and across all maps of a line.
const WIDTH: usize = 72;

/// The most cells of a map whose rows and columns are not those of a shape.
const MOST_CELLS: usize = 1 << 22;

/// The most slices of a map of three processes.
const SLICES: usize = 12;

/// The maps that show a solution.
pub(crate) fn panels(answer: &Answer) -> Vec<Panel> {
    let shape = &answer.shape;
    let cells: Option<Vec<Cell>> = answer.decision.as_ref().map(|letters| {
        let cell = |letter| match letter {
            'B' => Cell::Balanced,
            'R' => Cell::Remap,
            _ => Cell::Continue,
        };
        letters.chars().map(cell).collect()
    });
    let lowest = answer.lowest();
    match (shape.as_slice(), cells) {
        (&[_, columns], Some(cells)) => vec![Panel::of_pairs(&lowest, columns, cells)],
        (&[slices, rows, columns], Some(cells)) => {
            let step = slices.div_ceil(SLICES);
            let chosen = (0..slices).step_by(step).map(|slice| Panel {
                title: format!("process 1 at {}", lowest[0] + slice as i64),
                down: "load of process 2",
                across: "load of process 3",
                origin: (lowest[1], lowest[2]),
                columns,
                cells: cells[slice * rows * columns..(slice + 1) * rows * columns].to_vec(),
            });
            chosen.collect()
        }
        (shape, _) if shape.len() == 2 => Vec::new(),
        (_, Some(cells)) if answer.lowest().len() == 2 => {
            of_pairs(answer, &cells).into_iter().collect()
        }
        _ => by_spread(answer).into_iter().collect(),
    }
}

/// Listed states of two processes; those with the same loads share a cell.
fn of_pairs(answer: &Answer, cells: &[Cell]) -> Option<Panel> {
    let lowest = answer.lowest();
    let above = |loads: &[i64], i: usize| loads[i].abs_diff(lowest[i]) as usize;
    let most = |i: usize| answer.loads.iter().map(|loads| above(loads, i)).max().unwrap_or(0);
    let columns = most(1).saturating_add(1);
    let mut plane = nothing(most(0).saturating_add(1), columns)?;
    for (loads, cell) in answer.loads.iter().zip(cells) {
        let place = &mut plane[above(loads, 0) * columns + above(loads, 1)];
        *place = match *place {
            Cell::Nothing => *cell,
            other if other == *cell => other,
            _ => Cell::Mixed,
        };
    }
    Some(Panel::of_pairs(&lowest, columns, plane))
}

/// An empty map of this size; `None` if it is too large to show.
fn nothing(rows: usize, columns: usize) -> Option<Vec<Cell>> {
    let cells = rows.checked_mul(columns).filter(|cells| *cells <= MOST_CELLS)?;
    Some(vec![Cell::Nothing; cells])
}

/// A map with the spread down and the mean across.
fn by_spread(answer: &Answer) -> Option<Panel> {
    let table = answer.spreads();
    let (first, last) = (table.first()?.mean, table.last()?.mean);
    let columns = usize::try_from(last - first + 1).ok()?;
    let widest = usize::try_from(table.iter().map(|entry| entry.spread).max()?).ok()?;
    let mut cells = nothing(widest + 1, columns)?;
    for entry in &table {
        let at = entry.spread as usize * columns + (entry.mean - first) as usize;
        cells[at] = match entry.remap {
            1.0 => Cell::Remap,
            _ if entry.balanced => Cell::Balanced,
            0.0 => Cell::Continue,
            _ => Cell::Mixed,
        };
    }
    Some(Panel {
        title: String::new(),
        down: "spread, largest minus smallest load",
        across: "mean load, rounded down",
        origin: (0, first),
        columns,
        cells,
    })
}

/// The maps of a solution in text.
pub fn draw(answer: &Answer) -> String {
    let panels = panels(answer);
    let Some(first) = panels.first() else { return String::new() };
    let mut text = String::new();
    let _ = writeln!(text, "down: {}; across: {}", first.down, first.across);
    let _ = writeln!(text, "# remap   . continue   o balanced   + remap some of them");
    let blocks: Vec<Vec<String>> = panels.iter().map(Panel::lines).collect();
    let width = blocks[0].iter().map(|line| line.chars().count()).max().unwrap_or(1) + 3;
    for line_of_blocks in blocks.chunks((WIDTH / width).max(1)) {
        let height = line_of_blocks.iter().map(Vec::len).max().unwrap_or(0);
        for row in 0..height {
            let mut line = String::new();
            for block in line_of_blocks {
                let part = block.get(row).map_or("", String::as_str);
                let _ = write!(line, "{part:width$}");
            }
            let _ = writeln!(text, "{}", line.trim_end());
        }
    }
    text
}

impl Panel {
    fn of_pairs(lowest: &[i64], columns: usize, cells: Vec<Cell>) -> Panel {
        let (down, across) = ("load of process 1", "load of process 2");
        let origin = (lowest[0], lowest[1]);
        Panel { title: String::new(), down, across, origin, columns, cells }
    }

    fn rows(&self) -> usize {
        self.cells.len() / self.columns
    }

    /// The map as lines of text; wide ones show every k-th row and column.
    fn lines(&self) -> Vec<String> {
        let stride = self.columns.max(self.rows()).div_ceil(WIDTH / 2);
        let mut lines = Vec::new();
        if !self.title.is_empty() {
            lines.push(self.title.clone());
        }
        for row in (0..self.rows()).step_by(stride) {
            let mut line = format!("{:>5} ", self.origin.0 + row as i64);
            for column in (0..self.columns).step_by(stride) {
                line.push(' ');
                line.push(self.cells[row * self.columns + column].shown().0);
            }
            lines.push(line.trim_end().to_owned());
        }
        let last = self.origin.1 + (self.columns - 1) as i64;
        lines.push(format!("       {} .. {last}", self.origin.1));
        lines
    }
}

/// The values of a one-parameter sweep in order, grouped by their decision map: `1 | 2,3 | 4-6 |
/// never`.
#[derive(Debug, Default)]
pub struct Groups {
    /// The values, as numbers and as text, and their maps.
    runs: Vec<(Option<f64>, String, String)>,
    /// Whether the sweep has other answers or more than one parameter.
    other: bool,
    /// The number of maps that may have other letters.
    open: usize,
}

impl Groups {
    /// Adds the next run.
    pub fn add(&mut self, run: &Run) {
        let (Body::Stopping(answer), [(_, value)]) = (&run.solution.body, run.set.as_slice())
        else {
            self.other = true;
            return;
        };
        let Some(map) = answer.decision.as_deref() else {
            self.other = true;
            return;
        };
        let is_known = run.solution.status == Status::Converged && answer.ties.is_empty();
        self.open += usize::from(!is_known);
        let number = value.as_f64();
        let written = number.map_or_else(|| value.to_string(), |number| number.to_string());
        self.runs.push((number, written, map.to_owned()));
    }

    /// The groups in a line, if there are any. Numbers are sorted first.
    pub fn line(mut self) -> Option<String> {
        if self.runs.iter().all(|(number, ..)| number.is_some()) {
            self.runs.sort_by(|a, b| a.0.unwrap_or(0.0).total_cmp(&b.0.unwrap_or(0.0)));
        }
        let groups = self.runs.chunk_by(|a, b| a.2 == b.2).map(|group| match group {
            [(_, _, map), ..] if !map.contains('R') => "never".to_owned(),
            [first, second] => format!("{},{}", first.1, second.1),
            [first, .., last] => format!("{}-{}", first.1, last.1),
            few => few.iter().map(|(_, written, _)| written.as_str()).collect(),
        });
        let mut line = groups.collect::<Vec<_>>().join(" | ");
        if self.other || line.is_empty() {
            return None;
        }
        if self.open > 0 {
            let (open, all) = (self.open, self.runs.len());
            line += &format!(
                "; as far as is known: of {open} of the {all} maps the bounds leave letters open"
            );
        }
        Some(line)
    }
}

/// Decision maps in one picture.
pub struct DecisionMap<'a> {
    /// The caption.
    pub title: &'a str,
    /// The solution.
    pub answer: &'a Answer,
}

/// The color of balanced load vectors.
pub(crate) const BALANCED: RGBColor = RGBColor(243, 197, 94);

/// The color where there is no load vector.
pub(crate) const NOTHING: RGBColor = RGBColor(222, 222, 222);

impl Picture for DecisionMap<'_> {
    fn draw<B: Canvas>(&self, area: &Area<B>) -> Result<(), DrawError> {
        let panels = panels(self.answer);
        let area = area.titled(self.title, ("sans-serif", 24))?;
        let (legend, maps) = area.split_vertically(34);
        let shown = |kind| panels.iter().any(|panel| panel.cells.contains(&kind));
        let entries: Vec<_> = SHOWN.into_iter().filter(|(kind, ..)| shown(*kind)).collect();
        let (left, width) = (70, legend.dim_in_pixel().0 as i32);
        let apart = ((width - left) / (entries.len() as i32).max(1)).min(210);
        for (k, (_, _, colour, name)) in (0..).zip(entries) {
            legend_entry(&legend, (left + apart * k, 8), colour, name)?;
        }
        let colour = |_, cell: Cell| (cell != Cell::Continue).then(|| cell.shown().1);
        draw_panels(&maps, &panels, colour)
    }
}

/// A colored square and its meaning.
pub(crate) fn legend_entry<B: Canvas>(
    area: &Area<B>,
    (x, y): (i32, i32),
    colour: RGBColor,
    name: &str,
) -> Result<(), DrawError> {
    let square = [(x, y), (x + 18, y + 18)];
    area.draw(&Rectangle::new(square, colour.filled()))?;
    area.draw(&Rectangle::new(square, BLACK.mix(0.4)))?;
    area.draw(&Text::new(name, (x + 26, y + 1), ("sans-serif", 16)))?;
    Ok(())
}

/// Draws the panels next to each other. `colour` gives the color of each cell from its number,
/// counted through all panels, and its kind.
pub(crate) fn draw_panels<B: Canvas>(
    area: &Area<B>,
    panels: &[Panel],
    colour: impl Fn(usize, Cell) -> Option<RGBColor>,
) -> Result<(), DrawError> {
    let columns = match panels.len() {
        0 => return Ok(()),
        1 => 1,
        2..=4 => 2,
        _ => 4,
    };
    let places = area.split_evenly((panels.len().div_ceil(columns), columns));
    let mut first = 0;
    for (panel, place) in panels.iter().zip(&places) {
        let colours: Vec<Option<RGBColor>> =
            panel.cells.iter().enumerate().map(|(k, &cell)| colour(first + k, cell)).collect();
        panel.draw(place, panels.len() == 1, &colours)?;
        first += panel.cells.len();
    }
    Ok(())
}

impl Panel {
    fn draw<B: Canvas>(
        &self,
        area: &Area<B>,
        alone: bool,
        colours: &[Option<RGBColor>],
    ) -> Result<(), DrawError> {
        let (top, left) = (self.origin.0 as f64 - 0.5, self.origin.1 as f64 - 0.5);
        let (rows, columns) = (self.rows() as f64, self.columns as f64);
        let mut chart = ChartBuilder::on(area);
        chart.margin(8).x_label_area_size(if alone { 46 } else { 40 });
        chart.y_label_area_size(if alone { 60 } else { 50 });
        if !self.title.is_empty() {
            chart.caption(&self.title, ("sans-serif", 15));
        }
        let mut chart = chart.build_cartesian_2d(left..left + columns, top + rows..top)?;
        let mut mesh = chart.configure_mesh();
        mesh.disable_mesh().label_style(("sans-serif", 14));
        let whole = |value: &f64| format!("{value:.0}");
        mesh.x_label_formatter(&whole).y_label_formatter(&whole);
        // Each level has at most one label.
        mesh.x_labels(self.columns.min(11)).y_labels(self.rows().min(11));
        mesh.x_desc(self.across).y_desc(self.down);
        mesh.draw()?;
        // Runs of equal cells in a row are one rectangle.
        for (row, colours) in colours.chunks_exact(self.columns).enumerate() {
            let mut start = 0;
            for end in 1..=colours.len() {
                if end < colours.len() && colours[end] == colours[start] {
                    continue;
                }
                if let Some(colour) = colours[start] {
                    let (above, begin) = (top + row as f64, left + start as f64);
                    let corners = [(begin, above), (left + end as f64, above + 1.0)];
                    let rectangle = Rectangle::new(corners, colour.filled());
                    chart.draw_series(std::iter::once(rectangle))?;
                }
                start = end;
            }
        }
        Ok(())
    }
}
