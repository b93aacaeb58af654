//! Loads that move, as they are written: processes, and chains of levels.

pub mod chain;
pub mod counts;
pub mod equal;
pub mod imbalance;
pub mod joint;
pub mod missed;
pub mod multisets;
pub mod returns;
pub mod space;
pub mod targets;

use crate::model::{Number, written};

written! {
    pub enum Processes {
        Identical { count: usize, chain: Chain },
        Distinct(Vec<Chain>),
        Joint { loads: Vec<Vec<i64>>, transition: Transition }
    }
    pub enum Transition { Dense(Vec<Vec<Number>>), File(String) }

    pub enum Chain {
        Walk { #[serde(default)] lowest: i64, levels: usize, up: Number, down: Number, edge: Edge },
        BirthDeath { #[serde(default)] lowest: i64, up: Vec<Number>, down: Vec<Number> },
        Matrix { #[serde(default)] lowest: i64, rows: Vec<Vec<Number>> }
    }
    pub enum Edge { Reflect, Hold }
}
