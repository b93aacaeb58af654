//! Optimal periodic intervals \[FXW03\]: enumeration, exact fractions, loads that die out, chains,
//! deviations.

pub mod chains;
mod deviations;
mod dying;
mod exactly;
mod intervals;
mod two_sided_deviation;
