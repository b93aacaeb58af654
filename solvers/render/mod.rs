//! What people see: summaries, tables, curves in text, and plots.

pub mod curve;
mod load_drift;
pub mod map;
pub mod plot;
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
        Body::LoadDrift(answer) => load_drift::summary(&mut text, answer),
        Body::Stopping(answer) => stopping(&mut text, answer),
        Body::Fluids(answer) | Body::LandBattle(answer) => {
            let _ = write!(text, "{answer}");
        }
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

fn stopping(text: &mut String, answer: &Stopping) {
    let _ = write!(text, "{}", map::draw(answer));
    let shape: Vec<String> = answer.shape.iter().map(ToString::to_string).collect();
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
        counts.remap,
        counts.continued,
        counts.balanced,
        match answer.ties.len() {
            0 => String::new(),
            ties => format!("; {ties} of them are ties: either choice is optimal"),
        }
    );
    if let (Some(best), Some(stop)) = (answer.average, answer.average_of_stop) {
        let middle = |bounds: Bounds| 0.5 * (bounds.lower + bounds.upper);
        let _ = writeln!(
            text,
            "long-run average cost per step {:.10}; under the map that is optimal for Stop {:.10}",
            middle(best),
            middle(stop)
        );
    } else {
        let _ = writeln!(
            text,
            "a remap costs {:.10} in all; the largest J is {:.10}",
            answer.remap_value, answer.largest_value
        );
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

/// The table of a sweep: one line per value.
pub fn sweep_table(_base: &Loaded, runs: &[SweepRun]) -> String {
    let mut text = String::new();
    let Some(first) = runs.first() else { return text };
    let names: Vec<_> = first.set.keys().map(String::as_str).collect();
    let headings: &[&str] = match &first.solution.body {
        Body::PhaseChange(_) => &["n0", "pi_0", "expected time"],
        Body::LoadDrift(_) => &["value", "remaps", "utilization"],
        Body::Stopping(_) => &["load vectors that remap", "remap value", "iterations"],
        Body::Fluids(_) | Body::LandBattle(_) => &["e_B - e_R", "pi_0"],
    };
    for name in names.iter().chain(headings) {
        let _ = write!(text, "{name:>24}");
    }
    text.push('\n');
    for run in runs {
        for value in run.set.values() {
            let _ = write!(text, "{:>24}", value.to_string());
        }
        match &run.solution.body {
            Body::PhaseChange(answer) => {
                let start =
                    answer.curve.at(0).map_or(String::new(), |b| format!("{:.12}", b.middle()));
                let value = answer
                    .value
                    .map_or(String::new(), |v| format!("{:.9}", 0.5 * (v.lower + v.upper)));
                let _ = write!(text, "{:>24}{start:>24}{value:>24}", answer.n0);
            }
            Body::LoadDrift(answer) => load_drift::row(&mut text, answer),
            Body::Stopping(answer) => {
                let (remap, total) = (answer.counts.remap, answer.remap_value);
                let _ = write!(text, "{remap:>24}{total:>24.10}{:>24}", answer.iterations);
            }
            Body::Fluids(answer) | Body::LandBattle(answer) => {
                let (gain, threshold) = answer.middle();
                let _ = write!(text, "{gain:>24.6}{threshold:>24.12}");
            }
        }
        text.push('\n');
    }
    if let Some(groups) = map::groups(runs) {
        let _ = writeln!(text, "values with the same map: {groups}");
    }
    text
}
