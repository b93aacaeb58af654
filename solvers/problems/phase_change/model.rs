//! The `PhaseChange` problem of a model file [NR86, NR90].

use crate::model::detector::{self, Detector};
use crate::model::explain::Shape;
use crate::model::lifetime::{self, Law};
use crate::model::number::Decimal;
use crate::model::review::Review;
use remapping::Rational;
use remapping::lifetime::Lifetime;
use remapping::phase_change::{Hazard, PhaseChange as Problem, Premature as EnginePremature};
use serde::Deserialize;

/// The fields of `PhaseChange(...)`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseChange {
    lifetime: Law,
    cycle: Cycle,
    remap: Remap,
    detector: Detector,
    hazard: ChangeHazard,
    #[serde(default)]
    premature: Premature,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cycle {
    before: Decimal,
    after: Decimal,
    remapped: Decimal,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Remap {
    test: Decimal,
    install: Decimal,
}

#[derive(Debug, Clone, Deserialize)]
enum ChangeHazard {
    Constant(Decimal),
    PerStep(Vec<Decimal>),
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
enum Premature {
    #[default]
    Revert,
    Keep {
        before_remapped: Decimal,
    },
}

/// An example of each part, for messages.
pub(crate) const SHAPES: &[Shape] = &[
    ("problem", "PhaseChange(lifetime: ..., cycle: ..., remap: ..., detector: ..., hazard: ...)"),
    lifetime::SHAPE,
    ("problem.cycle", "(before: 1.0, after: 2.0, remapped: 1.0)"),
    ("problem.remap", "(test: 10.0, install: 0.0)"),
    detector::SHAPE,
    ("problem.hazard", "Constant(0.001) or PerStep([h_1, ..., h_M])"),
    ("problem.premature", "Revert or Keep(before_remapped: 2.0)"),
];

/// The largest M for which one threshold per step is kept and printed.
pub const MAX_PER_STEP: u64 = 1_000_000;

/// Refuses horizons with too many distinct steps to list, and no stationary part.
pub(crate) fn review_length(lifetime: &Lifetime, review: &mut Review<'_>) {
    let last = lifetime.last();
    if last > MAX_PER_STEP && !can_become_stationary(lifetime) {
        let label =
            format!("M = {last}, and the failure rate changes at more than {MAX_PER_STEP} steps");
        review.fault(
            "problem.lifetime",
            "M is too large for per-step output",
            &label,
            "take M <= 1000000, or a law whose failure rate is constant over most steps (Fixed, Geometric)",
        );
    }
}

/// Whether enough steps are alike that the distinct thresholds may fit.
fn can_become_stationary(lifetime: &Lifetime) -> bool {
    let mut n = lifetime.last();
    let mut distinct = 0u64;
    while distinct <= MAX_PER_STEP {
        let from = lifetime.constant_from(n);
        if from == 0 {
            return true;
        }
        distinct += 1;
        n = from - 1;
    }
    false
}

impl PhaseChange {
    pub(crate) fn review(&self, review: &mut Review<'_>) {
        self.lifetime.review(review);
        let times = [
            ("problem.cycle.before", &self.cycle.before, "a cycle time"),
            ("problem.cycle.after", &self.cycle.after, "a cycle time"),
            ("problem.cycle.remapped", &self.cycle.remapped, "a cycle time"),
            ("problem.remap.test", &self.remap.test, "a delay"),
            ("problem.remap.install", &self.remap.install, "a delay"),
        ];
        for (path, number, what) in times {
            review.exact_nonnegative(path, number, what);
        }
        self.detector.review(review, "problem.detector");
        match &self.hazard {
            ChangeHazard::Constant(h) => review.exact_probability("problem.hazard", h),
            ChangeHazard::PerStep(list) => {
                for (at, h) in list.iter().enumerate().filter(|(_, h)| !h.is_probability()) {
                    review.exact_probability(&format!("problem.hazard[{at}]"), h);
                }
            }
        }
        if let Premature::Keep { before_remapped } = &self.premature {
            let path = "problem.premature.before_remapped";
            review.exact_nonnegative(path, before_remapped, "a cycle time");
            if before_remapped.exact < self.cycle.before.exact {
                review.fault(
                    path,
                    "the costs are reversed: the new mapping is faster even before the change",
                    &format!(
                        "{} is below cycle.before = {}",
                        before_remapped.value, self.cycle.before.value
                    ),
                    "a kept premature remapping needs before_remapped >= cycle.before",
                );
            }
        }
        if !review.faults.is_empty() {
            return;
        }
        if let Some(lifetime) = self.lifetime.reviewed(review) {
            self.review_horizon(review, &lifetime);
        }
        if review.faults.is_empty() {
            self.warn(review);
        }
    }

    fn review_horizon(&self, review: &mut Review<'_>, lifetime: &Lifetime) {
        let last = lifetime.last();
        if let ChangeHazard::PerStep(list) = &self.hazard
            && list.len() as u64 != last
        {
            let label = format!("{} hazards, but M = {last}: give {last}", list.len());
            let help = "h_n acts between step n-1 and step n: one for each of the steps 1..=M";
            let message = "the list of hazards has the wrong length";
            review.fault("problem.hazard", message, &label, help);
            return;
        }
        review_length(lifetime, review);
    }

    fn warn(&self, review: &mut Review<'_>) {
        self.detector.warn(review);
        if self.cycle.after.exact <= self.cycle.remapped.exact {
            review.warn("remapping never pays: cycle.after <= cycle.remapped");
        }
        if !self.lifetime.law().is_ok_and(|law| law.has_increasing_failure_rate()) {
            review.warn(
                "the failure rate of N is not increasing: thresholds of 1 may occur before n0 too",
            );
        }
    }

    /// The engine's problem. The model must have passed review.
    pub fn problem(&self) -> Problem {
        Problem {
            lifetime: self.lifetime.law().expect("reviewed"),
            hazard: match &self.hazard {
                ChangeHazard::Constant(h) => Hazard::Constant(h.exact.clone()),
                ChangeHazard::PerStep(list) => {
                    Hazard::PerStep(list.iter().map(|h| h.exact.clone()).collect())
                }
            },
            before: self.cycle.before.exact.clone(),
            after: self.cycle.after.exact.clone(),
            remapped: self.cycle.remapped.exact.clone(),
            test: self.remap.test.exact.clone(),
            install: self.remap.install.exact.clone(),
            detector: self.detector.levels(),
            premature: match &self.premature {
                Premature::Revert => EnginePremature::Revert,
                Premature::Keep { before_remapped } => {
                    EnginePremature::Keep { before_remapped: before_remapped.exact.clone() }
                }
            },
        }
    }

    /// Whether the detector says only yes or no, as the monitor's change test does.
    pub fn says_yes_or_no(&self) -> bool {
        matches!(self.detector, Detector::Binary { .. })
    }

    /// The facts that `check` prints.
    pub fn facts(&self) -> Vec<(&'static str, serde_json::Value)> {
        let problem = self.problem();
        let lifetime = &problem.lifetime;
        let number = |value: Rational| value.to_f64().value().into();
        let gain = problem.gain();
        let mut facts: Vec<(&'static str, serde_json::Value)> = vec![
            ("last_step", lifetime.last().into()),
            ("mean_cycles", lifetime.residual_mean(0).into()),
            ("increasing_failure_rate", lifetime.has_increasing_failure_rate().into()),
            ("gain", number(gain.clone())),
            ("delay", number(&problem.test + &problem.install)),
        ];
        if gain > Rational::ZERO {
            let cycles = (&problem.test + &problem.install) / gain;
            facts.push(("cycles_to_pay_back", number(cycles)));
        }
        facts.extend(self.detector.facts());
        facts
    }
}
