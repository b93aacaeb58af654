//! Moves of a process by inversion of its distribution function.

/// The distribution functions of the rows of a chain.
#[derive(Debug, Clone)]
pub(crate) struct Inversion(Vec<Successors>);

impl Inversion {
    pub fn new(rows: &[Vec<f64>]) -> Self {
        let successors = |row: &Vec<f64>| Successors::new(row.iter().copied().enumerate());
        Self(rows.iter().map(successors).collect())
    }

    /// The level after a move from `level`, at a random number in [0, 1).
    pub fn step(&self, level: usize, draw: f64) -> usize {
        self.0[level].at(draw)
    }
}

/// The states that may follow, with cumulative probabilities.
#[derive(Debug, Clone)]
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
        // Cumulative probabilities may end slightly below 1: the last state takes the remainder.
        self.0[place.min(self.0.len() - 1)].0
    }
}
