//! Chains whose load is multiplied by a factor and increased by a number in each step.

use crate::core::budget::{Refusal, model_error};
use crate::core::decimal::Number;
use crate::core::written;
use crate::loads::chains::rows::Row;
use crate::loads::signed::Signed;
use num_rational::BigRational;
use num_traits::{One, Signed as _, ToPrimitive, Zero};
use std::collections::BTreeMap;

written! {
    pub struct Affine {
        #[serde(default)] pub lowest: i64, pub levels: usize, pub changes: Vec<Change>
    }
    pub struct Change { pub factor: Number, pub added: Option<Signed>, pub probability: Number }
}

impl Affine {
    /// The row of each level. A load between two levels is split so that its mean is kept; one
    /// beyond the levels moves to the edge.
    pub fn rows(&self) -> Result<Vec<Row>, Refusal> {
        let wrong = |p: &BigRational| p.is_negative() || *p > BigRational::one();
        let probable = self.changes.iter().all(|change| !wrong(&change.probability.0));
        if !(2..=1000).contains(&self.levels) || !probable {
            return model_error("2 to 1000 levels, and changes with probabilities, are needed");
        }
        let whole = |n: i64| BigRational::from_integer(n.into());
        let lowest = whole(self.lowest);
        let row = |level: usize| {
            let mut row = BTreeMap::<usize, BigRational>::new();
            for Change { factor, added, probability } in &self.changes {
                let added = added.as_ref().map_or_else(BigRational::zero, |added| added.0.clone());
                let to = &factor.0 * (&lowest + whole(level as i64)) + added - &lowest;
                let to = to.clamp(BigRational::zero(), whole(self.levels as i64 - 1));
                let (below, share) = (to.floor(), to.fract());
                let below = below.to_integer().to_usize().unwrap_or_default();
                *row.entry(below).or_default() += &probability.0 * (BigRational::one() - &share);
                *row.entry(below + 1).or_default() += &probability.0 * share;
            }
            row.into_iter().filter(|(_, p)| !p.is_zero()).collect()
        };
        Ok((0..self.levels).map(row).collect())
    }
}
