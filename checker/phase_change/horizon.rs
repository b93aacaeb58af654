//! The times and the horizon of a phase-change problem, step by step backward.

use crate::core::budget::{Refusal, model_error};
use crate::core::decimal::Number;
use crate::core::span::{Span, WEIGHT};
use crate::core::written;
use crate::detector::Detector;
use crate::lifetime::Lifetime;
use crate::lifetime::remaining::Remaining;
use num_rational::BigRational;
use num_traits::{One, Signed};

written! {
    pub struct PhaseChange {
        pub lifetime: Lifetime, pub cycle: Cycle, pub remap: Remap, pub detector: Detector,
        pub hazard: Hazard, #[serde(default)] pub premature: Premature
    }
    pub struct Cycle { pub before: Number, pub after: Number, pub remapped: Number }
    pub struct Remap { pub test: Number, pub install: Number }
    pub enum Hazard { Constant(Number), PerStep(Vec<Number>) }
    #[derive(Default)]
    pub enum Premature { #[default] Revert, Keep { before_remapped: Number } }
}

impl PhaseChange {
    /// Checks the parameters against each other; each number alone was checked when it was read.
    pub fn review(&self) -> Result<(), Refusal> {
        if self.regret().is_some_and(|regret| regret.is_negative()) {
            return model_error("before_remapped is less than before");
        }
        Horizon::new(self).map(drop)
    }

    /// The time of a cycle after the change, under the better mapping.
    pub fn after(&self) -> &BigRational {
        (&self.cycle.after.0).min(&self.cycle.remapped.0)
    }

    /// e_P - e_F, where a premature remap is kept.
    pub fn regret(&self) -> Option<BigRational> {
        match &self.premature {
            Premature::Keep { before_remapped } => Some(&before_remapped.0 - &self.cycle.before.0),
            Premature::Revert => None,
        }
    }
}

/// The quantities of the step that the recursion has reached.
#[derive(Clone, Default)]
pub(crate) struct Horizon {
    pub remaining: Remaining,
    /// s_n h_{n+1} and s_n (1 - h_{n+1}).
    change: Span,
    pub stay: Span,
    /// The mean number of cycles that remain, and of those before the change.
    pub cycles: Span,
    pub quiet: Span,
}

/// For each observation, the weights of three transitions: before to before, before to after, and
/// after to after. Each is rounded down and up.
pub(crate) type Motion = Vec<[[u64; 2]; 3]>;

impl Horizon {
    /// The state after the last step.
    pub fn new(model: &PhaseChange) -> Result<Horizon, Refusal> {
        let remaining = Remaining::new(&model.lifetime)?;
        let (hazards, all) = match &model.hazard {
            Hazard::Constant(hazard) => (std::slice::from_ref(hazard), true),
            Hazard::PerStep(list) => (&list[..], list.len() as u64 == remaining.last),
        };
        if !all || hazards.iter().any(|p| p.0 > BigRational::one()) {
            return model_error("a probability or a number of steps is out of range");
        }
        Ok(Horizon { remaining, ..Horizon::default() })
    }

    /// Moves from step n + 1 to step n.
    pub fn step_back(&mut self, model: &PhaseChange, n: u64) {
        self.remaining.step_back(&model.lifetime, n);
        let (one, survival, hazard) = (Span::whole(1), &self.remaining.survival, hazard(model, n));
        self.change = survival.times(&hazard);
        self.stay = survival.times(&one.minus(&hazard));
        self.cycles = self.cycles.times(survival).plus(&one);
        self.quiet = self.quiet.times(&self.stay).plus(&one);
    }

    /// Whether all steps from `first` to n are alike, and none of them is the last.
    pub fn stays(&self, model: &PhaseChange, first: u64, n: u64) -> bool {
        let constant = matches!(model.hazard, Hazard::Constant(_));
        n < self.remaining.first
            && (constant || (first..n).all(|k| hazard(model, k) == hazard(model, n)))
    }

    pub fn motion(&self, model: &PhaseChange) -> Result<Motion, Refusal> {
        let weights = |[no, yes]: &[BigRational; 2]| {
            let (no, yes) = (Span::from(no), Span::from(yes));
            let exact = [
                no.times(&self.stay),
                yes.times(&self.change),
                yes.times(&self.remaining.survival),
            ];
            let mut weights = [[0; 2]; 3];
            for (weight, exact) in weights.iter_mut().zip(exact) {
                *weight = exact.units(WEIGHT)?;
            }
            Ok(weights)
        };
        model.detector.reports.iter().map(weights).collect()
    }
}

/// h_{n+1}; it does not matter after the last step.
fn hazard(model: &PhaseChange, n: u64) -> Span {
    match &model.hazard {
        Hazard::Constant(hazard) => Span::from(&hazard.0),
        Hazard::PerStep(list) => {
            list.get(n as usize).map_or_else(Span::default, |p| Span::from(&p.0))
        }
    }
}
