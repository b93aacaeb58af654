//! Sums over the steps of a run that have the same bits whoever has taken in which of them: the steps of a block are
//! added up for themselves, and the sums of blocks one after the other.

/// Steps of a block.
pub const BLOCK: usize = 1 << 14;

/// Some sums.
#[derive(Debug, Clone)]
pub(super) struct Blocks {
    /// Of the block that is not yet full.
    pub now: Vec<f64>,
    /// Of all full ones.
    total: Vec<f64>,
    /// Each full one, where the blocks before them are elsewhere.
    listed: Option<Vec<f64>>,
}

impl Blocks {
    /// So many sums from the first step on, or of a later part of a run.
    pub fn new(numbers: usize, is_later: bool) -> Blocks {
        let (now, total) = (vec![0.0; numbers], vec![0.0; numbers]);
        Blocks { now, total, listed: is_later.then(Vec::new) }
    }

    /// The step, which has been added, may be the last of its block.
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

    /// All of them.
    pub fn sums(&self) -> Vec<f64> {
        let mut sums = self.total.clone();
        add(&mut sums, &self.now);
        sums
    }

    /// Those of the blocks of so many steps, one after the other.
    pub fn list(mut self, steps: usize) -> Vec<f64> {
        if !steps.is_multiple_of(BLOCK) {
            self.close();
        }
        self.listed.unwrap_or_default()
    }

    /// Adds such a list, of the steps that follow; returns what is left of it.
    pub fn join<'n>(&mut self, steps: usize, list: &'n [f64]) -> Option<&'n [f64]> {
        let (own, rest) = list.split_at_checked(self.now.len() * steps.div_ceil(BLOCK))?;
        own.chunks_exact(self.now.len().max(1)).for_each(|block| add(&mut self.total, block));
        Some(rest)
    }
}

fn add(sums: &mut [f64], more: &[f64]) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}
