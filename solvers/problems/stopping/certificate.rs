//! The proof of a decision map: values of the states, moved outward by what rounding needs.

use super::table::Table;
use crate::solution::stopping::Answer;
use remap_checker::{Budget, Entry, Evidence, Model, Proof, Refusal, Run, Space};

/// Bits of the largest value in a certificate.
const VALUE_BITS: i32 = 59;

/// How many units rounding may take from one expectation, as a rule.
const ROUNDING: f64 = 16.0;

/// By what share of itself a function is moved outward at most, so that rounding does not matter.
const MOST_MOVED: f64 = 1e-3;

/// What is little beside the imbalance of one unit of load.
const LITTLE: f64 = 1e-6;

/// So many times fewer states than all of them are looked at alone.
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
    let largest = largest.max(answer.remap_cost);
    let Model::Stopping(stopping) = model else { return Err(Refusal::Malformed) };
    let space = stopping.space()?;
    let bits = (VALUE_BITS - largest.log2().ceil() as i32).clamp(0, VALUE_BITS);
    // Costs of going on may be larger still.
    let (mut costs, mut processes) = (1, 1);
    space.each(|_, loads| {
        costs = loads.iter().fold(costs, |most, load| load.unsigned_abs().max(most));
        processes = loads.len();
        Ok(())
    })?;
    let bits = bits.min(VALUE_BITS - (costs as f64).log2().ceil() as i32).max(0);
    // Small capacities make costs larger still.
    coarser(bits, |bits| of_all(model, space, answer, table, (bits, processes), budget))
}

/// The first attempt that fits, with fewer and fewer fraction bits.
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

/// From bounds on the values of all states.
fn of_all(
    model: &Model,
    space: &Space,
    answer: &Answer,
    table: &Table,
    (bits, processes): (i32, usize),
    budget: &Budget,
) -> Result<Found, Refusal> {
    let relative = answer.average.is_some();
    let least = if relative { table.value.iter().copied().fold(0.0, f64::min) } else { 0.0 };
    let scale = 2f64.powi(bits);
    let fixed = |x: f64| (x * scale) as i64;
    let solution = &table.solution;
    // What a value is made of, and how far the bounds on it are from it.
    let bounds = |loads: &[i64], moved: f64| {
        let (value, (below, above)) = match table.states.find(loads) {
            Some(class) if relative => (fixed(table.value[class] - least), (0.0, 0.0)),
            Some(class) => {
                let (base, saving) = solution.parts(class);
                (fixed(base).saturating_sub(fixed(saving)), solution.distances(class))
            }
            None => return Err(Refusal::Unproved("a state is missing")),
        };
        let more = moved * value as f64;
        let away = |distance: f64| (distance * scale + more).ceil() as i64;
        let bound = |value: i64| u64::try_from(value.max(0)).unwrap_or(0);
        Ok([bound(value.saturating_sub(away(below))), bound(value.saturating_add(away(above)))])
    };
    // The smallest imbalance is about that of one unit of load.
    let moved = if relative { 0.0 } else { ROUNDING * processes as f64 / scale };
    outward(moved, |moved| {
        let (values, mut last) = (space.each(|_, loads| bounds(loads, moved))?, 0);
        let runs = values.chunk_by(|a, b| a == b).map(|equal| {
            let [lower, upper] = equal[0];
            let step = lower as i64 - std::mem::replace(&mut last, lower as i64);
            (equal.len() as u64, step, upper - lower)
        });
        let runs: Vec<Run> = runs.collect();
        let evidence = Evidence::Stopping(bits as u32, runs);
        let proof = model.prove_within(&evidence, budget)?;
        Ok((evidence, proof))
    })
}

/// The first attempt that succeeds, moving a function outward by more and more of itself.
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

/// Where a remap ends the problem, from what is saved in the states where it does not come at once, if these
/// are few.
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
    let bits = (VALUE_BITS - largest.log2().ceil() as i32).clamp(0, VALUE_BITS);
    let of_bits = |bits: i32| {
        let scale = 2f64.powi(bits);
        // Where going on hardly fails to pay outside, no more must seem to be saved.
        let moved = (ROUNDING * states.processes() as f64 / scale).min(LITTLE / largest);
        outward(moved, |moved| {
            let entry = |(&class, loads): (&usize, &Vec<i64>)| {
                let (below, above) = solution.distances(class);
                // The cost of a remap in the model may be no double.
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
    Some(coarser(bits, of_bits))
}
