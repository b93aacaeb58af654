//! The motion of the loads of a solved model, with which other rules can be evaluated.

use remapping::Rational;
use remapping::decimal::decimal;
use remapping::imbalance::{Imbalance, RunningCost};
use remapping::simulate::{Course, Trials, Walker};
use serde::{Deserialize, Serialize};

/// Independent chains, and the cost of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dynamics {
    /// One chain for all processes, or one for each. Empty where the processes do not move
    /// independently, or other rules are not evaluated.
    pub chains: Vec<Moves>,
    /// The capacity of each process; empty where all are 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capacities: Vec<f64>,
    /// The cost of a step.
    pub running_cost: RunningCost,
    /// When and how often a remap is decided.
    pub course: Kind,
}

/// The chain of a process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moves {
    /// Load at level 0.
    pub lowest: i64,
    /// For each level, the first level it moves to and the probabilities from there on.
    pub rows: Vec<(usize, Vec<f64>)>,
}

/// The kind of problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A job, decided after its steps; its cost is the imbalance.
    AfterStep,
    /// Decided before its steps.
    BeforeStep,
    /// Decided after its steps; its cost is the time.
    AfterStepMakespan,
    /// Decided before its steps; its cost is the time.
    BeforeStepMakespan,
    /// Until balance or the first remap.
    Once,
    /// Without end.
    Endless,
}

/// The steps of a path without end, or until balance.
const STEPS: u64 = 2000;
/// The most levels that are written.
pub const MOST_LEVELS: usize = 200;

impl Moves {
    /// The moves of a chain with these rows.
    pub fn of(lowest: i64, rows: &[Vec<f64>]) -> Moves {
        let short = |row: &Vec<f64>| {
            let first = row.iter().position(|p| *p != 0.0).unwrap_or(0);
            let end = row.iter().rposition(|p| *p != 0.0).map_or(first, |last| last + 1);
            (first, row[first..end].to_vec())
        };
        Moves { lowest, rows: rows.iter().map(short).collect() }
    }

    fn walker(&self) -> Walker {
        let full = |(first, part): &(usize, Vec<f64>)| {
            let mut row = vec![0.0; self.rows.len()];
            row[*first..*first + part.len()].copy_from_slice(part);
            row
        };
        Walker { lowest: self.lowest, rows: self.rows.iter().map(full).collect() }
    }

    fn holds(&self) -> bool {
        let levels = self.rows.len();
        let row = |(first, part): &(usize, Vec<f64>)| {
            let sum: f64 = part.iter().sum();
            let within = first.checked_add(part.len()).is_some_and(|end| end <= levels);
            within && part.iter().all(|p| *p >= 0.0) && (sum - 1.0).abs() <= 1e-6
        };
        (1..=MOST_LEVELS).contains(&levels)
            && self.lowest.unsigned_abs() <= 1 << 40
            && self.rows.iter().all(row)
    }
}

impl Dynamics {
    /// A workload for evaluating rules: `processes` of them, for `job` (initial load, steps) if it
    /// is one.
    pub fn trials(&self, processes: usize, remap_cost: f64, job: (i64, u64)) -> Option<Trials> {
        let first = self.chains.first()?;
        let walkers: Vec<Walker> = match self.chains.len() {
            1 => vec![first.walker(); processes],
            _ => self.chains.iter().map(Moves::walker).collect(),
        };
        let capacities = self.capacities(processes);
        let exact: Vec<Rational> =
            capacities.iter().map(|c| decimal(&format!("{c}")).ok()).collect::<Option<_>>()?;
        let highest =
            walkers.iter().map(|w| w.lowest.unsigned_abs() + w.rows.len() as u64).max()?;
        let imbalance = Imbalance::new(self.running_cost, &exact, highest).ok()?;
        let (initial, steps) = job;
        let of_job = |before_step, makespan| Course::Job { initial, steps, before_step, makespan };
        let course = match self.course {
            Kind::AfterStep => of_job(false, false),
            Kind::BeforeStep => of_job(true, false),
            Kind::AfterStepMakespan => of_job(false, true),
            Kind::BeforeStepMakespan => of_job(true, true),
            Kind::Once => Course::Once { steps: STEPS },
            Kind::Endless => Course::Endless { steps: STEPS },
        };
        let held = |w: &Walker| (w.lowest..w.lowest + w.rows.len() as i64).contains(&initial);
        let job = matches!(course, Course::Job { .. });
        let fits = walkers.len() == processes && (!job || walkers.iter().all(held));
        fits.then(|| Trials::new(walkers, &capacities, imbalance, remap_cost, course))
    }

    /// Without the chains: where other rules are not evaluated, the capacities are still known.
    pub fn unpriced(self) -> Dynamics {
        Dynamics { chains: Vec::new(), ..self }
    }

    /// The capacity of each of these processes.
    pub fn capacities(&self, processes: usize) -> Vec<f64> {
        match self.capacities.len() {
            given if given == processes => self.capacities.clone(),
            _ => vec![1.0; processes],
        }
    }

    /// The first inconsistency among its fields, if any.
    pub(crate) fn fault(&self) -> Option<String> {
        if !self.chains.iter().all(Moves::holds) {
            return Some("`dynamics` has rows that are not laws between its levels".to_owned());
        }
        let positive = self.capacities.iter().all(|c| *c > 0.0 && c.is_finite());
        (!positive).then(|| "`dynamics` has capacities that are not above 0".to_owned())
    }
}
