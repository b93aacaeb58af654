//! The state that a remap leads to, where the loads continue from there.

use crate::core::budget::Refusal;
use crate::loads::imbalance::Imbalance;
use crate::loads::remaps::exchange::extra;
use crate::loads::states::space::Space;

impl Space {
    /// For each state the index of the one that a remap leads to, and whether the remap moves
    /// nothing.
    pub fn evened(&self, imbalance: &Imbalance) -> Result<(Vec<usize>, Vec<bool>), Refusal> {
        let (totals, own) = self.totals()?;
        let (even, kinds) = (self.targets(imbalance, &totals), self.alike(imbalance));
        let to = even.iter().map(|loads| self.place_of(loads));
        let (to, mut still) = (to.collect::<Result<Vec<usize>, Refusal>>()?, Vec::new());
        let back = self.each(|s, loads| {
            still.push(extra(&kinds, loads, &even[own[s]]).iter().all(|above| *above == 0));
            self.twin(s, to[own[s]])
        });
        Ok((back?, still))
    }
}
