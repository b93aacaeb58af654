//! Charts described by data: curves, areas and marks over two axes.

mod apart;
mod words;

use super::{Area, COLOURS, Canvas, DrawError, FONT, Picture};
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::ops::Range;
use words::beside;

/// A chart with a key to its series.
pub struct Chart<'a> {
    /// The title above the chart; may be empty.
    pub title: &'a str,
    /// The horizontal axis.
    pub x: Axis<'a>,
    /// The vertical axis.
    pub y: Axis<'a>,
    /// The series, drawn one over the other; those with a name appear in a key above.
    pub series: Vec<Series>,
}

/// An axis.
pub struct Axis<'a> {
    /// The quantity it shows.
    pub name: &'a str,
    /// Its range.
    pub range: Range<f64>,
    /// Whether it is logarithmic.
    pub logarithmic: bool,
    /// The digits after the decimal point of its labels; `None` for no labels.
    pub digits: Option<usize>,
}

impl<'a> Axis<'a> {
    /// A linear axis.
    pub fn new(name: &'a str, range: Range<f64>, digits: usize) -> Axis<'a> {
        let wide = if range.end > range.start { range } else { range.start..range.start + 1.0 };
        Axis { name, range: wide, logarithmic: false, digits: Some(digits) }
    }

    fn label(&self, value: f64) -> String {
        let text = match self.digits {
            None => return String::new(),
            Some(_) if value.abs() >= 1e9 => return format!("{value:.5e}"),
            Some(digits) if value.abs() >= 1e6 => return thousands(value / 1e6, digits + 6, "M"),
            Some(digits) if value.abs() >= 1e4 => return thousands(value / 1e3, digits + 3, "k"),
            Some(digits) if digits > 6 && value != 0.0 => return format!("{value:.3e}"),
            Some(_) if self.logarithmic && value < 1e-3 => return format!("{value:e}"),
            Some(_) if self.logarithmic => format!("{value}"),
            Some(digits) => format!("{value:.digits$}"),
        };
        // A number that rounds to 0 is shown as 0.
        let text = match text.parse() {
            Ok(0.0) => text.trim_start_matches('-'),
            _ => &text,
        };
        if !text.contains('.') {
            return text.to_owned();
        }
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

/// A number in thousands or millions, without trailing zeros.
fn thousands(value: f64, digits: usize, unit: &str) -> String {
    let text = format!("{value:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0') } else { &text };
    format!("{}{unit}", text.trim_end_matches('.'))
}

/// Points drawn in one way and one color.
pub struct Series {
    name: String,
    colour: RGBColor,
    points: Vec<(f64, f64)>,
    mark: Mark,
    /// The pattern of dashes; none at 0.
    dashes: usize,
}

/// The pixels that are drawn and skipped.
const DASHES: [(u32, u32); 3] = [(9, 9), (4, 8), (14, 6)];

enum Mark {
    Line,
    Area(f64),
    Dots,
    Crosses,
    Words(Vec<String>),
}

impl Series {
    /// A curve.
    pub fn line(colour: RGBColor, points: impl IntoIterator<Item = (f64, f64)>) -> Series {
        let points = points.into_iter().collect();
        Series { name: String::new(), colour, points, mark: Mark::Line, dashes: 0 }
    }

    /// The area within these points.
    pub fn area(
        colour: RGBColor,
        opacity: f64,
        outline: impl IntoIterator<Item = (f64, f64)>,
    ) -> Series {
        Series { mark: Mark::Area(opacity), ..Series::line(colour, outline) }
    }

    /// Dots.
    pub fn dots(colour: RGBColor, points: impl IntoIterator<Item = (f64, f64)>) -> Series {
        Series { mark: Mark::Dots, ..Series::line(colour, points) }
    }

    /// Crosses.
    pub fn crosses(colour: RGBColor, points: impl IntoIterator<Item = (f64, f64)>) -> Series {
        Series { mark: Mark::Crosses, ..Series::line(colour, points) }
    }

    /// Dots with a word at each.
    pub fn words(
        colour: RGBColor,
        points: impl IntoIterator<Item = (String, (f64, f64))>,
    ) -> Series {
        let (words, points): (Vec<_>, Vec<_>) = points.into_iter().unzip();
        Series { mark: Mark::Words(words), ..Series::line(colour, points) }
    }

    /// The series with a name in the key.
    pub fn named(self, name: impl Into<String>) -> Series {
        Series { name: name.into(), ..self }
    }
}

/// A curve by name, its points, and the printed values of the paper.
pub type Printed = (String, Vec<(f64, f64)>, Vec<(f64, f64)>);

impl<'a> Chart<'a> {
    /// Curves in the order of the palette, with printed values as crosses.
    pub fn of_curves(
        title: &'a str,
        (x, logarithmic): (&'a str, bool),
        y: &'a str,
        curves: Vec<Printed>,
    ) -> Chart<'a> {
        let range = |read: fn(&(f64, f64)) -> f64| {
            let all = || curves.iter().flat_map(|(_, points, marks)| points.iter().chain(marks));
            let least = all().map(read).fold(f64::INFINITY, f64::min);
            let most = all().map(read).fold(f64::NEG_INFINITY, f64::max);
            least..most.max(least + 1e-9)
        };
        let (across, up) = (range(|point| point.0), range(|point| point.1));
        let margin = 0.04 * (up.end - up.start);
        let bottom = if up.start >= 0.0 { 0.0 } else { up.start - margin };
        let x = Axis { logarithmic, ..Axis::new(x, across, 4) };
        let y = Axis::new(y, bottom..up.end + margin, 4);
        let any = curves.iter().any(|(.., marks)| !marks.is_empty());
        let mut series = Vec::new();
        for ((name, points, marks), colour) in curves.into_iter().zip(COLOURS.into_iter().cycle()) {
            series.push(Series::line(colour, points.iter().copied()).named(name));
            if points.len() <= 60 {
                series.push(Series::dots(colour, points));
            }
            series.push(Series::crosses(colour, marks));
        }
        if any {
            series.push(Series::crosses(BLACK, []).named("printed"));
        }
        Chart { title, x, y, series }.told_apart()
    }
}

impl Picture for Chart<'_> {
    fn draw<B: Canvas>(&self, area: &Area<B>) -> Result<(), DrawError> {
        let mut area = area.clone();
        if !self.title.is_empty() {
            area = area.margin(8, 0, 0, 0).titled(self.title, (FONT, 24))?;
        }
        let area = &self.draw_key(area)?;
        let (x, y) = (self.x.range.clone(), self.y.range.clone());
        match (self.x.logarithmic, self.y.logarithmic) {
            (false, false) => self.with(area, x, y),
            (true, false) => self.with(area, x.log_scale(), y),
            (false, true) => self.with(area, x, y.log_scale()),
            (true, true) => self.with(area, x.log_scale(), y.log_scale()),
        }
    }
}

impl Chart<'_> {
    fn with<B: Canvas, X, Y>(&self, area: &Area<B>, x: X, y: Y) -> Result<(), DrawError>
    where
        X: AsRangedCoord<Value = f64, CoordDescType: ValueFormatter<f64>>,
        Y: AsRangedCoord<Value = f64, CoordDescType: ValueFormatter<f64>>,
    {
        let mut builder = ChartBuilder::on(area);
        builder.margin(18).margin_right(30).x_label_area_size(48).y_label_area_size(72);
        let mut chart = builder.build_cartesian_2d(x, y)?;
        let labels = |axis: &Axis<'_>| if axis.digits.is_some() { 10 } else { 0 };
        chart
            .configure_mesh()
            .x_desc(self.x.name)
            .y_desc(self.y.name)
            .x_labels(labels(&self.x))
            .y_labels(labels(&self.y))
            .x_label_formatter(&|value| self.x.label(*value))
            .y_label_formatter(&|value| self.y.label(*value))
            .label_style((FONT, 16))
            .light_line_style(TRANSPARENT)
            .draw()?;
        for series in &self.series {
            let (colour, points) = (series.colour, series.points.iter().copied());
            let thick = colour.stroke_width(2);
            match &series.mark {
                Mark::Line => match series.dashes {
                    0 => chart.draw_series(LineSeries::new(points, thick))?,
                    kind => {
                        let (drawn, left) = DASHES[(kind - 1) % DASHES.len()];
                        let dashed = DashedLineSeries::new(points, drawn, left, thick);
                        chart.draw_series(dashed)?
                    }
                },
                Mark::Area(opacity) => {
                    let outline = points.collect::<Vec<_>>();
                    chart.draw_series([Polygon::new(outline, colour.mix(*opacity))])?
                }
                Mark::Dots => {
                    chart.draw_series(points.map(|at| Circle::new(at, 3, colour.filled())))?
                }
                Mark::Crosses => chart.draw_series(points.map(|at| Cross::new(at, 6, thick)))?,
                Mark::Words(words) => {
                    let style = (FONT, 14).into_text_style(area);
                    let size = |word: &String| area.estimate_text_size(word, &style);
                    let sizes = words.iter().map(size).collect::<Result<Vec<_>, _>>()?;
                    let pixels: Vec<_> =
                        points.clone().map(|at| chart.backend_coord(&at)).collect();
                    let (across, down) = chart.plotting_area().get_pixel_range();
                    // There is space beyond the right end, but the other sides have labels.
                    let right = area.get_pixel_range().0.end;
                    let room = [across.start, down.start, right, down.end];
                    let places = beside(&pixels, &sizes, room);
                    let words = points.zip(words).zip(places.into_iter().zip(sizes));
                    chart.draw_series(words.map(|((at, word), (place, size))| {
                        EmptyElement::at(at)
                            + Circle::new((0, 0), 4, colour.filled())
                            + PathElement::new(words::leader(place, size), colour.mix(0.5))
                            + Text::new(word.clone(), place, (FONT, 14))
                    }))?
                }
            };
        }
        Ok(())
    }

    /// Draws the key at the top of an area, in as many rows as it needs, and returns the area
    /// below.
    fn draw_key<B: Canvas>(&self, area: Area<B>) -> Result<Area<B>, DrawError> {
        const LEFT: i32 = 90;
        const SYMBOL: i32 = 32;
        const ROW: i32 = 22;
        let style = (FONT, 16).into_text_style(&area).pos(Pos::new(HPos::Left, VPos::Center));
        let right = area.dim_in_pixel().0 as i32 - 30;
        let (mut x, mut y) = (LEFT, ROW / 2 + 6);
        let mut places = Vec::new();
        for series in self.series.iter().filter(|series| !series.name.is_empty()) {
            let (width, _) = area.estimate_text_size(&series.name, &style)?;
            let width = SYMBOL + width as i32;
            if x > LEFT && x + width > right {
                (x, y) = (LEFT, y + ROW);
            }
            places.push((series, x, y));
            x += width + 24;
        }
        if places.is_empty() {
            return Ok(area);
        }
        let (key, rest) = area.split_vertically(y + ROW / 2);
        for (series, x, y) in places {
            series.draw_symbol(&key, (x, y))?;
            key.draw_text(&series.name, &style, (x + SYMBOL, y))?;
        }
        Ok(rest)
    }
}

impl Series {
    /// Draws its symbol in the key.
    fn draw_symbol<B: Canvas>(&self, area: &Area<B>, (x, y): (i32, i32)) -> Result<(), DrawError> {
        let (colour, middle) = (self.colour, (x + 12, y));
        let thick = colour.stroke_width(2);
        match &self.mark {
            Mark::Line if self.dashes > 0 => {
                let (drawn, left) = DASHES[(self.dashes - 1) % DASHES.len()];
                for from in (x..x + 24).step_by((drawn + left) as usize) {
                    let to = (from + drawn as i32).min(x + 24);
                    area.draw(&PathElement::new([(from, y), (to, y)], thick))?;
                }
            }
            Mark::Line => area.draw(&PathElement::new([(x, y), (x + 24, y)], thick))?,
            Mark::Area(opacity) => {
                let fill = colour.mix(*opacity).filled();
                area.draw(&Rectangle::new([(x, y - 5), (x + 24, y + 5)], fill))?;
            }
            Mark::Dots | Mark::Words(_) => area.draw(&Circle::new(middle, 4, colour.filled()))?,
            Mark::Crosses => area.draw(&Cross::new(middle, 6, thick))?,
        }
        Ok(())
    }
}
