//! The states of several processes, and expectations over their moves.

pub mod equal;
pub mod joint;
pub mod multisets;
pub mod space;
