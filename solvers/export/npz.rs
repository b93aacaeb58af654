//! Writes a rule as NumPy arrays in an archive.

use crate::archive::{Archive, Entry};
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
            steps(&mut archive, THRESHOLDS, &rows)?;
            list(&mut archive, "last_step", &[belief.last])?;
            list(&mut archive, "detector", &[belief.detector.0, belief.detector.1])?;
            list(&mut archive, "hazard", &belief.hazard)?;
        }
        Rule::Switching(rule) => {
            for (name, runs) in [("to_second", &rule.to_second), ("to_first", &rule.to_first)] {
                steps(&mut archive, [&format!("{name}_first_step"), name], runs)?;
            }
            let belief = &rule.belief;
            list(&mut archive, "initial", &[belief.initial])?;
            list(&mut archive, "rates", &[belief.to_second, belief.to_first])?;
            list(&mut archive, "report_first", &belief.first)?;
            list(&mut archive, "report_second", &belief.second)?;
        }
        Rule::Map(map) => {
            let count = map.decisions.len();
            let entries: Vec<(Vec<i64>, f64)> = (0..count).map(|place| map.entry(place)).collect();
            let shape = [count as u64, map.processes() as u64];
            archive.add("loads", &shape, entries.iter().flat_map(|(loads, _)| loads.clone()))?;
            archive.add("vectors", &shape[..1], entries.iter().map(|(_, vectors)| *vectors))?;
            list(&mut archive, "decision", &map.decisions)?;
        }
        Rule::Imbalance(imbalance) => {
            steps(&mut archive, THRESHOLDS, &imbalance.thresholds)?;
            list(&mut archive, "steps", &[imbalance.steps])?;
            if !imbalance.since.is_empty() {
                let names = ["since_first_step", "since_threshold"];
                steps(&mut archive, names, &imbalance.since)?;
            }
        }
        Rule::Interval(interval) => {
            let every = interval.every.map_or(f64::INFINITY, |every| every as f64);
            list(&mut archive, "interval", &[every])?;
        }
        Rule::Level(level) => {
            let name = match level.measure {
                Measure::Excess => "max_minus_mean_above",
                Measure::Utilization => "mean_over_max_below",
            };
            list(&mut archive, name, &[level.value])?;
        }
    }
    archive.finish()
}

/// The arrays of the thresholds and their first steps.
const THRESHOLDS: [&str; 2] = ["first_step", "threshold"];

/// Adds thresholds with their first steps.
fn steps(archive: &mut Memory<'_>, names: [&str; 2], rows: &[(u64, f64)]) -> Written<()> {
    let (from, values): (Vec<u64>, Vec<f64>) = rows.iter().copied().unzip();
    list(archive, names[0], &from)?;
    list(archive, names[1], &values)
}

/// An archive in memory.
type Memory<'a> = Archive<&'a mut Cursor<Vec<u8>>>;

/// Adds a list.
fn list<T: Entry>(archive: &mut Memory<'_>, name: &str, entries: &[T]) -> Written<()> {
    archive.add(name, &[entries.len() as u64], entries.iter().copied())
}
