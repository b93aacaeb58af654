//! How far the law of a chain's level can still move.

use super::LoadChain;

/// Probability of staying on a level that counts as none.
const ROUNDING: f64 = 1e-15;

/// The laws after some steps from all levels that the start may be on after as many steps as its
/// period: all it can reach, or, where no level is ever stayed on, every second one of those.
///
/// The law at any later time, a multiple of the period away, is a mixture of them. So it differs from that
/// of the start in total variation by no more than the farthest of them.
pub(super) struct Settling<'a> {
    chain: &'a LoadChain,
    laws: Vec<Vec<f64>>,
    /// Index of the start's own law.
    own: usize,
    /// 1, or 2 if the level is even and odd by turns.
    pub(super) period: u64,
}

impl<'a> Settling<'a> {
    pub(super) fn new(chain: &'a LoadChain, start: usize) -> Self {
        let (up, down) = (&chain.up, &chain.down);
        let lowest = (1..=start).rev().find(|&level| down[level] == 0.0);
        let lowest = lowest.unwrap_or(0);
        let highest = (start..up.len()).find(|&level| up[level] == 0.0).unwrap_or(up.len() - 1);
        let stays = |level: usize| 1.0 - up[level] - down[level] > ROUNDING;
        let period = if (lowest..=highest).any(stays) { 1 } else { 2 };
        let levels = (lowest..=highest).filter(|level| level.abs_diff(start) % period == 0);
        let levels: Vec<usize> = levels.collect();
        let point = |level: &usize| {
            let mut law = vec![0.0; up.len()];
            law[*level] = 1.0;
            law
        };
        Self {
            chain,
            own: levels.iter().position(|level| *level == start).unwrap_or(0),
            laws: levels.iter().map(point).collect(),
            period: period as u64,
        }
    }

    /// One step on, and the largest total variation between the laws and that of the start.
    pub(super) fn step(&mut self) -> f64 {
        for law in &mut self.laws {
            *law = self.chain.step(law);
        }
        let own = &self.laws[self.own];
        self.laws.iter().map(|law| distance(law, own)).fold(0.0, f64::max)
    }
}

/// Total variation.
pub(super) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(p, q)| (p - q).abs()).sum::<f64>() / 2.0
}
