//! Simple policies from a state: remap when the largest level reaches b, at the latest after T steps.

use super::totals::Profile;
use std::sync::Arc;

/// The best simple policy from a state, and the numbers its cost is made of.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Its cost, Y.
    pub value: f64,
    /// b.
    pub barrier: usize,
    /// T.
    pub steps: usize,
    /// The least cost without a barrier, and with one so many levels above the largest; NaN where none was tried.
    pub bests: [f64; BARRIERS + 1],
    /// By number of steps, from 1: what a remap then costs with all that follows.
    pub(super) ends: Vec<f64>,
    /// By number of steps, from 0: what they cost without a remap, and beside one, and their largest levels.
    pub(super) open: Vec<[f64; 3]>,
    pub(super) tilt: Tilt,
}

/// How the value after the next remap depends on the total after one step, with expectation zero.
#[derive(Debug, Clone, Default)]
pub(super) enum Tilt {
    #[default]
    None,
    /// A parabola in its distance from its mean.
    Parabola { mean: f64, variance: f64, slope: f64, bend: f64 },
    /// Less its own expectation.
    Whole(Arc<Profile>),
}

impl Tilt {
    pub(super) fn at(&self, total: u64) -> f64 {
        match self {
            Tilt::None => 0.0,
            Tilt::Parabola { mean, variance, slope, bend } => {
                let away = total as f64 - mean;
                slope * away + bend * (away * away - variance)
            }
            Tilt::Whole(profile) => profile.at(total) - profile.expected,
        }
    }
}

/// How many barriers above the largest level are tried.
pub(super) const BARRIERS: usize = 2;
