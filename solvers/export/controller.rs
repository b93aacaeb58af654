//! Writes a controller before its first step, which the C library and the Python package restore.

use crate::complaint::Complaint;
use crate::document::rule::{Found, StatedRule};
use crate::replaying::solution;
use remapping::controller::Controller;
use remapping::replay::Player;

/// The document of a stated rule, in steps of the program.
pub fn write(export: &StatedRule) -> Result<String, Complaint> {
    Ok(document(solution(Found::Rule(Box::new(export.clone())), 1)?))
}

/// The document of a policy.
pub(super) fn document(player: Player) -> String {
    let controller = Controller::from(player);
    let mut text = serde_json::to_string(&controller).expect("string keys only");
    text.push('\n');
    text
}
