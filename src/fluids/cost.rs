//! What a step of the adaptive code costs each processor under a mapping.

use super::tube::Patch;

/// The coarse domain in `blocks` equal lengths, assigned to the processors in turn (a scatter
/// decomposition; with as many blocks as processors, one length each).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wrapped {
    /// Coarse cells.
    pub points: usize,
    /// Processors.
    pub processors: usize,
    /// Blocks.
    pub blocks: usize,
}

impl Wrapped {
    /// The first cell of a block; for the block after the last, the number of cells.
    pub fn first(&self, block: usize) -> usize {
        block * self.points / self.blocks
    }

    /// The processor that owns a block.
    pub fn owner(&self, block: usize) -> usize {
        block % self.processors
    }
}

/// The costs of a step, in units of one update of one grid point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prices {
    /// One exchange of boundary points with the other side of a block boundary, for each grid (the
    /// coarse one, and any patch) that crosses it; paid by both sides.
    pub exchange: f64,
    /// Fine points are updated, and exchanged, this many times per step.
    pub fine_steps: f64,
    /// Fine points per coarse cell.
    pub ratio: usize,
}

/// Adds the cost of one step to `per_processor` (one entry for each). Returns its number of
/// updates, the cost on a single processor.
pub fn charge(map: &Wrapped, prices: &Prices, patches: &[Patch], per_processor: &mut [f64]) -> f64 {
    let mut updates = map.points as f64;
    for block in 0..map.blocks {
        per_processor[map.owner(block)] += (map.first(block + 1) - map.first(block)) as f64;
        if block > 0 {
            exchange(map, block, prices.exchange, per_processor);
        }
    }
    for patch in patches {
        let end = patch.first + patch.density.len() / prices.ratio;
        let fine = prices.ratio as f64 * prices.fine_steps;
        updates += (end - patch.first) as f64 * fine;
        for block in 0..map.blocks {
            let (from, to) = (map.first(block), map.first(block + 1));
            let covered = end.min(to).saturating_sub(patch.first.max(from));
            per_processor[map.owner(block)] += covered as f64 * fine;
            if patch.first < from && from < end {
                exchange(map, block, prices.exchange * prices.fine_steps, per_processor);
            }
        }
    }
    updates
}

/// Charges both sides of the lower boundary of `block`, unless one processor owns both.
fn exchange(map: &Wrapped, block: usize, price: f64, per_processor: &mut [f64]) {
    let (below, above) = (map.owner(block - 1), map.owner(block));
    if below != above {
        per_processor[below] += price;
        per_processor[above] += price;
    }
}
