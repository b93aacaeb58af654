//! The rule that a log has taught, in other forms: itself, or a simple rule that is as good.

mod controller;

use super::{Target, controller as stored, title_and_version};
use crate::complaint::Complaint;
use crate::document::advised::{Advised, Cost, Simple};
use crate::document::rule::{Level, Measure, RemapInterval, Rule, StatedRule};
use remapping::policy::codes::Code;
use remapping::replay::Player;

/// Writes `advised` for `target`.
pub fn write(advised: &Advised, target: Target) -> Result<Vec<u8>, Complaint> {
    match (target, advised.simple_enough()) {
        (Target::Setting(code), _) => of_code(advised, code),
        (_, Some(simple)) => super::write(&stated(advised, simple), target),
        (Target::Source(language), None) => {
            let mut heading = title_and_version(&advised.title, false);
            heading.extend(advised.notes());
            Ok(controller::write(advised, language, &heading).into_bytes())
        }
        (Target::Controller, None) => {
            let player = Player::Advised(Box::new(advised.rule.clone()));
            Ok(stored::document(player).into_bytes())
        }
        (Target::Csv | Target::Json | Target::Npz, None) => {
            let message = format!("{}: this rule is a program, not a table", advised.title);
            let help = "export to c, fortran, python or rust; its numbers are in the document";
            Err(Complaint::elsewhere(message, help))
        }
    }
}

/// The cheapest setting of a code by its own rule, or never if that costs no more.
fn of_code(advised: &Advised, code: Code) -> Result<Vec<u8>, Complaint> {
    let Some((setting, cost)) = advised.of_code(code) else {
        let message = format!(
            "{}: it has no rule that this code knows and that is worth writing",
            advised.title
        );
        let help = "advise from the log again, or export to c, fortran, python or rust";
        return Err(Complaint::elsewhere(message, help));
    };
    let mut rule = stated(advised, (Simple::Every(None), cost));
    let stride = advised.stride;
    rule.of_code = setting.map(|(every, level)| (code, every.saturating_mul(stride), level));
    match setting {
        Some((_, Some(_))) if stride > 1 => {
            rule.notes.push(format!("The level is that of a look every {stride} steps."));
        }
        Some((_, None)) if stride > 1 => {
            rule.notes.push("The interval below is in steps of the program.".to_owned());
        }
        _ => {}
    }
    super::write(&rule, Target::Setting(code))
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
            // `fixed` counts from where the new mapping is in force, programs from one decision to
            // the next.
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
        of_code: None,
        overlapped: !advised.overlap.is_none(),
        processors: None,
        before_step: false,
    }
}

fn level(advised: &Advised, measure: Measure, value: f64) -> Rule {
    let (mean, stride) = (advised.mean_step, advised.stride);
    Rule::Level(Level { measure, value, mean, stride })
}
