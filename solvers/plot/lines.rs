//! Curves of several colours, with printed values beside them as marks.

use super::{DrawError, draw_key};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

/// A curve and the marks that belong to it.
pub struct Line {
    /// In the legend.
    pub name: String,
    /// In ascending order of x.
    pub points: Vec<(f64, f64)>,
    /// Values from elsewhere, drawn as crosses.
    pub marks: Vec<(f64, f64)>,
}

/// The picture of several curves.
pub struct Lines<'a> {
    /// Above the picture.
    pub title: &'a str,
    /// What the horizontal axis shows.
    pub x: &'a str,
    /// What the vertical axis shows.
    pub y: &'a str,
    /// Whether the horizontal axis is logarithmic.
    pub logarithmic: bool,
    /// The curves.
    pub lines: Vec<Line>,
}

const COLOURS: [RGBColor; 7] = [
    RGBColor(31, 90, 166),
    RGBColor(190, 84, 32),
    RGBColor(46, 125, 80),
    RGBColor(130, 60, 140),
    RGBColor(170, 140, 20),
    RGBColor(90, 90, 90),
    RGBColor(200, 60, 100),
];

impl super::Picture for Lines<'_> {
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), DrawError>
    where
        B::ErrorType: 'static,
    {
        area.fill(&WHITE)?;
        let all = || self.lines.iter().flat_map(|line| line.points.iter().chain(&line.marks));
        let range = |read: fn(&(f64, f64)) -> f64| {
            let least = all().map(read).fold(f64::INFINITY, f64::min);
            let most = all().map(read).fold(f64::NEG_INFINITY, f64::max);
            (least, most.max(least + 1e-9))
        };
        let ((left, right), (least, most)) = (range(|point| point.0), range(|point| point.1));
        let margin = 0.04 * (most - least);
        let bottom = if least >= 0.0 { 0.0 } else { least - margin };
        let y = bottom..most + margin;
        if self.logarithmic {
            self.curves(area, (left..right).log_scale(), y)
        } else {
            self.curves(area, left..right, y)
        }
    }
}

impl Lines<'_> {
    fn curves<B: DrawingBackend, X>(
        &self,
        area: &DrawingArea<B, Shift>,
        x: X,
        y: std::ops::Range<f64>,
    ) -> Result<(), DrawError>
    where
        B::ErrorType: 'static,
        X: AsRangedCoord<Value = f64>,
        X::CoordDescType: ValueFormatter<f64>,
    {
        let mut chart = ChartBuilder::on(area)
            .caption(self.title, ("sans-serif", 24))
            .margin(18)
            .margin_right(30)
            .x_label_area_size(48)
            .y_label_area_size(72)
            .build_cartesian_2d(x, y)?;
        let short = |value: &f64| {
            let text = format!("{value:.4}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        };
        chart
            .configure_mesh()
            .x_desc(self.x)
            .y_desc(self.y)
            .x_label_formatter(&short)
            .y_label_formatter(&short)
            .label_style(("sans-serif", 16))
            .light_line_style(TRANSPARENT)
            .draw()?;
        for (line, colour) in self.lines.iter().zip(COLOURS.iter().cycle()) {
            let stroke = colour.stroke_width(2);
            chart
                .draw_series(LineSeries::new(line.points.iter().copied(), stroke))?
                .label(&line.name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], stroke));
            if line.points.len() <= 60 {
                let dots = line.points.iter().map(|at| Circle::new(*at, 3, colour.filled()));
                chart.draw_series(dots)?;
            }
            let crosses = line.marks.iter().map(|at| Cross::new(*at, 6, stroke));
            chart.draw_series(crosses)?;
        }
        let marks = self.lines.iter().any(|line| !line.marks.is_empty());
        if marks {
            let nothing: [(f64, f64); 0] = [];
            chart
                .draw_series(LineSeries::new(nothing, BLACK))?
                .label("printed")
                .legend(|(x, y)| Cross::new((x + 12, y), 6, BLACK.stroke_width(2)));
        }
        draw_key(&mut chart, SeriesLabelPosition::UpperMiddle)?;
        Ok(())
    }
}
