//! The state of many ranks: the number of ranks on each level.

/// Number of ranks by level; all ranks lie between `low` and `top`.
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    /// Ranks on each level; integers.
    pub on: Vec<f64>,
    /// The lowest level in use.
    pub low: usize,
    /// The highest level in use.
    pub top: usize,
}

impl Counts {
    /// No ranks.
    pub fn none(levels: usize) -> Counts {
        Counts { on: vec![0.0; levels], low: 0, top: 0 }
    }

    /// Distributes `ranks` ranks with sum of levels `total` as evenly as possible.
    pub fn split(&mut self, ranks: u64, total: u64) {
        let (floor, extra) = ((total / ranks) as usize, total % ranks);
        self.on.fill(0.0);
        self.on[floor] = (ranks - extra) as f64;
        (self.low, self.top) = (floor, floor);
        if extra > 0 {
            self.on[floor + 1] = extra as f64;
            self.top = floor + 1;
        }
    }

    /// Empties all levels. Call [`settle`](Self::settle) when they are filled again.
    pub fn clear(&mut self) {
        self.on.fill(0.0);
    }

    /// Finds the lowest and the highest level in use.
    pub fn settle(&mut self) {
        self.low = self.on.iter().position(|&n| n > 0.0).unwrap_or(0);
        self.top = self.on.iter().rposition(|&n| n > 0.0).unwrap_or(0);
    }

    /// Sum of the levels.
    pub fn total(&self) -> u64 {
        let sum = |level: usize| level as f64 * self.on[level];
        (self.low..=self.top).map(sum).sum::<f64>() as u64
    }

    /// A hash of 128 bits. Two states with the same hash are treated as equal.
    pub fn fingerprint(&self) -> u128 {
        let (mut a, mut b) = (0x9e37_79b9_7f4a_7c15u64, 0xc2b2_ae3d_27d4_eb4fu64);
        for level in self.low..=self.top {
            let here = self.on[level] as u64 ^ (level as u64) << 32;
            a = (a ^ here).wrapping_mul(0xff51_afd7_ed55_8ccd);
            a ^= a >> 32;
            b = (b ^ here).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
            b ^= b >> 29;
        }
        u128::from(a) << 64 | u128::from(b)
    }
}
