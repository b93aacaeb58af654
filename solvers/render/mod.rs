//! What people see: summaries, tables, curves in text, and plots. One file for each problem.

pub mod curves;
pub mod log;
mod policies;
pub mod regions;

pub use phase_switching::start as two_thresholds;

use crate::complaint::Complaint;
use crate::document::log::Log;
use crate::plot::{self, Format};
use crate::problems::continuous_drift::view as continuous_drift;
use crate::problems::load_drift::view as load_drift;
use crate::problems::many_phases::view as many_phases;
use crate::problems::periodic::view as periodic;
use crate::problems::phase_change::view as phase_change;
use crate::problems::phase_switching::view as phase_switching;
use crate::problems::registry::sweep::Run;
use crate::problems::registry::{Body, Solution};
use crate::problems::shared::two_phase::{picture as two_phase_plot, view as two_phase};
use crate::problems::stopping::map;
use crate::problems::stopping::view as stopping;
use crate::problems::{Comparison, Policies};
use crate::text::Row;
use remapping::Status;
use std::fmt::Write;

/// The readable summary of a solved model.
pub fn summary(solution: &Solution) -> String {
    let mut text = format!("{}\n", solution.title);
    if let Some(sentence) = headline(solution) {
        let _ = writeln!(text, "{sentence}");
    }
    text.extend(solution.log.as_ref().and_then(|log| of_the_program(&solution.body, log)));
    match &solution.body {
        Body::PhaseChange(answer) => phase_change::summary(&mut text, answer),
        Body::PhaseSwitching(answer) => phase_switching::summary(&mut text, answer),
        Body::ManyPhases(answer) => many_phases::summary(&mut text, answer),
        Body::LoadDrift(answer) => load_drift::summary(&mut text, answer),
        Body::ContinuousDrift(answer) => continuous_drift::summary(&mut text, answer),
        Body::Stopping(answer) => stopping::summary(&mut text, answer),
        Body::Fluids(answer) | Body::LandBattle(answer) => two_phase::summary(&mut text, answer),
        Body::Periodic(answer) => text.push_str(&periodic::summary(answer)),
    }
    let seconds = solution.seconds;
    let ending = match solution.status {
        _ if solution.contradiction.is_some() => "not certified: it contradicts itself".to_owned(),
        Status::Converged if is_statistical(&solution.body) => {
            let on = if has_interval(&solution.body) { "" } else { " on each of the paths drawn" };
            format!("the gap of {:e} is reached{on}, nothing is proved", solution.tolerance)
        }
        // Its numbers are as close as the line before says.
        Status::Converged if matches!(solution.body, Body::Periodic(_)) => "complete".to_owned(),
        Status::Converged => format!("certified to {:e}", solution.tolerance),
        Status::IterationLimit if is_statistical(&solution.body) => {
            let gap = solution.tolerance;
            // Asked for over all states, which do not fit, it is no solution.
            match solution.warnings.iter().any(|warning| warning.contains("was not reached")) {
                true => format!("the gap of {gap:e} is not reached, nothing is proved"),
                false => {
                    format!("not over all states; the gap of {gap:e} is reached, nothing is proved")
                }
            }
        }
        Status::IterationLimit => "tolerance not reached".to_owned(),
        Status::TimeLimit => "stopped by the time limit".to_owned(),
        Status::MemoryLimit => "stopped as memory ran short".to_owned(),
        Status::Interrupted => "interrupted".to_owned(),
    };
    let _ = writeln!(text, "{ending}, {seconds:.3} s");
    text
}

/// What units and steps of a model that was fitted to a log are to the program, where they are not its own.
fn of_the_program(body: &Body, log: &Log) -> Option<String> {
    let Log { unit_seconds, stride, .. } = *log;
    let unit = (unit_seconds != 1.0).then(|| format!("a unit of load is {unit_seconds} seconds"));
    let step = (stride > 1).then(|| format!("a step here is {stride} of its steps"));
    let mut words: Vec<String> = [unit, step].into_iter().flatten().collect();
    if words.is_empty() {
        return None;
    }
    match body {
        Body::LoadDrift(answer) => words.extend(load_drift::of_the_program(answer, log)),
        Body::Periodic(answer) => words.extend(periodic::of_the_program(answer, log)),
        _ => {}
    }
    Some(format!("for the program: {}\n", words.join("; ")))
}

/// What to do, and what it is worth, in a sentence that says whether it is the final one. Problems without it begin with
/// theirs.
fn headline(solution: &Solution) -> Option<String> {
    let sentence = match &solution.body {
        Body::PhaseChange(answer) => phase_change::headline(answer),
        Body::PhaseSwitching(answer) => phase_switching::headline(answer),
        Body::Stopping(answer) => stopping::headline(answer),
        Body::LoadDrift(answer) if answer.bounds.is_none() => load_drift::headline(answer),
        // It speaks of limits itself.
        Body::Periodic(answer) => return Some(periodic::headline(answer)),
        _ => return None,
    };
    let certain = solution.status == Status::Converged && solution.contradiction.is_none();
    Some(match certain || sentence.starts_with("Not solved") {
        true => sentence,
        false => format!("As far as it was solved: {sentence}"),
    })
}

/// Whether its bounds are confidence intervals.
pub fn is_statistical(body: &Body) -> bool {
    match body {
        Body::LoadDrift(answer) => answer.statistical,
        Body::ContinuousDrift(_) => true,
        _ => false,
    }
}

/// Whether sample paths differ, so that they tell how far off their mean may be.
fn has_interval(body: &Body) -> bool {
    match body {
        Body::LoadDrift(answer) => answer.gap_interval.is_some(),
        Body::ContinuousDrift(answer) => answer.gap_interval.is_some(),
        _ => false,
    }
}

/// The picture of a solution, as the bytes of a file.
pub fn draw(solution: &Solution, format: Format) -> Result<Vec<u8>, Complaint> {
    let title = solution.title.as_str();
    let chart = match &solution.body {
        Body::PhaseChange(answer) => phase_change::picture(title, answer),
        Body::PhaseSwitching(answer) => phase_switching::picture(title, answer),
        Body::ManyPhases(answer) => many_phases::picture(title, answer),
        Body::LoadDrift(answer) => load_drift::picture(title, answer),
        Body::ContinuousDrift(answer) => continuous_drift::picture(title, answer),
        Body::Fluids(answer) | Body::LandBattle(answer) => two_phase_plot::picture(title, answer),
        Body::Periodic(answer) => periodic::picture(title, answer),
        Body::Stopping(answer) => {
            return plot::picture(format, &map::DecisionMap { title, answer });
        }
    };
    plot::picture(format, &chart)
}

/// The readable table of a comparison.
pub fn compared(comparison: &Comparison) -> String {
    let Comparison { title, policies, status, seconds, .. } = comparison;
    match policies {
        Policies::Certified(costs) => phase_change::table(title, costs),
        Policies::Sampled(report) => policies::table(title, report),
        Policies::Scenarios(played) => {
            let how = match status {
                Status::Converged => "done",
                Status::IterationLimit => "a limit was reached",
                Status::TimeLimit => "stopped by the time limit: unfinished positions are left out",
                Status::MemoryLimit => {
                    "stopped as memory ran short: unfinished positions are left out"
                }
                Status::Interrupted => "interrupted: unfinished positions are left out",
            };
            format!("{title}\n{}\n{how}, {seconds:.3} s\n", played.shown)
        }
    }
}

/// The picture of a comparison, as the bytes of a file.
pub fn draw_compared(comparison: &Comparison, format: Format) -> Result<Vec<u8>, Complaint> {
    let title = comparison.title.as_str();
    match &comparison.policies {
        Policies::Certified(costs) => plot::picture(format, &phase_change::regrets(title, costs)),
        Policies::Sampled(report) => plot::picture(format, &policies::picture(title, report)),
        Policies::Scenarios(played) => {
            plot::picture(format, &two_phase_plot::Policies { title, comparison: &played.all })
        }
    }
}

/// The line of one run.
pub fn row(run: &Run) -> Row {
    let set = run.set.iter().map(|(path, value)| (path.clone(), value.to_string()));
    let cells = match &run.solution.body {
        Body::PhaseChange(answer) => phase_change::cells(answer),
        Body::PhaseSwitching(answer) => phase_switching::cells(answer),
        Body::ManyPhases(answer) => many_phases::cells(answer),
        Body::LoadDrift(answer) => load_drift::cells(answer),
        Body::ContinuousDrift(answer) => continuous_drift::cells(answer),
        Body::Stopping(answer) => stopping::cells(answer),
        Body::Fluids(answer) | Body::LandBattle(answer) => two_phase::cells(answer),
        Body::Periodic(answer) => periodic::cells(answer),
    };
    let ended = match run.solution.status {
        Status::Converged => None,
        Status::TimeLimit => Some("time limit"),
        Status::MemoryLimit => Some("memory limit"),
        Status::Interrupted => Some("interrupted"),
        Status::IterationLimit => Some("not as exact as asked for"),
    };
    let ended = ended.map(|how| ("ended".to_owned(), how.to_owned()));
    set.chain(cells).chain(ended).collect()
}

/// The table of a sweep: one line per value.
pub fn sweep_table(rows: &[Row]) -> String {
    // A method may apply to some of the values only: the columns are those of any row.
    let mut columns: Vec<(&str, usize)> = Vec::new();
    for (heading, cell) in rows.iter().flatten() {
        match columns.iter_mut().find(|(name, _)| name == heading) {
            Some((_, width)) => *width = (*width).max(cell.len()),
            None => columns.push((heading, heading.len().max(cell.len()))),
        }
    }
    let mut text = String::new();
    for (heading, width) in &columns {
        let _ = write!(text, "  {heading:>width$}");
    }
    text.push('\n');
    for row in rows {
        for (heading, width) in &columns {
            let cell = row.iter().find(|(name, _)| name == heading);
            let cell = cell.map_or("", |(_, cell)| cell.as_str());
            let _ = write!(text, "  {cell:>width$}");
        }
        text.push('\n');
    }
    text
}
