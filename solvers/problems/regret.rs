//! What it costs to be wrong: what a problem says of policies that are optimal for other models than the true one.

use super::registry::Loaded;
use crate::complaint::Complaint;
use crate::document::Bounds;
use crate::model::number::{Decimal, written_out};
use crate::run::Watch;
use remapping::{Halt, Rational, Status};

/// The true model.
pub trait Truth {
    /// What the model is called in documents.
    fn problem(&self) -> &'static str;

    /// The cost of the optimal policy.
    fn optimum(&self) -> Bounds;

    /// The cost of never remapping.
    fn never(&self) -> Bounds;

    /// How solving the model ended.
    fn status(&self) -> Status;

    /// What the policy costs here that is optimal where the place `path` has the value `value`, as in the model `assumed`.
    ///
    /// # Errors
    /// Another problem, or one that does not go with the true one; a halt.
    fn judge(
        &self,
        assumed: &Loaded,
        place: (&str, &str),
        watch: &Watch,
    ) -> Result<Judged, Failure>;

    /// The places that nobody knows exactly, and values that they may be taken for.
    fn usual(&self) -> Vec<(String, Vec<String>)>;
}

/// What a policy comes to in another model than its own.
pub struct Judged {
    /// What it costs there.
    pub cost: Bounds,
    /// Its first threshold.
    pub threshold: f64,
    /// By which factor what it believes is off.
    pub factor: Option<f64>,
}

/// Why there is nothing to be said.
pub enum Failure {
    /// The caller stopped.
    Halted(Halt),
    /// Something is wrong with a model.
    Wrong(Vec<Complaint>),
}

impl From<Vec<Complaint>> for Failure {
    fn from(complaints: Vec<Complaint>) -> Failure {
        Failure::Wrong(complaints)
    }
}

/// What a parameter is off by if nothing else is asked for.
const FACTORS: [(u64, u64); 11] =
    [(1, 10), (1, 5), (3, 10), (1, 2), (7, 10), (1, 1), (7, 5), (2, 1), (3, 1), (5, 1), (10, 1)];

/// The values of a place whose number is `rest` + `base`, with `base` off by each of the usual factors, as far as the model may take
/// them; `None` where there is nothing to be off by.
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

/// By which factor a value differs from the number in the model.
pub fn factor(loaded: &Loaded, (path, value): (&str, &str)) -> Option<f64> {
    let ratio = Decimal::parse(value).ok()?.value / loaded.number(path)?.value;
    ratio.is_finite().then_some(ratio)
}
