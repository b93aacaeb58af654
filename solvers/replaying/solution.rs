//! Evaluates the rule of a document as a policy.

use crate::complaint::Complaint;
use crate::document::advised::Simple;
use crate::document::rule::{Found, LoadThresholds, Rule as Stating};
use remapping::policy::Rule;
use remapping::policy::stated::{Following, Stated};
use remapping::replay::Player;

/// The policy of a document on a log that has one step for `stride` of the program. Where `export`
/// writes another rule in place of the log's, that one is evaluated.
pub fn solution(found: Found, stride: u64) -> Result<Player, Complaint> {
    let stating = match found {
        Found::Rule(stated) => *stated,
        Found::Advised(advised) => {
            let rule = match advised.simple_enough() {
                None => return Ok(Player::Advised(Box::new(advised.rule))),
                Some((Simple::Every(None), _)) => Rule::Never,
                Some((Simple::Every(Some(every)), _)) => Rule::Fixed(every),
                Some((Simple::Excess(level), _)) => Rule::Threshold(level),
                Some((Simple::Utilization(level), _)) => Rule::Utilization(level),
            };
            // None of these rules depends on the remap cost.
            return Ok(Player::Rule(rule.run(0.0)));
        }
    };
    let stride = if stating.of_a_log { stride } else { 1 };
    let rule = match stating.rule {
        Stating::Belief(_) | Stating::Switching(_) => {
            let message = "thresholds on the probability of a change need a detector's reports";
            return Err(Complaint::elsewhere(message, "watch the run with remap monitor"));
        }
        Stating::Map(map) => Stated::Map { map, unit_seconds: stating.unit_seconds },
        Stating::Imbalance(imbalance) => {
            let LoadThresholds { steps, thresholds, since, .. } = imbalance;
            Stated::Imbalance { steps, thresholds, since }
        }
        Stating::Interval(interval) => Stated::Interval { every: interval.every },
        Stating::Level(level) => Stated::Level { measure: level.measure, value: level.value },
    };
    Ok(Player::Stated(Box::new(Following::new(rule, stride))))
}

/// Why a rule for another number of ranks is not valid for this one: the excess of the largest load
/// over the mean depends on the number. Maps of load vectors are refused elsewhere.
pub fn for_other_ranks(found: &Found, ranks: usize) -> Option<String> {
    let (wanted, help) = match found {
        Found::Rule(stated) if matches!(stated.rule, Stating::Map(_)) => return None,
        Found::Rule(stated) => (stated.processors, "fit and solve a model of this trace"),
        Found::Advised(advised) => {
            (Some(advised.ranks), "learn one from this trace, with remap advise")
        }
    };
    let wanted = wanted.filter(|wanted| *wanted != ranks)?;
    Some(format!(
        "its rule is for {wanted} processors and is played on {ranks} ranks, where the best one is another: {help}"
    ))
}
