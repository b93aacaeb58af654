//! The expected largest deviation of the loads from their average: exact, closed forms, and
//! two-sided bounds.

mod difference;
pub(in crate::periodic) mod dying;
pub mod exact;
pub(in crate::periodic) mod expected_imbalance;
pub(in crate::periodic) mod few;
pub mod kappa;
pub(in crate::periodic) mod lead;
pub(in crate::periodic) mod rounded;
pub(in crate::periodic) mod sides;
pub(in crate::periodic) mod skewed;
pub(in crate::periodic) mod stride;
pub(in crate::periodic) mod window;
