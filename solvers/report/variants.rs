//! A model solved for other costs of a remap and other tolerances.

use super::{Frame, SECONDS_PER_MODEL, Slider, frame};
use crate::fitting::short;
use crate::model::{Loaded, Problem};
use crate::problems::{self, Files, Settings};
use crate::solution::{Body, Solution};

/// What the cost and the tolerance of the model are multiplied by.
const COSTS: [f64; 9] = [0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0, 8.0];
const BOUNDS: [f64; 7] = [0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0];

/// A place in a model that is varied.
struct Axis {
    name: &'static str,
    path: &'static str,
    values: Vec<f64>,
    first: usize,
}

impl Axis {
    fn of(name: &'static str, path: &'static str, base: f64, factors: &[f64]) -> Option<Axis> {
        let values = factors.iter().map(|factor| base * factor).collect();
        let first = factors.iter().position(|factor| *factor == 1.0)?;
        (base > 0.0).then_some(Axis { name, path, values, first })
    }
}

/// Sliders, what is shown at each combination, and the combination of the model itself. `None` if the
/// model takes too long: it took `once` seconds.
pub(super) fn of(
    loaded: &Loaded,
    solution: &Solution,
    once: f64,
    settings: &Settings,
) -> Option<(Vec<Slider>, Vec<Frame>, Vec<usize>)> {
    let cost = "cost of a remap";
    let at_cost = |given: f64| Axis::of(cost, "problem.remap_cost", given, &COSTS);
    let axes: Vec<Axis> = match (&solution.body, &loaded.model.problem) {
        (Body::PhaseChange(_), Problem::PhaseChange(model)) => {
            let test = model.problem().test.to_f64().value();
            Axis::of(cost, "problem.remap.test", test, &COSTS).into_iter().collect()
        }
        (Body::Periodic(answer), _) => {
            let given = answer.cost_aware.as_ref().map_or(0.0, |cost| cost.remap_cost);
            let bounds = answer
                .bound
                .and_then(|bound| Axis::of("tolerance", "problem.bound", bound, &BOUNDS));
            at_cost(given).into_iter().chain(bounds).collect()
        }
        (Body::Stopping(answer), _) if answer.cost_by_state.is_none() => {
            at_cost(answer.remap_cost).into_iter().collect()
        }
        (Body::LoadDrift(answer), _) => at_cost(answer.remap_cost).into_iter().collect(),
        _ => Vec::new(),
    };
    let combinations: usize = axes.iter().map(|axis| axis.values.len()).product();
    if axes.is_empty() || once * combinations as f64 > SECONDS_PER_MODEL {
        return None;
    }
    let mut frames = Vec::with_capacity(combinations);
    for combination in 0..combinations {
        let mut rest = combination;
        let mut chosen: Vec<(&str, String)> = Vec::new();
        for axis in axes.iter().rev() {
            let value = axis.values[rest % axis.values.len()];
            chosen.push((axis.path, format!("{value:?}")));
            rest /= axis.values.len();
        }
        let chosen: Vec<(&str, &str)> = chosen.iter().map(|(p, v)| (*p, v.as_str())).collect();
        let varied = loaded.with(&chosen).ok()?;
        let solved = problems::solve(&varied, settings, Files::default()).ok()?;
        frames.push(frame(&solved.solution).ok()?);
    }
    let slider = |axis: &Axis| Slider {
        name: axis.name.to_owned(),
        positions: axis.values.iter().map(|value| short(*value)).collect(),
    };
    let first = axes.iter().map(|axis| axis.first).collect();
    Some((axes.iter().map(slider).collect(), frames, first))
}
