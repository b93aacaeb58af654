//! Compares fields of a solution that no certificate proves with the model and with a second
//! solution of it.
//!
//! The facts of the model are compared with it. Everything else is computed again, with the options
//! that the document shows, and must be the same. That costs as much as solving did, and stops at a
//! time limit.

use super::phase_change::answer::Premature;
use super::registry::{Body, Loaded, Problem, Solution};
use super::{Files, Method, Settings, load_drift, stopping};
use remapping::Status;
use remapping::load_drift::Timing;
use serde::Serialize;
use serde_json::{Number, Value};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Instant;

/// Fields that are not checked, by problem: the settings, the course of the computation, and the
/// remarks about it.
pub const UNCHECKED: [(&str, &[&str]); 7] = [
    ("all", &["seconds", "status", "tolerance", "version", "warnings"]),
    ("phase_change", &["segments"]),
    ("phase_switching", &["segments"]),
    ("many_phases", &["vectors"]),
    ("load_drift", &["active_states", "representation"]),
    ("stopping", &["classes", "iterations", "representation"]),
    ("periodic", &[]),
];

/// Whether a field is not checked.
pub fn is_unchecked(problem: &str, field: &str) -> bool {
    let own = UNCHECKED.iter().filter(|(name, _)| [problem, "all"].contains(name));
    own.flat_map(|(_, fields)| *fields).any(|name| *name == field)
}

/// Fields that state how close bounds are: their digits are only rounding.
const HOW_CLOSE: [&str; 4] =
    ["value_gap", "error", "deviation_error", "tolerance_max_deviation_error"];

/// The largest difference between two computations of a number: relative to it, and absolute near
/// 0.
const ROUNDED: f64 = 1e-9;
const NEXT_TO_0: f64 = 1e-12;

/// A model, and the documents of its second solutions by settings; none where solving was stopped.
pub struct Second {
    loaded: Loaded,
    started: Instant,
    limit: Option<f64>,
    solved: RefCell<BTreeMap<String, Option<Value>>>,
}

/// A field that has the wrong value.
struct Difference {
    path: String,
    given: String,
    right: String,
}

impl Second {
    /// For a model; solving it again may take `limit` seconds from now on.
    pub fn of(loaded: Loaded, limit: Option<f64>) -> Second {
        Second { loaded, started: Instant::now(), limit, solved: RefCell::default() }
    }

    /// Compares the fields that state facts of the model. Returns their names; `given` tells which
    /// the document has.
    ///
    /// # Errors
    /// The first field that differs from the model.
    pub fn facts(
        &self,
        solution: &Solution,
        given: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<&'static str>, String> {
        let log = &self.loaded.log;
        let (own, right) = (as_value(&solution.log), as_value(log));
        let header = ["unit_seconds", "stride", "fits", "job_steps"];
        // The default of a field that is left out is not compared.
        let stated = header.into_iter().filter(|name| given(name) || !right[name].is_null());
        let of_log = stated.map(|name| (name, own[name].clone(), right[name].clone()));
        let of_body = match (&solution.body, &self.loaded.problem) {
            (Body::PhaseChange(answer), Problem::PhaseChange(model)) => {
                let right = Premature::from(&model.problem().premature);
                vec![("premature", as_value(answer.premature), as_value(right))]
            }
            (Body::LoadDrift(answer), Problem::LoadDrift(model)) => {
                let (problem, overlap) = (model.problem(), model.overlap());
                let before = problem.timing == Timing::BeforeStep;
                let dynamics = load_drift::dynamics(&problem, overlap);
                vec![
                    ("before_step", answer.before_step.into(), before.into()),
                    ("dynamics", as_value(&answer.dynamics), as_value(dynamics)),
                ]
            }
            (Body::Stopping(answer), Problem::Stopping(model)) => {
                let dynamics = stopping::dynamics(model);
                vec![("dynamics", as_value(&answer.dynamics), as_value(dynamics))]
            }
            _ => Vec::new(),
        };
        let all = of_log.chain(of_body);
        let same = all.map(|(name, given, right)| match differ(name, &given, &right) {
            None => Ok(name),
            Some(Difference { path, given, right }) => {
                Err(format!("`{path}` is {given}, but the model has {right}"))
            }
        });
        same.collect()
    }

    /// Compares these fields of the solution, whose document is `given`, with a second solution.
    /// `None` if that was stopped.
    ///
    /// # Errors
    /// The first field that differs.
    pub fn compare(
        &self,
        solution: &Solution,
        given: &BTreeMap<String, Value>,
        fields: &dyn Fn(&str) -> bool,
    ) -> Result<Option<()>, String> {
        let Some(usual) = self.solve(solution, Method::Auto) else { return Ok(None) };
        let Some(difference) = first_difference(given, &usual, fields) else {
            return Ok(Some(()));
        };
        // The document does not state which of several methods was used.
        let others = match &self.loaded.problem {
            Problem::Stopping(_) => self.loaded.problem.kind().methods(),
            _ => &[],
        };
        let mut found = others.iter().filter_map(|method| self.solve(solution, *method));
        if found.any(|found| first_difference(given, &found, fields).is_none()) {
            return Ok(Some(()));
        }
        let Difference { path, given, right } = difference;
        Err(format!("`{path}` is {given}, but solving the model again gives {right}"))
    }

    /// The document of a second solution, with the options that the first one shows; `None` if it
    /// was stopped.
    fn solve(&self, solution: &Solution, method: Method) -> Option<Value> {
        let left = |limit: f64| (limit - self.started.elapsed().as_secs_f64()).max(0.0);
        let usual = Settings {
            tolerance: solution.tolerance,
            time_limit: self.limit.map(left),
            method,
            ..Settings::default()
        };
        let settings = match &solution.body {
            Body::PhaseChange(answer) => Settings { exact: answer.exact.is_some(), ..usual },
            Body::PhaseSwitching(answer) => Settings { exact: answer.exact.is_some(), ..usual },
            Body::ManyPhases(_) => Settings { gap: Some(solution.tolerance), ..usual },
            Body::LoadDrift(answer) => Settings {
                values: answer.cost_to_go.is_some(),
                step: answer.decision_step,
                ..usual
            },
            Body::Stopping(answer) => Settings {
                values: answer.value.is_some(),
                critical_costs: answer.critical_cost.is_some(),
                ..usual
            },
            Body::Periodic(answer) => match &answer.simulated {
                Some(own) => Settings { simulate: Some(own.runs), seed: own.seed, ..usual },
                None => usual,
            },
            _ => usual,
        };
        let mut all = self.solved.borrow_mut();
        let again = all.entry(settings.written()).or_insert_with(|| {
            let found = super::solve(&self.loaded, &settings, Files::default()).ok()?.solution;
            // If a limit of this machine came first, nothing is known about the solution of another
            // machine.
            let stopped = solution.status == Status::Converged && found.status != Status::Converged;
            (!stopped && !found.status.is_halted()).then(|| as_value(&found))
        });
        again.clone()
    }
}

/// A value as documents have it: numbers beyond 64 bits have the digits that readers keep.
fn as_value(value: impl Serialize) -> Value {
    let text = serde_json::to_string(&value).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// The first of these fields in which two documents differ.
fn first_difference(
    given: &BTreeMap<String, Value>,
    right: &Value,
    fields: &dyn Fn(&str) -> bool,
) -> Option<Difference> {
    let others = right.as_object().into_iter().flat_map(|right| right.keys());
    let mut names = given.keys().chain(others).filter(|name| fields(name));
    names.find_map(|name| {
        let given = given.get(name).unwrap_or(&Value::Null);
        differ(name, given, &right[name.as_str()])
    })
}

/// The first place where two values differ; a missing value is null.
fn differ(path: &str, given: &Value, right: &Value) -> Option<Difference> {
    let different = || {
        let [given, right] = [given, right].map(brief);
        Some(Difference { path: path.to_owned(), given, right })
    };
    match (given, right) {
        (Value::Number(a), Value::Number(b)) if is_same(path, a, b) => None,
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let mut both = a.iter().zip(b).enumerate();
            both.find_map(|(i, (a, b))| differ(&format!("{path}[{i}]"), a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let mut names = a.keys().chain(b.keys());
            names.find_map(|name| differ(&format!("{path}.{name}"), &given[name], &right[name]))
        }
        _ if given == right => None,
        _ => different(),
    }
}

/// Whether two computations of the same number may give these results.
fn is_same(path: &str, given: &Number, right: &Number) -> bool {
    let whole = |number: &Number| !number.is_f64();
    if whole(given) && whole(right) {
        return given == right;
    }
    let (Some(a), Some(b)) = (given.as_f64(), right.as_f64()) else { return given == right };
    let (apart, most) = ((a - b).abs(), a.abs().max(b.abs()));
    let name = path.rsplit('.').next().unwrap_or(path);
    if HOW_CLOSE.contains(&name) {
        return apart <= ROUNDED * most || most < ROUNDED && a.min(b) >= most / 2.0;
    }
    apart <= ROUNDED * most + NEXT_TO_0
}

/// A value in a few words.
fn brief(value: &Value) -> String {
    let text = value.to_string();
    match value {
        Value::Null => "missing or null".to_owned(),
        _ if text.chars().count() > 60 => {
            format!("{}...", text.chars().take(57).collect::<String>())
        }
        _ => text,
    }
}
