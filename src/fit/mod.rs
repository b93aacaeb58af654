//! Estimation of model parameters from a recorded run, with confidence intervals.
//!
//! * [`chain`]: loads as levels, with moves up and down;
//! * [`transitions`]: moves from any level to any other;
//! * [`increments`]: changes per step;
//! * [`change`]: a change of phase;
//! * [`growth`]: predicted and recorded growth of the imbalance;
//! * [`goodness`]: goodness of fit;
//! * [`simulated`]: records that fitted models make;
//! * [`level`]: drifts and noise;
//! * [`lasting`]: persistent drift rates and walks;
//! * [`apart`]: loads and noise;
//! * [`whole`]: streaming version for runs of any length.
//!
//! ```
//! use remapping::fit::change::change;
//!
//! let times: Vec<f64> = (0..60)
//!     .map(|step| if step < 40 { 1.0 } else { 2.0 } + 0.1 * f64::from(step * 7 % 10))
//!     .collect();
//! let found = change(&times).expect("a change");
//! assert_eq!(found.at, 40);
//! ```

use crate::estimate::Estimate;

pub mod apart;
mod blocks;
pub mod change;
pub mod correlated;
mod drifts;
pub mod goodness;
pub mod growth;
pub mod left_over;
pub mod level;
mod levels;
pub mod running;
pub mod simulated;
pub mod slow_steps;
pub mod whole;

pub use drifts::{increments, lasting, slopes};
pub use levels::{chain, transitions};

/// A probability from `hits` of `count` independent trials: relative frequency smoothed by half a
/// hit (Jeffreys' prior), with the exact interval.
pub fn probability(hits: u64, count: u64) -> Estimate {
    let value = (hits as f64 + 0.5) / (count as f64 + 1.0);
    Estimate { value, ..Estimate::probability(hits, count) }
}
