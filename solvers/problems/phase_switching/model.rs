//! The `PhaseSwitching` problem of a model file: two recurring phases.

use crate::model::detector;
use crate::model::detector::Detector;
use crate::model::explain::Shape;
use crate::model::lifetime;
use crate::model::lifetime::Law;
use crate::model::number::Decimal;
use crate::model::review::Review;
use crate::problems::phase_change::model::review_length;
use remapping::Rational;
use remapping::lifetime::Lifetime;
use remapping::phase_switching::{PhaseSwitching as Problem, SwitchingError};
use serde::Deserialize;

/// The fields of `PhaseSwitching(...)`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseSwitching {
    /// `None`: the program has no end.
    #[serde(default)]
    lifetime: Option<Law>,
    cycle: Cycle,
    switch: Switch,
    rates: Rates,
    detector: Detector,
    #[serde(default)]
    initial: Option<Decimal>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cycle {
    first: Times,
    second: Times,
}

/// The cycle times of a phase, under its own mapping and under the other one.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Times {
    own: Decimal,
    other: Decimal,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Switch {
    #[serde(default)]
    to_second: Option<Decimal>,
    #[serde(default)]
    to_first: Option<Decimal>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rates {
    to_second: Decimal,
    to_first: Decimal,
}

/// An example of each part, for messages.
pub(crate) const SHAPES: &[Shape] = &[
    (
        "problem",
        "PhaseSwitching(lifetime: ..., cycle: ..., switch: ..., rates: ..., detector: ...)",
    ),
    lifetime::SHAPE,
    ("problem.cycle", "(first: (own: 1.0, other: 1.8), second: (own: 1.1, other: 2.0))"),
    ("problem.cycle.first", "(own: 1.0, other: 1.8)"),
    ("problem.cycle.second", "(own: 1.1, other: 2.0)"),
    ("problem.switch", "(to_second: 10.0, to_first: 10.0)"),
    ("problem.rates", "(to_second: 0.001, to_first: 0.002)"),
    detector::SHAPE,
    ("problem.initial", "0.0"),
];

impl PhaseSwitching {
    pub(crate) fn review(&self, review: &mut Review<'_>) {
        if let Some(law) = &self.lifetime {
            law.review(review);
        }
        for (phase, times) in [("first", &self.cycle.first), ("second", &self.cycle.second)] {
            for (mapping, time) in [("own", &times.own), ("other", &times.other)] {
                let path = format!("problem.cycle.{phase}.{mapping}");
                review.exact_nonnegative(&path, time, "a cycle time");
            }
        }
        let costs = [("to_second", &self.switch.to_second), ("to_first", &self.switch.to_first)];
        for (name, cost) in costs {
            if let Some(cost) = cost {
                review.exact_nonnegative(&format!("problem.switch.{name}"), cost, "a cost");
            }
        }
        review.exact_probability("problem.rates.to_second", &self.rates.to_second);
        review.exact_probability("problem.rates.to_first", &self.rates.to_first);
        self.detector.review(review, "problem.detector");
        if let Some(initial) = &self.initial {
            review.exact_probability("problem.initial", initial);
        }
        if !review.faults.is_empty() {
            return;
        }
        if let Some(lifetime) = self.lifetime.as_ref().and_then(|law| law.reviewed(review)) {
            review_length(&lifetime, review);
        }
        if !review.faults.is_empty() {
            return;
        }
        let problem = self.problem();
        let endless = self.lifetime.is_none();
        let fault = match problem.validate() {
            Err(error) => Some(error),
            Ok(()) if endless && problem.share().is_none() => Some(SwitchingError::NoChange),
            Ok(()) if endless && problem.switch.contains(&None) => Some(SwitchingError::NoWayBack),
            Ok(()) => None,
        };
        match fault {
            None => self.warn(review, &problem),
            Some(error) => {
                let (path, help) = match error {
                    SwitchingError::Reversed => (
                        "problem.cycle",
                        "`own` is the time under the mapping made for the phase: give own + own <= other + other",
                    ),
                    SwitchingError::NoWayBack => {
                        ("problem.switch", "give both to_second and to_first, or a lifetime")
                    }
                    _ => ("problem.rates", "give rates whose sum is above 0 and at most 1"),
                };
                review.fault(path, &error.to_string(), "this cannot be solved", help);
            }
        }
    }

    fn warn(&self, review: &mut Review<'_>, problem: &Problem) {
        self.detector.warn(review);
        for (phase, name) in [(0, "first"), (1, "second")] {
            let own = &problem.cycle[phase][phase];
            if own >= &problem.cycle[phase][1 - phase] {
                review.warn(format!("the {name} phase gains nothing from its own mapping"));
            }
        }
        if self.lifetime.is_none() && problem.rates.contains(&Rational::ZERO) {
            review.warn(
                "the phases stop changing, and what is done before that makes no difference to an average: give a `lifetime`, \
                 or rates above 0",
            );
        }
    }

    /// The costs of switching to the second mapping and back; 0 where they are left out.
    pub fn switch_costs(&self) -> [f64; 2] {
        let cost = |cost: &Option<Decimal>| cost.as_ref().map_or(0.0, |cost| cost.value);
        [cost(&self.switch.to_second), cost(&self.switch.to_first)]
    }

    /// Whether the detector says only yes or no.
    pub fn says_yes_or_no(&self) -> bool {
        matches!(self.detector, Detector::Binary { .. })
    }

    /// The distribution of the number of cycles; `None` for a program without an end.
    pub fn lifetime(&self) -> Option<Lifetime> {
        self.lifetime.as_ref().map(|law| law.law().expect("reviewed"))
    }

    /// The engine's problem. The model must have passed review.
    pub fn problem(&self) -> Problem {
        let exact = |number: &Decimal| number.exact.clone();
        let Cycle { first, second } = &self.cycle;
        Problem {
            cycle: [
                [exact(&first.own), exact(&first.other)],
                [exact(&second.other), exact(&second.own)],
            ],
            switch: [
                self.switch.to_second.as_ref().map(exact),
                self.switch.to_first.as_ref().map(exact),
            ],
            rates: [exact(&self.rates.to_second), exact(&self.rates.to_first)],
            detector: self.detector.levels(),
            initial: self.initial.as_ref().map_or(Rational::ZERO, exact),
        }
    }

    /// The facts that `check` prints.
    pub fn facts(&self) -> Vec<(&'static str, serde_json::Value)> {
        let problem = self.problem();
        let number = |value: Rational| value.to_f64().value();
        let last = self.lifetime().map(|law| law.last());
        let share = problem.share().map(number);
        let mut facts: Vec<(&'static str, serde_json::Value)> = vec![
            ("last_step", last.into()),
            ("share_of_the_second_phase", share.into()),
            ("gain_in_the_first_phase", number(-problem.gain(0)).into()),
            ("gain_in_the_second_phase", number(problem.gain(1)).into()),
        ];
        if let Some(share) = share {
            let at = |phase: usize, mapping: usize| number(problem.cycle[phase][mapping].clone());
            let average = |time: &dyn Fn(usize) -> f64| (1.0 - share) * time(0) + share * time(1);
            let under = |mapping: usize| average(&|phase| at(phase, mapping));
            facts.push(("average_under_the_first_mapping", under(0).into()));
            facts.push(("average_under_the_second_mapping", under(1).into()));
            // The faster mapping of a phase need not be its own.
            let best = average(&|phase| at(phase, 0).min(at(phase, 1)));
            facts.push(("average_with_free_foresight", best.into()));
        }
        facts.extend(self.detector.facts());
        facts
    }
}
