//! Visited states of the policy, with the gain of a remap in each, and the curve policy fitted to
//! them.

use super::approximate::Approximate;
use super::plan::{ALL, Plan};
use crate::load_drift::many::counts::Counts;
use crate::load_drift::many::lower_bound::moves::Moves;
use crate::load_drift::rules::curve::{Curve, Seen};
use crate::observer::{Halt, Observer};
use crate::parallel;
use crate::random::stream;
use rand::RngExt;
use std::ops::ControlFlow;

/// Approximate number of visited states in runs over all steps; least and largest number of such
/// runs; number of runs over the last steps.
const STATES: u64 = 40_000;
const RUNS: [u64; 2] = [4, 64];
const LAST_RUNS: u64 = 96;

/// Simulates runs over all steps, and others over the last `last` steps.
///
/// # Errors
/// The halt that the observer requested.
pub fn curve(
    approximate: &Approximate<'_>,
    moves: &Moves,
    last: u64,
    seed: u64,
    observer: &dyn Observer,
) -> Result<Curve, Halt> {
    let setting = approximate.outlook.setting;
    let steps = setting.steps;
    let [least, most] = RUNS;
    let whole = (STATES / steps.max(1)).clamp(least, most);
    let one = |run: u64| {
        let first = if run < whole { 0 } else { steps.saturating_sub(last) };
        let mut found = Vec::new();
        let mut draws = stream(seed ^ 0xc0de, run);
        let levels = approximate.outlook.laws.levels();
        let (mut x, mut y) = (Counts::none(levels), Counts::none(levels));
        let mut plan = Plan::default();
        x.split(setting.ranks, setting.first_total);
        let mut since = 0;
        let late = setting.overlap.steps;
        let mut started = true;
        for step in (first + 1..=setting.steps).take_while(|step| setting.may_remap(*step)) {
            if let ControlFlow::Break(halt) = observer.check() {
                return Err(halt);
            }
            moves.step_apart(&x, &mut draws, &mut y);
            let total = y.total();
            since += 1;
            if !started && since <= late {
                std::mem::swap(&mut x, &mut y);
                continue;
            }
            let view = approximate.view(&y, total, step, [1, ALL], &mut plan);
            // The remap is slightly late, to visit states past the threshold.
            let remapped = view.excess > 0.1 * setting.typical;
            let imbalance = y.top as f64 - total as f64 / setting.ranks as f64;
            found.push(Seen { step, since, imbalance, gain: view.excess, remapped });
            if remapped {
                x.split(setting.ranks, setting.remaps_to(total, draws.random()));
                (since, started) = (0, false);
            } else {
                std::mem::swap(&mut x, &mut y);
            }
        }
        Ok(found)
    };
    let runs = parallel::runs(0..whole + LAST_RUNS, &one)?;
    let moments = (1..=steps).take_while(|step| setting.may_remap(*step)).count();
    let curve = Curve::fit(&runs.concat(), moments as u64 + 1);
    Ok(curve.between_whole_loads(setting.ranks))
}
