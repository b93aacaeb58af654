//! Sums over the steps of a run, bitwise equal for every division of the steps among processes. The
//! steps of each block are summed separately, and the sums of blocks are added in order.

/// Number of steps in a block.
pub const BLOCK: usize = 1 << 14;

/// Several sums.
#[derive(Debug, Clone)]
pub(super) struct Blocks {
    /// Sums of the incomplete block.
    pub now: Vec<f64>,
    /// Sums of all complete blocks.
    total: Vec<f64>,
    /// Sums of each complete block, where the preceding blocks are elsewhere.
    listed: Option<Vec<f64>>,
}

impl Blocks {
    /// `numbers` sums from the first step on, or of a later part of a run.
    pub fn new(numbers: usize, is_later: bool) -> Blocks {
        let (now, total) = (vec![0.0; numbers], vec![0.0; numbers]);
        Blocks { now, total, listed: is_later.then(Vec::new) }
    }

    /// Closes the block if this step, already added, is its last.
    pub fn after(&mut self, step: usize) {
        if (step + 1).is_multiple_of(BLOCK) {
            self.close();
        }
    }

    fn close(&mut self) {
        match &mut self.listed {
            Some(listed) => listed.extend(&self.now),
            None => add(&mut self.total, &self.now),
        }
        self.now.fill(0.0);
    }

    /// The total sums.
    pub fn sums(&self) -> Vec<f64> {
        let mut sums = self.total.clone();
        add(&mut sums, &self.now);
        sums
    }

    /// The sums of the blocks of `steps` steps, in order.
    pub fn list(mut self, steps: usize) -> Vec<f64> {
        if !steps.is_multiple_of(BLOCK) {
            self.close();
        }
        self.listed.unwrap_or_default()
    }

    /// Adds such a list for the following steps; returns the remainder of the list.
    pub fn join<'n>(&mut self, steps: usize, list: &'n [f64]) -> Option<&'n [f64]> {
        let (own, rest) = list.split_at_checked(self.now.len() * steps.div_ceil(BLOCK))?;
        own.chunks_exact(self.now.len().max(1)).for_each(|block| add(&mut self.total, block));
        Some(rest)
    }
}

fn add(sums: &mut [f64], more: &[f64]) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}
