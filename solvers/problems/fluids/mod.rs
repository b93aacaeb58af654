//! The adaptive-grid fluids code of [NR90, sections II and V-A].

pub mod model;

pub use super::shared::two_phase::answer;
