//! Study files: a table or figure of a paper, its printed values, and the models that reproduce it.

mod speedup;

pub use speedup::{Moves, Scaled};

use crate::complaint::{Complaint, ReadText, Source};
use crate::model::{decode, folder_of, places, read_bytes, values};
use remapping::stopping::Learner;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The content of a study file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// The table or figure.
    pub title: String,
    /// Its place in the paper.
    pub source: Option<String>,
    /// What the horizontal axis shows.
    pub x: String,
    /// What the vertical axis shows.
    pub y: String,
    /// Whether the horizontal axis is logarithmic.
    #[serde(default)]
    pub logarithmic: bool,
    /// The least value in the picture; smaller ones are drawn there.
    pub shown_from: Option<f64>,
    /// The largest error of a printed number, as the paper states it.
    #[serde(default)]
    pub printed_within: f64,
    /// The curves, or the columns of the table.
    pub series: Vec<Series>,
}

/// One curve or column.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Series {
    /// The share of the possible gain that the heuristic of 1986 keeps, in percent.
    Kept(OfModels),
    /// The saving of the optimal policy, in percent of the time of never remapping.
    Saved(OfModels),
    /// The saving of the optimal policy, in percent of its own time. Cycles before the change cost
    /// as much as those of a remapped program after it.
    SavedOfOptimal(OfModels),
    /// The share of the possible gain that the heuristic keeps when the gain it assumes is wrong by
    /// a factor, by that factor.
    Misjudged(OfModel),
    /// The optimal thresholds, step by step.
    Thresholds {
        /// Its name.
        name: String,
        /// The model.
        model: PathBuf,
    },
    /// The expected number of observations after a change until the belief, 0 before it, exceeds
    /// tau, by tau. Of the model only the hazard, the detector and M count, the last cycle.
    Response(OfModel),
    /// The probability that the belief exceeds tau within M cycles without a change, by tau.
    Premature(OfModel),
    /// The cost of retaining the mapping at a step, over the belief.
    Retaining(CostCurve),
    /// The cost of remapping at a step, over the belief.
    Remapping(CostCurve),
    /// The excess of a policy's cost over the optimum of recurring phases, in percent of the
    /// optimum.
    AboveOptimum {
        /// Its name.
        name: String,
        /// The model, a `PhaseSwitching` one.
        model: PathBuf,
        /// The policy's name in `compare`.
        policy: String,
        /// Mean lengths of the first phase, in cycles; those of the second change in proportion.
        points: Vec<Printed>,
    },
    /// The speedup between two remappings.
    Speedup(Scaled),
    /// The expected utilization of each step of a program that never remaps: E (mean / max).
    Utilization(Unremapped),
    /// The expected imbalance of each step of a program that never remaps: E (max - mean).
    MeanImbalance(Unremapped),
    /// The utilization of each step of one path without remaps.
    SampledUtilization(Sampled),
    /// W(n), the average cost per step if the first remap is after step n, along one path.
    AverageCost(Sampled),
    /// The error of J learned from a number of observed steps of an unknown chain.
    Learning {
        /// Its name.
        name: String,
        /// The model, a `Stopping` one.
        model: PathBuf,
        /// The learning method.
        learner: Learner,
        /// The number of runs with different observations.
        runs: u64,
        /// The seed of the random numbers.
        seed: u64,
        /// The numbers of observed steps, in ascending order.
        points: Vec<Printed>,
    },
    /// The distance of given loads of mean 1 from balance, by the number of processors.
    Scenario {
        /// Its name.
        name: String,
        /// The loads.
        loads: Uneven,
        /// The measure of that distance.
        measure: Measure,
        /// The numbers of processors.
        points: Vec<Printed>,
    },
    /// W(n) over many paths: its first local minimum, its least value, or the excess of the first
    /// over the second.
    Minimum {
        /// Its name.
        name: String,
        /// The model.
        model: PathBuf,
        /// The value of W.
        which: Which,
        /// The number of paths.
        runs: u64,
        /// The seed of the random numbers.
        seed: u64,
        /// The numbers of processors.
        points: Vec<Printed>,
    },
}

/// A curve of points that have models of their own.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfModels {
    /// Its name.
    pub name: String,
    /// A model for each point.
    pub points: Vec<Point>,
}

/// A curve of points that share a model.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfModel {
    /// Its name.
    pub name: String,
    /// The model.
    pub model: PathBuf,
    /// The points.
    pub points: Vec<Printed>,
}

/// A step of a change of phase as a function of the belief.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostCurve {
    /// Its name.
    pub name: String,
    /// The model.
    pub model: PathBuf,
    /// The step.
    pub step: u64,
}

/// A program with drifting loads that never remaps.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unremapped {
    /// Its name.
    pub name: String,
    /// The model.
    pub model: PathBuf,
    /// The number of processors, if it is not that of the model.
    pub processors: Option<usize>,
}

/// One path of a program with drifting loads that never remaps.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sampled {
    /// Its name.
    pub name: String,
    /// The model.
    pub model: PathBuf,
    /// The number of processors, if it is not that of the model.
    pub processors: Option<usize>,
    /// The seed of the random numbers.
    pub seed: u64,
}

/// Loads of mean 1.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub enum Uneven {
    /// Half of them this much below the mean, half above.
    Half(f64),
    /// One this much below, one above, the others balanced.
    Pair(f64),
    /// One above it, the others this much below.
    One(f64),
}

/// The distance of loads from their mean, as a share of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Measure {
    /// The largest deviation, d.
    Extreme,
    /// The root of the sum of squares, v.
    Deviation,
}

/// A value of W(n).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Which {
    /// The first local minimum.
    First,
    /// The least value.
    Least,
    /// The excess of the mean of the first over that of the second, in percent of the latter.
    Excess,
}

/// A point with its own model.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// The position on the horizontal axis.
    pub at: f64,
    /// The model.
    pub model: PathBuf,
    /// The value that the paper prints, if it does.
    pub printed: Option<f64>,
}

/// A point, and the value that the paper prints for it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Printed {
    /// The position on the horizontal axis.
    pub at: f64,
    /// The value that the paper prints, if it does.
    pub printed: Option<f64>,
}

impl Study {
    /// Reads the study file at `path`; paths inside it become relative to the current folder.
    pub fn read(path: &Path) -> Result<Study, Vec<Complaint>> {
        let text = read_bytes(path).and_then(|bytes| decode(path, bytes))?;
        let source: Source = Arc::new(ReadText::new(path.display().to_string(), text));
        if !text_of(&source).starts_with("Study") {
            let help =
                "a study file reads Study(title: \"...\", x: \"...\", y: \"...\", series: [...])";
            let message = "this is not a study";
            return Err(vec![Complaint::at(&source, 0..0, message, "expected Study(...)", help)]);
        }
        let mut study: Study = values(&source, &places(&source)?, source.text(), &[])?;
        for series in &study.series {
            if let Series::Speedup(scaled) = series
                && let Some(fault) = scaled.fault()
            {
                let message =
                    format!("{}: the series {:?} cannot be computed", path.display(), scaled.name);
                return Err(vec![Complaint::elsewhere(message, fault)]);
            }
        }
        let folder = folder_of(path);
        for series in &mut study.series {
            for model in series.models_mut() {
                *model = folder.join(&*model);
            }
        }
        Ok(study)
    }
}

/// The text after its leading comments.
fn text_of(source: &Source) -> &str {
    let mut text = source.text().trim_start();
    while let Some(comment) = text.strip_prefix("//") {
        text = comment.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
    }
    text
}

impl Series {
    /// The files of its models.
    pub fn models_mut(&mut self) -> Vec<&mut PathBuf> {
        match self {
            Series::Kept(curve) | Series::Saved(curve) | Series::SavedOfOptimal(curve) => {
                curve.points.iter_mut().map(|point| &mut point.model).collect()
            }
            Series::Misjudged(OfModel { model, .. })
            | Series::Thresholds { model, .. }
            | Series::Response(OfModel { model, .. })
            | Series::Premature(OfModel { model, .. })
            | Series::Utilization(Unremapped { model, .. })
            | Series::MeanImbalance(Unremapped { model, .. })
            | Series::SampledUtilization(Sampled { model, .. })
            | Series::AverageCost(Sampled { model, .. })
            | Series::Learning { model, .. }
            | Series::Minimum { model, .. }
            | Series::Retaining(CostCurve { model, .. })
            | Series::Remapping(CostCurve { model, .. })
            | Series::AboveOptimum { model, .. } => vec![model],
            Series::Speedup(_) | Series::Scenario { .. } => Vec::new(),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Series::Kept(OfModels { name, .. })
            | Series::Saved(OfModels { name, .. })
            | Series::SavedOfOptimal(OfModels { name, .. })
            | Series::Misjudged(OfModel { name, .. })
            | Series::Thresholds { name, .. }
            | Series::Response(OfModel { name, .. })
            | Series::Premature(OfModel { name, .. })
            | Series::Utilization(Unremapped { name, .. })
            | Series::MeanImbalance(Unremapped { name, .. })
            | Series::SampledUtilization(Sampled { name, .. })
            | Series::AverageCost(Sampled { name, .. })
            | Series::Learning { name, .. }
            | Series::Minimum { name, .. }
            | Series::Scenario { name, .. }
            | Series::Retaining(CostCurve { name, .. })
            | Series::Remapping(CostCurve { name, .. })
            | Series::AboveOptimum { name, .. }
            | Series::Speedup(Scaled { name, .. }) => name,
        }
    }

    /// The quantity it shows, in words.
    pub fn quantity(&self) -> &'static str {
        match self {
            Series::Kept(_) => "gain kept by the heuristic, %",
            Series::Misjudged(_) => "gain kept by the heuristic that misjudges it, %",
            Series::Saved(_) => "time saved by the optimal policy, %",
            Series::SavedOfOptimal(_) => {
                "time saved by the optimal policy, % of its own, e_F = e_R"
            }
            Series::Thresholds { .. } => "optimal threshold",
            Series::Retaining(_) => "expected cost of retaining, exactly",
            Series::Remapping(_) => "expected cost of remapping, exactly",
            Series::AboveOptimum { .. } => "cost above the optimum, % of it",
            Series::Speedup(_) => "speedup between two remappings, by the formula",
            Series::Response(_) => "reports after a change",
            Series::Premature(_) => "probability of a premature remapping",
            Series::Utilization(_) => "expected utilization of each step, exactly",
            Series::MeanImbalance(_) => "expected max - mean of each step, exactly",
            Series::SampledUtilization(_) => "utilization of each step of one path",
            Series::AverageCost(_) => "W(n) along one path",
            Series::Learning { .. } => {
                "mean |J learnt - J| of the unbalanced, % of the remap cost, 95 % confidence"
            }
            Series::Scenario { measure: Measure::Extreme, .. } => "d, the largest deviation",
            Series::Scenario { measure: Measure::Deviation, .. } => {
                "v, the root of the sum of squares"
            }
            Series::Minimum { which: Which::First, .. } => {
                "mean of W(n) at its first minimum, 95 % confidence"
            }
            Series::Minimum { which: Which::Least, .. } => {
                "mean of W(n) at its least, 95 % confidence"
            }
            Series::Minimum { which: Which::Excess, .. } => {
                "first minimum of W(n) above the least, % of the mean, 95 % confidence"
            }
        }
    }

    /// Whether its numbers are estimates from sample paths.
    pub fn is_statistical(&self) -> bool {
        matches!(self, Series::Minimum { .. } | Series::Learning { .. })
    }
}
