//! Where beliefs move under each report, and which lines and nodes of the next step speak of them there.

use crate::Refusal;
use crate::fixed::{UNIT, WEIGHT, down, up};
use crate::recursion::Grid;

/// What the step from one function to the next takes for each tangent and node, under either report.
#[derive(Clone)]
pub(crate) struct Held {
    pub motion: Motion,
    /// Which lines, out of how many.
    pub tags: Vec<[u32; 2]>,
    pub lines: usize,
    /// Which pair of nodes, and how much of each.
    pub shares: Vec<[Share; 2]>,
}

/// The first of two nodes, and the weights of both.
pub(crate) type Share = (u32, u64, u64);

/// Coefficients of the homogeneous step, rounded down and up: from before the change to before it and to
/// after it, and from after it to after it, under either report.
#[derive(Clone, PartialEq)]
pub(crate) struct Motion {
    pub low: [[u64; 3]; 2],
    pub high: [[u64; 3]; 2],
}

/// The functions of the step that comes after.
pub(crate) struct Later<'a> {
    pub lines: &'a [(u64, u64)],
    pub grid: &'a Grid,
}

impl Later<'_> {
    /// Which lines and nodes a step on `grid` takes.
    pub fn choose(&self, grid: &Grid, motion: Motion) -> Result<Held, Refusal> {
        let tangents = std::iter::once(&0).chain(&grid.tangents);
        let nodes = std::iter::once(&0).chain(&grid.nodes);
        let (tags, shares) =
            rayon::join(|| self.tags(tangents, &motion), || self.shares(nodes, &motion));
        Ok(Held { tags, lines: self.lines.len(), shares: shares?, motion })
    }

    /// For each tangent the better of two lines under either report.
    fn tags<'p>(&self, tangents: impl Iterator<Item = &'p u64>, motion: &Motion) -> Vec<[u32; 2]> {
        // Where the line after a tangent takes over does not matter: both are tried.
        let place = |line: usize| match line {
            0 => 0,
            line if line + 1 == self.lines.len() => UNIT,
            line => self.grid.tangents[line - 1],
        };
        let mut last = [0usize; 2];
        let choose = |p: &u64| {
            let one = |report: usize, k: &mut usize| {
                let [stay, change, after] = motion.high[report];
                let y = (up(UNIT - p, stay), up(UNIT - p, change) + up(*p, after));
                let all = u128::from(y.0) + u128::from(y.1);
                let reaches = |line| u128::from(place(line)) * all <= u128::from(y.1) << WEIGHT;
                while *k + 1 < self.lines.len() && reaches(*k + 1) {
                    *k += 1;
                }
                let value = |line: &(u64, u64)| {
                    u128::from(line.0) * u128::from(y.0) + u128::from(line.1) * u128::from(y.1)
                };
                let next =
                    self.lines.get(*k + 1).is_some_and(|next| value(next) < value(&self.lines[*k]));
                (*k + usize::from(next)) as u32
            };
            let [first, second] = &mut last;
            [one(0, first), one(1, second)]
        };
        tangents.map(choose).collect()
    }

    /// For each node the shares of two nodes under either report: together within where the belief moves,
    /// and what they leave of it is worth nothing less than 0.
    fn shares<'p>(
        &self,
        beliefs: impl Iterator<Item = &'p u64>,
        motion: &Motion,
    ) -> Result<Vec<[Share; 2]>, Refusal> {
        let nodes: Vec<u64> = std::iter::once(0).chain(self.grid.nodes.iter().copied()).collect();
        let mut last = [0usize; 2];
        let share = |p: &u64| {
            let one = |report: usize, i: &mut usize| {
                let [stay, change, after] = motion.low[report];
                let y = (down(UNIT - p, stay), down(UNIT - p, change) + down(*p, after));
                let all = y.0 + y.1;
                let beyond =
                    |node: u64| u128::from(node) * u128::from(all) > u128::from(y.1) << WEIGHT;
                while *i > 0 && beyond(nodes[*i]) {
                    *i -= 1;
                }
                while *i + 2 < nodes.len() && !beyond(nodes[*i + 1]) {
                    *i += 1;
                }
                let (here, next) = (nodes[*i], nodes[*i + 1]);
                // right = (y_1 - all here) / (next - here) or a little less.
                let ahead =
                    (u128::from(y.1) << WEIGHT).saturating_sub(u128::from(all) * u128::from(here));
                let right = ((ahead as f64 / (next - here) as f64 * (1.0 - 1e-15)) as u64).min(all);
                let taken = u128::from(right) * u128::from(next - here);
                let excess =
                    (ahead.checked_sub(taken).ok_or(Refusal::TooLarge)? >> WEIGHT) as u64 + 2;
                let spread = (UNIT - here).leading_zeros() - UNIT.leading_zeros() + 1;
                let left = (all - right).saturating_sub(
                    u64::try_from(u128::from(excess) << spread).unwrap_or(u64::MAX),
                );
                Ok((*i as u32, left, right))
            };
            let [first, second] = &mut last;
            Ok([one(0, first)?, one(1, second)?])
        };
        beliefs.map(share).collect()
    }
}
