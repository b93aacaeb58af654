//! Walks without a highest load, as model files state them.

use crate::core::decimal::Number;
use crate::core::written;
use crate::loads::{Chain, Edge, Processes};
use num_rational::BigRational;
use num_traits::Zero;

written! {
    pub struct Unbounded {
        pub count: usize, #[serde(default)] pub lowest: i64, pub up: Number, pub down: Number,
        pub edge: Edge, pub shown: usize
    }
}

impl Unbounded {
    /// The walks on `levels` levels. The last level is left only downward, with probability `last`.
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
