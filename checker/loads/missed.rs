//! What rows that do not sum to 1 make of expectations.

use crate::core::budget::Refusal;
use crate::core::span::{Span, WEIGHT};
use crate::core::weights::up;
use crate::loads::space::Space;
use num_rational::BigRational;
use num_traits::{One, Zero};

impl Space {
    /// What an expectation must be lowered and raised by, so that it bounds those of all chains with rows
    /// that sum to 1, and that lack at most what is more than 1 here, or have what is missing here besides:
    /// for functions from 0 up that are at most this.
    pub fn missed(&self, most: u64) -> Result<[u64; 2], Refusal> {
        // Rows above 1 may have enlarged it before other processes move: 26 of them, by 1e-9 each.
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
