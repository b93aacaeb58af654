//! Concave functions on [0, inf) as a line plus positive slope drops.

use crate::rounding::DoubleDouble;

/// The term `drop * min(o, at)`: the slope decreases by `drop` at `at`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Atom {
    /// Abscissa of the drop, > 0.
    pub at: f64,
    /// Size of the drop, > 0.
    pub drop: f64,
}

/// o -> constant + slope * o + sum of `drop * min(o, at)` over the atoms.
#[derive(Debug, Clone, Default)]
pub struct PiecewiseLinear {
    pub(crate) constant: DoubleDouble,
    /// The slope beyond the last atom.
    pub slope: f64,
    /// Ascending in `at`.
    pub atoms: Vec<Atom>,
}
