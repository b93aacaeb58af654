//! What is said of the policies that were valued, and which of them is to be followed.

use super::advice::{Advice, MOST_STEPS, Question};
use super::contest::{ADAPTIVE, Judged, Line, Percent, RECORDED};
use super::saving::Saving;
use crate::fitting::{short, three};
use remapping::fit::slopes::{Fate, Slopes};
use remapping::policy::Rule;
use std::ops::Range;

/// An unsure difference within so many percent, either way, is nothing to gain; beyond, the log
/// cannot tell.
const NARROW: f64 = 1.0;

/// A saving is sure if its interval begins above what is printed as 0.00 percent.
const SURE: f64 = 0.005;

/// Steps that tell whether the loads are balanced where a log begins, twice.
const FIRST: usize = 5;

/// What was found.
pub(super) struct Found<'a> {
    pub(super) judged: &'a Judged,
    /// All simple rules, trained.
    pub(super) rules: &'a [Rule],
    /// What the choice saves on the steps that are valued.
    pub(super) saved: Saving,
    /// What the adaptive rule saves on all steps, learning on the way.
    pub(super) whole: Saving,
    pub(super) steps: &'a Range<usize>,
}

impl Question<'_> {
    /// What to do and what it is worth, and which policy that is.
    pub(super) fn verdict(&self, found: &Found<'_>) -> Advice {
        let Found { judged, saved, whole, steps, .. } = found;
        let run = judged.line(RECORDED);
        let Some(against) = run.or(judged.line("never")) else { return Advice::default() };
        let on = format!("steps {} to {}", steps.start, steps.end - 1);
        let beaten = if run.is_some() { "now" } else { "never remapping" };
        let Percent { percent, lower, upper } = saved.of;
        let all = 0..self.record.steps().min(2 * MOST_STEPS);
        let on_all = format!("on all steps up to {}, learning on the way", all.end - 1);
        let (worth, certain) = (self.worth(judged, against, saved.of), lower >= SURE);
        let narrow = upper - lower <= 2.0 * NARROW;
        let on_whole = whole.of.lower > 0.0 && percent >= 0.0;
        let unknown = run.is_none().then(|| "what was done is not recorded".to_owned());
        if certain || on_whole {
            // Never remapping is advised where it is surely better than what was done, there or, if
            // that is all the rule does, on the whole log. Elsewhere the rule that did not remap on
            // these steps does so once loads move: on simulated programs never remapping cost up to
            // 21 % there, the rule 0.1 %.
            let (policy, what) = match saved.never && (certain || whole.never) {
                true => ("never", "Do not remap"),
                false => (ADAPTIVE, "Remap by the adaptive rule"),
            };
            let it = if policy == ADAPTIVE { "it" } else { "the adaptive rule" };
            let without = if saved.never { ", without a remap," } else { "" };
            let less = format!("less than {beaten}");
            // What is sure comes first.
            let [sentence, then] = match (certain, on_whole) {
                (false, true) => [
                    format!("{what}: {} {less} {on_all}", whole.share()),
                    format!("on {on}{without} {it} would {saved}{worth}, which may be chance"),
                ],
                _ => [
                    format!("{what}: {} {less} on {on}{worth}", saved.share()),
                    format!("{on_all}, {it} would {whole}"),
                ],
            };
            let mut more = vec![then];
            if policy == ADAPTIVE {
                more.extend(self.rests_on().map(str::to_owned));
                more.push(self.others(found, against));
                more.extend(unknown);
            }
            let policy = Some(policy.to_owned());
            return Advice { sentence, more, policy, ..Advice::default() };
        }
        let left = self.left_at_first().filter(|_| run.is_none());
        let unbalanced = left.map(|share| {
            format!(
                "the log begins with {:.1} % of the time waited for the slowest rank, which one remap may end: add a column \
                 `remapped` (0 where the run was not remapped)",
                100.0 * share
            )
        });
        let unbalanced = unbalanced.or(unknown);
        let keep = if run.is_some() { RECORDED } else { "never" };
        let least = judged.clairvoyant_actual.or(judged.clairvoyant);
        let gain = least.map_or(100.0, |least| 100.0 * (against.cost - least) / against.time);
        if upper < 0.0 || narrow || gain <= NARROW {
            let subject = match run {
                Some(run) if run.remaps == 0 => "Go on without remapping",
                Some(_) => "Keep what you do",
                None if left.is_some() => "Do not remap once the loads are balanced",
                None => "Do not remap",
            };
            let sentence = format!(
                "{subject}: by what is assumed here, no rule can save more than {:.2} % on {on}",
                gain.max(0.0)
            );
            let mut more = vec![format!("the adaptive rule would {saved}")];
            more.extend(unbalanced);
            let policy = Some(keep.to_owned());
            return Advice { sentence, more, policy, ..Advice::default() };
        }
        let (safe, said) = match percent >= 0.0 {
            true => {
                let may = format!("it is written by -o DIR and may cost {:.2} % more", -lower);
                (ADAPTIVE, format!("the adaptive rule is safe: {may}"))
            }
            false => (keep, format!("to go on as before is safe: that may give up {upper:.2} %")),
        };
        let sentence = format!(
            "This log cannot tell whether to remap otherwise: on {on} the adaptive rule would {saved}, which may be chance"
        );
        let mut more = vec![said, self.more_steps(saved.of)];
        more.extend(unbalanced);
        Advice { sentence, more, safe: Some(safe), ..Advice::default() }
    }

    /// The assumption that a saving rests on, where the log does not show it to hold.
    fn rests_on(&self) -> Option<&'static str> {
        if self.record.remaps().is_empty() {
            return Some("this holds if a remap restores balance, which this log does not show");
        }
        let slopes = Slopes::of(self.record).filter(|slopes| slopes.fate == Fate::Redrawn);
        slopes.map(|_| {
            "this holds if ranks drift after a remap as before it, which they do not do in this log: more or less may be saved"
        })
    }

    /// What other rules save on the same steps.
    fn others(&self, found: &Found<'_>, against: &Line) -> String {
        let share = |cost: f64| {
            let saved = 100.0 * (against.cost - cost) / against.time.max(f64::MIN_POSITIVE);
            match saved < 0.0 {
                true => format!("costs {:.2} % more", -saved),
                false => format!("saves {saved:.2} %"),
            }
        };
        let of = |rule: &Rule| {
            let Rule::Threshold(bound) = rule else { return None };
            let line = found.judged.line(&rule.to_string())?;
            Some(format!(
                "remapping when max - mean exceeds {} seconds {}; ",
                short(three(*bound)),
                share(line.cost)
            ))
        };
        let other = found.rules.iter().find_map(of).unwrap_or_default();
        let (name, cost) = &found.judged.best_in_use;
        format!("{other}{name}, the best published rule, {}", share(*cost))
    }

    /// How many steps would tell a saving from none, if it is what it seems to be.
    fn more_steps(&self, saved: Percent) -> String {
        let half = 0.5 * (saved.upper - saved.lower);
        let judged = (self.record.steps() - self.cut()).min(MOST_STEPS) as f64;
        let needed = judged * (half / saved.percent.abs()).powi(2).max(2.0);
        if needed > MOST_STEPS as f64 {
            return format!(
                "the {MOST_STEPS} steps that are judged at most would not tell so little"
            );
        }
        let rows = (2.0 * needed / 100.0).ceil() * 100.0;
        let of = if self.stride > 1 { " of the program" } else { "" };
        format!("record about {} steps{of}", short(rows * self.stride as f64))
    }

    /// The share of the time that is waited for the slowest rank at the first steps of the log, if
    /// that is more than nothing.
    fn left_at_first(&self) -> Option<f64> {
        // Which rank is slowest is told by steps that do not tell by how much: of noise the slowest
        // is above the mean.
        let first = |steps: Range<usize>| -> Vec<f64> {
            let mean = |rank: usize| steps.clone().map(|step| self.record.row(step)[rank]).sum();
            (0..self.record.ranks()).map(mean).collect()
        };
        let (by, of) = (first(0..FIRST), first(FIRST..2 * FIRST));
        let slowest = (0..by.len()).max_by(|a, b| by[*a].total_cmp(&by[*b]))?;
        let mean = of.iter().sum::<f64>() / of.len() as f64;
        let share = 1.0 - mean / of[slowest];
        (100.0 * share > NARROW).then_some(share)
    }

    /// What a saving comes to on the whole job, where its length is known: `: 120 (60 to 180) of
    /// 5000 seconds`.
    fn worth(&self, judged: &Judged, against: &Line, saved: Percent) -> String {
        let Some(steps) = self.steps else { return String::new() };
        let many = judged.courses.first().map_or(1, |course| course.costs.len()).max(1);
        let job = against.time / many as f64 * steps as f64 / self.stride as f64;
        let of = |percent: f64| short(three(percent / 100.0 * job));
        let Percent { percent, lower, upper } = saved;
        format!(
            ", which is {} ({} to {}) of some {} seconds in {steps} steps{}",
            of(percent),
            of(lower),
            of(upper),
            short(three(job)),
            if self.stride > 1 { " of the program" } else { "" }
        )
    }
}
