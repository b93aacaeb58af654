//! Walks on all loads from a lowest one up, of which the first levels are looked at.

use crate::loads::{Chain, Edge, Processes};
use crate::model::{Number, written};
use crate::{Refusal, model_error};
use num_rational::BigRational;
use num_traits::Zero;

written! {
    pub struct Unbounded {
        pub count: usize, #[serde(default)] pub lowest: i64, pub up: Number, pub down: Number,
        pub edge: Edge, pub shown: usize
    }
}

/// Processes, and levels of each that are shown.
const MOST: [usize; 2] = [100, 1000];

impl Processes {
    /// If these have no highest load, the walks; the levels that are shown take their place.
    pub fn unbounded(&mut self) -> Result<Option<Unbounded>, Refusal> {
        let Processes::Unbounded(walks) = self else { return Ok(None) };
        let walks = walks.clone();
        if !(1..=MOST[0]).contains(&walks.count) || !(2..=MOST[1]).contains(&walks.shown) {
            return model_error("1 to 100 walks, and 2 to 1000 levels of each, can be shown");
        }
        *self = walks.levels(walks.shown, &walks.down);
        Ok(Some(walks))
    }
}

impl Unbounded {
    /// On so many levels, the last of which is left downward alone, with this probability.
    pub fn levels(&self, levels: usize, last: &Number) -> Processes {
        let (mut up, mut down) = (vec![self.up.clone(); levels], vec![self.down.clone(); levels]);
        down[levels - 1] = last.clone();
        up[levels - 1] = Number(BigRational::zero());
        down[0] = Number(BigRational::zero());
        if self.edge == Edge::Reflect {
            up[0] = Number(&self.up.0 + &self.down.0);
        }
        let chain = Chain::BirthDeath { lowest: self.lowest, up, down };
        Processes::Identical { count: self.count, chain }
    }
}
