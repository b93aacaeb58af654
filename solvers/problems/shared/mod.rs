//! What several kinds of problem use.

pub mod two_phase;
