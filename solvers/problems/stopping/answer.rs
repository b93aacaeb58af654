//! The answer to optimal stopping: a decision for every load vector.

use crate::document::Bounds;
use crate::document::dynamics::{Dynamics, Kind};
use crate::document::priced::Priced;
use crate::problems::shared::map;
use remapping::stopping::mean_and_spread;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// The decision map of a stopping problem.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Levels of each process, or the number of listed states of a joint chain.
    pub shape: Vec<usize>,
    /// The lowest load of each process; absent for a joint chain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lowest: Vec<i64>,
    /// The listed load vectors of a joint chain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<Vec<i64>>,
    /// rho; where it depends on the loads, the largest value.
    pub remap_cost: f64,
    /// How it depends on the loads, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_by_state: Option<CostByState>,
    /// The number of steps after which the computation ends, if it does; `decision` is that of the
    /// first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// With `steps`, where a limit stopped the computation: `decision` and `remaps_from` are those
    /// of a program of this many steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps_done: Option<u64>,
    /// With `steps` and `Stop`: the least number of remaining steps with which each load vector
    /// remaps; null where none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remaps_from: Option<Vec<Option<u64>>>,
    /// Present where a remap may move any number of units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial_remaps: Option<PartialRemaps>,
    /// For walks without a highest load: the number of levels of each that were kept for J on the
    /// listed ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_levels: Option<usize>,
    /// The number of load vectors.
    pub states: Vectors,
    /// The number of states after lumping equal processes.
    pub classes: usize,
    /// `B`alanced, `R`emap or `C`ontinue for each load vector, row-major, the last process fastest;
    /// absent beyond 10^6 of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// The load vectors whose two branches agree within the proved bounds, as indices into
    /// `decision`. Where that is absent, one load vector of each class.
    pub ties: Vec<u128>,
    /// The number of load vectors that are balanced, remap and continue; ties count as they are
    /// shown.
    pub counts: Counts,
    /// The largest distance between the proved bounds on J, relative to max(1, `remap_value`).
    /// Where a program with an end continues after remaps, relative to the largest J if that is
    /// more.
    pub value_gap: f64,
    /// The total cost of remapping: rho, or rho + sum(J)/|M|.
    pub remap_value: f64,
    /// Proved bounds on `remap_value`.
    pub remap_bounds: [f64; 2],
    /// The number of applications of the transition operator.
    pub iterations: u64,
    /// The states of the computation.
    pub representation: Representation,
    /// The largest J.
    pub largest_value: f64,
    /// J of each load vector (of each class, beyond 10^6 load vectors), with `--values`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Vec<f64>>,
    /// With `Restart`: bounds on the smallest long-run average cost per step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average: Option<Bounds>,
    /// With `Restart`: bounds on the average cost of the map that is optimal for `Stop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average_of_stop: Option<Bounds>,
    /// With `--critical-costs`: the remap cost at which each load vector changes from remapping to
    /// continuing; null where it never does. Without `decision`, that of each class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub critical_cost: Option<Vec<Option<f64>>>,
    /// Without `decision`: the share of load vectors of each mean and spread that remap.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_spread: Vec<Spread>,
    /// The motion of the loads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dynamics: Option<Dynamics>,
}

/// The dependence of the remap cost on the loads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum CostByState {
    /// By the number of units moved.
    Moved {
        /// The fixed part.
        fixed: f64,
        /// The cost of each unit.
        per_unit_moved: f64,
    },
    /// A cost for each listed state.
    Listed(Vec<f64>),
}

/// Remaps that move only some units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartialRemaps {
    /// How many units to move from each load vector, one by one from the process farthest above its
    /// share to the one farthest below.
    pub units: Vec<u64>,
    /// Bounds on the least average cost per step of remaps that move all excess units.
    pub average_of_whole: Bounds,
}

/// The states that a problem is solved for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Representation {
    /// Every load vector.
    #[default]
    Full,
    /// One representative of all permutations of equal processes.
    Exchangeable,
    /// Only the states around balance; elsewhere remapping is optimal.
    Active,
}

impl std::fmt::Display for Representation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Representation::Full => "full",
            Representation::Exchangeable => "exchangeable",
            Representation::Active => "active",
        })
    }
}

/// A number of load vectors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Vectors {
    /// The exact number, where it fits.
    Exact(u128),
    /// An approximate number.
    About(f64),
}

impl Vectors {
    /// The number of load vectors of processes with these numbers of levels.
    pub fn of(shape: &[usize]) -> Self {
        let exact = shape.iter().try_fold(1u128, |all, &levels| all.checked_mul(levels as u128));
        let about = || shape.iter().map(|&levels| levels as f64).product();
        exact.map_or_else(|| Self::About(about()), Self::Exact)
    }
}

impl Default for Vectors {
    fn default() -> Vectors {
        Vectors::Exact(0)
    }
}

impl From<Vectors> for f64 {
    fn from(vectors: Vectors) -> f64 {
        match vectors {
            Vectors::Exact(vectors) => vectors as f64,
            Vectors::About(vectors) => vectors,
        }
    }
}

impl std::fmt::Display for Vectors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Vectors::Exact(vectors) => vectors.fmt(f),
            Vectors::About(vectors) => write!(f, "{vectors:.3e}"),
        }
    }
}

/// The number of load vectors with each decision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Balanced.
    pub balanced: f64,
    /// Remap.
    pub remap: f64,
    /// Continue.
    pub continued: f64,
}

/// The load vectors with one mean and spread.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spread {
    /// Mean load, rounded down.
    pub mean: i64,
    /// Largest minus smallest load.
    pub spread: i64,
    /// The share of the load vectors, or of their classes, that remap.
    pub remap: f64,
    /// Whether all of them are balanced.
    pub balanced: bool,
}

/// Past 2^64 a document has more digits than JSON readers keep; the shape gives the exact number.
impl<'de> Deserialize<'de> for Vectors {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        let exact = number.fract() == 0.0 && (0.0..2f64.powi(53)).contains(&number);
        Ok(if exact { Vectors::Exact(number as u128) } else { Vectors::About(number) })
    }
}

impl Answer {
    /// The largest error of any J in the answer.
    pub fn reach(&self) -> f64 {
        self.value_gap * self.remap_bounds[1].max(self.largest_value).max(1.0)
    }

    /// Whether states of a joint chain have the same loads.
    pub fn shares_loads(&self) -> bool {
        self.loads.iter().collect::<HashSet<_>>().len() < self.loads.len()
    }

    /// The lowest load of each process; for a joint chain the least listed one.
    pub fn lowest(&self) -> Vec<i64> {
        match self.loads.first() {
            None => self.lowest.clone(),
            Some(first) => (0..first.len())
                .map(|i| self.loads.iter().map(|vector| vector[i]).min().unwrap_or(0))
                .collect(),
        }
    }

    /// The share of load vectors of each mean and spread that remap, in ascending order; empty for
    /// two processes.
    pub fn spreads(&self) -> Vec<Spread> {
        let Some(decisions) = &self.decision else { return self.by_spread.clone() };
        let map = map::listed(self, decisions);
        if map.processes() <= 2 {
            return Vec::new();
        }
        let mut table = BTreeMap::<(i64, i64), (f64, f64, bool)>::new();
        for (place, letter) in map.decisions.iter().enumerate() {
            let (loads, vectors) = map.entry(place);
            let (remap, all, balanced) =
                table.entry(mean_and_spread(&loads)).or_insert((0.0, 0.0, true));
            *remap += if *letter == b'R' { vectors } else { 0.0 };
            *all += vectors;
            *balanced &= *letter == b'B';
        }
        let row = |((mean, spread), (remap, all, balanced))| Spread {
            mean,
            spread,
            remap: remap / all,
            balanced,
        };
        table.into_iter().map(row).collect()
    }
}

impl Priced {
    pub(crate) fn of_stopping(answer: &Answer) -> Option<Priced> {
        let dynamics = answer.dynamics.clone()?;
        let endless = dynamics.course == Kind::Endless;
        Some(Priced {
            dynamics,
            processes: answer.lowest().len(),
            // With a random state after a remap, J is that of stopping at the total cost of a
            // remap.
            remap_cost: if endless { answer.remap_cost } else { answer.remap_value },
            job: (0, 0),
            optimum: answer.average.map(|bounds| (bounds.lower + bounds.upper) / 2.0),
            fixed: None,
            stride: 1,
            goes_on: !endless && answer.remap_value > answer.remap_cost,
        })
    }
}
