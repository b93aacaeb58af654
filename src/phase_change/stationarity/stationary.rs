//! Proof that a recursion has become stationary: one comparison of two successive functions bounds
//! all later ones.
//!
//! Let T be the backward step, the same for the J steps to come. Let U be an upper function with T
//! U <= U' and U' <= U + k + e everywhere. Here k is the change of its constant, and e the greatest
//! increase of its shape. T is monotone and T (U + c) = T U + l c with l = s (1-h). By induction
//! the value function j steps on satisfies
//!
//! ```text
//! V_j <= U + (k + e)(1 + l + ... + l^(j-1))
//! ```
//!
//! The lower bound is analogous (MacQueen 1966). It follows for every later threshold too.
//! O(atoms).

use crate::concave::PiecewiseLinear;
use crate::rounding::UNIT;

/// The greatest increase and decrease of the shape (the function minus its constant) from `older`
/// to `newer`: sup (newer - older) - k and sup k - (newer - older). Both are >= 0 and rounded up;
/// infinite if the final slopes differ. O(atoms).
pub(crate) fn change_of_shape(newer: &PiecewiseLinear, older: &PiecewiseLinear) -> (f64, f64) {
    let Some(change) = Change::between(newer, older) else {
        return (f64::INFINITY, f64::INFINITY);
    };
    let (mut rise, mut fall) = (0.0f64, 0.0f64);
    for (_, value, _) in &change.knots {
        (rise, fall) = (rise.max(*value), fall.max(-value));
    }
    let margin = 8.0 * UNIT * change.loss;
    (rise + margin, fall + margin)
}

/// The difference of two shapes.
pub(crate) struct Change {
    /// Where the slope changes: position, value, and a bound on the error of the value apart from
    /// `tilt`.
    pub knots: Vec<(f64, f64, f64)>,
    /// Bound on the error of the slope between any two knots.
    pub tilt: f64,
    loss: f64,
}

impl Change {
    /// `None` if the final slopes differ. O(atoms).
    pub(crate) fn between(newer: &PiecewiseLinear, older: &PiecewiseLinear) -> Option<Change> {
        if newer.slope != older.slope {
            return None;
        }
        // Atoms at the same position become one signed drop; it is exactly 0 where nothing has
        // changed.
        let mut signed = Vec::with_capacity(newer.atoms.len() + older.atoms.len());
        let (mut new, mut old) = (newer.atoms.iter().peekable(), older.atoms.iter().peekable());
        loop {
            let at = match (new.peek(), old.peek()) {
                (Some(a), Some(b)) => a.at.min(b.at),
                (Some(atom), None) | (None, Some(atom)) => atom.at,
                (None, None) => break,
            };
            let mut drop = 0.0;
            if let Some(atom) = new.next_if(|atom| atom.at == at) {
                drop += atom.drop;
            }
            if let Some(atom) = old.next_if(|atom| atom.at == at) {
                drop -= atom.drop;
            }
            if drop != 0.0 {
                signed.push((at, drop));
            }
        }
        // Slopes of the difference, summed from the far end, where it is 0: adjacent terms cancel
        // early.
        let mut slope: f64 = 0.0;
        let (mut loss, mut tilt) = (0.0, 0.0);
        for (at, drop) in signed.iter_mut().rev() {
            loss += drop.abs() * *at;
            slope += *drop;
            tilt += drop.abs() + slope.abs();
            *drop = slope;
        }
        let (mut value, mut blur, mut here): (f64, f64, f64) = (0.0, 0.0, 0.0);
        let along = |(at, slope): (f64, f64)| {
            let more = slope * (at - here);
            value += more;
            blur += value.abs() + 2.0 * more.abs();
            here = at;
            (at, value, 2.0 * UNIT * blur)
        };
        let knots = signed.into_iter().map(along).collect();
        Some(Change { knots, tilt: 2.0 * UNIT * tilt, loss })
    }
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
