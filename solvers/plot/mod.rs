//! Drawing primitives: pictures in SVG and PNG. The font is built in, so no system font is needed.

pub mod chart;
pub mod heat;

use crate::complaint::Complaint;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::path::Path;
use std::sync::Once;

/// Picture size in pixels.
pub const SIZE: (u32, u32) = (960, 600);

/// The file formats of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Scalable vector graphics.
    Svg,
    /// Portable network graphics.
    Png,
}

impl Format {
    /// The format for the extension of a file name.
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

/// An error of the plotting library; it has no common type across backends.
pub type DrawError = Box<dyn std::error::Error>;

/// A backend whose errors can be passed on.
pub trait Canvas: DrawingBackend<ErrorType: 'static> {}

impl<B: DrawingBackend<ErrorType: 'static>> Canvas for B {}

/// A part of a picture.
pub type Area<B> = DrawingArea<B, Shift>;

/// Something that can be drawn on either backend.
pub trait Picture {
    /// Width and height in pixels.
    fn size(&self) -> (u32, u32) {
        SIZE
    }

    /// Draws onto the whole of an area, which is white.
    fn draw<B: Canvas>(&self, area: &Area<B>) -> Result<(), DrawError>;
}

/// The bytes of a picture file.
pub fn picture(format: Format, picture: &impl Picture) -> Result<Vec<u8>, Complaint> {
    register_font();
    let size = picture.size();
    let drawn = match format {
        Format::Svg => {
            let mut text = String::new();
            let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
            let drawn = drawn_on(&area, picture);
            drop(area);
            drawn.map(|()| text.into_bytes())
        }
        Format::Png => {
            let mut pixels = vec![0; (size.0 * size.1 * 3) as usize];
            let area = BitMapBackend::with_buffer(&mut pixels, size).into_drawing_area();
            let drawn = drawn_on(&area, picture);
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

fn drawn_on<B: Canvas>(area: &Area<B>, picture: &impl Picture) -> Result<(), DrawError> {
    area.fill(&WHITE)?;
    picture.draw(area)?;
    Ok(area.present()?)
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

fn register_font() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let font = dejavu::sans::regular();
        for style in [FontStyle::Normal, FontStyle::Bold] {
            // This fails only for a font that cannot be read, and the built-in one can be.
            let _ = plotters::style::register_font(FONT, style, font);
        }
    });
}

/// The font of all pictures, which is built in.
pub const FONT: &str = "sans-serif";

/// The color of thresholds, and of regions where one remaps, in all pictures.
pub const THRESHOLD: RGBColor = RGBColor(31, 90, 166);
/// The color of certified bands.
pub const BAND: RGBColor = RGBColor(158, 194, 230);
/// The color of the opposite: the switch back, the new mapping.
pub const AGAINST: RGBColor = RGBColor(190, 84, 32);

/// The colors of the curves of a chart, in this order.
pub const COLOURS: [RGBColor; 8] = [
    THRESHOLD,
    AGAINST,
    RGBColor(46, 125, 80),
    RGBColor(130, 60, 140),
    RGBColor(170, 140, 20),
    RGBColor(90, 90, 90),
    RGBColor(200, 60, 100),
    RGBColor(125, 85, 60),
];
