//! Numbers side by side, as bars.

use super::{BAND, DrawError, FONT, THRESHOLD};
use plotters::coord::Shift;
use plotters::prelude::*;

/// A bar for each name.
pub struct Bars<'a> {
    /// Above the picture.
    pub title: &'a str,
    /// What the numbers are.
    pub axis: &'a str,
    /// Name, number and how far it may be off.
    pub bars: Vec<(&'a str, f64, f64)>,
}

impl super::Picture for Bars<'_> {
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), DrawError>
    where
        B::ErrorType: 'static,
    {
        area.fill(&WHITE)?;
        let count = self.bars.len().max(1) as f64;
        let most = self.bars.iter().map(|(_, value, off)| value + off).fold(0.0, f64::max);
        let most = if most > 0.0 { 1.25 * most } else { 1.0 };
        let mut chart = ChartBuilder::on(area)
            .caption(self.title, (FONT, 24))
            .margin(18)
            .x_label_area_size(48)
            .y_label_area_size(20)
            .build_cartesian_2d(0.0..most, 0.0..count)?;
        chart
            .configure_mesh()
            .x_desc(self.axis)
            .y_labels(0)
            .disable_y_mesh()
            .label_style((FONT, 16))
            .light_line_style(TRANSPARENT)
            .draw()?;
        for (k, (name, value, off)) in self.bars.iter().enumerate() {
            let top = count - k as f64;
            let (from, to) = (top - 0.3, top - 0.7);
            let bar = Rectangle::new([(0.0, from), (*value, to)], BAND.filled());
            chart.draw_series(std::iter::once(bar))?;
            let ends = [(value - off, top - 0.5), (value + off, top - 0.5)];
            chart.draw_series(LineSeries::new(ends, THRESHOLD.stroke_width(2)))?;
            let text = format!("{name}   {value:.6}");
            let label = Text::new(text, (0.01 * most, top - 0.08), (FONT, 17));
            chart.draw_series(std::iter::once(label))?;
        }
        Ok(())
    }
}
