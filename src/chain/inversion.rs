//! Moves of a process by inversion of its distribution function.

/// The distribution functions of the rows of a chain.
#[derive(Debug, Clone)]
pub(crate) struct Inversion(Vec<Vec<f64>>);

impl Inversion {
    pub fn new(rows: &[Vec<f64>]) -> Self {
        let add = |sum: &mut f64, p: &f64| {
            *sum += p;
            Some(*sum)
        };
        Self(rows.iter().map(|row| row.iter().scan(0.0, add).collect()).collect())
    }

    /// The level after a move from `level`, at a random number in [0, 1).
    pub fn step(&self, level: usize, draw: f64) -> usize {
        let row = &self.0[level];
        let next = row.partition_point(|sum| *sum <= draw);
        // Rows may sum to slightly less than one; the last possible move takes the remainder.
        let last = || row.partition_point(|sum| sum < &row[row.len() - 1]);
        if next < row.len() { next } else { last() }
    }
}

/// The states that may follow, with cumulative probabilities.
pub(crate) struct Successors(Vec<(usize, f64)>);

impl Successors {
    /// From the probabilities of the states.
    pub fn new(row: impl Iterator<Item = (usize, f64)>) -> Self {
        let mut sum = 0.0;
        let add = |(t, p): (usize, f64)| {
            sum += p;
            (t, sum)
        };
        Self(row.filter(|(_, p)| *p > 0.0).map(add).collect())
    }

    /// The state at a random number in [0, 1).
    pub fn at(&self, draw: f64) -> usize {
        let place = self.0.partition_point(|(_, sum)| *sum <= draw);
        // Cumulative probabilities may end slightly below 1.
        self.0[place.min(self.0.len() - 1)].0
    }
}
