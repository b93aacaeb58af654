//! The piecewise-linear gain of switching, read in increasing order of the belief during a step
//! back.

use super::polyline::Polyline;
use crate::rounding::SLACK;

/// A piecewise-linear function that is subtracted. It is rounded down if the result is rounded up
/// (`UPPER`), and up otherwise.
pub(crate) struct Gain {
    pieces: Vec<[f64; 2]>,
    /// Ends of the pieces; the last one is infinite.
    ends: Vec<f64>,
    passed: usize,
}

impl Gain {
    pub(crate) fn new<const UPPER: bool>(line: Option<&Polyline>) -> Gain {
        let Some(Polyline { at, value }) = line else {
            return Gain { pieces: vec![[0.0; 2]], ends: vec![f64::INFINITY], passed: 0 };
        };
        let piece = |(at, value): (&[f64], &[f64])| {
            let slope = (value[1] - value[0]) / (at[1] - at[0]);
            let size = value[0].abs() + value[1].abs() + slope.abs() * at[1];
            let margin = SLACK * size;
            let start = value[0] - slope * at[0];
            [if UPPER { start - margin } else { start + margin }, slope]
        };
        let mut ends = at[1..].to_vec();
        *ends.last_mut().expect("a function has an end") = f64::INFINITY;
        Gain { pieces: at.windows(2).zip(value.windows(2)).map(piece).collect(), ends, passed: 0 }
    }

    /// Advances to the belief `here`: the piece that holds it, and the end of that piece.
    #[inline(always)]
    pub(crate) fn reach(&mut self, here: f64) -> ([f64; 2], f64) {
        self.passed += usize::from(self.ends[self.passed] <= here);
        (self.pieces[self.passed], self.ends[self.passed])
    }
}
