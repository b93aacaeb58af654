//! A model solved for other remap costs and other tolerances.
//!
//! It starts from the values of the model and extends one slider after the other, down and up in
//! turn, until time is up.

use super::{Frame, Slider, frame};
use crate::complaint::Complaint;
use crate::problems::registry::{Body, Loaded, Problem, Solution};
use crate::problems::{self, Files, Settings};
use crate::run::Watch;
use crate::text::digits::plain;
use rayon::prelude::*;
use remapping::Observer;
use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};

/// The factors for the values of the model.
const COSTS: [f64; 9] = [0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0, 8.0];
const SWITCHES: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
const BOUNDS: [f64; 7] = [0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0];

/// The seconds for solving the other values of a model.
const SECONDS: f64 = 10.0;

/// A parameter that is varied.
struct Axis {
    /// Its name, followed by its path.
    name: String,
    path: &'static str,
    values: Vec<f64>,
    first: usize,
}

/// The sliders and frames of a model.
pub(super) struct Variants {
    pub sliders: Vec<Slider>,
    /// For each combination of positions; the last slider varies fastest.
    pub frames: Vec<Frame>,
    /// The combination of the model itself.
    pub first: Vec<usize>,
    /// Why there are no sliders, or fewer positions, where a parameter varies.
    pub note: Option<&'static str>,
}

impl Axis {
    fn of(what: &str, path: &'static str, base: f64, factors: &[f64]) -> Option<Axis> {
        let values = factors.iter().map(|factor| base * factor).collect();
        let first = factors.iter().position(|factor| *factor == 1.0)?;
        let place = path.strip_prefix("problem.").unwrap_or(path);
        (base > 0.0).then_some(Axis { name: format!("{what}, {place}"), path, values, first })
    }
}

/// The parameters of a model that are varied.
fn axes(loaded: &Loaded, solution: &Solution) -> Vec<Axis> {
    let cost = "cost of a remap";
    let at_cost = |given: f64| Axis::of(cost, "problem.remap_cost", given, &COSTS);
    match (&solution.body, &loaded.problem) {
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
        (Body::Stopping(answer), _) if answer.cost_by_state.is_none() => {
            at_cost(answer.remap_cost).into_iter().collect()
        }
        (Body::LoadDrift(answer), _) if answer.cost_by_state.is_none() => {
            at_cost(answer.remap_cost).into_iter().collect()
        }
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

/// Solves the model for other values. `solution` is that of its own values.
pub(super) fn of(
    loaded: &Loaded,
    solution: &Solution,
    settings: &Settings,
) -> Result<Variants, Complaint> {
    let mut axes = axes(loaded, solution);
    // A parameter that the file does not state as a number cannot be set.
    axes.retain(|axis| loaded.with(&[(axis.path, &text(axis.values[axis.first]))]).is_ok());
    let first: Vec<usize> = axes.iter().map(|axis| axis.first).collect();
    let watch = Watch::waiting(&loaded.title, None);
    let all: u64 = axes.iter().map(|axis| axis.values.len() as u64).product();
    let done = AtomicU64::new(1);
    let set = |at: &[usize]| -> Vec<(&str, String)> {
        axes.iter().zip(at).map(|(axis, at)| (axis.path, text(axis.values[*at]))).collect()
    };
    let solve = |at: Vec<usize>, limit: f64| -> Option<(Vec<usize>, Solution)> {
        let chosen = set(&at);
        let chosen: Vec<(&str, &str)> = chosen.iter().map(|(p, v)| (*p, v.as_str())).collect();
        let settings = Settings { time_limit: Some(limit), ..settings.clone() };
        let solved = problems::solve(&loaded.with(&chosen).ok()?, &settings, Files::default());
        let solution = solved.ok()?.solution;
        // After an interrupt the next solution is interrupted, too.
        let _ = watch.progress(done.fetch_add(1, Ordering::Relaxed) + 1, all);
        (!solution.status.is_halted()).then_some((at, solution))
    };
    let mut found = vec![(first.clone(), solution.clone())];
    let mut reached: Vec<RangeInclusive<usize>> = first.iter().map(|at| *at..=*at).collect();
    // Each slider extends down and up, and stops where its next position takes too long.
    let mut sides: VecDeque<Side> = (0..axes.len())
        .flat_map(|axis| [false, true].map(|up| Side { axis, up, longest: solution.seconds }))
        .collect();
    let mut stopped = false;
    while let Some(side) = sides.pop_front() {
        let range = reached[side.axis].clone();
        let next = match side.up {
            true => Some(range.end() + 1).filter(|at| *at < axes[side.axis].values.len()),
            false => range.start().checked_sub(1),
        };
        let Some(next) = next else { continue };
        let mut ranges = reached.clone();
        ranges[side.axis] = next..=next;
        let new = combinations(&ranges);
        let rounds = new.len().div_ceil(rayon::current_num_threads().max(1)) as f64;
        let left = SECONDS - watch.seconds();
        let limit = left.min((20.0 * side.longest).max(0.3));
        let fits = side.longest * rounds < left;
        let solved: Option<Vec<_>> =
            if fits { new.into_par_iter().map(|at| solve(at, limit)).collect() } else { None };
        let Some(solved) = solved else {
            stopped = true;
            continue;
        };
        let seconds = solved.iter().map(|(_, solution)| solution.seconds);
        let longest = seconds.fold(side.longest, f64::max);
        found.extend(solved);
        reached[side.axis] = next.min(*range.start())..=next.max(*range.end());
        sides.push_back(Side { longest, ..side });
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    let frames = found.iter().map(|(at, solution)| {
        let set = set(at);
        let set: Vec<String> = set.iter().map(|(path, value)| format!("{path}={value}")).collect();
        frame(solution, set.join(";"))
    });
    let frames = frames.collect::<Result<Vec<Frame>, Complaint>>()?;
    let alone = frames.len() == 1;
    let note = match stopped {
        false => None,
        true if alone => Some("too long to solve for other values: no sliders"),
        true => Some("too long to solve for values further from its own: the sliders are shorter"),
    };
    let moves = |range: &RangeInclusive<usize>| range.end() > range.start();
    let sliders =
        axes.iter().zip(&reached).filter(|(_, range)| moves(range)).map(|(axis, range)| Slider {
            name: axis.name.clone(),
            positions: axis.values[range.clone()].iter().map(|value| plain(*value)).collect(),
        });
    let starts = first.iter().zip(&reached).filter(|(_, range)| moves(range));
    let first = starts.map(|(first, range)| first - range.start()).collect();
    Ok(Variants { sliders: sliders.collect(), frames, first, note })
}

/// A slider and one of its directions.
struct Side {
    axis: usize,
    up: bool,
    /// The longest time of a solution there, in seconds.
    longest: f64,
}

/// A number in the form of a model file.
fn text(value: f64) -> String {
    format!("{value:?}")
}
