//! The rules that vote, tried on paper.

use super::course::Course;
use super::plan::Plan;
use super::window::Window;

/// What a remap now, or one that was not made, would gain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gain {
    /// What one remap since the last would have saved so far.
    Regret,
    /// n u_n - (u_1 + ... + u_n): more than C where stop at rise remaps.
    Rise,
    /// What the last step cost more than a step of the cycle of least average cost.
    Above,
    /// What a remap now costs less than what the plan has best instead of it.
    Plan,
}

impl Gain {
    /// In the order of their values.
    pub const ALL: [Gain; 4] = [Gain::Regret, Gain::Rise, Gain::Above, Gain::Plan];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Gain::Regret => "regret",
            Gain::Rise => "rise",
            Gain::Above => "above",
            Gain::Plan => "plan",
        }
    }

    /// On a course, with so many steps to come if that is known.
    pub fn of(self, course: &Course, seen: &Seen<'_>, left: Option<u64>) -> f64 {
        match self {
            Gain::Regret => course.regret(seen.window),
            Gain::Rise => course.rise(),
            Gain::Above => course.latest() - seen.window.cycle().cost,
            Gain::Plan => seen.plan.gain(seen.window, course, left),
        }
    }
}

/// Remaps when a gain exceeds a number of remaps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rule {
    pub gain: Gain,
    pub remaps: f64,
}

const fn rule(gain: Gain, remaps: f64) -> Rule {
    Rule { gain, remaps }
}

/// The rules that vote.
pub(super) const RULES: [Rule; 8] = [
    rule(Gain::Plan, -0.1),
    rule(Gain::Plan, 0.0),
    rule(Gain::Plan, 0.1),
    rule(Gain::Plan, 0.3),
    rule(Gain::Regret, 0.5),
    rule(Gain::Regret, 1.0),
    rule(Gain::Rise, 1.0),
    rule(Gain::Above, 0.0),
];

/// What rules go by, beside a course.
pub(super) struct Seen<'a> {
    pub window: &'a Window,
    pub plan: &'a Plan,
    pub remap_cost: f64,
}

/// Share of a score that is left after a step: half of it after 300.
pub(super) const KEPT: f64 = 0.997_692;

/// The step at which the second course starts, so that a rule is not judged by one lucky start.
pub(super) const SECOND: u64 = 10;

/// A rule's courses on paper.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Voter {
    rule: Rule,
    courses: Vec<Course>,
    /// What a course paid in each step, remaps included: the mean, summed with [`KEPT`].
    score: f64,
}

impl Voter {
    /// Balanced at these deviations.
    pub fn new(rule: Rule, start: &[f64]) -> Voter {
        Voter { rule, courses: vec![Course::new(start)], score: 0.0 }
    }

    /// With the courses and the score it had.
    pub fn restored(rule: Rule, courses: Vec<Course>, score: f64) -> Voter {
        Voter { rule, courses, score }
    }

    pub fn courses(&self) -> &[Course] {
        &self.courses
    }

    pub fn rule(&self) -> Rule {
        self.rule
    }

    pub fn score(&self) -> f64 {
        self.score
    }

    /// Plays step `number` of the run, from 1, which has come from one row to the next.
    pub fn play(&mut self, number: u64, before: &[f64], row: &[f64], seen: &Seen<'_>) {
        if number == SECOND {
            self.courses.push(Course::new(before));
        }
        let mut paid = 0.0;
        for course in &mut self.courses {
            paid += course.pay(row, seen.window);
            let delay = seen.window.delay() as u64;
            if let Some(since) = course.begun() {
                if since >= delay {
                    course.arrive(seen.window);
                }
            } else if self.rule.gain.of(course, seen, None) > self.rule.remaps * seen.remap_cost {
                if delay == 0 {
                    course.remap(row);
                } else {
                    course.begin();
                }
                paid += seen.remap_cost;
            }
        }
        self.score = KEPT * self.score + paid / self.courses.len() as f64;
    }
}
