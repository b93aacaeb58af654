//! `remap fit`.

use super::{Exit, report};
use crate::cli::Fit;
use crate::fitting::{self, Deck, Facts};
use crate::model::complaint::Complaint;
use crate::output::{check_free, print, say, write_file};
use crate::trace;

pub(super) fn run(arguments: &Fit) -> Exit {
    match fit(arguments) {
        Ok(()) => Exit::Done,
        Err(complaint) => report(&[complaint]),
    }
}

fn fit(arguments: &Fit) -> Result<(), Complaint> {
    if let Some(path) = &arguments.out {
        check_free(path, arguments.force)?;
    }
    let name = arguments.trace.display();
    let trace = trace::read(&arguments.trace)?;
    for repair in &trace.repairs {
        say(&format!("note: {name}: {repair}"));
    }
    let record = &trace.record;
    let recorded = record.mean_remap_cost();
    let cost = remap_cost(arguments.remap_cost, recorded, &name.to_string())?;
    let facts = Facts::of(record, cost, arguments.remap_cost.is_none());
    let facts = facts.ok_or_else(|| {
        let message = format!("{name}: {} steps are too few to fit a model", record.steps());
        Complaint::elsewhere(message, "record a hundred steps or more")
    })?;
    if facts.increments.outliers > 0 {
        let many = facts.increments.outliers;
        say(&format!(
            "note: {name}: {many} times far off their neighbours are left out of the fit"
        ));
    }
    let decks = fitting::decks(&facts);
    let chosen = match arguments.model {
        None => &decks[0],
        Some(wanted) => {
            let wanted = wanted.name();
            decks.iter().find(|deck| deck.problem == wanted).ok_or_else(|| {
                let message = format!("{name}: no {wanted} model can be fitted");
                Complaint::elsewhere(message, why_not(wanted))
            })?
        }
    };
    let others: Vec<&Deck> = decks.iter().filter(|deck| deck.problem != chosen.problem).collect();
    for deck in others {
        let verdict = deck.misfits.first().map_or("fits too", |misfit| misfit.as_str());
        say(&format!("note: --model {}: {verdict}", deck.problem.replace('_', "-")));
    }
    let title = format!("Fitted to {name}");
    let file = chosen.file(&title, &facts);
    match &arguments.out {
        None => print(&file),
        Some(path) => {
            write_file(path, file.as_bytes(), arguments.force)?;
            print(&chosen.summary(&facts));
        }
    }
    Ok(())
}

fn why_not(problem: &str) -> &'static str {
    match problem {
        "phase_change" => "no step is clearly the first of slower ones",
        _ => "so many ranks have too many states on six levels or more; fit a periodic model",
    }
}

/// The cost of a remap: as given, otherwise as recorded.
pub(super) fn remap_cost(
    given: Option<f64>,
    recorded: Option<f64>,
    name: &str,
) -> Result<f64, Complaint> {
    given.or(recorded).ok_or_else(|| {
        let message = format!("{name}: no cost of a remap is recorded");
        Complaint::elsewhere(message, "give it in seconds: --remap-cost C")
    })
}
