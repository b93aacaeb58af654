//! The certificate of a decision map: values of the states, moved outward to allow for rounding.

use super::answer::Answer;
use super::maps::table::Table;
use super::model::Stopping;
use super::{variants::countable, variants::partial, variants::varying};
use remap_checker::{Budget, Entry, Evidence, Model, Proof, Refusal, Run, Space};
use remapping::stopping::{
    AfterRemap, Limits, Problem, Settings, Varying, long_run_at, long_run_partial, partial_targets,
    rebalanced,
};
use std::path::Path;

/// Bits of the largest value in a certificate.
const VALUE_BITS: i32 = 59;

/// The typical rounding error of an expectation, in units.
const ROUNDING: f64 = 16.0;

/// The largest share by which a function is moved outward.
const MOST_MOVED: f64 = 1e-3;

/// A number that is small compared with the imbalance of one unit of load.
const LITTLE: f64 = 1e-6;

/// A region is proved alone if it has this many times fewer states than the whole.
const FEW: usize = 32;

type Found = (Evidence, Proof);

/// The certificate of a map.
pub(in crate::problems) fn of(
    model: &Model,
    answer: &Answer,
    table: &Table,
    budget: &Budget,
) -> Result<Found, Refusal> {
    match of_region(model, answer, table, budget) {
        Some(Err(_)) if !table.states.is_active() => {}
        Some(found) => return found,
        None => {}
    }
    let relative = answer.average.is_some();
    let least = if relative { table.value.iter().copied().fold(0.0, f64::min) } else { 0.0 };
    let largest = table.value.iter().fold(1.0f64, |largest, v| largest.max(v - least));
    let solution = &table.solution;
    let joint = !answer.loads.is_empty();
    let known = |listed: usize, loads: &[i64]| {
        let class = if joint { listed } else { table.states.find(loads)? };
        Some(match relative {
            true => ([table.value[class] - least, 0.0], (0.0, 0.0)),
            false => (solution.parts(class).into(), solution.distances(class)),
        })
    };
    let largest = largest.max(answer.remap_cost);
    of_values(model, (stopping(model)?.space()?, None), relative, known, largest, budget)
}

/// The certificate of the map of walks without a highest load.
pub(in crate::problems) fn of_unbounded(
    model: &Model,
    posed: &Stopping,
    (rho, tolerance): (f64, f64),
    budget: &Budget,
) -> Result<Found, Refusal> {
    let words = |error: String| Refusal::Model(error);
    let (walks, shown) = posed.unbounded().ok_or(Refusal::Malformed)?;
    let imbalance = posed.imbalance().map_err(words)?;
    let limits = (tolerance, countable::MOST_KEPT);
    let found = walks.solve(&imbalance, rho, shown, limits, &());
    let found = found.map_err(|error| words(error.to_string()))?;
    let levels = found.levels as u64 + 1;
    let kept = stopping(model)?.kept(levels)?;
    let cut = walks.lowest + found.levels as i64;
    let known = |_, loads: &[i64]| {
        // Beyond the kept levels it is only known that the cost lies between 0 and a remap.
        if loads.contains(&cut) && !imbalance.is_balanced(loads) {
            return Some(([rho, 0.0], (rho, 0.0)));
        }
        let class = found.kept.find(loads)?;
        let (lower, upper) = (found.kept_lower[class], found.kept_upper[class]);
        Some(([lower, 0.0], (0.0, upper - lower)))
    };
    of_values(model, (kept.space()?, Some((levels, 0, 0))), false, known, rho.max(1.0), budget)
}

/// The checker's form of the model.
fn stopping(model: &Model) -> Result<&remap_checker::Stopping, Refusal> {
    let Model::Stopping(stopping) = model else { return Err(Refusal::Malformed) };
    Ok(stopping)
}

/// The certificate of a map where the remap cost depends on the loads, or where there is an end.
pub(in crate::problems) fn of_varied(
    model: &Model,
    (posed, folder): (&Stopping, &Path),
    (answer, tolerance): (&Answer, f64),
    budget: &Budget,
) -> Result<Found, Refusal> {
    let words = |error: String| Refusal::Model(error);
    if posed.steps().is_some() {
        // The checker computes all steps itself.
        let largest = answer.largest_value.max(answer.remap_cost).max(1.0);
        return coarser(fraction_bits(largest), |bits| {
            let evidence = Evidence::Stopping(bits as u32, Vec::new());
            let proof = model.prove_within(&evidence, budget)?;
            Ok((evidence, proof))
        });
    }
    let (states, operator) = posed.states(folder).map_err(words)?;
    let imbalance = posed.imbalance().map_err(words)?;
    let costs = varying::costs(posed, (&states, 0..states.count()), &imbalance);
    let dearest = costs.iter().copied().fold(1.0, f64::max);
    let problem = |operator, rho| {
        Problem::new(&states, operator, &imbalance, rho, AfterRemap::Stop)
            .map_err(|error| words(error.to_string()))
    };
    let astray = |_| Refusal::Unproved("a remap leads out of the levels");
    let (lower, upper) = if posed.is_partial() {
        let targets = partial_targets(&states, &imbalance).map_err(astray)?;
        let [fixed, each] = partial::costs(posed);
        let problem = problem(operator, fixed)?;
        let limits = (tolerance, partial::SWEEPS);
        above_least(long_run_partial(&problem, &targets, ([fixed, each], false), limits, &()).value)
    } else if posed.restarts() {
        let back = rebalanced(&states, &imbalance).map_err(astray)?;
        let problem = problem(operator, dearest)?;
        let how = Settings { tolerance, ..Settings::default() };
        above_least(long_run_at(&problem, &costs, &back, None, &how, &()).value)
    } else {
        let limits = Limits { tolerance, sweeps: varying::SWEEPS };
        let found = Varying::new(&states, operator, &imbalance, costs, None).solve(&limits, &());
        (found.lower, found.upper)
    };
    let largest = upper.iter().copied().fold(dearest, f64::max);
    let joint = posed.is_joint();
    let known = |listed: usize, loads: &[i64]| {
        let class = if joint { listed } else { states.find(loads)? };
        Some(([lower[class], 0.0], (0.0, upper[class] - lower[class])))
    };
    let space = stopping(model)?.space()?;
    of_values(model, (space, None), posed.restarts(), known, largest, budget)
}

/// Relative costs, counted from the least of them, as both bounds.
fn above_least(value: Vec<f64>) -> (Vec<f64>, Vec<f64>) {
    let least = value.iter().copied().fold(0.0, f64::min);
    let value: Vec<f64> = value.iter().map(|value| value - least).collect();
    (value.clone(), value)
}

/// The states of a certificate, and the entry before their values.
type Listed<'a> = (&'a Space, Option<Run>);

/// The evidence from bounds on the values of all states, by index and loads. `largest` is the
/// largest value or remap cost.
fn of_values(
    model: &Model,
    listed: Listed<'_>,
    relative: bool,
    known: impl Fn(usize, &[i64]) -> Option<Known>,
    largest: f64,
    budget: &Budget,
) -> Result<Found, Refusal> {
    let (space, _) = listed;
    // The costs of continuing may be larger still.
    let (mut costs, mut processes) = (1, 1);
    space.each(|_, loads| {
        costs = loads.iter().fold(costs, |most, load| load.unsigned_abs().max(most));
        processes = loads.len();
        Ok(())
    })?;
    let bits = fraction_bits(largest.max(costs as f64));
    // Small capacities make costs larger still.
    coarser(bits, |bits| of_all(model, listed, relative, &known, (bits, processes), budget))
}

/// The number of fraction bits with which values of this size fit.
fn fraction_bits(largest: f64) -> i32 {
    (VALUE_BITS - largest.log2().ceil() as i32).clamp(0, VALUE_BITS)
}

/// The first attempt that fits, with a decreasing number of fraction bits.
fn coarser(
    mut bits: i32,
    attempt: impl Fn(i32) -> Result<Found, Refusal>,
) -> Result<Found, Refusal> {
    loop {
        match attempt(bits) {
            Err(Refusal::TooLarge) if bits > 0 => bits = (bits - 4).max(0),
            found => return found,
        }
    }
}

/// A value as the difference of two numbers, and the distance of its bounds.
type Known = ([f64; 2], (f64, f64));

/// The evidence from bounds on the values of all states.
fn of_all(
    model: &Model,
    (space, head): Listed<'_>,
    relative: bool,
    known: impl Fn(usize, &[i64]) -> Option<Known>,
    (bits, processes): (i32, usize),
    budget: &Budget,
) -> Result<Found, Refusal> {
    let scale = 2f64.powi(bits);
    let fixed = |x: f64| (x * scale) as i64;
    let bounds = |place: usize, loads: &[i64], moved: f64| {
        let ([base, less], (below, above)) =
            known(place, loads).ok_or(Refusal::Unproved("a state is missing"))?;
        let value = fixed(base).saturating_sub(fixed(less));
        let more = moved * value as f64;
        let away = |distance: f64| (distance * scale + more).ceil() as i64;
        let bound = |value: i64| u64::try_from(value.max(0)).unwrap_or(0);
        Ok([bound(value.saturating_sub(away(below))), bound(value.saturating_add(away(above)))])
    };
    // The smallest imbalance is about that of one unit of load.
    let moved = if relative { 0.0 } else { ROUNDING * processes as f64 / scale };
    outward(moved, |moved| {
        let (values, mut last) = (space.each(|s, loads| bounds(s, loads, moved))?, 0);
        let runs = values.chunk_by(|a, b| a == b).map(|equal| {
            let [lower, upper] = equal[0];
            let step = lower as i64 - std::mem::replace(&mut last, lower as i64);
            (equal.len() as u64, step, upper - lower)
        });
        let runs: Vec<Run> = head.into_iter().chain(runs).collect();
        let evidence = Evidence::Stopping(bits as u32, runs);
        let proof = model.prove_within(&evidence, budget)?;
        Ok((evidence, proof))
    })
}

/// The first attempt that succeeds, moving a function outward by an increasing share of itself.
fn outward(
    mut moved: f64,
    attempt: impl Fn(f64) -> Result<Found, Refusal>,
) -> Result<Found, Refusal> {
    loop {
        match attempt(moved) {
            Err(Refusal::Unproved(_)) if moved > 0.0 && moved < MOST_MOVED => moved *= 4.0,
            found => return found,
        }
    }
}

/// The evidence where a remap ends the problem, from the savings in the states that do not remap at
/// once, if these are few.
fn of_region(
    model: &Model,
    answer: &Answer,
    table: &Table,
    budget: &Budget,
) -> Option<Result<Found, Refusal>> {
    let (states, solution, rho) = (&table.states, &table.solution, answer.remap_cost);
    let saved = |class: usize| {
        let (base, saving) = solution.parts(class);
        (rho - base) + saving
    };
    let (active, saves) = (states.is_active(), |class: &usize| saved(*class) > 0.0);
    let classes: Vec<usize> = (0..states.count()).filter(|class| active || saves(class)).collect();
    if answer.remap_value != rho || !active && FEW * classes.len() > states.count() {
        return None;
    }
    let all: Vec<Vec<i64>> = classes.iter().map(|class| states.loads(*class)).collect();
    let loads = all.iter().flatten().fold(1, |most, load| load.unsigned_abs().max(most));
    let largest = rho.max(loads as f64);
    let of_bits = |bits: i32| {
        let scale = 2f64.powi(bits);
        // Where continuing outside is almost worthwhile, the savings must not become larger than
        // this.
        let moved = (ROUNDING * states.processes() as f64 / scale).min(LITTLE / largest);
        outward(moved, |moved| {
            let entry = |(&class, loads): (&usize, &Vec<i64>)| {
                let (below, above) = solution.distances(class);
                // The remap cost in the model may not be a double.
                let more = moved * solution.value(class) + f64::EPSILON * rho;
                let most = ((saved(class) + below + more) * scale).ceil() as u64 + 1;
                let least = ((saved(class) - above - more) * scale).floor() as u64;
                (loads.clone(), most, most - least.saturating_sub(1))
            };
            let entries: Vec<Entry> = classes.iter().zip(&all).map(entry).collect();
            let evidence = Evidence::Region(bits as u32, entries);
            let proof = model.prove_within(&evidence, budget)?;
            Ok((evidence, proof))
        })
    };
    Some(coarser(fraction_bits(largest), of_bits))
}
