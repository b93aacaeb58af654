//! Writes a rule as NumPy arrays in an archive.

use crate::archive::Archive;
use crate::complaint::Complaint;
use crate::document::rule::{Measure, Rule, StatedRule};
use std::io::{Cursor, Result as Written};

/// The archive: `threshold` with `first_step`, or `loads`, `vectors` and `decision`, or `interval`.
pub fn write(export: &StatedRule) -> Result<Vec<u8>, Complaint> {
    let mut bytes = Cursor::new(Vec::new());
    let failed = |error: std::io::Error| {
        Complaint::elsewhere(format!("cannot make the archive: {error}"), "free some memory")
    };
    fill(export, &mut bytes).map_err(failed)?;
    Ok(bytes.into_inner())
}

fn fill(export: &StatedRule, bytes: &mut Cursor<Vec<u8>>) -> Written<()> {
    let mut archive = Archive::new(bytes);
    match &export.rule {
        Rule::Belief(belief) => {
            let (head, from) = (belief.head.len() as u64, belief.tail_from());
            let between = (from > head).then_some((head, belief.stationary));
            let rows = (0..).zip(belief.head.iter().copied()).chain(between);
            let rows: Vec<(u64, f64)> =
                rows.chain((from..).zip(belief.tail.iter().copied())).collect();
            steps(&mut archive, &rows)?;
            archive.add("last_step", &[1], std::iter::once(belief.last))?;
            let detector = [belief.detector.0, belief.detector.1];
            archive.add("detector", &[2], detector.into_iter())?;
            let hazards = [belief.hazard.len() as u64];
            archive.add("hazard", &hazards, belief.hazard.iter().copied())?;
        }
        Rule::Switching(rule) => {
            for (name, runs) in [("to_second", &rule.to_second), ("to_first", &rule.to_first)] {
                let shape = [runs.len() as u64];
                archive.add(&format!("{name}_first_step"), &shape, runs.iter().map(|run| run.0))?;
                archive.add(name, &shape, runs.iter().map(|run| run.1))?;
            }
            let belief = &rule.belief;
            let levels = [belief.first.len() as u64];
            archive.add("initial", &[1], std::iter::once(belief.initial))?;
            archive.add("rates", &[2], [belief.to_second, belief.to_first].into_iter())?;
            archive.add("report_first", &levels, belief.first.iter().copied())?;
            archive.add("report_second", &levels, belief.second.iter().copied())?;
        }
        Rule::Map(map) => {
            let count = map.decisions.len();
            let entries: Vec<(Vec<i64>, f64)> = (0..count).map(|place| map.entry(place)).collect();
            let shape = [count as u64, map.processes() as u64];
            archive.add("loads", &shape, entries.iter().flat_map(|(loads, _)| loads.clone()))?;
            archive.add("vectors", &shape[..1], entries.iter().map(|(_, vectors)| *vectors))?;
            archive.add("decision", &shape[..1], map.decisions.iter().copied())?;
        }
        Rule::Imbalance(imbalance) => {
            steps(&mut archive, &imbalance.thresholds)?;
            archive.add("steps", &[1], std::iter::once(imbalance.steps))?;
            if !imbalance.since.is_empty() {
                let since = &imbalance.since;
                let shape = [since.len() as u64];
                archive.add("since_first_step", &shape, since.iter().map(|(from, _)| *from))?;
                archive.add("since_threshold", &shape, since.iter().map(|(_, value)| *value))?;
            }
        }
        Rule::Interval(interval) => {
            let every = interval.every.map_or(f64::INFINITY, |every| every as f64);
            archive.add("interval", &[1], std::iter::once(every))?;
        }
        Rule::Level(level) => {
            let name = match level.measure {
                Measure::Excess => "max_minus_mean_above",
                Measure::Utilization => "mean_over_max_below",
            };
            archive.add(name, &[1], std::iter::once(level.value))?;
        }
    }
    archive.finish()
}

/// Adds the thresholds with their first steps.
fn steps<W: std::io::Write + std::io::Seek>(
    archive: &mut Archive<W>,
    rows: &[(u64, f64)],
) -> Written<()> {
    let shape = [rows.len() as u64];
    archive.add("first_step", &shape, rows.iter().map(|(from, _)| *from))?;
    archive.add("threshold", &shape, rows.iter().map(|(_, value)| *value))
}
