//! The times of all ranks as colors, one row for each rank.

use crate::plot::{Area, Canvas, DrawError, FONT, Picture};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use remapping::record::Record;

/// The most columns and rows.
const COLUMNS: usize = 160;
const ROWS: usize = 48;

/// The number of shades on either side of the mean.
const SHADES: i32 = 8;

/// The margins for labels.
const LEFT: i32 = 90;
const RIGHT: i32 = 30;
const ABOVE: i32 = 34;
const BELOW: i32 = 40;

/// Deviations from the mean of the step, reduced to a grid: of the steps and ranks that share a
/// cell, the largest counts.
pub struct Heat {
    ranks: usize,
    steps: usize,
    /// A row for each group of ranks, with a number for each group of steps.
    rows: Vec<Vec<f64>>,
    /// The deviation of the strongest color: one cell in fifty has more.
    full: f64,
}

/// The share of the cells whose color shows the amount, not only that it is larger.
const TOLD: f64 = 0.98;

impl Heat {
    /// The times of a record.
    pub fn of(record: &Record) -> Heat {
        let (ranks, steps) = (record.ranks(), record.steps());
        let (columns, lines) = (steps.min(COLUMNS), ranks.min(ROWS));
        let mut rows = vec![vec![0.0_f64; columns]; lines];
        for step in 0..steps {
            let mean = record.mean(step);
            for (rank, time) in record.row(step).iter().enumerate() {
                let place = &mut rows[rank * lines / ranks][step * columns / steps];
                if (time - mean).abs() > place.abs() {
                    *place = time - mean;
                }
            }
        }
        let mut sizes: Vec<f64> = rows.iter().flatten().map(|value| value.abs()).collect();
        sizes.sort_by(f64::total_cmp);
        let full = sizes[((sizes.len() - 1) as f64 * TOLD) as usize];
        Heat { ranks, steps, rows, full }
    }

    /// From blue, faster than the mean, through white to red, slower.
    fn shade(&self, value: f64) -> i32 {
        if self.full <= 0.0 {
            return 0;
        }
        (value / self.full * f64::from(SHADES)).round().clamp(-f64::from(SHADES), f64::from(SHADES))
            as i32
    }
}

impl Picture for Heat {
    fn draw<B: Canvas>(&self, area: &Area<B>) -> Result<(), DrawError> {
        let (width, height) = area.dim_in_pixel();
        let (right, bottom) = (width as i32 - RIGHT, height as i32 - BELOW);
        let style = (FONT, 16).into_text_style(area);
        let at = |h, v| style.clone().pos(Pos::new(h, v));
        let key = format!(
            "times of the ranks: red slower, blue faster than the mean, full from {:.3} seconds on",
            self.full
        );
        area.draw_text(&key, &at(HPos::Left, VPos::Center), (LEFT, ABOVE / 2))?;
        let columns = self.rows.first().map_or(1, Vec::len);
        let x = |column: usize| LEFT + (column as i32) * (right - LEFT) / columns as i32;
        let y = |line: usize| ABOVE + (line as i32) * (bottom - ABOVE) / self.rows.len() as i32;
        for (line, row) in self.rows.iter().enumerate() {
            // Adjacent cells of one color form one rectangle.
            let mut first = 0;
            for column in 1..=columns {
                let shade = self.shade(row[first]);
                if column < columns && self.shade(row[column]) == shade {
                    continue;
                }
                if shade != 0 {
                    let corners = [(x(first), y(line)), (x(column), y(line + 1))];
                    area.draw(&Rectangle::new(corners, colour(shade).filled()))?;
                }
                first = column;
            }
        }
        let frame = [(LEFT, ABOVE), (right, bottom)];
        area.draw(&Rectangle::new(frame, BLACK.stroke_width(1)))?;
        let left = at(HPos::Right, VPos::Center);
        area.draw_text("rank 0", &left, (LEFT - 6, ABOVE + 8))?;
        area.draw_text(&format!("{}", self.ranks - 1), &left, (LEFT - 6, bottom - 8))?;
        let below = |h| at(h, VPos::Top);
        area.draw_text("step 0", &below(HPos::Left), (LEFT, bottom + 4))?;
        let last = (self.steps - 1).to_string();
        area.draw_text(&last, &below(HPos::Right), (right, bottom + 4))?;
        Ok(())
    }
}

fn colour(shade: i32) -> RGBColor {
    let share = f64::from(shade.abs().min(SHADES)) / f64::from(SHADES);
    let full = if shade > 0 { (178.0, 32.0, 32.0) } else { (31.0, 90.0, 166.0) };
    let mixed = |full: f64| (255.0 + share * (full - 255.0)).round() as u8;
    RGBColor(mixed(full.0), mixed(full.1), mixed(full.2))
}
