//! Any number of recurring phases, with a mapping for each: bounds on the least expected time, by a
//! recursion on a grid of beliefs. docs/certificates.md has the proof.

pub mod bounds;
pub mod points;

use crate::core::budget::{Refusal, model_error};
use crate::core::decimal::Number;
use crate::core::written;
use crate::lifetime::Lifetime;
use crate::lifetime::remaining::Remaining;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};
use serde::{Deserialize, Serialize};

written! {
    pub struct ManyPhases {
        pub lifetime: Option<Lifetime>, pub discount: Option<Number>, pub cycle: Vec<Vec<Number>>,
        pub switch: Vec<Vec<Number>>, #[serde(default)] pub remap: Choice,
        pub transition: Vec<Vec<Number>>, pub detector: Vec<Vec<Number>>,
        pub initial: Option<Vec<Number>>
    }
    #[derive(Default)]
    pub enum Choice { #[default] Chosen, Fitted }
}

/// The parameters of the recursion, which are all the evidence.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Grid {
    /// Fraction bits of times.
    pub bits: u32,
    /// Beliefs are multiples of 2^-level.
    pub level: u32,
    /// The number of steps for a program without an end.
    pub sweeps: u64,
}

/// The most phases, observations and steps.
const MOST: (usize, usize, u64) = (6, 20, 100_000);

/// The largest cost, as a power of ten.
const DEAREST: u32 = 100;

impl ManyPhases {
    /// Checks the parameters against each other; each number alone was checked when it was read.
    pub(crate) fn review(&self) -> Result<(), Refusal> {
        let (count, reports) = (self.cycle.len(), self.reports_made());
        let shape = |table: &[Vec<Number>], width: usize| {
            table.len() == count && table.iter().all(|row| row.len() == width)
        };
        let tables = shape(&self.cycle, count) && shape(&self.switch, count);
        let laws = shape(&self.transition, count) && shape(&self.detector, reports);
        let few = (1..=MOST.0).contains(&count) && (1..=MOST.1).contains(&reports);
        if !few || !tables || !laws || self.initial.as_ref().is_some_and(|p| p.len() != count) {
            return model_error("a table has not a row for each phase, or there are too many");
        }
        let law = |row: &Vec<Number>| row.iter().map(|p| &p.0).sum::<BigRational>().is_one();
        if !self.transition.iter().chain(&self.detector).chain(&self.initial).all(law) {
            return model_error("the probabilities of a law do not sum to 1");
        }
        let most = BigRational::from(BigInt::from(10).pow(DEAREST));
        if self.cycle.iter().chain(&self.switch).flatten().any(|cost| cost.0 > most) {
            return model_error("a time or a cost is too large");
        }
        let ends = match (&self.lifetime, &self.discount) {
            (Some(law), None) => Remaining::new(law)?.last <= MOST.2,
            (None, Some(rate)) => rate.0 < BigRational::one(),
            _ => false,
        };
        if ends {
            Ok(())
        } else {
            model_error("a lifetime of 100000 steps at most, or a discount below 1, is needed")
        }
    }

    /// The number of observations of the detector.
    pub(crate) fn reports_made(&self) -> usize {
        self.detector.first().map_or(0, Vec::len)
    }

    /// The probability of each phase at the start.
    pub(crate) fn first_belief(&self) -> Vec<BigRational> {
        let certain = |z: usize| if z == 0 { BigRational::one() } else { BigRational::zero() };
        match &self.initial {
            Some(law) => law.iter().map(|p| p.0.clone()).collect(),
            None => (0..self.cycle.len()).map(certain).collect(),
        }
    }
}
