//! Plots in SVG and PNG. The font is built in, so no system font is needed.

use super::curve::{points, window};
use super::map::DecisionMap;
use super::two_phase_plot::ScenarioThresholds;
use crate::model::complaint::Complaint;
use crate::phase_change::Answer;
use crate::solution::{Body, Solution};
use plotters::coord::{CoordTranslate, Shift};
use plotters::prelude::*;
use std::path::Path;
use std::sync::Once;

/// Picture size in pixels.
pub const SIZE: (u32, u32) = (960, 600);

/// The file formats plots come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Scalable vector graphics.
    Svg,
    /// Portable network graphics.
    Png,
}

impl Format {
    /// By the ending of the file's name.
    pub fn of(path: &Path) -> Result<Format, Complaint> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("svg") => Ok(Format::Svg),
            Some("png") => Ok(Format::Png),
            _ => Err(Complaint::elsewhere(
                format!("{}: plots are written as .svg or .png", path.display()),
                "choose a file name that ends so",
            )),
        }
    }
}

/// The picture of a solution, as the bytes of a file.
pub fn draw(solution: &Solution, format: Format) -> Result<Vec<u8>, Complaint> {
    match &solution.body {
        Body::PhaseChange(answer) => {
            picture(format, &ThresholdCurve { title: &solution.title, answer })
        }
        Body::PhaseSwitching(answer) => {
            picture(format, &super::switching::Hysteresis { title: &solution.title, answer })
        }
        Body::LoadDrift(answer) => {
            picture(format, &super::load_drift::Utilizations { title: &solution.title, answer })
        }
        Body::Stopping(answer) => picture(format, &DecisionMap { title: &solution.title, answer }),
        Body::Fluids(answer) | Body::LandBattle(answer) => {
            picture(format, &ScenarioThresholds { title: &solution.title, answer })
        }
        Body::Periodic(answer) => {
            picture(format, &super::periodic::DeviationPicture { title: &solution.title, answer })
        }
    }
}

/// An error of the plotting library; it has no common type across backends.
pub type DrawError = Box<dyn std::error::Error>;

/// Something that can be drawn on either backend.
pub trait Picture {
    /// Width and height in pixels.
    fn size(&self) -> (u32, u32) {
        SIZE
    }

    /// Draws onto the whole area.
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), DrawError>
    where
        B::ErrorType: 'static;
}

/// The bytes of a picture file.
pub fn picture(format: Format, picture: &impl Picture) -> Result<Vec<u8>, Complaint> {
    register_font();
    let size = picture.size();
    let drawn = match format {
        Format::Svg => {
            let mut text = String::new();
            let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
            let drawn = picture.draw(&area).and_then(|()| Ok(area.present()?));
            drop(area);
            drawn.map(|()| text.into_bytes())
        }
        Format::Png => {
            let mut pixels = vec![0; (size.0 * size.1 * 3) as usize];
            let area = BitMapBackend::with_buffer(&mut pixels, size).into_drawing_area();
            let drawn = picture.draw(&area).and_then(|()| Ok(area.present()?));
            drop(area);
            drawn.and_then(|()| encode(&pixels, size))
        }
    };
    drawn.map_err(|error| {
        Complaint::elsewhere(
            format!("the plot could not be drawn: {error}"),
            "try the other format, .svg or .png",
        )
    })
}

fn encode(pixels: &[u8], size: (u32, u32)) -> Result<Vec<u8>, DrawError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, size.0, size.1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(bytes)
}

/// The key to the series of a chart.
pub(super) fn draw_key<'a, B: DrawingBackend + 'a, C: CoordTranslate>(
    chart: &mut ChartContext<'a, B, C>,
    position: SeriesLabelPosition,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    chart
        .configure_series_labels()
        .position(position)
        .label_font(("sans-serif", 16))
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.3))
        .margin(12)
        .draw()
}

fn register_font() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let font = dejavu::sans::regular();
        for style in [FontStyle::Normal, FontStyle::Bold] {
            // Fails only for a font that cannot be read, and this one can.
            let _ = plotters::style::register_font("sans-serif", style, font);
        }
    });
}

/// The colour of thresholds and of the regions where one remaps, in all pictures.
pub const THRESHOLD: RGBColor = RGBColor(31, 90, 166);
/// The colour of certified bands.
pub const BAND: RGBColor = RGBColor(158, 194, 230);

/// pi_n against n with its certified band.
struct ThresholdCurve<'a> {
    title: &'a str,
    answer: &'a Answer,
}

impl Picture for ThresholdCurve<'_> {
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), DrawError>
    where
        B::ErrorType: 'static,
    {
        area.fill(&WHITE)?;
        let curve = &self.answer.curve;
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
        let band = |side: fn(&remapping::threshold::Bounds) -> f64| {
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
