//! What a rule comes to in codes that know an interval and a tolerance only.

use super::heading;
use crate::complaint::Complaint;
use crate::solution::map::Map;
use crate::solution::rule::{Measure, Rule, StatedRule};

/// An interval, a tolerance, or both.
#[derive(Debug, Clone)]
pub struct Knobs {
    /// What the file says of itself, and what is assumed, a line each.
    pub notes: Vec<String>,
    /// Steps between two looks at a tolerance.
    pub look: u64,
    /// Steps between remaps; `Some(None)` is never.
    pub interval: Option<Option<u64>>,
    /// Remap when max / mean - 1 exceeds this.
    pub tolerance: Option<f64>,
    /// The fixed interval of least cost, where the rule is a tolerance.
    pub instead: Option<u64>,
    /// Mean time of a step, in the unit of the model.
    pub step_time: Option<f64>,
}

impl Knobs {
    /// Steps between two looks at the imbalance: the interval if there is no tolerance.
    pub fn every(&self) -> Option<u64> {
        match (self.interval, self.tolerance) {
            (Some(every), _) => every,
            (None, _) => Some(self.look),
        }
    }

    /// max / mean beyond which to remap, if there is an interval, any imbalance.
    pub fn ratio(&self) -> f64 {
        1.0 + self.tolerance.filter(|_| self.interval.is_none()).unwrap_or(0.0)
    }

    /// The interval for a code that knows nothing else; `None` is never.
    pub fn interval_only(&self, code: &str) -> Result<Option<u64>, Complaint> {
        match (self.interval, self.instead) {
            (Some(every), _) => Ok(every),
            (None, Some(every)) => Ok(Some(every)),
            (None, None) => {
                let message = format!("{code} knows an interval only, this rule is a tolerance");
                let help = "solve the model as Periodic with remap_cost and export the interval";
                Err(Complaint::elsewhere(message, help))
            }
        }
    }

    /// The notes as comment lines.
    pub fn comments(&self, mark: &str) -> String {
        self.notes.iter().map(|note| format!("{mark} {note}\n")).collect()
    }
}

/// The knobs of a rule.
pub fn of(export: &StatedRule) -> Result<Knobs, Complaint> {
    let mut notes = heading(export);
    notes.push("Assumed: loads are times of a step, and a remap restores balance.".to_owned());
    let (mut instead, mut look) = (None, 1);
    let (interval, tolerance, step_time) = match &export.rule {
        Rule::Belief(_) => {
            let message = "thresholds on the probability of a change are not an interval";
            let help = "export to c, fortran, python or rust, or watch the run with remap monitor";
            return Err(Complaint::elsewhere(message, help));
        }
        Rule::Interval(interval) => {
            let at_end = interval.tolerance.filter(|tolerance| tolerance.is_finite());
            if let Some(tolerance) = at_end {
                let ratio = 1.0 + tolerance;
                notes
                    .push(format!("At the end of the interval max/mean is {ratio:.6} on average."));
            }
            (Some(interval.every), at_end, Some(interval.mean))
        }
        Rule::Imbalance(imbalance) => {
            let threshold = imbalance.thresholds[0].1;
            let mean = imbalance.mean;
            notes.push(format!("Threshold {threshold} on max - mean at mean load {mean}."));
            instead = imbalance.interval;
            if let Some(every) = instead {
                notes.push(format!("The fixed interval of least cost would be {every} steps."));
            }
            if mean <= 0.0 {
                let help = "give the model loads above 0";
                return Err(Complaint::elsewhere("the mean load is 0: no ratio to it", help));
            }
            (None, Some(threshold / mean), Some(mean))
        }
        Rule::Level(level) => {
            look = level.stride;
            instead = level.interval;
            if let Some(every) = instead {
                notes.push(format!("The fixed interval of least cost would be {every} steps."));
            }
            let over = match level.measure {
                Measure::Excess => level.value / level.mean,
                Measure::Utilization => 1.0 / level.value - 1.0,
            };
            match over.is_finite() {
                true => (None, Some(over.max(0.0)), Some(level.mean)),
                false => (Some(None), None, Some(level.mean)),
            }
        }
        Rule::Map(map) => {
            let (tolerance, wrong) = closest(map)?;
            notes
                .push("The max/mean closest to the decision map; it differs from it in".to_owned());
            notes.push(format!("{:.2} % of the load vectors.", 100.0 * wrong));
            (None, Some(tolerance), None)
        }
    };
    if interval == Some(None) {
        notes.push("Remapping never pays.".to_owned());
    }
    Ok(Knobs { notes, look, interval, tolerance, instead, step_time })
}

/// The bound on max / mean - 1 that differs from the map in the fewest load vectors, and its share of
/// them.
fn closest(map: &Map) -> Result<(f64, f64), Complaint> {
    let mut entries = Vec::with_capacity(map.letters.len());
    for (place, letter) in map.letters.iter().enumerate() {
        let (loads, vectors) = map.entry(place);
        let most = loads.iter().copied().max().unwrap_or(0) as f64;
        let mean = loads.iter().sum::<i64>() as f64 / loads.len() as f64;
        if mean > 0.0 {
            entries.push((most / mean - 1.0, *letter == b'R', vectors));
        }
    }
    let all: f64 = entries.iter().map(|(_, _, vectors)| vectors).sum();
    if all == 0.0 {
        let help = "give the model loads above 0";
        return Err(Complaint::elsewhere("no load vector has a positive mean", help));
    }
    entries.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Below every ratio: the bound remaps everywhere.
    let weight = |keep: bool| {
        entries.iter().filter(|(_, remap, _)| *remap == keep).map(|(_, _, vectors)| vectors).sum()
    };
    let mut wrong: f64 = weight(false);
    let mut best = (0.0, f64::INFINITY);
    for (i, (ratio, remap, vectors)) in entries.iter().enumerate() {
        wrong += if *remap { *vectors } else { -vectors };
        let last_of_ratio = entries.get(i + 1).is_none_or(|next| next.0 > *ratio);
        if last_of_ratio && wrong < best.1 {
            best = (*ratio, wrong);
        }
    }
    Ok((best.0, (best.1 / all).max(0.0)))
}
