//! The `Stopping` problem of a model file \[YXW03\].

mod faults;
mod made;

use crate::document::dynamics::{Dynamics, Kind, MOST_LEVELS, Moves};
use crate::model::chain::Chain;
use crate::model::cost::Cost;
use crate::model::explain::Shape;
use crate::model::number::Decimal;
use crate::model::transition::Transition;
use made::Made;
use remapping::Rational;
use remapping::chain::{Edge, JointRows, Operator};
use remapping::imbalance::{Imbalance, RunningCost};
use remapping::stopping::{AfterRemap, Process, States, Unbounded};
use serde::Deserialize;
use std::path::Path;

/// The fields of `Stopping(...)`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stopping {
    processes: Processes,
    capacities: Option<Vec<Decimal>>,
    #[serde(default)]
    running_cost: RunningCost,
    remap_cost: Cost,
    after_remap: After,
    steps: Option<u64>,
    #[serde(default)]
    partial_remaps: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
enum Processes {
    Identical {
        count: usize,
        chain: Chain,
    },
    Distinct(Vec<Chain>),
    Joint {
        loads: Vec<Vec<i64>>,
        transition: Transition,
        #[serde(skip)]
        made: Made,
    },
    /// Walks on all loads from the lowest one up.
    Unbounded {
        count: usize,
        #[serde(default)]
        lowest: i64,
        up: Decimal,
        down: Decimal,
        edge: Edge,
        shown: usize,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
enum After {
    Stop,
    Uniform,
    Restart,
}

/// An example of each part, for messages.
pub(crate) const SHAPES: &[Shape] = &[
    ("problem", "Stopping(processes: ..., remap_cost: 5.0, after_remap: Stop)"),
    (
        "problem.processes",
        "Identical(count: 2, chain: ...), Distinct([chain, ...]), Joint(loads: [[0, 0], ...], transition: ...) or \
         Unbounded(count: 2, up: 0.2, down: 0.3, edge: Reflect, shown: 6)",
    ),
    ("problem.processes.chain", "Walk(levels: 6, up: 0.25, down: 0.25, edge: Reflect)"),
    ("problem.processes.count", "2"),
    ("problem.processes.transition", "Dense([[0.5, 0.5], [0.5, 0.5]]) or File(\"p.mtx\")"),
    ("problem.capacities", "[1.0, 2.0]"),
    ("problem.running_cost", "MaxMinusMean, MaxAbsDeviation or EuclideanDeviation"),
    ("problem.remap_cost", "5.0 or (fixed: 5.0, per_unit_moved: 0.5)"),
    ("problem.after_remap", "Stop, Uniform or Restart"),
    ("problem.steps", "100"),
    ("problem.partial_remaps", "true"),
];

/// The path of the load vectors of processes that move jointly; only they can be there.
pub(crate) const LOADS: &str = "problem.processes.loads";

impl Stopping {
    /// Sets the load vectors, which have been read elsewhere.
    pub(crate) fn set_loads(&mut self, read: Vec<Vec<i64>>) {
        if let Processes::Joint { loads, .. } = &mut self.processes {
            *loads = read;
        }
    }

    fn count(&self) -> usize {
        match &self.processes {
            Processes::Identical { count, .. } | Processes::Unbounded { count, .. } => *count,
            Processes::Distinct(chains) => chains.len(),
            Processes::Joint { loads, .. } => loads.first().map_or(0, Vec::len),
        }
    }

    /// Whether load vectors are listed, instead of independent processes.
    pub fn is_joint(&self) -> bool {
        matches!(self.processes, Processes::Joint { .. })
    }

    /// Walks without a highest load, and the number of levels of each that are asked for.
    pub fn unbounded(&self) -> Option<(Unbounded, usize)> {
        let Processes::Unbounded { count, lowest, up, down, edge, shown } = &self.processes else {
            return None;
        };
        let reflect = matches!(edge, Edge::Reflect);
        let (up, down) = (up.value, down.value);
        Some((Unbounded { count: *count, lowest: *lowest, up, down, reflect }, *shown))
    }

    /// The remap cost, where it is the same for all loads.
    pub fn remap_cost(&self) -> Option<f64> {
        self.remap_cost.constant().map(|cost| cost.value)
    }

    /// The remap cost in any of its forms.
    pub fn cost(&self) -> &Cost {
        &self.remap_cost
    }

    /// The number of steps, if there is an end.
    pub fn steps(&self) -> Option<u64> {
        self.steps
    }

    /// Whether a remap may move any number of units.
    pub fn is_partial(&self) -> bool {
        self.partial_remaps
    }

    /// Whether the running cost is max - mean of equal processors.
    pub fn is_plain(&self) -> bool {
        self.capacities.is_none() && self.running_cost == RunningCost::MaxMinusMean
    }

    /// Whether the remap cost depends on the loads, remaps may be partial, or there is an end.
    pub fn is_varied(&self) -> bool {
        self.partial_remaps || self.steps.is_some() || self.remap_cost.constant().is_none()
    }

    /// Whether the computation continues from balanced loads after a remap, without end.
    pub fn restarts(&self) -> bool {
        self.after_remap == After::Restart
    }

    /// The state after a remap. With [`restarts`](Self::restarts), that in the stopping problem
    /// from which the average is computed.
    pub fn after(&self) -> AfterRemap {
        match self.after_remap {
            After::Stop | After::Restart => AfterRemap::Stop,
            After::Uniform => AfterRemap::Uniform,
        }
    }

    /// The capacity of each processor.
    pub fn capacities(&self) -> Vec<Rational> {
        match &self.capacities {
            Some(list) => list.iter().map(|c| c.exact.clone()).collect(),
            None => vec![Rational::ONE; self.count()],
        }
    }

    /// The running cost.
    ///
    /// # Errors
    /// Why capacities and loads do not fit exact integers.
    pub fn imbalance(&self) -> Result<Imbalance, String> {
        let largest = match &self.processes {
            Processes::Joint { loads, .. } => {
                loads.iter().flatten().map(|load| load.unsigned_abs()).max().unwrap_or(0)
            }
            Processes::Identical { chain, .. } => largest_load(chain),
            Processes::Unbounded { lowest, .. } => lowest.unsigned_abs() + (1 << 30),
            Processes::Distinct(chains) => chains.iter().map(largest_load).max().unwrap_or(0),
        };
        Imbalance::new(self.running_cost, &self.capacities(), largest)
            .map_err(|error| error.to_string())
    }

    /// The states, with equal processes lumped, and the operator of their moves. The result that
    /// the review made for processes that move jointly is returned once.
    ///
    /// # Errors
    /// The fault of the chain.
    pub fn states(&self, folder: &Path) -> Result<(States, Box<dyn Operator>), String> {
        let words = |error: remapping::chain::ChainError| error.to_string();
        let Processes::Joint { loads, transition, made } = &self.processes else {
            let imbalance = self.imbalance()?;
            let same = |i, j| imbalance.same_capacity(i, j);
            return States::independent(&self.independent(), same).map_err(words);
        };
        if let Some(made) = made.take() {
            return Ok(made);
        }
        let chain = transition.chain(folder, loads.len())?;
        let states = States::joint(loads, &chain).map_err(words)?;
        Ok((states, Box::new(chain)))
    }

    /// The states alone.
    ///
    /// # Errors
    /// As for [`states`](Self::states).
    pub fn space(&self) -> Result<States, String> {
        match &self.processes {
            Processes::Joint { loads, made, .. } => made
                .states()
                .map_or_else(|| States::listed(loads), Ok)
                .map_err(|error| error.to_string()),
            _ => self.states(Path::new("")).map(|(states, _)| states),
        }
    }

    /// The rows of one of several ranks, for processes that move jointly. The whole file is read,
    /// but only these rows are kept.
    ///
    /// # Errors
    /// As for [`states`](Self::states), and if the processes do not move jointly.
    pub fn rows(&self, folder: &Path, place: (usize, usize)) -> Result<JointRows, String> {
        let Processes::Joint { loads, transition, .. } = &self.processes else {
            return Err("these processes have no rows".to_owned());
        };
        if matches!(transition, Transition::Dense(rows) if rows.len() != loads.len()) {
            // Errors are those of reading all rows.
            self.states(folder)?;
        }
        transition.rows(folder, loads.len(), place)
    }

    /// The file that holds the transitions, if there is one.
    pub fn file(&self) -> Option<&str> {
        match &self.processes {
            Processes::Joint { transition: Transition::File(name), .. } => Some(name),
            _ => None,
        }
    }

    /// The data for evaluating other rules; for processes that move jointly, only the capacities.
    pub fn dynamics(&self) -> Option<Dynamics> {
        let of = |process: Process| {
            let few = process.chain.levels() <= MOST_LEVELS;
            few.then(|| Moves::of(process.lowest, &process.chain.rows()))
        };
        let chains = match &self.processes {
            Processes::Identical { chain, .. } => vec![of(chain.process())?],
            Processes::Distinct(chains) => {
                chains.iter().map(|chain| of(chain.process())).collect::<Option<_>>()?
            }
            Processes::Unbounded { .. } => return None,
            Processes::Joint { .. } => Vec::new(),
        };
        let capacities = self.capacities.iter().flatten().map(|c| c.value).collect();
        let course = if self.restarts() { Kind::Endless } else { Kind::Once };
        Some(Dynamics { chains, capacities, running_cost: self.running_cost, course })
    }

    /// The processes one by one, unbounded ones with the levels that are shown; empty if they move
    /// jointly.
    pub fn independent(&self) -> Vec<Process> {
        match &self.processes {
            Processes::Identical { count, chain } => vec![chain.process(); *count],
            Processes::Distinct(chains) => chains.iter().map(Chain::process).collect(),
            Processes::Unbounded { count, .. } => {
                let walk = self.processes.first_levels();
                walk.map_or_else(Vec::new, |walk| vec![walk.process(); *count])
            }
            Processes::Joint { .. } => Vec::new(),
        }
    }
}

impl Processes {
    /// The levels of an unbounded walk that are shown; the walk stays at the last one.
    fn first_levels(&self) -> Option<Chain> {
        let Processes::Unbounded { lowest, up, down, edge, shown, .. } = self else { return None };
        let none = || Decimal { exact: Rational::ZERO, value: 0.0 };
        let (mut ups, mut downs) = (vec![up.clone(); *shown], vec![down.clone(); *shown]);
        if matches!(edge, Edge::Reflect) && *shown > 0 {
            ups[0] = Decimal { exact: &up.exact + &down.exact, value: up.value + down.value };
        }
        if let (Some(first), Some(last)) = (downs.first_mut(), ups.last_mut()) {
            (*first, *last) = (none(), none());
        }
        Some(Chain::BirthDeath { lowest: *lowest, up: ups, down: downs })
    }
}

fn largest_load(chain: &Chain) -> u64 {
    let highest = chain.lowest().saturating_add(chain.levels() as i64 - 1);
    chain.lowest().unsigned_abs().max(highest.unsigned_abs())
}
