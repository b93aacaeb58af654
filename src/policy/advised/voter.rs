//! The voting policies, simulated on trajectories of their own.

use super::course::Course;
use super::plan::Plan;
use super::window::Window;

/// Gain of a remap now, or of one that was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gain {
    /// Saving so far of one remap since the last.
    Regret,
    /// n u_n - (u_1 + ... + u_n): exceeds C where stop at rise remaps.
    Rise,
    /// Cost of the last step minus that of a step of the cycle of least average cost.
    Above,
    /// Gain of a remap now over the best alternative of the plan.
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

    /// The gain on a trajectory, with `left` steps to come if that is known.
    pub fn of(self, course: &Course, seen: &Seen<'_>, left: Option<u64>) -> f64 {
        match self {
            Gain::Regret => course.regret(seen.window),
            Gain::Rise => course.rise(),
            Gain::Above => course.latest - seen.window.cycle.cost,
            Gain::Plan => seen.plan.gain(seen.window, course, left),
        }
    }
}

/// A voting policy: remaps when a gain exceeds a number of remap costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rule {
    pub gain: Gain,
    pub remaps: f64,
}

const fn rule(gain: Gain, remaps: f64) -> Rule {
    Rule { gain, remaps }
}

/// The voting policies.
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

/// Inputs of the policies, in addition to a trajectory.
pub(super) struct Seen<'a> {
    pub window: &'a Window,
    pub plan: &'a Plan,
    pub remap_cost: f64,
}

/// Share of a score that remains after a step: half of it after 300.
pub(super) const KEPT: f64 = 0.997_692;

/// The step at which the second trajectory starts, so that a policy is not judged by one lucky
/// start.
pub(super) const SECOND: u64 = 10;

/// The trajectories of a policy.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Voter {
    pub rule: Rule,
    pub courses: Vec<Course>,
    /// Mean cost of the trajectories per step, remaps included, accumulated with [`KEPT`].
    pub score: f64,
}

impl Voter {
    /// Balanced at these deviations.
    pub fn new(rule: Rule, start: &[f64]) -> Voter {
        Voter { rule, courses: vec![Course::new(start)], score: 0.0 }
    }

    /// Simulates step `number` of the run, from 1, from row `before` to `row`.
    pub fn play(&mut self, number: u64, before: &[f64], row: &[f64], seen: &Seen<'_>) {
        if number == SECOND {
            self.courses.push(Course::new(before));
        }
        let mut paid = 0.0;
        for course in &mut self.courses {
            paid += course.pay(row, seen.window);
            let delay = seen.window.delay as u64;
            if let Some(since) = course.begun {
                if since >= delay {
                    course.arrive(seen.window);
                }
            } else if self.rule.gain.of(course, seen, None) > self.rule.remaps * seen.remap_cost {
                if delay == 0 {
                    course.remap(row);
                } else {
                    course.begun = Some(0);
                }
                paid += seen.remap_cost;
            }
        }
        self.score = KEPT * self.score + paid / self.courses.len() as f64;
    }
}
