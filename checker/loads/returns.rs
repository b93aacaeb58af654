//! The state that a remap leads to, where loads go on from there.

use crate::Refusal;
use crate::loads::imbalance::Imbalance;
use crate::loads::space::Space;

impl Space {
    /// For each state the one that a remap leads to.
    pub fn evened(&self, imbalance: &Imbalance) -> Result<Vec<usize>, Refusal> {
        let (totals, own) = self.totals()?;
        let to = self.targets(imbalance, &totals).into_iter().map(|loads| self.place_of(&loads));
        let to = to.collect::<Result<Vec<usize>, Refusal>>()?;
        own.iter().enumerate().map(|(s, total)| self.twin(s, to[*total])).collect()
    }
}
