//! The error of expectations whose rows do not sum to 1.

use crate::core::budget::Refusal;
use crate::core::span::{Span, WEIGHT};
use crate::core::weights::up;
use crate::loads::states::space::Space;
use num_rational::BigRational;
use num_traits::{One, Zero};

impl Space {
    /// By how much an expectation must be lowered and raised so that it bounds those of all nearby
    /// chains. These have rows that sum to 1: the excess is removed, or the missing probability
    /// added. Functions lie between 0 and `most`.
    pub fn missed(&self, most: u64) -> Result<[u64; 2], Refusal> {
        // Rows above 1 may enlarge the function before other processes move: 26 processes, by 1e-9
        // each.
        let most = most + (most >> 20) + 1;
        let (one, none) = (BigRational::one(), BigRational::zero());
        let (mut above, mut short) = (none.clone(), none.clone());
        for group in &self.groups {
            above += group.sums.last().map_or(none.clone(), |sum| sum - &one).max(none.clone());
            short += group.sums.first().map_or(none.clone(), |sum| &one - sum).max(none.clone());
        }
        let units = |missed: BigRational| Ok(up(most, Span::from(&missed).units(WEIGHT)?[1]));
        Ok([units(above)?, units(short)?])
    }

    /// Whether all rows sum to 1.
    pub fn conserves(&self) -> bool {
        self.groups.iter().all(|group| group.sums.iter().all(One::is_one))
    }
}
