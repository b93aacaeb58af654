//! The rule that a log has taught, in other forms: itself, or a simple rule that is as good.

mod controller;

use super::{Target, controller as stored, title_and_version};
use crate::complaint::Complaint;
use crate::document::advised::{Advised, Cost, Simple};
use crate::document::rule::{Level, Measure, RemapInterval, Rule, StatedRule};
use remapping::replay::Player;
use remapping::simulate::Statistic;

/// Writes `advised` for `target`.
pub fn write(advised: &Advised, target: Target) -> Result<Vec<u8>, Complaint> {
    let controller = match target {
        Target::Controller => match advised.simple_enough() {
            Some(simple) => return super::write(&stated(advised, simple), target),
            None => {
                let player = Player::Advised(Box::new(advised.rule.clone()));
                return Ok(stored::document(player).into_bytes());
            }
        },
        Target::C => controller::of_c,
        Target::Fortran => controller::of_fortran,
        Target::Python => controller::of_python,
        Target::Rust => controller::of_rust,
        Target::Csv | Target::Json | Target::Npz => match advised.simple_enough() {
            Some(simple) => return super::write(&stated(advised, simple), target),
            None => {
                let message = format!("{}: this rule is a program, not a table", advised.title);
                let help = "export to c, fortran, python or rust; its numbers are in the document";
                return Err(Complaint::elsewhere(message, help));
            }
        },
        Target::Lammps | Target::Warpx | Target::Openfoam | Target::Sglang => {
            return of_code(advised, target, |simple| !matches!(simple, Simple::Excess(_)));
        }
        Target::Smilei | Target::Charm | Target::Eplb | Target::Vt | Target::Amrex => {
            return of_code(advised, target, |simple| matches!(simple, Simple::Every(_)));
        }
        Target::Swift => return of_level(advised, target, Statistic::RangeOverMean),
        Target::Fourc => return of_level(advised, target, Statistic::MaxOverMin),
    };
    if let Some(simple) = advised.simple_enough() {
        return super::write(&stated(advised, simple), target);
    }
    let mut heading = title_and_version(&advised.title, "A rule for when to remap");
    heading.extend(advised.notes());
    Ok(controller(advised, &heading).into_bytes())
}

/// The settings of a code that knows these rules only.
fn of_code(
    advised: &Advised,
    target: Target,
    known: fn(Simple) -> bool,
) -> Result<Vec<u8>, Complaint> {
    let Some(best) = advised.best(known) else {
        let message = format!("{}: it has no rule that this code knows", advised.title);
        return Err(Complaint::elsewhere(message, "replay the log again"));
    };
    super::write(&stated(advised, best), target)
}

/// The settings of a code that compares a statistic of its own: the level of a rule for it, or never if that costs no more.
fn of_level(advised: &Advised, target: Target, statistic: Statistic) -> Result<Vec<u8>, Complaint> {
    let never = advised.best(|simple| simple == Simple::Every(None));
    let level = advised.level_of(statistic);
    let cheaper = match (level, never) {
        (Some((_, level)), Some((_, never))) => level.cost < never.cost,
        (level, _) => level.is_some(),
    };
    match (level.filter(|_| cheaper), never) {
        (Some((level, cost)), _) => {
            let mut never = stated(advised, (Simple::Every(None), cost));
            if advised.stride > 1 {
                let often = format!("The level is that of a look every {} steps.", advised.stride);
                never.notes.push(often);
            }
            super::write(&StatedRule { level_of: Some((statistic, level)), ..never }, target)
        }
        // Where a remap pays and no level is known, never would be bad advice.
        (None, Some((simple, cost))) if advised.is_enough(cost) => {
            super::write(&stated(advised, (simple, cost)), target)
        }
        _ => {
            let message = format!(
                "{}: it has no rule that this code knows and that is worth writing",
                advised.title
            );
            let help = "advise from the log again, or export to c, fortran, python or rust";
            Err(Complaint::elsewhere(message, help))
        }
    }
}

/// A simple rule as one that is stated, with what is lost by it.
fn stated(advised: &Advised, (simple, cost): (Simple, &Cost)) -> StatedRule {
    let mut notes = advised.notes();
    let (name, more) = (&cost.policy, advised.compared(cost));
    notes.push(match advised.is_enough(cost) {
        true => format!("Written here: {name}, which is simpler and costs {more}."),
        false if advised.chosen.as_ref() == Some(name) => {
            format!("Written here: {name}, as chosen on the steps learnt from; it costs {more}.")
        }
        false => {
            let which = "the best of the rules tuned on the steps learnt from that this code knows";
            format!("Written here: {name}, {which}; it costs {more}.")
        }
    });
    let mean = advised.mean_step * advised.unit_seconds / advised.stride as f64;
    let rule = match simple {
        Simple::Every(every) => {
            // `fixed` counts from where the new mapping is in force, programs from one decision to the next.
            let late = advised.overlap.steps;
            let every = every.map(|every| (every + late).saturating_mul(advised.stride));
            if late > 0 {
                notes.push("The interval below is from one decision to the next.".to_owned());
            }
            if advised.stride > 1 && every.is_some() {
                notes.push("The interval below is in steps of the program.".to_owned());
            }
            Rule::Interval(RemapInterval { every, tolerance: None, mean, waiting: None })
        }
        Simple::Excess(value) => level(advised, Measure::Excess, value),
        Simple::Utilization(value) => level(advised, Measure::Utilization, value),
    };
    StatedRule {
        title: advised.title.clone(),
        optimal: false,
        about: Vec::new(),
        notes,
        rule,
        unit_seconds: advised.unit_seconds,
        of_a_log: true,
        priced: None,
        level_of: None,
        processors: None,
        before_step: false,
    }
}

fn level(advised: &Advised, measure: Measure, value: f64) -> Rule {
    let (mean, stride) = (advised.mean_step, advised.stride);
    Rule::Level(Level { measure, value, mean, stride })
}
