//! The problems that monitors solve, as callers write them.

use crate::error::{Failure, Outcome};
use remapping::Rational;
use remapping::belief::Levels;
use remapping::decimal::decimal;
use remapping::lifetime::Lifetime;
use remapping::phase_change::{Hazard, PhaseChange, Premature};
use remapping::phase_switching::PhaseSwitching;

/// One change of phase, seen by a detector that errs. Times share one unit.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct RemapPhaseChange {
    /// M: the last cycle the program can have.
    pub last_step: u64,
    /// Chance that the program ends after a cycle, from 1 on; 0 if it has M cycles for certain.
    pub end_rate: f64,
    /// Chance that the phase changes between one step and the next.
    pub hazard: f64,
    /// Mean time of a cycle before the change.
    pub before: f64,
    /// After it, not remapped.
    pub after: f64,
    /// After it, remapped.
    pub remapped: f64,
    /// Delay of finding a new mapping, at every attempt.
    pub test: f64,
    /// Delay of installing it.
    pub install: f64,
    /// Chance that the detector reports a change where none was; read where the detector says yes or no.
    pub false_alarm: f64,
    /// Chance that it reports none after one.
    pub missed: f64,
    /// Mean time of a cycle that was remapped too soon, before the change; negative or NaN if that is noticed
    /// and undone.
    pub before_remapped: f64,
}

/// Two phases that alternate, two mappings. Times share one unit.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct RemapPhaseSwitching {
    /// M: the last cycle; 0 for a program that never ends.
    pub last_step: u64,
    /// cycle[z][m]: mean time of a cycle in phase z under mapping m.
    pub cycle: [[f64; 2]; 2],
    /// What it costs to switch away from either mapping; negative or NaN if that cannot be done.
    pub switch_cost: [f64; 2],
    /// Chance that either phase ends between one step and the next.
    pub rates: [f64; 2],
    /// The belief at the start that the second phase is on; the program starts under the first mapping.
    pub initial: f64,
}

/// The number as it is written in decimals.
fn exact(value: f64, what: &str) -> Outcome<Rational> {
    let wrong = || Failure::argument(format!("`{what}` is {value}: not a finite number"));
    if !value.is_finite() {
        return Err(wrong());
    }
    decimal(&value.to_string()).map_err(|_| wrong())
}

/// The same of a cycle time or a delay, which is not negative.
fn duration(value: f64, what: &str) -> Outcome<Rational> {
    if value < 0.0 {
        return Err(Failure::argument(format!("`{what}` is {value}: it cannot be negative")));
    }
    exact(value, what)
}

fn all_exact(values: &[f64], what: &str) -> Outcome<Vec<Rational>> {
    values.iter().map(|value| exact(*value, what)).collect()
}

pub(crate) fn levels(before: &[f64], after: &[f64]) -> Outcome<Levels> {
    let made = Levels::new(all_exact(before, "before")?, all_exact(after, "after")?);
    made.map_err(Failure::argument)
}

/// The detector that says yes or no.
pub(crate) fn yes_or_no(given: &RemapPhaseChange) -> Outcome<Levels> {
    let alarm = exact(given.false_alarm, "false_alarm")?;
    Levels::binary(alarm, exact(given.missed, "missed")?).map_err(Failure::argument)
}

pub(crate) fn phase_change(given: &RemapPhaseChange, detector: Levels) -> Outcome<PhaseChange> {
    let lifetime = match given.end_rate {
        0.0 => Lifetime::fixed(given.last_step),
        rate => Lifetime::geometric(exact(rate, "end_rate")?, 1, given.last_step)
            .map_err(Failure::argument)?,
    };
    let premature = match given.before_remapped {
        kept if kept >= 0.0 => Premature::Keep { before_remapped: exact(kept, "before_remapped")? },
        _ => Premature::Revert,
    };
    Ok(PhaseChange {
        lifetime,
        hazard: Hazard::Constant(exact(given.hazard, "hazard")?),
        before: duration(given.before, "before")?,
        after: duration(given.after, "after")?,
        remapped: duration(given.remapped, "remapped")?,
        test: duration(given.test, "test")?,
        install: duration(given.install, "install")?,
        detector,
        premature,
    })
}

pub(crate) fn phase_switching(
    given: &RemapPhaseSwitching,
    detector: Levels,
) -> Outcome<PhaseSwitching> {
    let cost = |cost: f64| (cost >= 0.0).then(|| exact(cost, "switch_cost")).transpose();
    let cycle = |z: usize, m: usize| duration(given.cycle[z][m], "cycle");
    Ok(PhaseSwitching {
        cycle: [[cycle(0, 0)?, cycle(0, 1)?], [cycle(1, 0)?, cycle(1, 1)?]],
        switch: [cost(given.switch_cost[0])?, cost(given.switch_cost[1])?],
        rates: [exact(given.rates[0], "rates")?, exact(given.rates[1], "rates")?],
        detector,
        initial: exact(given.initial, "initial")?,
    })
}
