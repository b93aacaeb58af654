//! The `Stopping` problem of a model file \[YXW03\].

use super::chain::{Chain, Edge, review_rows};
use super::cost::Cost;
use super::explain::Shape;
use super::number::Decimal;
use super::review::Review;
use super::transition::{self, Transition};
use crate::solution::dynamics::{Dynamics, Kind, MOST_LEVELS, Moves};
use remapping::Rational;
use remapping::chain::{JointRows, Operator};
use remapping::imbalance::{Imbalance, RunningCost};
use remapping::stopping::{AfterRemap, Process, States, Unbounded};
use serde::Deserialize;
use std::path::Path;

/// `Stopping(...)`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stopping {
    processes: Processes,
    capacities: Option<Vec<Decimal>>,
    #[serde(default)]
    running_cost: RunningCost,
    remap_cost: Cost,
    after_remap: After,
    #[serde(default)]
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

/// What may stand where, for messages.
pub(super) const SHAPES: &[Shape] = &[
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

/// The most levels of each unbounded walk that are shown.
const MOST_SHOWN: usize = 1000;

/// The most steps.
const MOST_STEPS: u64 = 10_000_000;

/// The most processes of one model.
const MOST_PROCESSES: usize = 100;

impl Stopping {
    pub(super) fn review(&self, review: &mut Review<'_>, folder: &Path) {
        self.remap_cost.review("problem.remap_cost", review);
        self.review_forms(review);
        match &self.processes {
            Processes::Identical { count, chain } => {
                review_count("problem.processes.count", *count, review);
                chain.review("problem.processes.chain", review);
            }
            Processes::Distinct(chains) => {
                review_count("problem.processes", chains.len(), review);
                for (i, chain) in chains.iter().enumerate() {
                    chain.review(&format!("problem.processes[{i}]"), review);
                }
            }
            Processes::Joint { loads, transition } => {
                review_loads(loads, review);
                if let Transition::Dense(rows) = transition {
                    review_rows("problem.processes.transition", rows, review);
                }
            }
            Processes::Unbounded { count, shown, .. } => {
                review_count("problem.processes.count", *count, review);
                if !(2..=MOST_SHOWN).contains(shown) {
                    let label = format!("not between 2 and {MOST_SHOWN}");
                    let help = "J is wanted for so many loads of each process, from the lowest up";
                    let path = "problem.processes.shown";
                    review.fault(path, "a number is out of range", &label, help);
                } else if let Some(walk) = self.processes.first_levels() {
                    walk.review("problem.processes", review);
                }
                if self.after_remap != After::Stop || self.is_varied() {
                    let label = "loads without end go with Stop, one remap cost and no `steps`";
                    let help = "take after_remap: Stop, or Identical(...) with a highest level";
                    review.fault("problem.processes", "this does not go together", label, help);
                }
            }
        }
        if let Some(capacities) = &self.capacities {
            if capacities.len() != self.count() {
                let label =
                    format!("{} capacities for {} processes", capacities.len(), self.count());
                let help = "give one capacity for each process";
                review.fault("problem.capacities", "capacities and processes differ", &label, help);
            }
            for (i, c) in capacities.iter().enumerate() {
                if c.value <= 0.0 {
                    let label = format!("{} is not above zero", c.value);
                    let place = format!("problem.capacities[{i}]");
                    let help = "a processor without capacity cannot work";
                    review.fault(&place, "a capacity must be positive", &label, help);
                }
            }
        }
        if !review.faults.is_empty() {
            return;
        }
        if let Err(error) = self.imbalance() {
            let help = "write the capacities with fewer digits";
            review.fault("problem.capacities", "capacities are too fine", &error.to_string(), help);
        }
        let states = match transition::rank().filter(|_| self.file().is_some()) {
            Some(place) => self.rows(folder, place).and_then(|_| self.space()),
            None => self.states(folder).map(|(states, _)| states),
        };
        match states {
            Err(error) => {
                let help = "correct the chain";
                review.fault("problem.processes", "these processes cannot be solved", &error, help);
            }
            Ok(states) if states.count() <= 1_000_000 => {
                self.review_balance(&states, review);
                if states.share_loads() {
                    review.warn("states share loads: decisions are for those who know the state");
                }
            }
            Ok(_) => {}
        }
    }

    /// Whether the remap cost and the number of steps go with the rest.
    fn review_forms(&self, review: &mut Review<'_>) {
        if self.is_varied() && self.after_remap == After::Uniform {
            let label = "Uniform is for one remap cost, and no end";
            let help = "take after_remap: Stop or Restart";
            review.fault("problem.after_remap", "this does not go together", label, help);
        }
        if self.steps.is_some_and(|steps| !(1..=MOST_STEPS).contains(&steps)) {
            let help = "leave it out for a computation without end";
            let label = format!("not between 1 and {MOST_STEPS}");
            review.fault("problem.steps", "a number is out of range", &label, help);
        }
        let by_units = !matches!(self.remap_cost, Cost::PerState(_)) && self.steps.is_none();
        if self.partial_remaps && !(by_units && self.after_remap == After::Restart) {
            let label = "remaps of some units are for computations that go on, without end, at costs by units";
            let help = "take after_remap: Restart, remap_cost: (fixed: .., per_unit_moved: ..) and no `steps`";
            review.fault("problem.partial_remaps", "this does not go together", label, help);
        }
        let Cost::PerState(costs) = &self.remap_cost else { return };
        match &self.processes {
            Processes::Joint { loads, .. } if loads.len() == costs.len() => {}
            Processes::Joint { loads, .. } => {
                let label = format!("{} costs for {} load vectors", costs.len(), loads.len());
                let help = "give one for each, in their order";
                review.fault("problem.remap_cost", "costs and states differ", &label, help);
            }
            _ => {
                let label = "costs by state need states that are listed";
                let help = "take (fixed: .., per_unit_moved: ..), or processes: Joint(...)";
                review.fault("problem.remap_cost", "this does not go together", label, help);
            }
        }
    }

    /// Without a balanced load vector only a remap ends the cost.
    fn review_balance(&self, states: &States, review: &mut Review<'_>) {
        let Ok(imbalance) = self.imbalance() else { return };
        if (0..states.count()).any(|s| imbalance.is_balanced(&states.loads(s))) {
            return;
        }
        if self.after_remap == After::Uniform && !self.remap_cost.is_free() {
            let help = "change capacities or loads so that some load vector is in proportion to \
                        the capacities, or take after_remap: Stop";
            review.fault(
                "problem.after_remap",
                "this chain can neither balance nor gain from stopping",
                "no load vector is balanced, and a remap leads to a random one",
                help,
            );
        } else {
            review.warn("no load vector is balanced: only a remap ends the cost");
        }
    }

    fn count(&self) -> usize {
        match &self.processes {
            Processes::Identical { count, .. } | Processes::Unbounded { count, .. } => *count,
            Processes::Distinct(chains) => chains.len(),
            Processes::Joint { loads, .. } => loads.first().map_or(0, Vec::len),
        }
    }

    /// Whether the load vectors are listed, not those of independent processes.
    pub fn is_joint(&self) -> bool {
        matches!(self.processes, Processes::Joint { .. })
    }

    /// Walks without a highest load, and how many levels of each are asked for.
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

    /// The remap cost in all its forms.
    pub fn cost(&self) -> &Cost {
        &self.remap_cost
    }

    /// How many steps there are, if there is an end.
    pub fn steps(&self) -> Option<u64> {
        self.steps
    }

    /// Whether a remap may move as many units as pays.
    pub fn is_partial(&self) -> bool {
        self.partial_remaps
    }

    /// Whether the running cost is max - mean of processors that are alike.
    pub fn is_plain(&self) -> bool {
        self.capacities.is_none() && self.running_cost == RunningCost::MaxMinusMean
    }

    /// Whether the remap cost depends on the loads, remaps may be partial, or there is an end.
    pub fn is_varied(&self) -> bool {
        self.partial_remaps || self.steps.is_some() || self.remap_cost.constant().is_none()
    }

    /// Whether the computation goes on from balanced loads after a remap, without end.
    pub fn restarts(&self) -> bool {
        self.after_remap == After::Restart
    }

    /// What happens after a remap; with [`restarts`](Self::restarts), in the problem whose costs the
    /// average is made of.
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
    /// Capacities and loads that do not fit exact integers, in words.
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

    /// The states, with equal processes lumped, and how they move.
    ///
    /// # Errors
    /// What is wrong with the chain, in words.
    pub fn states(&self, folder: &Path) -> Result<(States, Box<dyn Operator>), String> {
        let words = |error: remapping::chain::ChainError| error.to_string();
        let Processes::Joint { loads, transition } = &self.processes else {
            let imbalance = self.imbalance()?;
            let same = |i, j| imbalance.same_capacity(i, j);
            return States::independent(&self.independent(), same).map_err(words);
        };
        let chain = transition.chain(folder, loads.len())?;
        let states = States::joint(loads.clone(), &chain).map_err(words)?;
        Ok((states, Box::new(chain)))
    }

    /// The states alone.
    ///
    /// # Errors
    /// As of [`states`](Self::states).
    pub fn space(&self) -> Result<States, String> {
        match &self.processes {
            Processes::Joint { loads, .. } => {
                States::listed(loads.clone()).map_err(|error| error.to_string())
            }
            _ => self.states(Path::new("")).map(|(states, _)| states),
        }
    }

    /// Of processes that move jointly, the rows of one of so many ranks; the file is read through, and no more of it kept.
    ///
    /// # Errors
    /// As of [`states`](Self::states), and other processes.
    pub fn rows(&self, folder: &Path, place: (usize, usize)) -> Result<JointRows, String> {
        let Processes::Joint { loads, transition } = &self.processes else {
            return Err("these processes have no rows".to_owned());
        };
        if matches!(transition, Transition::Dense(rows) if rows.len() != loads.len()) {
            // As it is said of all rows.
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

    /// What pricing other rules takes; of processes that move jointly, the capacities alone.
    pub fn dynamics(&self) -> Option<Dynamics> {
        let of = |process: Process| {
            let rows = process.chain.rows();
            (rows.len() <= MOST_LEVELS).then(|| Moves::of(process.lowest, &rows))
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

    /// The processes, one by one, unbounded ones as far as they are shown; none if they move jointly.
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
    /// The levels of an unbounded walk that are shown, held at the last of them.
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

fn review_count(path: &str, count: usize, review: &mut Review<'_>) {
    if !(1..=MOST_PROCESSES).contains(&count) {
        let help = "give at least one process, at most 100";
        review.fault(path, "too few or too many processes", &format!("{count} processes"), help);
    }
}

fn review_loads(loads: &[Vec<i64>], review: &mut Review<'_>) {
    let path = "problem.processes.loads";
    let Some(first) = loads.first().filter(|first| !first.is_empty()) else {
        let help = "list the loads of all processes in each state";
        return review.fault(path, "a joint chain needs states", "no loads", help);
    };
    for (i, vector) in loads.iter().enumerate() {
        if vector.len() != first.len() {
            let label = format!("{} loads here, {} in the first", vector.len(), first.len());
            let help = "every state has one load for each process";
            review.fault(&format!("{path}[{i}]"), "load vectors differ in length", &label, help);
        }
    }
    if loads.iter().flatten().any(|load| load.unsigned_abs() > 1 << 40) {
        review.fault(path, "a load is too large", "beyond 2^40", "use other units");
    }
}
