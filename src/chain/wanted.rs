//! Selection of the states for which the operator on equal processes is computed.

/// The wanted states: those with r max - sum <= limit, with a limit for every sum of levels.
#[derive(Debug, Clone)]
pub struct Wanted {
    processes: usize,
    /// `most[k][s]`: the largest limit + sum over the sums s..s + 2^k.
    most: Vec<Vec<usize>>,
    /// The least sum of a wanted state by its largest level, for as many levels as there are.
    pub(super) least: Vec<usize>,
}

impl Wanted {
    /// By the limits for the sums 0, 1, ..., r (L - 1).
    pub fn new(processes: usize, limits: &[u32]) -> Self {
        let first = limits.iter().enumerate().map(|(sum, &limit)| sum + limit as usize);
        let mut most: Vec<Vec<usize>> = vec![first.collect()];
        let mut width = 1;
        while 2 * width <= limits.len() {
            let last = &most[most.len() - 1];
            let pairs = last.iter().zip(&last[width..]);
            let next = pairs.map(|(a, b)| *a.max(b)).collect();
            most.push(next);
            width *= 2;
        }
        let sums = limits.len() - 1;
        let first = |largest: usize| {
            let wanted = |&sum: &usize| processes * largest <= sum + limits[sum] as usize;
            (largest..=sums).find(wanted).unwrap_or(sums)
        };
        let least = (0..=sums / processes).map(first).collect();
        Self { processes, most, least }
    }

    /// Whether a state with this largest level and a sum from `least` to `most` can be wanted.
    pub(super) fn any(&self, largest: usize, least: usize, most: usize) -> bool {
        let power = (most - least + 1).ilog2() as usize;
        let row = &self.most[power];
        self.processes * largest <= row[least].max(row[most + 1 - (1 << power)])
    }
}
