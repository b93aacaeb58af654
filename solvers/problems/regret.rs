//! The cost of wrong models: the interface to policies that are optimal for another model than the
//! true one.

use super::registry::Loaded;
use crate::complaint::Complaint;
use crate::document::Bounds;
use crate::model::number::{Decimal, written_out};
use crate::run::Watch;
use remapping::{Halt, Rational, Status};

/// The true model.
pub trait Truth {
    /// The costs of the model.
    fn known(&self) -> Known;

    /// The cost in this model of the policy that is optimal for `assumed`, where the parameter at
    /// `path` is `value`.
    ///
    /// # Errors
    /// `assumed` has another problem, or does not fit the true model; or a halt.
    fn judge(
        &self,
        assumed: &Loaded,
        place: (&str, &str),
        watch: &Watch,
    ) -> Result<Judged, Failure>;

    /// The parameters that are hard to know exactly, with wrong values for each.
    fn usual(&self) -> Vec<(String, Vec<String>)>;
}

/// The costs of the true model.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    /// The cost of the optimal policy.
    pub optimum: Bounds,
    /// The cost of never remapping.
    pub never: Bounds,
    /// How solving it ended.
    pub status: Status,
}

/// The result of a policy in another model than its own.
pub struct Judged {
    /// Its cost there.
    pub cost: Bounds,
    /// Its first threshold.
    pub threshold: f64,
    /// The factor by which the assumed parameter is wrong.
    pub factor: Option<f64>,
}

/// Why there is no result.
pub enum Failure {
    /// The caller stopped.
    Halted(Halt),
    /// A model is wrong.
    Wrong(Vec<Complaint>),
}

impl From<Vec<Complaint>> for Failure {
    fn from(complaints: Vec<Complaint>) -> Failure {
        Failure::Wrong(complaints)
    }
}

impl From<Complaint> for Failure {
    fn from(complaint: Complaint) -> Failure {
        Failure::Wrong(vec![complaint])
    }
}

impl From<Halt> for Failure {
    fn from(halt: Halt) -> Failure {
        Failure::Halted(halt)
    }
}

/// The default factors by which a parameter is wrong.
const FACTORS: [(u64, u64); 11] =
    [(1, 10), (1, 5), (3, 10), (1, 2), (7, 10), (1, 1), (7, 5), (2, 1), (3, 1), (5, 1), (10, 1)];

/// The values of a parameter whose number is `rest` + `base`, with `base` times each of the default
/// factors. Values that the model does not allow are left out. `None` where `base` is 0.
pub fn off(
    loaded: &Loaded,
    path: &str,
    [base, rest]: [&Rational; 2],
    fits: impl Fn(&Loaded) -> bool,
) -> Option<(String, Vec<String>)> {
    if *base <= Rational::ZERO {
        return None;
    }
    let value = |(up, down): &(u64, u64)| {
        let value = written_out(&(rest + base * Rational::from(*up) / Rational::from(*down)));
        let changed = loaded.with(&[(path, &value)]).ok()?;
        fits(&changed).then_some(value)
    };
    Some((path.to_owned(), FACTORS.iter().filter_map(value).collect()))
}

/// The ratio of a value to the number in the model.
pub fn factor(loaded: &Loaded, (path, value): (&str, &str)) -> Option<f64> {
    let ratio = Decimal::parse(value).ok()?.value / loaded.number(path)?.value;
    ratio.is_finite().then_some(ratio)
}
