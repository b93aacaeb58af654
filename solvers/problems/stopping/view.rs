//! Optimal stopping: the summary and the row of a sweep.

use super::answer::{Answer, CostByState};
use super::maps::map;
use crate::complaint::Complaint;
use crate::document::Bounds;
use crate::document::dynamics::Dynamics;
use crate::plot::{self, Format};
use crate::problems::claims::Claim;
use crate::problems::kind::{self, Headline};
use crate::problems::settings::Choice;
use crate::text::digits::{brief, compared, plain, up};
use crate::text::numbers::Numbers;
use crate::text::{Row, within};
use std::fmt::Write;

impl kind::Answer for Answer {
    fn fault(&self) -> Option<String> {
        if let Some(fault) = self.dynamics.as_ref().and_then(Dynamics::fault) {
            return Some(fault);
        }
        if self.shape.is_empty() || self.shape.contains(&0) {
            return Some("`shape` is not a list of numbers of levels".to_owned());
        }
        let r = self.loads.first().map_or(0, Vec::len);
        let vectors = match self.loads.is_empty() {
            false if r == 0 || self.loads.iter().any(|vector| vector.len() != r) => {
                return Some("the load vectors of `loads` differ in length".to_owned());
            }
            false => Some(self.loads.len()),
            true if self.lowest.len() != self.shape.len() => {
                return Some("`lowest` and `shape` differ in length".to_owned());
            }
            true => self.shape.iter().try_fold(1_usize, |all, levels| all.checked_mul(*levels)),
        };
        if self.remaps_from.as_ref().is_some_and(|from| Some(from.len()) != vectors) {
            return Some("`remaps_from` has not one number for each load vector".to_owned());
        }
        if self.partial_remaps.as_ref().is_some_and(|own| Some(own.units.len()) != vectors) {
            return Some("`partial_remaps` has not one number for each load vector".to_owned());
        }
        let Some(decisions) = &self.decision else { return None };
        if decisions.chars().any(|letter| !"BRC".contains(letter)) {
            return Some("`decision` has letters other than B, R and C".to_owned());
        }
        (vectors != Some(decisions.len()))
            .then(|| "`decision` has not one letter for each load vector".to_owned())
    }

    fn headline(&self) -> Headline {
        Headline::Sentence(headline(self))
    }

    fn claims(&self) -> Vec<Claim> {
        let [lower, upper] = self.remap_bounds;
        let average = self.average;
        let averages =
            average.map(|mean| Claim::relative("the average cost", mean.lower, mean.upper));
        // The gap bounds every J, relative to max(1, R); without a gap, the average is bounded.
        let what =
            if average.is_some() { "the average cost" } else { "every J relative to max(1, R)" };
        let gap = Claim::absolute(what, 0.0, self.value_gap);
        let whole = Claim { unit: upper.max(1.0), ..Claim::absolute("R", lower, upper) };
        averages.into_iter().chain([gap, whole]).collect()
    }

    fn ignores(&self, option: Choice) -> Option<&'static str> {
        match option {
            Choice::Values | Choice::CriticalCosts => None,
            other => Some(other.is_for()),
        }
    }

    fn numbers(&self, numbers: &mut Numbers) {
        match self.cost_by_state {
            None => numbers.put("cost of a remap", self.remap_cost),
            Some(_) => numbers.put("cost of a remap, at most", self.remap_cost),
        }
        match (self.average, self.average_of_stop) {
            (Some(average), stop) => {
                numbers.bounds("long-run average cost per step", average);
                if let Some(stop) = stop {
                    numbers.bounds("the same under the map that is optimal for Stop", stop);
                }
            }
            (None, _) => numbers.bounds("cost of a remap in all", self.remap_bounds.into()),
        }
        numbers.put("load vectors", self.states);
        numbers.put("load vectors that remap", plain(self.counts.remap));
        numbers.put("proved bounds of the values are apart", up(self.value_gap));
    }

    fn summary(&self, text: &mut String) {
        summary(text, self);
    }

    fn cells(&self) -> Row {
        vec![
            ("load vectors that remap".to_owned(), self.counts.remap.to_string()),
            ("remap value".to_owned(), format!("{:.10}", self.remap_value)),
            ("iterations".to_owned(), self.iterations.to_string()),
        ]
    }

    fn draw(&self, title: &str, format: Format) -> Result<Vec<u8>, Complaint> {
        plot::picture(format, &map::DecisionMap { title, answer: self })
    }
}

/// A count, in full as far as its digits are known.
fn short(count: f64) -> String {
    if count < 1e16 { count.to_string() } else { format!("{count:.3e}") }
}

/// Whether decisions are known.
fn has_map(answer: &Answer) -> bool {
    answer.counts.balanced + answer.counts.remap + answer.counts.continued > 0.0
}

/// The accuracy of a number that others are compared with in hundredths of a percent.
const COMPARED: f64 = 1e-5;

/// The largest relative distance between bounds that are shown as one number.
const CLOSE: f64 = 1e-2;

/// The recommendation and its value.
fn headline(answer: &Answer) -> String {
    let (counts, all) = (answer.counts, &answer.states);
    let known = has_map(answer);
    let mut text = match counts.remap {
        _ if !known => "Where to remap is not known".to_owned(),
        0.0 => "Do not remap in any load vector".to_owned(),
        remap => format!("Remap in {} of {all} load vectors", short(remap)),
    };
    match (answer.steps, answer.steps_done) {
        (Some(steps), Some(done)) => {
            return format!(
                "{text} where {done} steps are left: the {} before them were not computed",
                steps - done
            );
        }
        (Some(_), None) => text += " at the first step",
        (None, _) => {}
    }
    match (answer.average, answer.average_of_stop) {
        (Some(best), stop) if best.middle().is_finite() => {
            let is_close = |bounds: &Bounds| bounds.width() <= CLOSE * bounds.upper.abs();
            if !known || !is_close(&best) {
                return format!(
                    "{text}: {} to {} per step in the long run",
                    brief(best.lower),
                    brief(best.upper)
                );
            }
            let best = best.middle();
            text += &format!(": {} per step in the long run", brief(best));
            let is_told = |bounds: &Bounds| bounds.width() <= COMPARED * bounds.upper.abs();
            if let Some(stop) = stop.filter(is_told) {
                let how = compared(best, stop.middle());
                text += &format!(", {how} by the map that is optimal for Stop");
            }
        }
        (None, _)
            if known && answer.remap_value.is_finite() && answer.largest_value.is_finite() =>
        {
            let by_state = answer.cost_by_state.is_some();
            let [lower, upper] = answer.remap_bounds;
            let is_open = upper - lower > CLOSE * upper;
            let most = if by_state || is_open { "at most " } else { "" };
            // No state costs more than a remap, whatever the bounds are.
            let dearest = if by_state { f64::INFINITY } else { answer.remap_value };
            let reach = answer.reach();
            let reach = if reach > CLOSE * answer.largest_value { reach } else { 0.0 };
            let largest = brief((answer.largest_value + reach).min(dearest));
            let whole = brief(answer.remap_value);
            text += &match counts.remap {
                0.0 => format!(": going on costs {largest} at most, a remap {most}{whole}"),
                // The computation continues after a remap, which costs something, too.
                _ if by_state && answer.largest_value > answer.remap_value => {
                    format!(
                        ", go on in all others: {largest} at most in all, a remap {most}{whole}"
                    )
                }
                _ => format!(
                    ", go on in all others: none costs more than a remap, {most}{whole} in all"
                ),
            };
        }
        _ => {}
    }
    text
}

/// Equal numbers, in ascending order, as text.
fn groups(mut numbers: Vec<u64>, show: impl Fn(&[u64]) -> String) -> Vec<String> {
    numbers.sort_unstable();
    numbers.chunk_by(|a, b| a == b).map(show).collect()
}

/// The readable summary.
fn summary(text: &mut String, answer: &Answer) {
    let _ = write!(text, "{}", map::draw(answer));
    let equal = answer.shape.chunk_by(|a, b| a == b).map(|equal| match equal {
        [_, _, _, _, ..] => format!("{}^{}", equal[0], equal.len()),
        few => few.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x "),
    });
    let shape: Vec<String> = equal.collect();
    let (counts, shape) = (answer.counts, shape.join(" x "));
    if has_map(answer) {
        let _ = writeln!(
            text,
            "{} load vectors ({shape}), solved as {} states ({})",
            answer.states, answer.classes, answer.representation
        );
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
    } else {
        let _ =
            writeln!(text, "{} load vectors ({shape}), none of them gone through", answer.states);
    }
    if let Some(CostByState::Moved { fixed, per_unit_moved }) = &answer.cost_by_state {
        let _ =
            writeln!(text, "a remap costs {fixed}, and {per_unit_moved} for each unit it moves");
    }
    if let Some(levels) = answer.kept_levels {
        let _ = writeln!(
            text,
            "{levels} levels of each process were kept; those beyond change no J here by more than the bounds say"
        );
    }
    if let Some(steps) = answer.steps.filter(|_| has_map(answer)) {
        let _ = match answer.steps_done {
            Some(done) => {
                writeln!(text, "the map is that of a program of {done} of the {steps} steps")
            }
            None => writeln!(text, "the map is that of the first of {steps} steps"),
        };
    }
    if let Some(from) = &answer.remaps_from {
        let count = |equal: &[u64]| format!("{} from {}", equal.len(), equal[0]);
        let groups = groups(from.iter().flatten().copied().collect(), count);
        let shown = match groups.len() {
            0 => match answer.steps_done {
                Some(done) => format!("no load vector remaps with up to {done} steps left"),
                None => "no load vector remaps, with however many steps left".to_owned(),
            },
            1..=12 => format!("load vectors that remap, by steps left: {}", groups.join(", ")),
            more => format!(
                "load vectors that remap, by steps left: {}, ... ({more} groups)",
                groups[..12].join(", ")
            ),
        };
        let _ = writeln!(text, "{shown}");
    }
    if let Some(partial) = &answer.partial_remaps {
        let count = |equal: &[u64]| format!("{} in {}", equal[0], equal.len());
        let moved = partial.units.iter().copied().filter(|m| *m > 0);
        let groups = groups(moved.collect(), count);
        let shown = if groups.is_empty() { "none".to_owned() } else { groups.join(", ") };
        let whole = within(partial.average_of_whole);
        let _ = writeln!(
            text,
            "units that a remap moves, and in how many load vectors: {shown}\nremaps of all that is above its share: {whole} \
             per step"
        );
    }
    if let Some(best) = answer.average {
        let of_stop = answer.average_of_stop.map_or_else(String::new, |stop| {
            format!("; under the map that is optimal for Stop {}", within(stop))
        });
        let _ = writeln!(text, "long-run average cost per step {}{of_stop}", within(best));
    } else {
        let bounds = Bounds::from(answer.remap_bounds);
        let whole = within(bounds);
        let reach = answer.reach();
        let largest = (answer.largest_value - reach, answer.largest_value + reach);
        let largest = within(largest.into());
        let most = if answer.cost_by_state.is_some() { "at most " } else { "" };
        let _ = writeln!(text, "a remap costs {most}{whole} in all; the largest J is {largest}");
    }
    if let Some(costs) = &answer.critical_cost {
        let mut distinct: Vec<f64> = costs.iter().flatten().copied().collect();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup_by(|a, b| (*a - *b).abs() <= 1e-12 * b.abs());
        let shown: Vec<String> =
            distinct.iter().take(40).map(|cost| format!("{cost:.6}")).collect();
        let _ = writeln!(text, "decisions switch at remap costs {}", shown.join(" "));
    }
    let apart = match answer.value_gap.is_finite() {
        true => format!("proved bounds are {} apart, relatively", up(answer.value_gap)),
        false => "there are no proved bounds: the numbers are too large for doubles".to_owned(),
    };
    let _ = writeln!(text, "{apart}, after {} applications of the chain", answer.iterations);
}
