//! Affine load dynamics on integer loads: w' = a w + b with random a and b `\[YXW03, (6)\]`.

use crate::Rational;

/// One possible change of a load in a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Factor of the load.
    pub factor: Rational,
    /// Increment added afterward.
    pub added: Rational,
    /// Probability of the change.
    pub probability: Rational,
}

/// The transition matrix on the levels `lowest`, `lowest + 1`, ... A load between two levels goes
/// to either, so that its mean is kept. A load beyond the last level or before the first stays at
/// that level.
///
/// # Panics
/// Without levels.
pub fn affine_rows(lowest: i64, levels: usize, changes: &[Change]) -> Vec<Vec<Rational>> {
    assert!(levels > 0);
    let (low, top) = (Rational::from(lowest), Rational::from(levels as i64 - 1));
    let row = |level: usize| {
        let mut row = vec![Rational::ZERO; levels];
        let load = &low + Rational::from(level as i64);
        for Change { factor, added, probability } in changes {
            let to = (factor * &load + added - &low).max(Rational::ZERO).min(top.clone());
            let below = to.floor();
            let share = to - Rational::from(below.clone());
            let below = usize::try_from(below).expect("within the levels");
            row[below] += probability * (Rational::ONE - &share);
            if share > Rational::ZERO {
                row[below + 1] += probability * share;
            }
        }
        row
    };
    (0..levels).map(row).collect()
}
