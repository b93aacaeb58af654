//! A model solved for other costs of a remap and other tolerances.
//!
//! From the values of the model outwards, ring by ring, as far as the time reaches.

use super::{Frame, Slider, frame};
use crate::complaint::Complaint;
use crate::model::{Loaded, Problem};
use crate::problems::{self, Files, Settings};
use crate::render::digits::plain;
use crate::run::Watch;
use crate::solution::{Body, Solution};
use rayon::prelude::*;
use remapping::{Observer, Status};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the values of the model are multiplied by.
const COSTS: [f64; 9] = [0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0, 8.0];
const SWITCHES: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
const BOUNDS: [f64; 7] = [0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0];

/// Seconds that the other values of a model may take.
const SECONDS: f64 = 8.0;

/// A place in a model that is varied.
struct Axis {
    /// What it is, the place behind it.
    name: String,
    path: &'static str,
    values: Vec<f64>,
    first: usize,
}

/// What the page shows of a model.
pub(super) struct Variants {
    pub sliders: Vec<Slider>,
    /// For each combination, the last slider varying fastest.
    pub frames: Vec<Frame>,
    /// The combination of the model itself.
    pub first: Vec<usize>,
    /// Why there are no sliders, or fewer positions, where something varies.
    pub note: Option<&'static str>,
}

impl Axis {
    fn of(what: &str, path: &'static str, base: f64, factors: &[f64]) -> Option<Axis> {
        let values = factors.iter().map(|factor| base * factor).collect();
        let first = factors.iter().position(|factor| *factor == 1.0)?;
        let place = path.strip_prefix("problem.").unwrap_or(path);
        (base > 0.0).then_some(Axis { name: format!("{what}, {place}"), path, values, first })
    }

    /// The positions at most so many from the first.
    fn around(&self, ring: usize) -> RangeInclusive<usize> {
        let last = self.values.len() - 1;
        self.first.saturating_sub(ring)..=(self.first + ring).min(last)
    }
}

/// What varies in a model.
fn axes(loaded: &Loaded, solution: &Solution) -> Vec<Axis> {
    let cost = "cost of a remap";
    let at_cost = |given: f64| Axis::of(cost, "problem.remap_cost", given, &COSTS);
    match (&solution.body, &loaded.model.problem) {
        (Body::PhaseChange(_), Problem::PhaseChange(model)) => {
            let problem = model.problem();
            let test = Axis::of(
                "cost of trying a remap",
                "problem.remap.test",
                problem.test.to_f64().value(),
                &COSTS,
            );
            let install = || {
                let cost = problem.install.to_f64().value();
                Axis::of("cost of a remap that stays", "problem.remap.install", cost, &COSTS)
            };
            test.or_else(install).into_iter().collect()
        }
        (Body::PhaseSwitching(_), Problem::PhaseSwitching(model)) => {
            let [to_second, to_first] = model.switch_costs();
            let places = [
                ("cost of going to the second mapping", "problem.switch.to_second", to_second),
                ("cost of going back", "problem.switch.to_first", to_first),
            ];
            let axis = |(what, path, base)| Axis::of(what, path, base, &SWITCHES);
            places.into_iter().filter_map(axis).collect()
        }
        (Body::Periodic(answer), _) => {
            let given = answer.cost_aware.as_ref().map_or(0.0, |cost| cost.remap_cost);
            let bound = |bound| Axis::of("tolerance", "problem.bound", bound, &BOUNDS);
            at_cost(given).into_iter().chain(answer.bound.and_then(bound)).collect()
        }
        (Body::Stopping(answer), _) => at_cost(answer.remap_cost).into_iter().collect(),
        (Body::LoadDrift(answer), _) => at_cost(answer.remap_cost).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// All combinations of these positions, the last fastest.
fn combinations(ranges: &[RangeInclusive<usize>]) -> Vec<Vec<usize>> {
    ranges.iter().fold(vec![Vec::new()], |all, range| {
        all.iter()
            .flat_map(|chosen| range.clone().map(move |at| [&chosen[..], &[at]].concat()))
            .collect()
    })
}

/// Solves the model for other values. It was solved once, with this solution.
pub(super) fn of(
    loaded: &Loaded,
    solution: &Solution,
    settings: &Settings,
) -> Result<Variants, Complaint> {
    let mut axes = axes(loaded, solution);
    // What the file does not state as a number cannot be set.
    axes.retain(|axis| loaded.with(&[(axis.path, &text(axis.values[axis.first]))]).is_ok());
    let first: Vec<usize> = axes.iter().map(|axis| axis.first).collect();
    let rings = axes.iter().map(|axis| axis.first.max(axis.values.len() - 1 - axis.first)).max();
    let (rings, watch) = (rings.unwrap_or(0), Watch::start(&loaded.model.title, None));
    let all: u64 = axes.iter().map(|axis| axis.values.len() as u64).product();
    let done = AtomicU64::new(1);
    let set = |at: &[usize]| -> Vec<(&str, String)> {
        axes.iter().zip(at).map(|(axis, at)| (axis.path, text(axis.values[*at]))).collect()
    };
    let solve = |at: Vec<usize>| -> Option<(Vec<usize>, Solution)> {
        let chosen = set(&at);
        let chosen: Vec<(&str, &str)> = chosen.iter().map(|(p, v)| (*p, v.as_str())).collect();
        let left = (SECONDS - watch.seconds()).max(0.01);
        let settings = Settings { time_limit: Some(left), ..settings.clone() };
        let solved = problems::solve(&loaded.with(&chosen).ok()?, &settings, Files::default());
        let solution = solved.ok()?.solution;
        let stopped = matches!(solution.status, Status::TimeLimit | Status::Interrupted);
        // Interrupted, the next solution is so too.
        let _ = watch.progress(done.fetch_add(1, Ordering::Relaxed) + 1, all);
        (!stopped).then_some((at, solution))
    };
    let mut found = vec![(first.clone(), solution.clone())];
    let mut reached = 0;
    let mut longest = solution.seconds;
    for ring in 1..=rings {
        let ranges: Vec<_> = axes.iter().map(|axis| axis.around(ring)).collect();
        let known = |at: &Vec<usize>| found.iter().any(|(known, _)| known == at);
        let new: Vec<_> = combinations(&ranges).into_iter().filter(|at| !known(at)).collect();
        let threads = rayon::current_num_threads().min(new.len()).max(1);
        if watch.seconds() + longest * (new.len() / threads) as f64 > SECONDS {
            break;
        }
        let solved: Option<Vec<_>> = new.into_par_iter().map(solve).collect();
        let Some(solved) = solved else { break };
        longest = solved.iter().map(|(_, solution)| solution.seconds).fold(longest, f64::max);
        found.extend(solved);
        reached = ring;
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    let frames = found.iter().map(|(at, solution)| {
        let set: Vec<String> =
            set(at).iter().map(|(path, value)| format!("{path}={value}")).collect();
        frame(solution, set.join(";"))
    });
    let frames = frames.collect::<Result<Vec<Frame>, Complaint>>()?;
    let note = match reached {
        _ if reached == rings => None,
        0 => Some("too long to solve for other values: no sliders"),
        _ => Some("too long to solve for values further from its own: the sliders are shorter"),
    };
    if reached == 0 {
        return Ok(Variants { sliders: Vec::new(), frames, first: Vec::new(), note });
    }
    let slider = |axis: &Axis| Slider {
        name: axis.name.clone(),
        positions: axis.values[axis.around(reached)].iter().map(|value| plain(*value)).collect(),
    };
    let first = axes.iter().map(|axis| axis.first - axis.around(reached).start()).collect();
    Ok(Variants { sliders: axes.iter().map(slider).collect(), frames, first, note })
}

/// As it stands in a model file.
fn text(value: f64) -> String {
    format!("{value:?}")
}
