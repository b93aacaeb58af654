//! Policies by name on a recorded run: what they came to.

pub mod advice;
pub mod advised;
pub mod check;
pub mod contest;
pub mod later;
pub mod long;
mod one_number;
mod saving;
mod solution;
mod verdict;
pub mod what_if;

pub use remapping::replay::{Contestant, Ground, IN_USE, OURS, Outset, whole_cost};
pub use solution::{for_other_ranks, solution};

use crate::complaint::Complaint;
use remapping::Halt;

/// Why policies were not compared.
#[derive(Debug)]
pub enum Stopped {
    /// What is wrong.
    Fault(Complaint),
    /// The halt that was asked for.
    Halt(Halt),
}

impl From<Complaint> for Stopped {
    fn from(fault: Complaint) -> Stopped {
        Stopped::Fault(fault)
    }
}

impl From<Halt> for Stopped {
    fn from(halt: Halt) -> Stopped {
        Stopped::Halt(halt)
    }
}
