//! Loads that drift by normal increments, with slopes and noise where there are any: `ContinuousDrift`.

use super::load_drift::REFUTED;
use super::periodic::normal;
use super::{Deck, Facts, short};
use remapping::drift::continuous::{ContinuousDrift, Increments};
use remapping::fit::growth::Point;
use remapping::fit::slopes::Fate;
use remapping::overlap::Overlap;
use remapping::simulate::Stream;
use std::f64::consts::SQRT_2;

/// Most steps of the model.
const MOST_STEPS: u64 = 2_000;

/// The model, where the engine has bounds for it.
pub fn continuous_drift(facts: &Facts<'_>) -> Option<Deck> {
    let steps = facts.steps();
    if facts.job_steps.is_some() && steps > MOST_STEPS {
        return None;
    }
    let increments = &facts.increments;
    let deviation = increments.deviation.value;
    let noise = if increments.noise > 0.2 * deviation { increments.noise } else { 0.0 };
    let problem = ContinuousDrift {
        ranks: facts.record.ranks(),
        increments: Increments::Normal { deviation },
        slopes: slopes(facts),
        noise,
        steps: steps.min(MOST_STEPS),
        remap_cost: facts.remap_cost,
        per_unit_moved: 0.0,
        overlap: Overlap::NONE,
        mean_load: 0.0,
    };
    if problem.fault().is_some() {
        return None;
    }
    let lags = facts.lags();
    // What a rank gains is seen through the noise of two steps.
    let gained = ContinuousDrift { noise: SQRT_2 * noise, ..problem.clone() };
    let expected = gained.expected(lags.last().copied().unwrap_or(1) as u64)?;
    let point = |lag: &usize| Point { lag: *lag, mean: expected[lag - 1], half_width: 0.0 };
    let start = facts.whole.mean;
    let mut misfits = Vec::new();
    let mut make = |numbers: &mut Stream, steps: usize, remaps: &[usize]| {
        record(&problem, numbers, start, steps, remaps)
    };
    let tested = match facts.tested(&mut make) {
        Ok(tested) => Some(tested),
        Err(misfit) => {
            misfits.push(misfit);
            None
        }
    };
    if problem.slopes > 0.0 && facts.slopes.as_ref().is_some_and(|s| s.fate == Fate::Kept) {
        misfits
            .push("the ranks keep their slopes over a remap; the model draws them anew".to_owned());
    }
    let mut model = format!(
        "ContinuousDrift(\n    processors: {},\n    increments: Normal(deviation: {}),\n",
        problem.ranks,
        short(deviation)
    );
    for (name, value) in [("slopes", problem.slopes), ("noise", problem.noise)] {
        if value > 0.0 {
            model += &format!("    {name}: {},\n", short(value));
        }
    }
    let cost = short(problem.remap_cost);
    model += &format!("    steps: {},\n    remap_cost: {cost},\n)", problem.steps);
    Some(Deck {
        problem: "continuous_drift",
        model,
        parameters: vec![("deviation per step".to_owned(), increments.deviation)],
        predicted: lags.iter().map(point).collect(),
        unit: 1.0,
        misfits,
        tested,
    })
}

/// Standard deviation of the ranks' slopes: between remaps, or over the log where there are none.
fn slopes(facts: &Facts<'_>) -> f64 {
    let increments = &facts.increments;
    match &facts.slopes {
        Some(found) if found.fate == Fate::None => 0.0,
        Some(found) => found.spread,
        None if increments.same_drift >= REFUTED => 0.0,
        None => {
            let ranks = increments.drifts.len() as f64;
            let mean = increments.drifts.iter().sum::<f64>() / ranks;
            let squares: f64 = increments.drifts.iter().map(|d| (d - mean).powi(2)).sum();
            let by_chance = increments.deviation.value.powi(2) / facts.whole.steps as f64;
            (squares / (ranks - 1.0) - by_chance).max(0.0).sqrt()
        }
    }
}

/// Times of a run that starts balanced at `start`.
fn record(
    problem: &ContinuousDrift,
    numbers: &mut Stream,
    start: f64,
    steps: usize,
    remaps: &[usize],
) -> Vec<f64> {
    let ranks = problem.ranks;
    let deviation = problem.increments.deviation();
    let mut loads = vec![start; ranks];
    let mut slopes: Vec<f64> = (0..ranks).map(|_| problem.slopes * normal(numbers)).collect();
    let mut seconds = Vec::with_capacity(steps * ranks);
    for step in 0..steps {
        if remaps.contains(&step) {
            let mean = loads.iter().sum::<f64>() / ranks as f64;
            loads.fill(mean);
            slopes.iter_mut().for_each(|slope| *slope = problem.slopes * normal(numbers));
        }
        for (load, slope) in loads.iter_mut().zip(&slopes) {
            *load += slope + deviation * normal(numbers);
            let own = if problem.noise > 0.0 { problem.noise * normal(numbers) } else { 0.0 };
            seconds.push(*load + own);
        }
    }
    seconds
}
