//! When a program whose log this is should remap, and what that is worth.
//!
//! The log is cut in two. On the first half the rules are trained, and one is chosen by what it costs on
//! later parts of that half; on the second half, which nothing was fitted to, it is valued, from where the
//! run stood, or from balance where the log does not say when it was remapped.

use super::check::{Obstacle, places};
use super::choice::{Choice, choose};
use super::contest::{Judged, Line, Part, Percent, RECORDED, contestants, is_few, judge};
use super::phrases::{Phrases, beside, three};
use super::saving::Saving;
use super::{Ground, IN_USE, Outset};
use crate::complaint::Complaint;
use crate::fitting::short;
use remapping::fit::apart::{Apart, apart};
use remapping::overlap::Overlap;
use remapping::policy::Rule;
use remapping::record::Record;
use remapping::{Halt, Observer};
use std::ops::Range;

/// What to do.
#[derive(Debug, Clone)]
pub struct Advice {
    /// In one sentence.
    pub sentence: String,
    /// The policy to follow: of the table, or `recorded`; none where the log cannot tell.
    pub policy: Option<String>,
    /// What it saves against the run as it was, in percent of that run's wall time.
    pub saves: Option<Percent>,
    /// The rule that would be exported, whether it is the advice or not.
    pub chosen: Option<Choice>,
    /// All simple rules, trained.
    pub rules: Vec<Rule>,
    /// All policies on the second half.
    pub judged: Option<Judged>,
    /// The steps it is judged on.
    pub steps: Range<usize>,
    /// What rules are worth if remaps even out all but the noise of the log, where it has noise.
    pub beside_noise: Option<String>,
}

/// An unsure difference within so many percent of the job, either way, is nothing to gain; beyond, the log
/// cannot tell.
const NARROW: f64 = 1.0;

/// Steps that tell whether the loads are balanced where a log begins, twice.
const FIRST: usize = 5;

/// Longest run that is judged: the work for the perfect-information optimum grows with its square.
const MOST_STEPS: usize = 10_000;

/// Asks for the advice.
pub struct Question<'a> {
    /// The log.
    pub record: &'a Record,
    /// Cost of a remap in seconds.
    pub remap_cost: f64,
    /// How remaps overlap the steps.
    pub overlap: Overlap,
    /// Whether the log says when the run was remapped.
    pub known: bool,
    /// Steps of the program in a step of the log.
    pub stride: u64,
    /// The job's length in steps of the program, where it was stated.
    pub steps: Option<u64>,
    /// Seed of the intervals.
    pub seed: u64,
}

impl Question<'_> {
    /// The ground on which policies are trained on the steps before `cut`.
    pub fn ground(&self, cut: usize) -> Ground<'_> {
        Ground {
            record: self.record,
            remap_cost: self.remap_cost,
            overlap: self.overlap,
            training: 0..cut,
            seed: self.seed,
            // Where nobody knows when it was remapped, nobody knows where it stood.
            from: if self.known { Outset::Actual } else { Outset::Balance },
            end_known: false,
        }
    }

    /// The first step of the second half.
    pub fn cut(&self) -> usize {
        self.record.steps() / 2
    }

    /// Advice where something stands against it.
    pub fn refuse(&self, obstacle: &Obstacle) -> Advice {
        Advice {
            sentence: format!(
                "This log cannot tell when to remap: {}; {}",
                obstacle.why, obstacle.help
            ),
            policy: None,
            saves: None,
            chosen: None,
            rules: Vec::new(),
            judged: None,
            steps: self.cut()..self.record.steps(),
            beside_noise: None,
        }
    }

    /// The advice, or the halt that was asked for.
    pub fn answer(&self, observer: &dyn Observer) -> Result<Result<Advice, Halt>, Complaint> {
        let cut = self.cut();
        let (choice, rules) = choose(&self.ground(cut))?;
        let steps = cut..self.record.steps().min(cut + MOST_STEPS);
        let ground = self.ground(cut);
        let mut names = vec!["advised".to_owned()];
        let others = rules.iter().map(Rule::to_string);
        for name in others.chain(IN_USE.iter().map(|name| (*name).to_owned())) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let contestants = contestants(&ground, &names, None, &mut Vec::new())?;
        let part = Part { ground, contestants, steps: steps.clone() };
        let judged = match judge(&[part], self.known, observer) {
            Ok(judged) => judged,
            Err(halt) => return Ok(Err(halt)),
        };
        let name = choice.name();
        let place = names.iter().position(|known| *known == name).unwrap_or(0);
        let mut verdict = self.verdict(&judged, place, choice);
        let mut beside_noise = None;
        if let Some(Apart { records, noise }) = apart(self.record) {
            let mut told = Vec::new();
            for record in &records {
                let question = Question { record, ..*self };
                match question.savings(&names, &steps, &name, observer)? {
                    Ok(savings) => told.push(savings),
                    Err(halt) => return Ok(Err(halt)),
                }
            }
            // Never remapping, where that was done, is what it is.
            let nothing = told.iter().flatten().all(Saving::is_nothing);
            beside_noise = (!nothing).then(|| beside(noise, &name, &told));
            let decided = verdict.policy.as_deref();
            let is_kept = decided.is_some_and(|policy| policy == RECORDED);
            // A rule that is to be kept to, or given up, for the noise alone.
            let is_turned = |[rule, never]: &[Saving; 2]| {
                is_kept && (rule.of.lower > 0.0 || never.of.lower > 0.0)
                    || decided == Some(&name) && rule.of.upper < 0.0
            };
            // A rule that costs more only because of the noise is described without it.
            let may_save = |[rule, _]: &[Saving; 2]| rule.of.upper >= 0.0;
            if let Some(dearer) = verdict.dearer.as_ref().filter(|_| told.iter().any(may_save)) {
                let all: Vec<String> = told.iter().map(|[rule, _]| rule.to_string()).collect();
                verdict.sentence = format!("{dearer} would {}", all.join(", or "));
            }
            if told.iter().any(is_turned) {
                let on = match told.iter().all(is_turned) {
                    true => "",
                    false => "how far the loads move under the noise, and ",
                };
                verdict.sentence = format!(
                    "This log cannot tell whether to remap otherwise: that depends on {on}whether a remap evens out the loads \
                     or the times of the step before it, which have noise of {} seconds",
                    short(three(noise))
                );
                verdict.policy = None;
            }
        }
        let Verdict { sentence, policy, saves, .. } = verdict;
        let (chosen, judged) = (Some(choice), Some(judged));
        Ok(Ok(Advice { sentence, policy, saves, chosen, rules, judged, steps, beside_noise }))
    }

    /// What the policy of this name and never remapping save on these steps, against the run as it was or else against never
    /// remapping; these are some of `names`.
    fn savings(
        &self,
        names: &[String],
        steps: &Range<usize>,
        name: &str,
        observer: &dyn Observer,
    ) -> Result<Result<[Saving; 2], Halt>, Complaint> {
        let ground = self.ground(self.cut());
        let contestants = contestants(&ground, names, None, &mut Vec::new())?;
        let part = Part { ground, contestants, steps: steps.clone() };
        let judged = match judge(&[part], self.known, observer) {
            Ok(judged) => judged,
            Err(halt) => return Ok(Err(halt)),
        };
        let line = |name: &str| judged.lines.iter().find(|line| line.policy == name);
        let never = line("never");
        let run = line(RECORDED).or(never);
        let saved = |name: &str| match (line(name), never) {
            (Some(line), Some(never)) => Saving {
                of: match line.against_recorded {
                    Some(more) => more.negated(),
                    None => judged.between(never, line, self.seed),
                },
                few: is_few(line.remaps.min(run.map_or(0, |run| run.remaps))),
            },
            _ => Saving::NOTHING,
        };
        Ok(Ok([saved(name), saved("never")]))
    }

    /// What to say of the policy at `place`.
    fn verdict(&self, judged: &Judged, place: usize, choice: Choice) -> Verdict {
        let line = &judged.lines[place];
        let never = judged.lines.iter().find(|line| line.policy == "never").unwrap_or(line);
        let run = judged.lines.iter().find(|line| line.policy == RECORDED);
        let against = run.unwrap_or(never);
        let saved = match (run, line.against_recorded) {
            (Some(_), Some(more)) => more.negated(),
            _ => judged.between(never, line, self.seed),
        };
        let beaten = if run.is_some() { "now" } else { "never remapping" };
        let best = self.against_the_best(judged, line, against);
        let what = self.phrases().order(choice);
        let unknown = if run.is_some() { "" } else { "; what was done is not recorded" };
        let saves = run.map(|_| saved);
        // The log may remap never, by choice or by a rule that does not remap here. Then the
        // adaptive rule tells what remapping would be worth.
        let votes = &judged.lines[0];
        let idle = line.remaps == 0 && against.remaps == 0;
        let (saved, few) = match (idle, votes.against_recorded) {
            (false, _) => (saved, is_few(line.remaps.min(against.remaps))),
            (true, Some(more)) => (more.negated(), true),
            (true, None) => (judged.between(never, votes, self.seed), true),
        };
        let said = Saving { of: saved, few };
        let tried = self.phrases().tried(if idle { Choice::Advised } else { choice });
        let Percent { lower, upper, .. } = saved;
        let keep = if run.is_some() { RECORDED } else { "never" };
        let subject = match run {
            Some(run) if run.remaps == 0 => "Go on without remapping".to_owned(),
            Some(_) => "Keep what you do".to_owned(),
            None => match self.left_at_first() {
                Some(_) => "Do not remap once the loads are balanced".to_owned(),
                None => "Do not remap".to_owned(),
            },
        };
        let unbalanced = match (run, self.left_at_first()) {
            (None, Some(share)) => format!(
                "; the log begins with {:.1} % of the time waited for the slowest rank, which one remap may end: add a column \
                 `remapped` (0 where the run was not remapped)",
                100.0 * share
            ),
            _ => unknown.to_owned(),
        };
        let dearer = (upper < 0.0).then(|| format!("{subject}: nothing surely beats it; {tried}"));
        let (sentence, policy) = if idle && lower > 0.0 {
            let first = match choice {
                Choice::Simple(Rule::Never) => "on its first half nothing beat never remapping",
                _ => "the rule of its first half does not remap on its second",
            };
            let text = format!(
                "This log cannot tell whether to remap: {first}, on its second the rule that votes would {said}; record more \
                 steps like those{unknown}"
            );
            (text, None)
        } else if lower > 0.0 {
            let worth = self.worth(judged, against, saved);
            let provided = match self.record.remaps().is_empty() {
                true => ", if a remap restores balance, which this log does not show",
                false => "",
            };
            let text = format!(
                "{what}: {} of the job less than {beaten}{worth}, {best}{provided}{unknown}",
                said.share()
            );
            (text, Some(line.policy.clone()))
        } else if upper < 0.0 {
            let text = format!("{subject}: {tried} would {said}{unbalanced}");
            (text, Some(keep.to_owned()))
        } else if upper - lower <= 2.0 * NARROW {
            let text = format!("{subject}: nothing beats it; {tried} would {said}{unbalanced}");
            (text, Some(keep.to_owned()))
        } else {
            let text = format!(
                "This log cannot tell whether to remap otherwise: {tried} would {said}, which may be chance; {}{unknown}",
                self.more_steps(saved)
            );
            (text, None)
        };
        Verdict { sentence, policy, saves, dearer }
    }

    pub(super) fn phrases(&self) -> Phrases {
        Phrases { stride: self.stride, overlap: self.overlap }
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

    /// The share of the time that is waited for the slowest rank at the first steps of the log, if that is more than nothing.
    fn left_at_first(&self) -> Option<f64> {
        // Which rank is slowest is told by steps that do not tell by how much: of noise the slowest is above the mean.
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

    /// What a saving comes to on the whole job, where its length is known: `: 120 (60 to 180) of 5000 seconds`.
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

    /// How a policy compares with the best published rule, which nobody could know beforehand.
    fn against_the_best(&self, judged: &Judged, line: &Line, against: &Line) -> String {
        let (name, cost) = &judged.best_in_use;
        let less = 100.0 * (cost - line.cost) / against.time.max(f64::MIN_POSITIVE);
        if less.abs() < 0.005 {
            format!("as much as the best rule in use, {name}")
        } else if less > 0.0 {
            format!("{less:.2} % less than the best rule in use, {name}")
        } else {
            format!(
                "{:.2} % more than the best rule in use, {name}, known in hindsight only",
                -less
            )
        }
    }
}

struct Verdict {
    sentence: String,
    policy: Option<String>,
    saves: Option<Percent>,
    /// What to do, and the rule that costs more: `Keep what you do: nothing surely beats it; never remapping`.
    dearer: Option<String>,
}

/// What stands against advice where remaps seem to be missing from the log.
pub fn unmarked(suspected: &[usize]) -> Obstacle {
    let times = match suspected.len() {
        1 => String::new(),
        many => format!(" {many} times,"),
    };
    Obstacle {
        why: format!(
            "the imbalance falls at once{times} before step {}, where no remap is recorded",
            places(suspected)
        ),
        help: "record the remaps, or take these for remaps: --suspected".to_owned(),
    }
}
