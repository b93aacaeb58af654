//! Products of a fixed-point number and a weight, rounded in a chosen direction.

use super::span::{UNIT, WEIGHT, wide};

/// `value * weight`, rounded down.
pub fn down(value: u64, weight: u64) -> u64 {
    (wide(value, weight) >> WEIGHT) as u64
}

/// `value * weight`, rounded up.
pub fn up(value: u64, weight: u64) -> u64 {
    ((wide(value, weight) + u128::from(UNIT - 1)) >> WEIGHT) as u64
}
