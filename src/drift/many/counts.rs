//! Where many ranks are: how many of them on each level.

/// Numbers of ranks by level; between `low` and `top` are all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    /// Ranks on each level: whole numbers.
    pub on: Vec<f64>,
    /// The lowest level in use.
    pub low: usize,
    /// The highest.
    pub top: usize,
}

impl Counts {
    /// Nobody yet.
    pub fn none(levels: usize) -> Counts {
        Counts { on: vec![0.0; levels], low: 0, top: 0 }
    }

    /// `ranks` ranks with sum of levels `total`, as even as can be.
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

    /// Becomes another.
    pub fn copy(&mut self, other: &Counts) {
        self.on.copy_from_slice(&other.on);
        (self.low, self.top) = (other.low, other.top);
    }

    /// Empties all levels; [`settle`](Self::settle) when they are filled again.
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
}
