//! The faults of a `Stopping` problem.

use super::{After, Processes, Stopping};
use crate::model::chain::review_rows;
use crate::model::cost::Cost;
use crate::model::review::Review;
use crate::model::transition::{self, Transition};
use remapping::stopping::States;

/// The most levels of each unbounded walk that are shown.
const MOST_SHOWN: usize = 1000;

/// The most steps.
const MOST_STEPS: u64 = 10_000_000;

/// The most processes of a model.
const MOST_PROCESSES: usize = 100;

impl Stopping {
    pub(crate) fn review(&self, review: &mut Review<'_>) {
        let folder = review.folder;
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
            Processes::Joint { loads, transition, .. } => {
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
            None => self.states(folder).map(|(states, chain)| {
                if let Processes::Joint { made, .. } = &self.processes {
                    made.keep((states.clone(), chain));
                }
                states
            }),
        };
        match states {
            Err(error) if self.file().is_some() => {
                let message = "the transitions cannot be taken from this file";
                let help =
                    "correct the file, or its name: it is looked for from the model's folder on";
                review.fault_of_literal("problem.processes.transition", message, &error, help);
            }
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

    /// Checks the remap cost and the number of steps against the other fields.
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

    /// Checks that the problem ends: without a balanced load vector only a remap ends the cost.
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
        } else if self.after_remap != After::Restart {
            review.warn("no load vector is balanced: only a remap ends the cost");
        }
    }
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
