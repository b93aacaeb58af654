//! Policies by name on a recorded run: what they came to.

pub mod advice;
pub mod advised;
pub mod check;
pub mod contest;
pub mod later;
pub mod long;
mod one_number;
mod phrases;
mod saving;
mod solution;
mod verdict;
pub mod what_if;

pub use phrases::three;
pub use remapping::replay::{Contestant, Ground, IN_USE, OURS, Outset, whole_cost};
pub use solution::{for_other_ranks, solution};
