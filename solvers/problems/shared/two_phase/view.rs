//! The model problems in text: thresholds by scenario, and policies compared.

use super::answer::{Answer, ScenarioSolved};
use super::picture::picture;
use crate::complaint::Complaint;
use crate::plot::{self, Format};
use crate::problems::claims::Claim;
use crate::problems::kind;
use crate::text::Row;
use crate::text::digits::sampled;
use remapping::two_phase::figure::Policy;
use remapping::two_phase::workload::Comparison;
use std::fmt;

impl kind::Answer for Answer {
    // The thresholds have no bounds of their own: it is only checked that they are numbers.
    fn claims(&self) -> Vec<Claim> {
        let all = self.scenarios.iter().flat_map(|scenario| &scenario.threshold);
        all.map(|threshold| Claim::absolute("a threshold", *threshold, *threshold)).collect()
    }

    fn summary(&self, text: &mut String) {
        text.push_str(&self.to_string());
    }

    fn cells(&self) -> Row {
        let (gain, threshold) = self.middle();
        let known =
            |value: f64, shown: String| if value.is_finite() { shown } else { String::new() };
        vec![
            ("e_B - e_R".to_owned(), known(gain, format!("{gain:.6}"))),
            ("pi_0".to_owned(), known(threshold, format!("{threshold:.12}"))),
        ]
    }

    fn draw(&self, title: &str, format: Format) -> Result<Vec<u8>, Complaint> {
        plot::picture(format, &picture(title, self))
    }
}

/// Rows, and columns per position, of the curve drawn as text.
const ROWS: usize = 16;
const COLUMNS: usize = 3;

/// A comparison as text.
pub struct Table<'a>(pub &'a Comparison);

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = match self.0.sampled {
            true => format!("{} runs", self.0.runs),
            false => "all runs are the same".to_owned(),
        };
        writeln!(f, "Slower than the fixed threshold policy, in percent ({runs})\n")?;
        self.draw(f)?;
        self.table(f)?;
        self.means(f)?;
        self.envelope(f)?;
        self.scaling(f)
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Estimated mean cycle times, cost of a remap, and optimal thresholds, by {}",
            self.axis
        )?;
        write!(f, "{:>8}{:>10}{:>10}{:>10}{:>10}{:>10}", "at", "e_F", "e_B", "e_P", "e_R", "D")?;
        writeln!(f, "{:>10}{:>10}{:>10}", "pi first", "pi middle", "n0")?;
        let borrows = |scenario: &ScenarioSolved| {
            scenario.parameters.as_ref().is_some_and(|found| found.cycles_after == 0.0)
        };
        for scenario in &self.scenarios {
            let pi = &scenario.threshold;
            write!(f, "{:>8}", scenario.at)?;
            match &scenario.parameters {
                Some(p) => {
                    for value in [p.before, p.after, p.before_remapped, p.remapped, p.remap_cost] {
                        write!(f, "{value:>10.1}")?;
                    }
                }
                None => write!(f, "{:>50}", "no run has both phases")?,
            }
            let never = pi.iter().rposition(|&pi| pi < 1.0).map_or(0, |last| last + 1);
            let (first, middle) = (pi.first(), pi.get(pi.len() / 2));
            for value in [first, middle] {
                write!(f, "{:>10.4}", value.copied().unwrap_or(1.0))?;
            }
            writeln!(f, "{never:>10}{}", if borrows(scenario) { " *" } else { "" })?;
        }
        if self.scenarios.iter().any(borrows) {
            writeln!(f, "* no cycle is after the change: what those cost is of the other rows")?;
        }
        Ok(())
    }
}

impl Table<'_> {
    /// The two static curves: `o` is the old mapping, `n` the new one, `*` both.
    fn draw(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let curves =
            (self.0.figure.curve(Policy::StaticOld), self.0.figure.curve(Policy::StaticNew));
        let (Some(old), Some(new)) = curves else { return Ok(()) };
        let (old, new) = (old.percent.iter().map(|p| p.value), new.percent.iter().map(|p| p.value));
        let (low, high) = (old.clone().chain(new.clone()))
            .fold((0.0f64, 1.0f64), |(low, high), value| (low.min(value), high.max(value)));
        let row = |value: f64| ((high - value) / (high - low) * (ROWS - 1) as f64).round() as usize;
        for line in 0..ROWS {
            let level = high - (high - low) * line as f64 / (ROWS - 1) as f64;
            let zero = if line == row(0.0) { '-' } else { ' ' };
            write!(f, "{level:8.1} |")?;
            for (old, new) in old.clone().zip(new.clone()) {
                let mark = match (row(old) == line, row(new) == line) {
                    (true, true) => '*',
                    (true, false) => 'o',
                    (false, true) => 'n',
                    (false, false) => zero,
                };
                write!(f, "{zero}{mark}{zero}")?;
            }
            writeln!(f)?;
        }
        let ends = (self.0.figure.at.first(), self.0.figure.at.last());
        if let (Some(first), Some(last)) = ends {
            let width = (COLUMNS * self.0.figure.at.len()).saturating_sub(4);
            writeln!(f, "{:10} {first:<4}{last:>width$}", "")?;
        }
        writeln!(f, "{:10} {}; o old mapping, n new mapping, * both\n", "", self.0.axis)
    }

    fn table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>8}", "at")?;
        let others =
            || self.0.figure.curves.iter().filter(|curve| curve.policy != Policy::Threshold);
        let cell = |percent| sampled(percent).joined("±");
        let cells = others().flat_map(|curve| curve.percent.iter());
        let width = cells.map(|percent| cell(*percent).chars().count() + 2).fold(18, usize::max);
        for curve in others() {
            write!(f, "{:>width$}", curve.policy.name())?;
        }
        let threshold = self.0.figure.curve(Policy::Threshold);
        if threshold.is_some() {
            write!(f, "{:>9}{:>11}{:>9}", "remaps", "premature", "speedup")?;
        }
        for (index, at) in self.0.figure.at.iter().enumerate() {
            write!(f, "\n{at:>8}")?;
            for percent in others().map(|curve| curve.percent[index]) {
                write!(f, "{:>width$}", cell(percent))?;
            }
            if let Some(threshold) = threshold {
                let (remaps, premature) = (threshold.remaps[index], threshold.premature[index]);
                let speedup = self.0.speedup[index].speedup;
                write!(f, "{remaps:>9.2}{premature:>11.2}{speedup:>9.2}")?;
            }
        }
        writeln!(f, "\n")
    }

    fn means(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Mean time of a run over all positions, expected over the errors of the detector\n\
             (computed, not sampled); {}",
            match self.0.sampled {
                true => "± and the runs: half of the 95 % confidence interval, sampled",
                false => "±: how far off that may be",
            }
        )?;
        if self.0.policies.iter().any(|summary| summary.fitted_to_runs) {
            writeln!(f, "(optimal is fitted to these runs: its ± is not that of other runs)")?;
        }
        for summary in &self.0.policies {
            let name = summary.policy.name();
            let mean = sampled(summary.time).joined("±");
            let utilization = summary.per_metric.utilization;
            writeln!(f, "{name:>14} {mean:>24} utilization {utilization:.3}")?;
        }
        writeln!(f)
    }

    /// The gain of remapping by position (down) and by the cost of a remap (across).
    fn envelope(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Gain over the old mapping in percent, remaps so many times as dear; | where D = G T"
        )?;
        let Some(first) = self.0.envelope.first() else { return writeln!(f) };
        write!(f, "{:>8}", "at")?;
        for point in self.0.envelope.iter().take_while(|point| point.at == first.at) {
            write!(f, "{:>8}", format!("x{}", point.factor))?;
        }
        for row in self.0.envelope.chunk_by(|one, next| one.at == next.at) {
            write!(f, "\n{:>8}", row[0].at)?;
            let mut inside = true;
            for point in row {
                let pays = point.gain > point.remap_cost;
                let edge = if inside && !pays { '|' } else { ' ' };
                inside = pays;
                write!(f, "{edge}{:>+7.1}", point.advantage.value)?;
            }
        }
        writeln!(f, "\n")
    }

    fn scaling(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(middle) = self.0.speedup.get(self.0.speedup.len() / 2) else { return Ok(()) };
        let (at, efficiency) = (middle.at, middle.efficiency);
        writeln!(f, "Speedup at {at} with the efficiency kept at {efficiency:.3}, by processors")?;
        writeln!(f, "{:>12}{:>22}{:>22}", "", "moves in log P rounds", "moves one by one")?;
        for row in &self.0.scaling {
            writeln!(f, "{:>12}{:>22.2}{:>22.2}", row.processors, row.routed, row.serial)?;
        }
        Ok(())
    }
}
