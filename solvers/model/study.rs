//! Study files: a table or figure of a paper, what it prints, and the models that give it.

use super::{decode, folder_of, parse, read_bytes};
use crate::complaint::{Complaint, ReadText, Source};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The content of a study file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Which table or figure.
    pub title: String,
    /// Where it stands.
    #[serde(default)]
    pub source: Option<String>,
    /// What the horizontal axis shows.
    pub x: String,
    /// What the vertical axis shows.
    pub y: String,
    /// Whether the horizontal axis is logarithmic.
    #[serde(default)]
    pub logarithmic: bool,
    /// The least value the picture shows; what lies below is drawn there.
    #[serde(default)]
    pub shown_from: Option<f64>,
    /// How far a printed number may be off, by its own account.
    #[serde(default)]
    pub printed_within: f64,
    /// The curves, or the columns of the table.
    pub series: Vec<Series>,
}

/// One curve or column.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Series {
    /// The share of the possible gain that the heuristic of 1986 keeps, in per cent.
    Kept {
        /// Its name.
        name: String,
        /// A model for each point.
        points: Vec<Point>,
    },
    /// What the optimal policy saves of the time never remapping takes, in per cent.
    Saved {
        /// Its name.
        name: String,
        /// A model for each point.
        points: Vec<Point>,
    },
    /// The share of the possible gain that the heuristic keeps when it misjudges the gain by factors.
    Misjudged {
        /// Its name.
        name: String,
        /// The model.
        model: PathBuf,
        /// A factor for each point.
        points: Vec<Printed>,
    },
    /// The optimal thresholds, step by step.
    Thresholds {
        /// Its name.
        name: String,
        /// The model.
        model: PathBuf,
    },
    /// The expected number of reports after a change until the belief, 0 before it, exceeds tau.
    Response {
        /// Its name.
        name: String,
        /// The model: its hazard, its detector, and M, after which it counts no further.
        model: PathBuf,
        /// The thresholds tau.
        points: Vec<Printed>,
    },
    /// The probability that the belief exceeds tau within M cycles without a change.
    Premature {
        /// Its name.
        name: String,
        /// The model: its hazard, its detector, and M.
        model: PathBuf,
        /// The thresholds tau.
        points: Vec<Printed>,
    },
}

/// A point with a model of its own.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Where on the horizontal axis.
    pub at: f64,
    /// The model.
    pub model: PathBuf,
    /// What the paper prints, if it does.
    #[serde(default)]
    pub printed: Option<f64>,
}

/// A point, and what the paper prints there.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Printed {
    /// Where on the horizontal axis.
    pub at: f64,
    /// What the paper prints, if it does.
    #[serde(default)]
    pub printed: Option<f64>,
}

impl Study {
    /// Reads the study file at `path`; paths inside it become relative to the current folder.
    pub fn read(path: &Path) -> Result<Study, Vec<Complaint>> {
        let one = |complaint| vec![complaint];
        let text = read_bytes(path).and_then(|bytes| decode(path, bytes)).map_err(one)?;
        let source: Source = Arc::new(ReadText::new(path.display().to_string(), text));
        if !text_of(&source).starts_with("Study") {
            let help =
                "a study file reads Study(title: \"...\", x: \"...\", y: \"...\", series: [...])";
            let message = "this is not a study";
            return Err(vec![Complaint::at(&source, 0..0, message, "expected Study(...)", help)]);
        }
        let (mut study, _) = parse::<Study>(&source)?;
        let folder = folder_of(path);
        for series in &mut study.series {
            match series {
                Series::Kept { points, .. } | Series::Saved { points, .. } => {
                    points.iter_mut().for_each(|point| point.model = folder.join(&point.model));
                }
                Series::Misjudged { model, .. }
                | Series::Thresholds { model, .. }
                | Series::Response { model, .. }
                | Series::Premature { model, .. } => *model = folder.join(&*model),
            }
        }
        Ok(study)
    }
}

/// The text without the comments before it.
fn text_of(source: &Source) -> &str {
    let mut text = source.text().trim_start();
    while let Some(comment) = text.strip_prefix("//") {
        text = comment.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
    }
    text
}

impl Series {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Series::Kept { name, .. }
            | Series::Saved { name, .. }
            | Series::Misjudged { name, .. }
            | Series::Thresholds { name, .. }
            | Series::Response { name, .. }
            | Series::Premature { name, .. } => name,
        }
    }
}
