//! What switching gains, piece by piece as a step back goes along.

use super::polyline::Polyline;
use crate::rounding::SLACK;

/// A function a + b p that is subtracted, piece by piece, rounded down (`UPPER`: what is left is rounded up) or up.
pub(super) struct Gain {
    pieces: Vec<[f64; 2]>,
    /// Where they end; the last never does.
    ends: Vec<f64>,
    passed: usize,
}

impl Gain {
    pub(super) fn new<const UPPER: bool>(line: Option<&Polyline>) -> Gain {
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

    /// Goes on to the belief `here`: the piece it lies in, and where that ends.
    #[inline(always)]
    pub(super) fn reach(&mut self, here: f64) -> ([f64; 2], f64) {
        self.passed += usize::from(self.ends[self.passed] <= here);
        (self.pieces[self.passed], self.ends[self.passed])
    }
}
