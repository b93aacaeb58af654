//! Rules of a log, and what they save, as sentences have them.

use super::choice::Choice;
use super::saving::Saving;
use crate::fitting::short;
use remapping::overlap::Overlap;
use remapping::policy::Rule;

/// How rules are called.
pub(super) struct Phrases {
    /// Steps of the program in a step of the log.
    pub(super) stride: u64,
    /// How remaps overlap the steps.
    pub(super) overlap: Overlap,
}

impl Phrases {
    /// As an order: `Remap every 7 steps`.
    pub(super) fn order(&self, choice: Choice) -> String {
        match choice {
            Choice::Advised => "Remap by the exported rule".to_owned(),
            Choice::Simple(Rule::Never) => "Do not remap".to_owned(),
            Choice::Simple(Rule::Fixed(every)) => format!("Remap {}", self.every(every)),
            Choice::Simple(Rule::Threshold(bound)) => {
                format!("Remap when max - mean exceeds {} seconds", short(bound))
            }
            Choice::Simple(Rule::Utilization(share)) => {
                format!("Remap when mean / max is below {}", short(share))
            }
            Choice::Simple(rule) => format!("Remap by {rule}"),
        }
    }

    /// As what was chosen on the first half of the log, and tried on the second.
    pub(super) fn tried(&self, choice: Choice) -> String {
        match choice {
            Choice::Advised => "the rule that votes".to_owned(),
            Choice::Simple(Rule::Never) => "never remapping".to_owned(),
            Choice::Simple(Rule::Fixed(every)) => format!("remapping {}", self.every(every)),
            Choice::Simple(Rule::Threshold(bound)) => {
                format!("remapping when max - mean exceeds {} seconds", short(three(bound)))
            }
            Choice::Simple(Rule::Utilization(share)) => {
                format!("remapping when mean / max is below {}", short(three(share)))
            }
            Choice::Simple(rule) => format!("remapping by {rule}"),
        }
    }

    fn every(&self, every: u64) -> String {
        let of = if self.stride > 1 { " of the program" } else { "" };
        // The rule counts from where the new mapping is in force, programs from one decision to the next.
        match (every + self.overlap.steps) * self.stride {
            1 => format!("every step{of}"),
            many => format!("every {many} steps{of}"),
        }
    }
}

/// What a rule and never remapping save if remaps even out loads; twice where the log does not tell how far these move.
pub(super) fn beside(noise: f64, name: &str, told: &[[Saving; 2]]) -> String {
    let noise = short(three(noise));
    let would = |[rule, never]: &[Saving; 2]| match name == "never" || never.is_nothing() {
        true => format!("{name} would {rule}"),
        false => format!("{name} would {rule}, and never would {never}"),
    };
    let mut what = told.iter().map(would);
    let first = what.next().unwrap_or_default();
    let more = what.map(|most| {
        format!(" if the loads do not move by themselves; if they move as far as the noise may hide, {most}")
    });
    format!(
        "times have noise of {noise} seconds a step, which remaps that are played here even out as if it were load; where \
         remaps even out the loads beside it, {first}{}",
        more.collect::<String>()
    )
}

/// Three digits of a number.
pub fn three(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}
