//! The change test of [NR86, sec. II]: batch means, grouped into clusters, and Akaike's criterion
//! between one normal distribution and two.

use crate::belief::Report;
use crate::record::{MOST_SECONDS, MOST_SQUARES};
use serde::{Deserialize, Serialize};

/// Number of measurements in a batch, and of batches in a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clusters {
    batch: u32,
    cluster: u32,
}

impl Clusters {
    /// Batches of `batch` measurements (d), clusters of `cluster` batches (c). `None` unless d >= 1
    /// and c >= 2: one batch mean has no variance.
    pub fn new(batch: u32, cluster: u32) -> Option<Clusters> {
        (batch >= 1 && cluster >= 2).then_some(Clusters { batch, cluster })
    }

    /// Measurements in a cluster, c d: the length of a decision interval in cycles.
    pub fn measurements(&self) -> u64 {
        u64::from(self.batch) * u64::from(self.cluster)
    }
}

/// Count, mean and sum of squared deviations of a sample (Welford's updates).
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sample {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Sample {
    fn push(&mut self, value: f64) {
        self.count += 1.0;
        let step = value - self.mean;
        self.mean += step / self.count;
        self.squares += step * (value - self.mean);
    }

    /// Whether it is a sample of `count` numbers; deserialized values may not be.
    fn is_of(&self, count: u32) -> bool {
        self.count == f64::from(count)
            && self.mean.abs() <= MOST_SECONDS
            && (0.0..=MOST_SQUARES).contains(&self.squares)
    }

    fn join(&self, other: &Sample) -> Sample {
        let count = self.count + other.count;
        let step = other.mean - self.mean;
        let squares = self.squares + other.squares + step * step * self.count * other.count / count;
        Sample { count, mean: self.mean + step * other.count / count, squares }
    }

    /// The maximum-likelihood variance, over the count.
    fn variance(&self) -> f64 {
        self.squares / self.count
    }
}

/// Why a measurement is invalid.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MonitorError {
    /// NaN or infinite.
    #[error("{0} is not a finite number")]
    NotFinite(f64),
    /// Above [`MOST_SECONDS`], or below its negative.
    #[error("{0:e} is too large")]
    TooLarge(f64),
    /// All batch means of the base cluster are the same.
    #[error("all measurements of a base are {0}: a change cannot be told from no noise at all")]
    Constant(f64),
}

/// Compares every cluster of measurements with a base cluster taken first. Constant memory and
/// time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeTest {
    clusters: Clusters,
    /// State of the incomplete batch.
    taken: u32,
    mean: f64,
    base: Option<Sample>,
    current: Sample,
}

impl ChangeTest {
    /// A test without measurements.
    pub fn new(clusters: Clusters) -> ChangeTest {
        ChangeTest { clusters, taken: 0, mean: 0.0, base: None, current: Sample::default() }
    }

    /// Consistency check for deserialized values.
    pub(crate) fn is_valid(&self) -> bool {
        let Clusters { batch, cluster } = self.clusters;
        Clusters::new(batch, cluster).is_some()
            && self.taken < batch
            && self.mean.abs() <= MOST_SECONDS
            && self.base.is_none_or(|base| base.is_of(cluster) && base.squares > 0.0)
            && self.current.count < f64::from(cluster)
            && self.current.is_of(self.current.count as u32)
    }

    /// Whether the base cluster is complete.
    pub fn has_base(&self) -> bool {
        self.base.is_some()
    }

    /// Processes a measurement. If it completes a test cluster, returns whether the cluster differs
    /// from the base.
    ///
    /// # Errors
    /// If the measurement is not finite or too large (it is then ignored), or completes a base
    /// cluster without variance (a new base then begins).
    pub fn observe(&mut self, measurement: f64) -> Result<Option<Report>, MonitorError> {
        if !measurement.is_finite() {
            return Err(MonitorError::NotFinite(measurement));
        }
        if measurement.abs() > MOST_SECONDS {
            return Err(MonitorError::TooLarge(measurement));
        }
        self.taken += 1;
        self.mean += (measurement - self.mean) / f64::from(self.taken);
        if self.taken < self.clusters.batch {
            return Ok(None);
        }
        self.current.push(std::mem::take(&mut self.mean));
        self.taken = 0;
        if self.current.count < f64::from(self.clusters.cluster) {
            return Ok(None);
        }
        let cluster = std::mem::take(&mut self.current);
        match &self.base {
            Some(base) => Ok(Some(differs(base, &cluster))),
            // Equal batch means leave only rounding errors.
            None if cluster.variance().sqrt() <= 1e-12 * cluster.mean.abs() => {
                Err(MonitorError::Constant(cluster.mean))
            }
            None => {
                self.base = Some(cluster);
                Ok(None)
            }
        }
    }

    /// Starts over with a new base cluster, as after a remap.
    pub fn restart(&mut self) {
        *self = ChangeTest::new(self.clusters);
    }
}

/// AIC_J = c ln(var_J) + 4 against AIC_S = (c/2) ln(var_B var_C) + 8 [NR86, sec. II]. A tie is no
/// change.
fn differs(base: &Sample, cluster: &Sample) -> Report {
    let c = cluster.count;
    let joint = c * base.join(cluster).variance().ln() + 4.0;
    let split = 0.5 * c * (base.variance().ln() + cluster.variance().ln()) + 8.0;
    if split < joint { Report::Change } else { Report::NoChange }
}
