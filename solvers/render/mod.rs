//! The output for people: summaries, tables, curves as text, and pictures.

pub mod curves;
pub mod log;
mod policies;
pub mod regions;

use crate::complaint::Complaint;
use crate::document::log::Log;
use crate::plot::{self, Format};
use crate::problems::comparison::ended_by;
use crate::problems::kind::{Accuracy, Answer, Headline};
use crate::problems::phase_change::view as phase_change;
use crate::problems::registry::Solution;
use crate::problems::registry::sweep::Run;
use crate::problems::shared::two_phase::picture as two_phase_plot;
use crate::problems::shared::two_phase::view::Table;
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
    let answer = solution.body.answer();
    text.extend(solution.log.as_ref().and_then(|log| of_the_program(answer, log)));
    answer.summary(&mut text);
    let _ = writeln!(text, "{}, {:.3} s", ending(solution), solution.seconds);
    text
}

/// How the computation ended, and what that means for the bounds.
fn ending(solution: &Solution) -> String {
    let asked = solution.tolerance;
    if solution.contradiction.is_some() {
        return "not certified: it contradicts itself".to_owned();
    }
    match (solution.status, solution.body.answer().accuracy()) {
        (Status::Converged, Accuracy::Statistical { interval, .. }) => {
            let on = if interval { "" } else { " on each of the paths drawn" };
            format!("the gap of {asked:e} is reached{on}, nothing is proved")
        }
        (Status::Converged, Accuracy::Told) => "complete".to_owned(),
        (Status::Converged, Accuracy::Proved) => format!("certified to {asked:e}"),
        // The request was for all states, which do not fit, so this does not answer it.
        (Status::IterationLimit, Accuracy::Statistical { gap, .. }) if gap <= asked => {
            format!("not over all states; the gap of {asked:e} is reached, nothing is proved")
        }
        (Status::IterationLimit, Accuracy::Statistical { .. }) => {
            format!("the gap of {asked:e} is not reached, nothing is proved")
        }
        (Status::IterationLimit, _) => "tolerance not reached".to_owned(),
        (stopped, _) => ended_by(stopped).to_owned(),
    }
}

/// The units and steps of a model fitted to a log, where they are not those of the program.
fn of_the_program(answer: &dyn Answer, log: &Log) -> Option<String> {
    let Log { unit_seconds, stride, .. } = *log;
    let unit = (unit_seconds != 1.0).then(|| format!("a unit of load is {unit_seconds} seconds"));
    let step = (stride > 1).then(|| format!("a step here is {stride} of its steps"));
    let mut words: Vec<String> = [unit, step].into_iter().flatten().collect();
    if words.is_empty() {
        return None;
    }
    words.extend(answer.of_the_program(log));
    Some(format!("for the program: {}\n", words.join("; ")))
}

/// The recommendation and its value in a sentence, which says whether it is final. `None` for
/// problems whose summary begins with it.
pub fn headline(solution: &Solution) -> Option<String> {
    let sentence = match solution.body.answer().headline() {
        Headline::InSummary => return None,
        Headline::Final(sentence) => return Some(sentence),
        Headline::Sentence(sentence) => sentence,
    };
    let certain = solution.status == Status::Converged && solution.contradiction.is_none();
    Some(match certain || sentence.starts_with("Not solved") {
        true => sentence,
        false => format!("As far as it was solved: {sentence}"),
    })
}

/// The picture of a solution, as the bytes of a file.
pub fn draw(solution: &Solution, format: Format) -> Result<Vec<u8>, Complaint> {
    solution.body.answer().draw(&solution.title, format)
}

/// The readable table of a comparison.
pub fn compared(comparison: &Comparison) -> String {
    let Comparison { title, policies, status, seconds, .. } = comparison;
    match policies {
        Policies::Certified(costs) => phase_change::table(title, costs),
        Policies::Sampled(report) => policies::table(title, report),
        Policies::Scenarios(played) => {
            let how = match status {
                Status::Converged => "done".to_owned(),
                Status::IterationLimit => "a limit was reached".to_owned(),
                stopped => format!("{}: unfinished positions are left out", ended_by(*stopped)),
            };
            format!("{title}\n{}\n{how}, {seconds:.3} s\n", Table(&played.shown))
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

/// The row of one run.
pub fn row(run: &Run) -> Row {
    let set = run.set.iter().map(|(path, value)| (path.clone(), value.to_string()));
    let cells = run.solution.body.answer().cells();
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

/// The table of a sweep: one row per value.
pub fn sweep_table(rows: &[Row]) -> String {
    // A method may apply only to some of the values: the columns are those of any row.
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
