//! What sample paths say of the best policy: two bounds, and how far they are apart.

use remapping::drift::many::{Measured, Spread};
use serde::{Deserialize, Serialize};

/// Both bounds of the value, with confidence intervals; nothing if the computation was stopped before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Sampled {
    /// Both bounds with their 99 % confidence intervals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Both>,
    /// By how many percent the policy costs more than the lower bound, on average.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap_percent: Option<f64>,
    /// The 95 % confidence interval of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap_interval: Option<[f64; 2]>,
    /// Number of sample paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<u64>,
}

impl From<&Measured> for Sampled {
    fn from(found: &Measured) -> Sampled {
        let percent = |part: f64| 100.0 * part / found.lower.mean;
        Sampled {
            bounds: Some(Both { lower: found.lower.into(), upper: found.upper.into() }),
            gap_percent: Some(percent(found.gap.mean)),
            gap_interval: Some([found.gap.low, found.gap.high].map(percent)),
            paths: Some(found.paths),
        }
    }
}

/// Two bounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Both {
    /// What no policy costs less than.
    pub lower: Mean,
    /// What the policy costs.
    pub upper: Mean,
}

/// A mean and its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl From<Spread> for Mean {
    fn from(Spread { mean, low, high }: Spread) -> Mean {
        Mean { mean, low, high }
    }
}
