//! Remaps that move any number of units.

use crate::core::budget::{Budget, Refusal};
use crate::core::span::Span;
use crate::loads::Cost;
use crate::loads::remaps::extra;
use crate::stopping::problem::{After, Stopping, Written};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;

impl Written {
    /// Whether the model has all that partial remaps need.
    pub fn goes_on_in_part(&self) -> bool {
        let by_units = !matches!(self.remap_cost, Cost::Listed(_));
        by_units && self.steps.is_none() && self.after_remap == After::Restart
    }
}

/// Bounds on the least cost over remaps of 1, 2, .. units and continuing, from bounds on the cost
/// of continuing.
pub(crate) fn cheapest(
    own: &Stopping,
    go: &[[u64; 2]],
    bits: u32,
    budget: &Budget,
) -> Result<Vec<[u64; 2]>, Refusal> {
    let ((imbalance, space), none) = (own.parts()?, BigRational::zero());
    let [fixed, each] = match &own.model.remap_cost {
        Cost::Constant(cost) => [&cost.0, &none],
        Cost::Moved([fixed, each]) => [&fixed.0, &each.0],
        Cost::Listed(_) => return Err(Refusal::Malformed),
    };
    let price = |units: usize| Span::from(&(fixed + each * BigInt::from(units))).units(bits);
    let (totals, of) = space.totals()?;
    let (even, mut prices) = (space.targets(imbalance, &totals), vec![[0; 2]]);
    let kinds = space.alike(imbalance);
    space.each(|s, loads| {
        let (mut now, mut least, mut units) = (loads.to_vec(), go[s], 0);
        let mut above = extra(&kinds, loads, &even[of[s]]);
        // A unit moves from the process farthest above its share to the one farthest below; the
        // first of equal ones is taken.
        while let Some(most) = (0..above.len()).min_by_key(|i| -above[*i]).filter(|i| above[*i] > 0)
        {
            let fewest = (0..above.len()).min_by_key(|i| above[*i]).unwrap_or(most);
            for (i, unit) in [(most, -1), (fewest, 1)] {
                above[i] += unit;
                now[i] += unit;
            }
            budget.spend(64 * now.len() as u64)?;
            units += 1;
            if units == prices.len() {
                prices.push(price(units)?);
            }
            let to = space.twin(s, space.place_of(&now)?)?;
            least = [0, 1].map(|i| least[i].min(prices[units][i] + go[to][i]));
        }
        Ok(least)
    })
}
