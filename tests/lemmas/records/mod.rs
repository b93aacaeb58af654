//! Recorded runs.
//!
//! - `replay`, `courses`, `overlap`, `loads_apart`: what other remaps would have cost.
//! - `estimates`, `filled_in`, `outliers`, `noise_of_logs`, `slopes`, `whole`: what is estimated
//!   from times.
//! - `coverage`, `coverage_replay`: how often intervals contain the truth.

mod courses;
mod coverage;
mod coverage_replay;
mod estimates;
mod filled_in;
mod loads_apart;
mod noise_of_logs;
mod outliers;
mod overlap;
mod replay;
mod slopes;
mod whole;
