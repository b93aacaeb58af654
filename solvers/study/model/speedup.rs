//! A machine and a job of growing size in a study: the speedup of [NR90, sec. V.C].

use super::Printed;
use serde::Deserialize;

/// A computation that grows, on a growing machine.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scaled {
    /// Its name.
    pub name: String,
    /// b_r: cycles between two remappings.
    pub cycles: f64,
    /// c_x: the time to update a point.
    pub update: f64,
    /// c_r: the cost of moving a point to another processor.
    pub remap: f64,
    /// The time to exchange a point of an edge with a neighbor.
    #[serde(default)]
    pub exchange: f64,
    /// How the points move.
    pub moves: Moves,
    /// P, if it is fixed: the axis is then L.
    pub processors: Option<f64>,
    /// L / P, if both grow: the axis is then P.
    pub points_per_processor: Option<f64>,
    /// Positions on the axis.
    pub points: Vec<Printed>,
}

/// How the points move in a remap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Moves {
    /// One after the other: h = 1.
    OneByOne,
    /// All at once, log P times: h = (log P) / P.
    Crystal,
    /// All at once: h = 1 / P.
    AtOnce,
}

impl Scaled {
    /// The first fault, if any.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let above = |value: f64| value.is_finite() && value > 0.0;
        let not_below = |value: f64| value.is_finite() && value >= 0.0;
        let one = |value: f64| value.is_finite() && value >= 1.0;
        match () {
            () if !above(self.cycles) || !above(self.update) => {
                Some("`cycles` and `update` are greater than 0")
            }
            () if !not_below(self.remap) || !not_below(self.exchange) => {
                Some("`remap` and `exchange` are at least 0")
            }
            () if self.processors.is_some() == self.points_per_processor.is_some() => {
                Some("give one of `processors` and `points_per_processor`")
            }
            () => {
                let sizes = self.processors.iter().chain(&self.points_per_processor);
                let mut all = sizes.copied().chain(self.points.iter().map(|point| point.at));
                (!all.all(one)).then_some("numbers of processors and of points are at least 1")
            }
        }
    }
}
