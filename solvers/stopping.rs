//! The `Stopping` problem: from model to decision map.

use crate::cli::Settings;
use crate::memory;
use crate::model::Loaded;
use crate::model::complaint::Complaint;
use crate::model::stopping::Stopping;
use crate::run::Watch;
use crate::solution::{Body, Solved};
use remapping::Status;
use remapping::stopping::{
    self, AfterRemap, Decision, Method, Problem, ProblemError, Solution, States,
};
use serde::Serialize;
use serde_json::Value;

/// Decision map of a stopping problem.
#[derive(Debug, Clone, Serialize)]
pub struct Answer {
    /// Levels of each process, or the number of listed states of a joint chain.
    pub shape: Vec<usize>,
    /// The number of load vectors.
    pub states: u128,
    /// The number of states solved for, after lumping equal processes.
    pub classes: usize,
    /// `B`alanced, `R`emap or `C`ontinue for each load vector, row-major, the last process fastest;
    /// absent beyond 10^6 of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// The load vectors whose two branches agree within the proved bounds, as places in `decision`
    /// (of one load vector in each class where that is absent).
    pub ties: Vec<u128>,
    /// How many load vectors are balanced, remap and continue, ties as they are shown.
    pub counts: Counts,
    /// The largest distance between the proved bounds on J, relative to max(1, `remap_value`).
    pub value_gap: f64,
    /// What remapping costs in all: rho, or rho + sum(J)/|M|.
    pub remap_value: f64,
    /// Proved bounds on it.
    pub remap_bounds: [f64; 2],
    /// Applications of the transition operator.
    pub iterations: u64,
    /// `full` or `exchangeable`.
    pub representation: &'static str,
    /// The largest J.
    pub largest_value: f64,
    /// J of each load vector (of each class, beyond 10^6 load vectors), with `--values`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Vec<f64>>,
    /// For drawing: the loads of every class and its decision.
    #[serde(skip)]
    pub map: Map,
}

/// How many load vectors get each decision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Counts {
    /// Balanced.
    pub balanced: f64,
    /// Remap.
    pub remap: f64,
    /// Continue.
    pub continued: f64,
}

/// What a picture of the solution needs.
#[derive(Debug, Clone, Default)]
pub struct Map {
    /// The lowest load of each process.
    pub lowest: Vec<i64>,
    /// For each mean load per process, rounded down, and each spread (largest minus smallest load):
    /// how many load vectors remap, and how many there are. Empty for a map small enough to show.
    pub by_spread: Vec<Spread>,
}

/// The load vectors with one mean and spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Mean load, rounded down.
    pub mean: i64,
    /// Largest minus smallest load.
    pub spread: i64,
    /// Share of the classes that remap.
    pub remap: f64,
}

/// Load vectors up to which the map is part of the document.
pub const MAX_LISTED: usize = 1_000_000;

/// Solves the model.
pub fn solve(
    loaded: &Loaded,
    model: &Stopping,
    settings: &Settings,
    watch: &Watch,
) -> Result<Solved, Vec<Complaint>> {
    let refuse = |message: &str, help: &str| {
        vec![loaded.complain("problem", "this model cannot be solved", message, help)]
    };
    let (states, operator) =
        model.states(loaded.folder()).map_err(|error| refuse(&error, "correct the chain"))?;
    let imbalance = model.imbalance().map_err(|error| refuse(&error, "round the capacities"))?;
    let needed = stopping::memory_estimate(&states);
    if let Some(available) = memory::available().filter(|available| needed > *available) {
        let message = format!(
            "{} states need about {}, this machine has {} free",
            states.count(),
            memory::show(needed),
            memory::show(available)
        );
        return Err(refuse(&message, "take fewer levels or processes, or a larger machine"));
    }
    let problem = Problem::new(&states, operator, &imbalance, model.remap_cost(), model.after())
        .map_err(|error: ProblemError| refuse(&error.to_string(), "correct the model"))?;
    let how = stopping::Settings {
        method: settings.method.map_or(Method::Auto, Into::into),
        tolerance: settings.tolerance,
        ..stopping::Settings::default()
    };
    let solution = stopping::solve(&problem, &how, watch);
    let mut warnings = Vec::new();
    if solution.status == Status::IterationLimit {
        warnings.push(format!(
            "the tolerance was not reached: the proved bounds on J are {:.2e} apart",
            solution.gap
        ));
    }
    let answer = lay_out(&states, &problem, &solution, settings.values);
    Ok(Solved { body: Body::Stopping(answer), status: solution.status, warnings })
}

fn letter(problem: &Problem, solution: &Solution, state: usize) -> char {
    match solution.decision(problem, state) {
        Decision::Balanced => 'B',
        Decision::Remap => 'R',
        Decision::Continue => 'C',
    }
}

fn lay_out(states: &States, problem: &Problem, solution: &Solution, values: bool) -> Answer {
    let shape = states.shape();
    let vectors: u128 = shape.iter().map(|&levels| levels as u128).product();
    let listed = states.vectors().filter(|vectors| *vectors <= MAX_LISTED);
    let classes: Vec<usize> = match listed {
        Some(vectors) => (0..vectors)
            .map(|place| states.find(&states.vector(place)).expect("every vector has a class"))
            .collect(),
        None => Vec::new(),
    };
    let decision = listed
        .map(|_| classes.iter().map(|&class| letter(problem, solution, class)).collect::<String>());
    let ties = match listed {
        Some(vectors) => (0..vectors)
            .filter(|&place| solution.is_tie(problem, classes[place]))
            .map(|place| place as u128)
            .collect(),
        None => (0..states.count())
            .filter(|&class| solution.is_tie(problem, class))
            .map(|class| states.place(&states.loads(class)))
            .collect(),
    };
    let mut counts = Counts::default();
    let multiplicities = states.multiplicities();
    for class in 0..states.count() {
        let share = multiplicities.as_ref().map_or(1.0, |m| m[class]);
        match solution.decision(problem, class) {
            Decision::Balanced => counts.balanced += share,
            Decision::Remap => counts.remap += share,
            Decision::Continue => counts.continued += share,
        }
    }
    let value = values.then(|| match listed {
        Some(_) => classes.iter().map(|&class| solution.value[class]).collect(),
        None => solution.value.clone(),
    });
    let (low, high) = solution.remap_bounds();
    Answer {
        shape,
        states: vectors,
        classes: states.count(),
        decision,
        ties,
        counts,
        value_gap: solution.gap,
        remap_value: solution.remap_value,
        remap_bounds: [low, high],
        iterations: solution.iterations,
        representation: if states.is_lumped() { "exchangeable" } else { "full" },
        largest_value: solution.value.iter().copied().fold(0.0, f64::max),
        value,
        map: Map { lowest: states.vector(0), by_spread: by_spread(states, problem, solution) },
    }
}

/// The remap rule as a function of mean and spread, for three processes or more.
fn by_spread(states: &States, problem: &Problem, solution: &Solution) -> Vec<Spread> {
    if states.processes() < 3 {
        return Vec::new();
    }
    let mut table = std::collections::BTreeMap::<(i64, i64), (u64, u64)>::new();
    let mut loads = vec![0; states.processes()];
    for class in 0..states.count() {
        states.loads_into(class, &mut loads);
        let mean = loads.iter().sum::<i64>().div_euclid(loads.len() as i64);
        let (low, high) = loads
            .iter()
            .fold((i64::MAX, i64::MIN), |(low, high), &load| (low.min(load), high.max(load)));
        let entry = table.entry((mean, high - low)).or_default();
        entry.0 += u64::from(solution.decision(problem, class) == Decision::Remap);
        entry.1 += 1;
    }
    let rows = table.into_iter().map(|((mean, spread), (remap, all))| Spread {
        mean,
        spread,
        remap: remap as f64 / all as f64,
    });
    rows.collect()
}

/// What `check` prints.
pub fn facts(loaded: &Loaded, model: &Stopping) -> Vec<(&'static str, Value)> {
    let Ok((states, operator)) = model.states(loaded.folder()) else { return Vec::new() };
    let vectors: f64 = states.shape().iter().map(|&levels| levels as f64).product();
    let mut facts = vec![
        ("shape", Value::from(states.shape())),
        ("states", states.vectors().map_or(Value::from(vectors), Value::from)),
        ("classes", states.count().into()),
        ("representation", if states.is_lumped() { "exchangeable" } else { "full" }.into()),
        ("memory_bytes", stopping::memory_estimate(&states).into()),
    ];
    if states.count() <= MAX_LISTED {
        facts.push(("reversible", operator.reversing_weights().is_some().into()));
        if let Ok(imbalance) = model.imbalance() {
            let balanced = (0..states.count()).filter(|&s| imbalance.is_balanced(&states.loads(s)));
            facts.push(("balanced_classes", balanced.count().into()));
        }
    }
    facts.push((
        "after_remap",
        match model.after() {
            AfterRemap::Stop => "stop",
            AfterRemap::Uniform => "uniform",
        }
        .into(),
    ));
    facts
}
