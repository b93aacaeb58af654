//! What people see: summaries, tables, curves in text, and plots.

pub mod curve;
pub mod periodic;
pub mod plot;

use crate::commands::SweepRun;
use crate::model::Loaded;
use crate::phase_change::Answer;
use crate::solution::{Body, Solution};
use remapping::Status;
use std::fmt::Write;

/// The readable summary of a solved model.
pub fn summary(_loaded: &Loaded, solution: &Solution) -> String {
    let mut text = format!("{}\n", solution.title);
    match &solution.body {
        Body::PhaseChange(answer) => phase_change(&mut text, answer),
        Body::Periodic(answer) => text.push_str(&periodic::summary(answer)),
    }
    let seconds = solution.seconds;
    let ending = match solution.status {
        Status::Converged => format!("certified to {:e}", solution.tolerance),
        Status::IterationLimit => "tolerance not reached".to_owned(),
        Status::TimeLimit => "stopped by the time limit".to_owned(),
        Status::Interrupted => "interrupted".to_owned(),
    };
    let _ = writeln!(text, "{ending}, {seconds:.3} s");
    text
}

fn phase_change(text: &mut String, answer: &Answer) {
    let _ = write!(text, "{}", curve::draw(&answer.curve));
    let last = answer.last_step;
    let _ = match answer.n0 {
        0 => writeln!(text, "remapping never pays: keep the mapping whatever the detector says"),
        n0 if n0 > last => {
            writeln!(text, "n0 = {n0}: remapping can pay up to the last step, {last}")
        }
        n0 => writeln!(text, "n0 = {n0}: from step {n0} to the last, {last}, remapping never pays"),
    };
    if let Some((first, bounds)) = answer.curve.runs().next().map(|run| (run.first, run.bounds)) {
        let width = bounds.width();
        let _ = writeln!(
            text,
            "pi_{first} = {:.12} +- {:.1e}: remap when p exceeds it",
            bounds.middle(),
            0.5 * width
        );
    }
    if let Some(through) = answer.stationary_through {
        let _ = writeln!(text, "steps 0..={through} share one threshold");
    }
    if let Some(value) = answer.value {
        let middle = 0.5 * (value.lower + value.upper);
        let half = 0.5 * (value.upper - value.lower);
        let _ = writeln!(text, "expected completion time = {middle:.10} +- {half:.1e}");
    }
    let _ = writeln!(text, "{} linear segments at most", answer.segments);
    if let Some(exact) = &answer.exact {
        let _ = writeln!(text, "exactly: n0 = {}, V = {}", exact.n0, shorten(&exact.value));
        for (n, (fraction, decimal)) in
            exact.threshold.iter().zip(&exact.threshold_decimal).enumerate()
        {
            let _ = writeln!(text, "  pi_{n} = {decimal:.15} = {}", shorten(fraction));
        }
    }
}

/// Fractions grow without bound; their whole length is in the JSON document.
fn shorten(fraction: &str) -> String {
    if fraction.len() <= 60 {
        fraction.to_owned()
    } else {
        format!("{}... ({} digits)", &fraction[..57], fraction.len())
    }
}

/// The table of a sweep: one line per value.
pub fn sweep_table(_base: &Loaded, runs: &[SweepRun]) -> String {
    let mut rows: Vec<Vec<(String, String)>> = Vec::new();
    for run in runs {
        let set = run.set.iter().map(|(path, value)| (path.clone(), value.to_string()));
        rows.push(set.chain(cells(&run.solution.body)).collect());
    }
    // A method may apply to some of the values only: the columns are those of any row.
    let mut columns: Vec<(String, usize)> = Vec::new();
    for (heading, cell) in rows.iter().flatten() {
        match columns.iter_mut().find(|(name, _)| name == heading) {
            Some((_, width)) => *width = (*width).max(cell.len()),
            None => columns.push((heading.clone(), heading.len().max(cell.len()))),
        }
    }
    let mut text = String::new();
    for (heading, width) in &columns {
        let _ = write!(text, "  {heading:>width$}");
    }
    text.push('\n');
    for row in &rows {
        for (heading, width) in &columns {
            let cell = row.iter().find(|(name, _)| name == heading);
            let cell = cell.map_or("", |(_, cell)| cell.as_str());
            let _ = write!(text, "  {cell:>width$}");
        }
        text.push('\n');
    }
    text
}

/// What a line of a sweep's table shows of a solution: headings with their cells.
fn cells(body: &Body) -> Vec<(String, String)> {
    match body {
        Body::PhaseChange(answer) => {
            let start = answer.curve.at(0);
            let start = start.map_or(String::new(), |b| format!("{:.12}", b.middle()));
            let value = answer.value.map(|v| format!("{:.9}", 0.5 * (v.lower + v.upper)));
            vec![
                ("n0".to_owned(), answer.n0.to_string()),
                ("pi_0".to_owned(), start),
                ("expected time".to_owned(), value.unwrap_or_default()),
            ]
        }
        Body::Periodic(answer) => periodic::cells(answer),
    }
}
