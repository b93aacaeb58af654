//! Piecewise-linear functions of the belief, kept short from one side.

use crate::rounding::SLACK;

/// The function through (at\[k\], value\[k\]), linear in between. `at` ascends from 0 to 1.
#[derive(Debug, Clone)]
pub(super) struct Polyline {
    pub(super) at: Vec<f64>,
    pub(super) value: Vec<f64>,
}

impl Polyline {
    pub(super) fn constant(value: f64) -> Polyline {
        Polyline { at: vec![0.0, 1.0], value: vec![value; 2] }
    }

    pub(super) fn nodes(&self) -> usize {
        self.at.len()
    }

    /// The value at `p`, looking from piece `piece` on, which is moved there.
    pub(super) fn at_from(&self, piece: &mut usize, p: f64) -> f64 {
        let last = self.nodes() - 2;
        while *piece < last && self.at[*piece + 1] < p {
            *piece += 1;
        }
        let k = *piece;
        let share = ((p - self.at[k]) / (self.at[k + 1] - self.at[k])).clamp(0.0, 1.0);
        self.value[k] + share * (self.value[k + 1] - self.value[k])
    }

    /// The value at `p`.
    pub(super) fn at(&self, p: f64) -> f64 {
        self.at_from(&mut 0, p)
    }

    /// The slope of every piece.
    pub(super) fn slopes(&self) -> Vec<f64> {
        let rise = self.value.windows(2).map(|pair| pair[1] - pair[0]);
        rise.zip(self.at.windows(2)).map(|(rise, pair)| rise / (pair[1] - pair[0])).collect()
    }

    /// The least p from which on some value exceeds `level`, moved down by what rounding may have lost;
    /// 1 if there is none.
    pub(super) fn first_above<const UPPER: bool>(&self, level: f64) -> f64 {
        match self.value.iter().position(|value| *value > level) {
            None => 1.0,
            Some(0) => 0.0,
            Some(k) => self.crossing::<UPPER>(k - 1, level),
        }
    }

    /// The greatest p up to which some value is below `level`; 0 if there is none.
    pub(super) fn last_below<const UPPER: bool>(&self, level: f64) -> f64 {
        match self.value.iter().rposition(|value| *value < level) {
            None => 0.0,
            Some(k) if k + 1 == self.nodes() => 1.0,
            Some(k) => self.crossing::<UPPER>(k, level),
        }
    }

    /// Where piece `k` meets `level`, rounded up or down.
    fn crossing<const UPPER: bool>(&self, k: usize, level: f64) -> f64 {
        let (rise, width) = (self.value[k + 1] - self.value[k], self.at[k + 1] - self.at[k]);
        let exact = self.at[k] + width * ((level - self.value[k]) / rise).clamp(0.0, 1.0);
        let magnitude = level.abs() + self.value[k].abs() + self.value[k + 1].abs();
        let blur = SLACK * (1.0 + magnitude * width / rise.abs());
        (if UPPER { exact + blur } else { exact - blur }).clamp(0.0, 1.0)
    }

    /// Cut to [low, high]; `self` rises, but for rounding.
    pub(super) fn cut(&self, low: f64, high: f64) -> Polyline {
        let mut cut = Polyline {
            at: Vec::with_capacity(self.nodes() + 2),
            value: Vec::with_capacity(self.nodes() + 2),
        };
        for k in 0..self.nodes() {
            if k > 0 {
                for level in [low, high] {
                    let (before, here) = (self.value[k - 1], self.value[k]);
                    if (before < level && here > level) || (before > level && here < level) {
                        let share = (level - before) / (here - before);
                        let at = self.at[k - 1] + share * (self.at[k] - self.at[k - 1]);
                        cut.push(at, level);
                    }
                }
            }
            cut.push(self.at[k], self.value[k].clamp(low, high));
        }
        cut
    }

    /// Adds a node, unless it falls on the last one.
    pub(super) fn push(&mut self, at: f64, value: f64) {
        if self.at.last().is_some_and(|last| at <= *last) {
            return;
        }
        self.at.push(at);
        self.value.push(value);
    }

    /// A function of fewer nodes that is nowhere below this one (`UPPER`, else above) and at most twice
    /// `tolerance` away: nodes are dropped as long as the chord stays within the tolerance, and the ends of
    /// a chord are moved by as much as it lies on the wrong side. O(nodes).
    pub(super) fn reduced<const UPPER: bool>(&self, tolerance: f64) -> Polyline {
        let mut kept = vec![0];
        let (mut least, mut most) = (f64::NEG_INFINITY, f64::INFINITY);
        for k in 1..self.nodes() {
            let anchor = kept[kept.len() - 1];
            let slope = |anchor: usize, off: f64| {
                (self.value[k] + off - self.value[anchor]) / (self.at[k] - self.at[anchor])
            };
            let direct = slope(anchor, 0.0);
            let mut from = anchor;
            if k > anchor + 1 && !(least <= direct && direct <= most) {
                kept.push(k - 1);
                (least, most) = (f64::NEG_INFINITY, f64::INFINITY);
                from = k - 1;
            }
            least = least.max(slope(from, -tolerance));
            most = most.min(slope(from, tolerance));
        }
        if kept[kept.len() - 1] != self.nodes() - 1 {
            kept.push(self.nodes() - 1);
        }
        let mut shifts = vec![0.0f64; kept.len()];
        for (span, ends) in kept.windows(2).enumerate() {
            let (a, b) = (ends[0], ends[1]);
            let slope = (self.value[b] - self.value[a]) / (self.at[b] - self.at[a]);
            let mut wrong = 0.0f64;
            for k in a + 1..b {
                let chord = self.value[a] + slope * (self.at[k] - self.at[a]);
                let over = self.value[k] - chord;
                wrong = wrong.max(if UPPER { over } else { -over });
            }
            if wrong > 0.0 {
                wrong += SLACK * (self.value[a].abs() + self.value[b].abs());
            }
            shifts[span] = shifts[span].max(wrong);
            shifts[span + 1] = shifts[span + 1].max(wrong);
        }
        let shifted = |(k, shift): (&usize, f64)| {
            if UPPER { self.value[*k] + shift } else { self.value[*k] - shift }
        };
        Polyline {
            at: kept.iter().map(|k| self.at[*k]).collect(),
            value: kept.iter().zip(shifts).map(shifted).collect(),
        }
    }

    /// All values moved into [low, high].
    pub(super) fn confined(mut self, low: f64, high: f64) -> Polyline {
        for value in &mut self.value {
            *value = value.clamp(low, high);
        }
        self
    }
}
