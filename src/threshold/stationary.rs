//! When the recursion has become stationary, with the proof that lets it stop.
//!
//! Let T be the backward step, the same for the J steps to come, and U an upper function with T U <= U'
//! and U' <= U + k + e everywhere (k: what its constant gained, e: the most its shape rose). T is
//! monotone and T (U + c) = T U + l c with l = s (1-h), so by induction the value function j steps on
//! lies below U + (k + e)(1 + l + ... + l^(j-1)). The same holds below with the lower function. So one
//! comparison of two successive functions bounds every later one, and with it every later threshold.

use crate::concave::Kinked;

/// Largest rise and fall of the shape (the function less its constant) from `older` to `newer`:
/// an upper bound on sup (newer - older) - k for either sign. Infinite if they are not comparable.
pub(crate) fn change_of_shape(newer: &Kinked, older: &Kinked) -> f64 {
    if newer.slope != older.slope || newer.atoms.len() != older.atoms.len() {
        return f64::INFINITY;
    }
    let pairs = newer.atoms.iter().zip(&older.atoms);
    pairs
        .map(|(a, b)| {
            (a.drop - b.drop).abs() * a.at.max(b.at) + a.drop.min(b.drop) * (a.at - b.at).abs()
        })
        .sum()
}

/// 1 + l + ... + l^(steps-1) with l = 1 - `killed`, to a relative 1e-14.
pub(crate) fn amplification(killed: f64, steps: u64) -> f64 {
    let steps = steps as f64;
    if killed <= 0.0 {
        return steps;
    }
    let decay = (steps * (-killed.min(1.0)).ln_1p()).exp_m1();
    (-decay / killed).min(steps)
}
