//! The land battle of [NR90, sections II and V-B].

pub mod model;

pub use super::shared::two_phase::answer;
