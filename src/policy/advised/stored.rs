//! Serialized state of the adaptive rule, to be stored in files and resumed by other programs.

use super::course::Course;
use super::plan::{AVERAGED, BEFORE, COLUMNS, DOUBT, FORGETTING, LAGS, PRIOR, Plan, STAYS, USUAL};
use super::voter::{KEPT, RULES, Rule, SECOND, Voter};
use super::window::{self, LONGEST_CYCLE, ROWS, Window};
use super::{Advised, Doubt, ENOUGH, LOOKED, SPREAD, STAYED, State, TOO_MUCH};
use crate::overlap::Overlap;
use serde::{Deserialize, Serialize};

/// Larger step numbers are not exact as doubles.
const MOST_STEPS: u64 = 1 << 53;

/// The rule between two steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stored {
    /// Cost of a remap.
    pub remap_cost: f64,
    /// Number of steps to come, where it is known.
    pub steps_left: Option<u64>,
    /// Whether it wants a remap after the last step.
    pub wants: bool,
    /// How remaps overlap the steps.
    #[serde(default, skip_serializing_if = "Overlap::is_none")]
    pub overlap: Overlap,
    /// Its memory; `None` before the first step.
    pub memory: Option<Memory>,
}

/// Memory of the rule. Indices are those of a ring buffer: the row of step t is at t mod 64.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Number of ranks.
    pub ranks: usize,
    /// Steps processed; the initial row is that of step 0.
    pub steps: u64,
    /// Y at the last step.
    pub row: Vec<f64>,
    /// Y of the last 64 steps, by place, then rank.
    pub rows: Vec<f64>,
    /// Sum of u(b, s) over the steps s after b, by the place of b.
    pub since: Vec<f64>,
    /// Mean of u(b, b + j) for j = 0..=64, and from so many b.
    pub growth: Vec<f64>,
    /// How many b each mean is from.
    pub counts: Vec<f64>,
    /// Excesses over the growth, and their means over six steps, by step mod 33, then the place of
    /// b.
    pub excess: Vec<f64>,
    /// The means.
    pub smooth: Vec<f64>,
    /// For each lag's regression: sums of squares of both columns, of their product, and of both
    /// columns with the later excess.
    pub sums: Vec<[f64; 5]>,
    /// How much worse than usual the mapping produced at each index fits the steps before.
    pub quality: Vec<f64>,
    /// The usual value, and the mean square.
    pub usual: f64,
    /// The mean square.
    pub scale: f64,
    /// For each lag: sums of squares of the quality, and of its products with the later excess.
    pub quality_sums: Vec<[f64; 2]>,
    /// The rules' scores.
    pub scores: Vec<f64>,
    /// The simulated trajectories of the voting policies, one or two each, and the program's own.
    pub courses: Vec<Course>,
    /// What the program's last remap did.
    #[serde(default)]
    pub doubt: Doubt,
}

/// The parameters of the rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// Rows kept.
    pub rows: usize,
    /// Least weight of the newest value in the growth.
    pub growth_forgetting: f64,
    /// Longest cycle considered, in steps.
    pub longest_cycle: f64,
    /// Lags of the regressions.
    pub lags: Vec<usize>,
    /// Excesses averaged.
    pub averaged: usize,
    /// Share of the regressions' sums that is forgotten in a step.
    pub forgetting: f64,
    /// Weight of the prior.
    pub prior: f64,
    /// Steps before a step that predict whether it is favorable for a remap.
    pub quality_steps: usize,
    /// Weight of the newest in their usual value.
    pub quality_usual: f64,
    /// Weight of the prior that they predict nothing, in number of steps.
    pub quality_doubt: f64,
    /// Candidate numbers of steps until the next remap.
    pub stays: Vec<usize>,
    /// The voting policies, each with the gain in remap costs beyond which it remaps.
    pub rules: Vec<(String, f64)>,
    /// Share of a score that remains after a step.
    pub score_kept: f64,
    /// Difference of scores, in remap costs, at which a weight is a sixteenth of the largest.
    pub score_spread: f64,
    /// The step at which the second trajectories start.
    pub second_course: u64,
    /// Share of the votes that suffices for a remap.
    pub enough: f64,
    /// Regret, in remap costs, beyond which the rule remaps without a vote.
    pub too_much: f64,
    /// Steps after a remap that show whether it helped, and the share of the imbalance before it
    /// that they then all exceed.
    pub looked: u64,
    /// The share.
    pub stayed: f64,
}

impl Parameters {
    /// The parameters of this version.
    pub fn of_the_rule() -> Parameters {
        let named = |rule: &Rule| (rule.gain.name().to_owned(), rule.remaps);
        Parameters {
            rows: ROWS,
            growth_forgetting: window::FORGETTING,
            longest_cycle: LONGEST_CYCLE,
            lags: LAGS.to_vec(),
            averaged: AVERAGED,
            forgetting: FORGETTING,
            prior: PRIOR,
            quality_steps: BEFORE,
            quality_usual: USUAL,
            quality_doubt: DOUBT,
            stays: STAYS.to_vec(),
            rules: RULES.iter().map(named).collect(),
            score_kept: KEPT,
            score_spread: SPREAD,
            second_course: SECOND,
            enough: ENOUGH,
            too_much: TOO_MUCH,
            looked: LOOKED,
            stayed: STAYED,
        }
    }
}

impl From<Advised> for Stored {
    fn from(rule: Advised) -> Stored {
        let memory = rule.state.map(|state| {
            let State { steps, row, window, plan, voters, own, doubt, .. } = state;
            Memory {
                ranks: row.len(),
                steps,
                row,
                rows: window.rows,
                since: window.since,
                growth: window.growth,
                counts: window.counts,
                excess: plan.excess,
                smooth: plan.smooth,
                sums: plan.sums,
                quality: plan.quality,
                usual: plan.usual,
                scale: plan.scale,
                quality_sums: plan.quality_sums,
                scores: voters.iter().map(|voter| voter.score).collect(),
                courses: voters.into_iter().flat_map(|voter| voter.courses).chain([own]).collect(),
                doubt,
            }
        });
        let Advised { remap_cost, overlap, left, wants, .. } = rule;
        Stored { remap_cost, overlap, steps_left: left, wants, memory }
    }
}

impl TryFrom<Stored> for Advised {
    type Error = String;

    fn try_from(stored: Stored) -> Result<Advised, String> {
        let Stored { remap_cost, steps_left, wants, overlap, memory } = stored;
        if !(remap_cost.is_finite() && remap_cost >= 0.0) {
            return Err(format!("`remap_cost` is {remap_cost}: it is a number from 0 on"));
        }
        if overlap.steps >= ROWS as u64
            || !(overlap.slowdown >= 0.0 && overlap.slowdown.is_finite())
        {
            return Err("`overlap` has 63 steps at most, and a slowdown from 0 on".to_owned());
        }
        let state = match memory {
            None => None,
            Some(memory) => {
                memory.check()?;
                Some(memory.restored(remap_cost, overlap.steps as usize))
            }
        };
        Ok(Advised { remap_cost, overlap, left: steps_left, state, wants })
    }
}

impl Memory {
    /// Checks consistency; the error says what is inconsistent.
    fn check(&self) -> Result<(), String> {
        let lags = LAGS.len();
        let lengths = [
            ("row", self.row.len(), self.ranks),
            ("rows", self.rows.len(), ROWS.saturating_mul(self.ranks)),
            ("since", self.since.len(), ROWS),
            ("growth", self.growth.len(), ROWS + 1),
            ("counts", self.counts.len(), ROWS + 1),
            ("excess", self.excess.len(), COLUMNS * ROWS),
            ("smooth", self.smooth.len(), COLUMNS * ROWS),
            ("sums", self.sums.len(), lags),
            ("quality", self.quality.len(), ROWS),
            ("quality_sums", self.quality_sums.len(), lags),
            ("scores", self.scores.len(), RULES.len()),
            ("courses", self.courses.len(), self.each() * RULES.len() + 1),
        ];
        if self.ranks == 0 {
            return Err("`ranks` is 0".to_owned());
        }
        let late = |course: &Course| {
            course.steps > self.steps
                || course.lag >= ROWS as u64
                || course.begun > Some(self.steps)
        };
        if self.steps > MOST_STEPS || self.courses.iter().any(late) {
            return Err("there are more steps than there can be".to_owned());
        }
        if let Some((name, found, right)) = lengths.iter().find(|(_, found, right)| found != right)
        {
            return Err(format!("`{name}` has {found} entries in place of {right}"));
        }
        for course in &self.courses {
            if course.base.len() != self.ranks || course.spent_at.len() != ROWS {
                return Err("a course has another length than the rest".to_owned());
            }
        }
        let lists = [&self.row, &self.rows, &self.since, &self.growth, &self.counts, &self.excess];
        let more = [&self.smooth, &self.quality, &self.scores];
        let finite = |list: &[f64]| list.iter().all(|value| value.is_finite());
        let of_course = |course: &Course| {
            let numbers = [course.spent, course.latest, course.total];
            finite(&course.base)
                && finite(&course.spent_at)
                && finite(&course.excesses)
                && finite(&numbers)
        };
        let all = lists.into_iter().chain(more).all(|list| finite(list))
            && self.sums.iter().all(|sums| finite(sums))
            && self.quality_sums.iter().all(|sums| finite(sums))
            && finite(&[self.usual, self.scale])
            && finite(&[self.doubt.doubled, self.doubt.before, self.doubt.least])
            && self.courses.iter().all(of_course);
        if all { Ok(()) } else { Err("a number is not finite".to_owned()) }
    }

    /// Trajectories of each voting policy.
    fn each(&self) -> usize {
        if self.steps < SECOND { 1 } else { 2 }
    }

    fn restored(self, remap_cost: f64, delay: usize) -> State {
        let each = self.each();
        let window = Window::restored(&self, remap_cost, delay);
        let plan = Plan::restored(&self, remap_cost);
        let mut courses = self.courses.into_iter();
        let mut voter = |(rule, score): (&Rule, f64)| {
            let courses = courses.by_ref().take(each).collect();
            Voter { rule: *rule, courses, score }
        };
        let voters = RULES.iter().zip(self.scores).map(&mut voter).collect();
        let own = courses.next().unwrap_or_else(|| Course::new(&self.row));
        State {
            steps: self.steps,
            before: self.row.clone(),
            row: self.row,
            window,
            plan,
            voters,
            own,
            doubt: self.doubt,
        }
    }
}
