//! What people see: summaries, tables, curves in text, and plots.

pub mod bars;
pub mod curve;
pub mod lines;
mod load_drift;
pub mod map;
pub mod periodic;
pub mod plot;
pub mod policies;
pub mod regions;
mod switching;
mod two_phase;
pub mod two_phase_plot;

use crate::commands::SweepRun;
use crate::model::Loaded;
use crate::phase_change::Answer;
use crate::solution::{Body, Solution};
use crate::stopping::{Answer as Stopping, Bounds};
use remapping::Status;
use std::fmt::Write;

/// The readable summary of a solved model.
pub fn summary(_loaded: &Loaded, solution: &Solution) -> String {
    let mut text = format!("{}\n", solution.title);
    match &solution.body {
        Body::PhaseChange(answer) => phase_change(&mut text, answer),
        Body::PhaseSwitching(answer) => switching::summary(&mut text, answer),
        Body::LoadDrift(answer) => load_drift::summary(&mut text, answer),
        Body::Stopping(answer) => stopping(&mut text, answer),
        Body::Fluids(answer) | Body::LandBattle(answer) => {
            let _ = write!(text, "{answer}");
        }
        Body::Periodic(answer) => text.push_str(&periodic::summary(answer)),
    }
    let seconds = solution.seconds;
    let ending = match solution.status {
        _ if solution.contradiction.is_some() => "not certified: it contradicts itself".to_owned(),
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
    let _ = match (answer.n0, answer.curve.first_step()) {
        (Some(0), _) => {
            writeln!(text, "remapping never pays: keep the mapping whatever the detector says")
        }
        (Some(n0), _) if n0 > last => {
            writeln!(text, "n0 = {n0}: remapping can pay up to the last step, {last}")
        }
        (Some(n0), _) => {
            writeln!(text, "n0 = {n0}: from step {n0} to the last, {last}, remapping never pays")
        }
        (None, Some(first)) => {
            writeln!(
                text,
                "from step {first} to the last, {last}, remapping never pays; earlier steps are not computed"
            )
        }
        (None, None) => writeln!(text, "no step was computed"),
    };
    if let Some((first, bounds)) = answer.curve.runs().next().map(|run| (run.first, run.bounds)) {
        let shown = within(bounds.lower, bounds.upper, 12);
        let _ = writeln!(text, "pi_{first} = {shown}: remap when p exceeds it");
    }
    if let Some(through) = answer.stationary_through {
        let _ = writeln!(text, "steps 0..={through} share one threshold");
    }
    if let Some(value) = answer.value {
        let _ =
            writeln!(text, "expected completion time = {}", within(value.lower, value.upper, 10));
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

/// The middle of an interval with so many decimals, or in scientific notation where these would show none of
/// it, and how far from what is shown the interval reaches, rounded up.
pub fn within(lower: f64, upper: f64, decimals: usize) -> String {
    let middle = 0.5 * lower + 0.5 * upper;
    let decimal = middle == 0.0 || (1e-4..1e12).contains(&middle.abs());
    let middle =
        if decimal { format!("{middle:.decimals$}") } else { format!("{middle:.decimals$e}") };
    let shown: f64 = middle.parse().unwrap_or(f64::NAN);
    let half = (upper - shown).max(shown - lower).max(0.0);
    let half = half * (1.0 + 4.0 * f64::EPSILON) + f64::EPSILON * shown.abs();
    let rounded = format!("{half:.1e}");
    if rounded.parse().is_ok_and(|rounded: f64| rounded >= half) {
        return format!("{middle} +- {rounded}");
    }
    // A unit of the last digit is a tenth of the number at most, and half a unit is missing at most.
    format!("{middle} +- {:.1e}", 1.05 * half)
}

/// A count, in full as far as its digits are known.
fn short(count: f64) -> String {
    if count < 1e16 { count.to_string() } else { format!("{count:.3e}") }
}

fn stopping(text: &mut String, answer: &Stopping) {
    let _ = write!(text, "{}", map::draw(answer));
    let equal = answer.shape.chunk_by(|a, b| a == b).map(|equal| match equal {
        [_, _, _, _, ..] => format!("{}^{}", equal[0], equal.len()),
        few => few.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x "),
    });
    let shape: Vec<String> = equal.collect();
    let _ = writeln!(
        text,
        "{} load vectors ({}), solved as {} states ({})",
        answer.states,
        shape.join(" x "),
        answer.classes,
        answer.representation
    );
    let counts = answer.counts;
    let _ = writeln!(
        text,
        "remap in {}, continue in {}, balanced {}{}",
        short(counts.remap),
        short(counts.continued),
        short(counts.balanced),
        match answer.ties.len() {
            0 => String::new(),
            ties => format!("; {ties} of them are ties: the bounds leave open which is better"),
        }
    );
    if let (Some(best), Some(stop)) = (answer.average, answer.average_of_stop) {
        let shown = |bounds: Bounds| within(bounds.lower, bounds.upper, 10);
        let _ = writeln!(
            text,
            "long-run average cost per step {}; under the map that is optimal for Stop {}",
            shown(best),
            shown(stop)
        );
    } else {
        let [lower, upper] = answer.remap_bounds;
        let whole = match lower == upper {
            true => format!("{:.10}", answer.remap_value),
            false => within(lower, upper, 10),
        };
        // Every J is known to the gap, relative to max(1, R).
        let reach = answer.value_gap * upper.max(1.0);
        let largest = within(answer.largest_value - reach, answer.largest_value + reach, 10);
        let _ = writeln!(text, "a remap costs {whole} in all; the largest J is {largest}");
    }
    if let Some(costs) = &answer.critical_cost {
        let mut distinct: Vec<f64> = costs.iter().flatten().copied().collect();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup_by(|a, b| (*a - *b).abs() <= 1e-12 * b.abs());
        let shown: Vec<String> =
            distinct.iter().take(40).map(|cost| format!("{cost:.6}")).collect();
        let _ = writeln!(text, "decisions switch at remap costs {}", shown.join(" "));
    }
    let _ = writeln!(
        text,
        "proved bounds are {:.1e} apart, after {} applications of the chain",
        answer.value_gap, answer.iterations
    );
}

/// Fractions grow without bound; their whole length is in the JSON document.
fn shorten(fraction: &str) -> String {
    if fraction.len() <= 60 {
        fraction.to_owned()
    } else {
        format!("{}... ({} digits)", &fraction[..57], fraction.len())
    }
}

/// A line of a sweep's table: headings with their cells.
pub type Row = Vec<(String, String)>;

/// The line of one run.
pub fn row(run: &SweepRun) -> Row {
    let set = run.set.iter().map(|(path, value)| (path.clone(), value.to_string()));
    set.chain(cells(&run.solution.body)).collect()
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

/// What a line of a sweep's table shows of a solution: headings with their cells.
fn cells(body: &Body) -> Row {
    match body {
        Body::PhaseChange(answer) => {
            let start = answer.curve.at(0);
            let start = start.map_or(String::new(), |b| format!("{:.12}", b.middle()));
            let value = answer.value.map(|v| format!("{:.9}", 0.5 * (v.lower + v.upper)));
            vec![
                ("n0".to_owned(), answer.n0.map_or(String::new(), |n0| n0.to_string())),
                ("pi_0".to_owned(), start),
                ("expected time".to_owned(), value.unwrap_or_default()),
            ]
        }
        Body::PhaseSwitching(answer) => switching::cells(answer),
        Body::LoadDrift(answer) => load_drift::cells(answer),
        Body::Stopping(answer) => vec![
            ("load vectors that remap".to_owned(), answer.counts.remap.to_string()),
            ("remap value".to_owned(), format!("{:.10}", answer.remap_value)),
            ("iterations".to_owned(), answer.iterations.to_string()),
        ],
        Body::Fluids(answer) | Body::LandBattle(answer) => {
            let (gain, threshold) = answer.middle();
            vec![
                ("e_B - e_R".to_owned(), format!("{gain:.6}")),
                ("pi_0".to_owned(), format!("{threshold:.12}")),
            ]
        }
        Body::Periodic(answer) => periodic::cells(answer),
    }
}
