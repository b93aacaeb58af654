//! One forged certificate for each hypothesis of docs/certificates.md: it breaks that one alone,
//! and would prove something false if nobody looked.

mod claims;
mod loads;
mod phases;

use crate::shared::{is_model_error, prove, text};
use remap_checker::Evidence;
use remap_checker::phase_change::Steps;

fn stopping(processes: &str, more: &str) -> String {
    format!("Stopping(processes: {processes}, {more})")
}

const STOP: &str = "remap_cost: 2, after_remap: Stop";
const UNIFORM: &str = "remap_cost: 2, after_remap: Uniform";
const WALK: &str = "Walk(levels: 3, up: 0.25, down: 0.25, edge: Hold)";

/// Nothing is below 0 and nothing above the cost of a remap: that holds in any number of states.
fn trivial(states: u64, most: u64) -> Evidence {
    Evidence::Stopping(20, vec![(states, 0, most << 20)])
}

fn two(chain: &str) -> String {
    format!("Identical(count: 2, chain: {chain})")
}

fn phases(change: (&str, &str)) -> String {
    let problem = "PhaseChange(lifetime: Fixed(40), cycle: (before: 1, after: 2, remapped: 1), remap: (test: 3, \
                   install: 1), detector: (false_alarm: 0.2, missed: 0.1), hazard: Constant(0.05), premature: Revert)";
    assert!(problem.contains(change.0));
    problem.replace(change.0, change.1)
}

fn steps(last: usize, more: Vec<Steps>) -> Evidence {
    let on = Steps::On(vec![(1 << 44) / 512; 511]);
    let all = [vec![on], vec![Steps::On(Vec::new()); last], more].concat();
    Evidence::PhaseChange(50, all)
}
