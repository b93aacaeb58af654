//! What a valid certificate proves of single states, and its numbers as named intervals.

use crate::core::counts::Decision;
use crate::core::proof::{Interval, Proof, Steps, Switches};
use crate::core::span::Span;
use crate::stopping::problem::After;
use crate::stopping::states::{States, ordered};
use crate::{Checked, Model};

impl Checked {
    /// The decision in a state, and bounds on its cost. `None` for loads outside the model, or
    /// where nothing is proved of single states. `listed` is the index of the state where states
    /// are listed.
    pub fn state(&self, loads: &[i64], listed: usize) -> Option<(Decision, Interval)> {
        let ((decision, [low, high]), bits) = match (&self.states, &self.model) {
            (States::All { bits, decisions, values, .. }, Model::Stopping(model)) => {
                let place = model.place_of(loads, listed)?;
                let run = values.partition_point(|(first, _)| *first <= place as u64);
                ((*decisions.get(place)?, values.get(run.checked_sub(1)?)?.1), *bits)
            }
            (States::Region { bits, listed, rho, equal }, _) => {
                let loads = ordered(equal, loads)?;
                (listed.get(&loads).copied().unwrap_or((Decision::Remap, *rho)), *bits)
            }
            _ => return None,
        };
        // Where a computation continues after a remap, balanced loads have a cost, too.
        let balanced = decision == Decision::Balanced && self.ends();
        let bounds = if balanced { [0, 0] } else { [low, high.max(low)] };
        Some((decision, Span::between(bounds[0], bounds[1], bits).reals().into()))
    }

    /// Whether a remap ends all costs.
    pub fn ends(&self) -> bool {
        !matches!(&self.model, Model::Stopping(own) if own.model.after_remap == After::Restart)
    }

    /// The least and the largest number of remaining steps with which one remaps from these loads.
    /// `None` where nothing is proved of that.
    pub fn remaps_from(&self, loads: &[i64], listed: usize) -> Option<[Option<u64>; 2]> {
        let (States::All { from, .. }, Model::Stopping(model)) = (&self.states, &self.model) else {
            return None;
        };
        from.get(model.place_of(loads, listed)?).copied()
    }
}

impl Proof {
    /// The first of several periods.
    pub fn first(&self) -> &Proof {
        match self {
            Proof::Periods(all) => all.first().unwrap_or(self),
            _ => self,
        }
    }

    /// The name and the bounds of each number; thresholds from the last step to the first.
    pub fn intervals(&self) -> Vec<(String, f64, f64)> {
        let named = |(name, own): (&str, &Interval)| (name.to_owned(), own.lower, own.upper);
        let steps = |steps: Option<u64>| steps.map_or(f64::INFINITY, |steps| steps as f64);
        match self {
            Proof::Average(average) => vec![named(("average", average))],
            Proof::Value(value) => vec![named(("value", value))],
            Proof::Recurring { value, average, steps } => {
                let both = |own: &Switches| {
                    let Switches { first, last, to_second, to_first } = own;
                    let steps = match last {
                        &u64::MAX => String::new(),
                        last if first < last => format!("_{first}..{last}"),
                        _ => format!("_{first}"),
                    };
                    [("to_second", to_second), ("to_first", to_first)]
                        .map(|(name, own)| (format!("{name}{steps}"), own.lower, own.upper))
                };
                let whole = value.iter().map(|own| named(("value", own)));
                let mean = average.iter().map(|own| named(("average", own)));
                whole.chain(mean).chain(steps.iter().rev().flat_map(both)).collect()
            }
            Proof::Longest { kept, broken } => {
                let most = broken.map(|step| step.saturating_sub(1));
                vec![("interval".to_owned(), steps(*kept), steps(most))]
            }
            Proof::Periods(all) => {
                let each = all.iter().enumerate().flat_map(|(i, own)| {
                    let own = own.intervals().into_iter();
                    own.map(move |(name, low, high)| (format!("{name}_{i}"), low, high))
                });
                each.collect()
            }
            Proof::Cheapest { least, most, cost } => {
                let cost = named(("cost_per_step", cost));
                vec![("interval".to_owned(), steps(*least), steps(*most)), cost]
            }
            Proof::Thresholds { value, steps } => {
                let threshold = |Steps { first, last, threshold }: &Steps| {
                    let steps = if first < last { format!("..{last}") } else { String::new() };
                    (format!("pi_{first}{steps}"), threshold.lower, threshold.upper)
                };
                let thresholds = steps.iter().rev().map(threshold);
                [named(("value", value))].into_iter().chain(thresholds).collect()
            }
            Proof::Map { remap_value, value_gap, value_width, largest_value, classes, .. } => {
                let [gap, width] = [value_gap, value_width].map(|width| (0.0, *width).into());
                let all = [
                    ("remap_value", remap_value),
                    ("value_gap", &gap),
                    ("value_width", &width),
                    ("balanced", &classes.balanced),
                    ("proved_remap", &classes.remap),
                    ("proved_continue", &classes.continued),
                    ("either", &classes.either),
                    ("largest_value", largest_value),
                ];
                all.map(named).to_vec()
            }
        }
    }
}
