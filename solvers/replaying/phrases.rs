//! Rules of a log, and what they save, as sentences have them.

use super::saving::Saving;
use crate::fitting::short;
use remapping::policy::Rule;

/// A threshold as what a program would do.
pub(super) fn named(rule: Rule) -> Option<String> {
    match rule {
        Rule::Threshold(bound) => {
            Some(format!("remapping when max - mean exceeds {} seconds", short(three(bound))))
        }
        _ => None,
    }
}

/// What the adaptive rule saves if remaps even out noise as if it were load.
pub(super) fn beside(noise: f64, as_load: Saving) -> String {
    format!(
        "times have noise of {} seconds a step, which is not taken for load: of a balancer that goes by the times of one step, noise and \
         all, the adaptive rule would {as_load}",
        short(three(noise))
    )
}

/// Three digits of a number.
pub fn three(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}
