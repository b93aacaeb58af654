//! Optimal periodic intervals \[FXW03\]: remap every `T` steps, with `T` as long as the expected
//! imbalance stays within a bound.
//!
//! All `N` processors start with the load `w`; each step adds an independent change to each. With
//! `wbar` the average load, `T` is the largest with
//!
//! ```text
//! P_I :  d(t) = E max_i |w_i(t) - wbar(t)| / E wbar(t)              <= D  for t = 1..T
//! P_II:  v(t) = sqrt(E sum_i (w_i(t) - wbar(t))^2) / E wbar(t)      <= B  for t = 1..T
//! ```
//!
//! [`methods`](methods()) returns all applicable methods: the closed forms of the paper
//! ([`closed`]), order statistics ([`mod@crate::distribution::extremes`]), and d(t) itself. The
//! latter is computed by [`exact`] for walks on a lattice and by [`mod@kappa`] for identical normal
//! changes. For all other distributions it is enclosed by two bounds (`rounded`), refined until the
//! comparison with `D` is decided. Intervals may be infinite. Every step of an interval is proved
//! to satisfy the bound: see [`search`].
//!
//! ```
//! use remapping::periodic::{Bound, Processors, methods};
//! use remapping::distribution::{Class, Law};
//!
//! let law = Law::Normal { mean: 0.0, deviation: 1.0 };
//! let processors = Processors::new(100.0, vec![Class { count: 64, law }])?;
//! let found = methods(&processors, Bound::MaxDeviation(0.1), &());
//! // d(t) = 2.5748 sqrt(t) / 100.
//! assert_eq!(found[0].interval.steps, Some(15));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chain;
pub mod closed;
pub mod cost;
mod covariance;
mod deviation;
mod methods;
mod moments;
mod negative;
pub mod paths;
mod processors;
pub mod search;
mod settling;

pub use chain::{ChainLoads, LoadChain};
pub use closed::{distribution_free_factor, normal_extremes_factor};
pub use cost::{CostAware, cost_aware};
pub use covariance::{Covariance, CovarianceError};
pub use deviation::exact;
pub use deviation::expected_imbalance::ExpectedImbalance;
pub use deviation::kappa;
pub use deviation::kappa::{kappa, kappa_error};
pub use deviation::window::Places;
pub use methods::{Bound, Guarantee, Kind, Method, methods};
pub use moments::{Moments, first_crossing};
pub use negative::{NegativeLoad, negative_load};
pub use paths::{Passage, first_passage, sample_path, sampled_max_deviation};
pub use processors::{Processors, ProcessorsError};
pub use search::{Search, Ties, longest};

/// A computed number and a bound of its numerical error.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Approximation {
    /// The number.
    pub value: f64,
    /// Absolute error at most.
    pub error: f64,
}

impl Approximation {
    /// A number between two bounds.
    fn between(lower: f64, upper: f64) -> Self {
        Self { value: 0.5 * (lower + upper), error: 0.5 * (upper - lower) }
    }
}

/// How long a bound holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// Largest number of steps after which the bound still holds; `None` if it always does.
    /// `u64::MAX` stands for that many or more.
    pub steps: Option<u64>,
    /// Time of the crossing as a real number, `steps` being its floor. It is the root of a closed
    /// form or of a distribution defined at real times, otherwise the linear interpolation between
    /// the two steps. `None` if never, or not reached.
    pub real: Option<f64>,
}
