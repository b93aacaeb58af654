//! `remap sweep`: solves one model for many values.

mod axes;
pub(super) mod join;
mod output;
mod parts;
pub(super) mod regret;
mod regretted;

use crate::cli::Sweep;
use crate::commands::{Exit, ended, idle, report};
use crate::complaint::Complaint;
use crate::output::{is_closed, say};
use crate::problems::registry::sweep::{Part, Run};
use crate::problems::registry::{Loaded, Problem};
use crate::problems::{self, Files, Settings, UNSAMPLED};
use crate::run::is_interrupted;
use axes::{as_json, axes, choose, written};
use output::Output;
use std::collections::HashSet;

pub(super) fn run(arguments: &Sweep) -> Result<Exit, Vec<Complaint>> {
    let axes = axes(&arguments.set).map_err(Complaint::usage)?;
    let base = Loaded::read(&arguments.model)?;
    base.check_places(&choose(&axes, 0))?;
    let stops = matches!(base.problem, Problem::Stopping(_));
    let plot = arguments.plot.as_deref();
    let output = Output::new(&base.title, stops, &axes, arguments.settings.json)
        .drawn(plot, arguments.force);
    let mut output = output.map_err(Complaint::usage)?;
    let settings = Settings::from(&arguments.settings);
    problems::check_method(&base, settings.method).map_err(Complaint::usage)?;
    let mut exit = Exit::Done;
    let mut warned = HashSet::new();
    let models = axes.iter().map(|axis| axis.values.len()).product();
    let part = arguments.part.map(|(number, of)| {
        let set = arguments.set.clone();
        let (model, settings) = (Some(base.checksum()), Some(settings.written()));
        Part { number, of, models, set, model, settings }
    });
    output.begin(part.as_ref());
    for combination in 0..models {
        if part.as_ref().is_some_and(|part| !part.holds(combination)) {
            continue;
        }
        if is_closed() {
            break;
        }
        if is_interrupted() {
            exit = exit.worst(Exit::Interrupted);
            break;
        }
        let chosen = choose(&axes, combination);
        let solved = base
            .with(&chosen)
            .and_then(|loaded| problems::solve(&loaded, &settings, Files::default()));
        let mut solution = match solved {
            Ok(solved) => solved.solution,
            Err(complaints) => {
                say(&format!("at {}:", written(&chosen)));
                exit = exit.worst(report(&complaints));
                continue;
            }
        };
        if !solution.body.answer().is_sampled() {
            let seed = [("--seed", arguments.settings.seed.is_some())];
            solution.warnings.extend(idle::told(&seed, UNSAMPLED));
        }
        exit = exit.worst(solution.status.into());
        if let Some(contradiction) = &solution.contradiction {
            say(&format!("error: at {}: {contradiction}", written(&chosen)));
            exit = exit.worst(Exit::Bug);
        }
        for warning in &solution.warnings {
            if warned.insert(warning.clone()) {
                say(&format!("warning: first at {}: {warning}", written(&chosen)));
            }
        }
        let set = chosen.iter().map(|(path, value)| (path.to_string(), as_json(value))).collect();
        let place = part.as_ref().map(|_| combination);
        output.add(Run { place, set, solution });
    }
    Ok(exit.worst(ended(output.end().map(|()| Exit::Done).map_err(Vec::from))))
}
