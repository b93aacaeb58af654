//! The `ManyPhases` problem of a model file: any number of recurring phases, with a mapping for
//! each.

use crate::model::explain::Shape;
use crate::model::lifetime::{self, Law};
use crate::model::number::Decimal;
use crate::model::review::Review;
use remapping::Rational;
use remapping::many_phases::{Horizon, ManyPhases as Problem, Remap};
use serde::Deserialize;

/// The fields of `ManyPhases(...)`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManyPhases {
    /// The distribution of the number of cycles; the alternative is `discount`.
    lifetime: Option<Law>,
    /// The weight of a cycle relative to the one before.
    discount: Option<Decimal>,
    /// `cycle[z][m]`: time of a cycle in phase z under the mapping made for phase m.
    cycle: Vec<Vec<Decimal>>,
    /// `switch[m][j]`: cost of going from mapping m to mapping j.
    switch: Vec<Vec<Decimal>>,
    #[serde(default)]
    remap: Remap,
    /// `transition[z][y]`: the probability that phase y follows phase z.
    transition: Vec<Vec<Decimal>>,
    /// `detector[z][r]`: the probability of observation r in phase z.
    detector: Vec<Vec<Decimal>>,
    /// The distribution of the initial phase; by default the first phase is certain.
    initial: Option<Vec<Decimal>>,
}

/// The most phases, and so on, of a model.
const MOST_PHASES: usize = 6;
const MOST_REPORTS: usize = 20;
const MOST_STEPS: u64 = 100_000;

/// An example of each part, for messages.
pub(crate) const SHAPES: &[Shape] = &[
    (
        "problem",
        "ManyPhases(lifetime: ..., cycle: ..., switch: ..., transition: ..., detector: ...)",
    ),
    lifetime::SHAPE,
    ("problem.discount", "0.99"),
    ("problem.cycle", "[[1.0, 1.8], [2.0, 1.1]]"),
    ("problem.switch", "[[0, 4.0], [4.0, 0]]"),
    ("problem.remap", "Chosen or Fitted"),
    ("problem.transition", "[[0.99, 0.01], [0.02, 0.98]]"),
    ("problem.detector", "[[0.9, 0.1], [0.1, 0.9]]"),
    ("problem.initial", "[1, 0]"),
];

impl ManyPhases {
    pub(crate) fn review(&self, review: &mut Review<'_>) {
        match (&self.lifetime, &self.discount) {
            (Some(law), None) => law.review(review),
            (None, Some(rate)) if rate.exact >= Rational::ZERO && rate.exact < Rational::ONE => {}
            (None, Some(rate)) => {
                let label = format!("{} is not in [0, 1)", rate.value);
                let help = "a program without an end needs a discount below 1";
                review.fault("problem.discount", "this is no discount", &label, help);
            }
            _ => {
                let label = "one of `lifetime` and `discount` is needed";
                let message = "it is not said how long the program runs";
                review.fault(
                    "problem",
                    message,
                    label,
                    "give lifetime: Fixed(1000), or discount: 0.99",
                );
            }
        }
        let count = self.cycle.len();
        let reports = self.detector.first().map_or(0, Vec::len);
        for (what, number, most) in
            [("phases", count, MOST_PHASES), ("reports", reports, MOST_REPORTS)]
        {
            if number == 0 || number > most {
                let label = format!("{number} {what}");
                let help = format!("there are 1 to {most}");
                let place = if what == "phases" { "problem.cycle" } else { "problem.detector" };
                review.fault(
                    place,
                    &format!("this number of {what} is out of range"),
                    &label,
                    &help,
                );
            }
        }
        let tables = [
            ("cycle", &self.cycle, count),
            ("switch", &self.switch, count),
            ("transition", &self.transition, count),
            ("detector", &self.detector, reports),
        ];
        for (name, table, width) in tables {
            let path = format!("problem.{name}");
            if table.len() != count || table.iter().any(|row| row.len() != width) {
                let label = format!("there are {count} phases");
                let help = format!("give {count} rows with {width} numbers each");
                review.fault(&path, "a table has another shape", &label, &help);
                continue;
            }
            let laws = matches!(name, "transition" | "detector");
            for (z, row) in table.iter().enumerate() {
                for (k, number) in row.iter().enumerate() {
                    let place = format!("{path}[{z}][{k}]");
                    if laws {
                        review.exact_probability(&place, number);
                    } else {
                        review.exact_nonnegative(&place, number, "a time or a cost");
                        review.at_most(&place, number.value, 100);
                    }
                }
                if laws {
                    review_law(review, &format!("{path}[{z}]"), row);
                }
            }
        }
        if let Some(initial) = &self.initial {
            for (z, p) in initial.iter().enumerate() {
                review.exact_probability(&format!("problem.initial[{z}]"), p);
            }
            if initial.len() == count {
                review_law(review, "problem.initial", initial);
            } else {
                let label = format!("{} probabilities for {count} phases", initial.len());
                let help = "give one for each phase";
                review.fault("problem.initial", "a law has another length", &label, help);
            }
        }
        if !review.faults.is_empty() {
            return;
        }
        let last =
            self.lifetime.as_ref().and_then(|law| law.reviewed(review)).map(|law| law.last());
        if let Some(last) = last.filter(|last| *last > MOST_STEPS) {
            let label = format!("M = {last}");
            let help = format!("take M <= {MOST_STEPS}, or discount: 0.999");
            review.fault("problem.lifetime", "the horizon is too long", &label, &help);
        }
    }

    /// The engine's problem, and its horizon. The model must have passed review.
    pub fn problem(&self) -> (Problem, Horizon) {
        let row = |row: &Vec<Decimal>| row.iter().map(|number| number.exact.clone()).collect();
        let table = |table: &[Vec<Decimal>]| table.iter().map(row).collect();
        let first = || {
            let at = |z: usize| if z == 0 { Rational::ONE } else { Rational::ZERO };
            (0..self.cycle.len()).map(at).collect()
        };
        let horizon = match (&self.lifetime, &self.discount) {
            (Some(law), _) => Horizon::Ends(law.law().expect("reviewed")),
            (None, Some(rate)) => Horizon::Discounted(rate.exact.clone()),
            (None, None) => unreachable!("reviewed"),
        };
        let problem = Problem {
            cycle: table(&self.cycle),
            switch: table(&self.switch),
            remap: self.remap,
            transition: table(&self.transition),
            detector: table(&self.detector),
            initial: self.initial.as_ref().map_or_else(first, row),
        };
        (problem, horizon)
    }

    /// The facts that `check` prints.
    pub fn facts(&self) -> Vec<(&'static str, serde_json::Value)> {
        let last = self.lifetime.as_ref().and_then(|law| law.law().ok()).map(|law| law.last());
        vec![
            ("phases", self.cycle.len().into()),
            ("reports", self.detector.first().map_or(0, Vec::len).into()),
            ("last_step", last.into()),
        ]
    }
}

fn review_law(review: &mut Review<'_>, path: &str, row: &[Decimal]) {
    let sum = row.iter().fold(Rational::ZERO, |sum, p| sum + &p.exact);
    if sum != Rational::ONE {
        let label = format!("the sum is {}", sum.to_f64().value());
        let help = "correct the numbers, to the last digit: a third is 0.333, 0.333 and 0.334";
        review.fault(path, "the probabilities must sum to 1", &label, help);
    }
}
