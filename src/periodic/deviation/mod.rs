//! The expected largest deviation of the loads from their average: exact, closed forms, and
//! two-sided bounds.

mod difference;
pub mod dying;
pub mod exact;
pub mod expected_imbalance;
pub mod few;
pub mod kappa;
pub mod lead;
pub mod rounded;
pub mod sides;
pub mod skewed;
pub mod stride;
pub mod window;
