//! `remap compare` for recurring phases: the costs of policies between bounds.

use super::super::phase_change::compare::{Costs, Line, Measure, can_be_evaluated, parsed};
use super::model::PhaseSwitching;
use super::policies::{Field, Rule, Trouble};
use crate::complaint::Complaint;
use crate::model::file::ModelFile;
use crate::run::Watch;
use remapping::Status;
use remapping::phase_change::Bounds;
use remapping::phase_switching::evaluation::EvaluationError;

/// The policies that are evaluated by default, where possible.
pub(super) const USUAL: [&str; 6] =
    ["optimal", "rebasing", "rebasing:0.8", "fixed:0.7", "every_report", "never"];

/// Evaluates the named policies; all if there are none.
pub(super) fn compare(
    loaded: &ModelFile,
    model: &PhaseSwitching,
    policies: &[String],
    watch: &Watch,
) -> Result<(Costs, Status), Vec<Complaint>> {
    let lifetime = model.lifetime();
    if let Some(law) = &lifetime {
        can_be_evaluated(loaded, law.last(), ", or no lifetime")?;
    }
    let rules = parsed(policies, &USUAL, wrong)?;
    let refuse = |why: String| vec![loaded.complain("problem", &why, "", "")];
    let (field, mut status) =
        Field::new(model.problem(), lifetime, watch).map_err(|error| refuse(error.to_string()))?;
    let measure = match model.lifetime() {
        Some(_) => Measure::Time,
        None => Measure::Average,
    };
    let mut lines = Vec::new();
    if let Some(field) = field {
        let never = field.cost(Rule::Never);
        for (name, rule) in rules {
            match never.clone().and_then(|never| line(&name, rule, &field, never)) {
                Ok(line) => lines.push(line),
                Err(Trouble::Evaluation(EvaluationError::Stopped(halt))) => {
                    status = halt.into();
                    break;
                }
                Err(Trouble::Evaluation(error)) => {
                    return Err(vec![wrong(&name, &error.to_string())]);
                }
                Err(Trouble::Unfit(why)) => return Err(vec![wrong(&name, &why)]),
            }
        }
    }
    let costs = Costs { policies: lines, measure };
    let status = costs.ended(status);
    Ok((costs, status))
}

fn wrong(name: &str, why: &str) -> Complaint {
    Complaint::elsewhere(
        format!("--policies {name}: {why}"),
        "policies: optimal, fixed:tau (switch above tau under either mapping), rebasing (after a switch the new \
         phase is the base and its end taken for the only change), rebasing:tau, heuristic_1986, every_report, \
         never",
    )
}

fn line(name: &str, rule: Rule, field: &Field<'_>, never: Bounds) -> Result<Line, Trouble> {
    let (cost, optimum) = (field.cost(rule)?, field.optimum);
    let remaps = field.switches(rule)?;
    let remaps = Bounds { lower: remaps.lower.max(0.0), upper: remaps.upper };
    Ok(Line::between(name, cost, [optimum, never], [Some(remaps), None]))
}
