//! Loads that move, as they are written: chains of levels, and the problems that are about them.

use crate::affine::Affine;
use crate::costs::Cost;
use crate::model::{Number, written};
use num_rational::BigRational;
use serde::Deserialize;

written! {
    pub struct Stopping {
        pub processes: Processes, pub capacities: Option<Vec<Number>>,
        #[serde(default)] pub running_cost: RunningCost, pub remap_cost: Cost, pub after_remap: After,
        pub steps: Option<u64>
    }
    pub enum Processes {
        Identical { count: usize, chain: Chain },
        Distinct(Vec<Chain>),
        Joint { loads: Vec<Vec<i64>>, transition: Transition }
    }
    pub enum Transition { Dense(Vec<Vec<Number>>), File(String) }
    #[derive(Default)]
    pub enum RunningCost { #[default] MaxMinusMean, MaxAbsDeviation, EuclideanDeviation }
    pub enum After { Stop, Uniform, Restart }

    pub enum Chain {
        Walk { #[serde(default)] lowest: i64, levels: usize, up: Number, down: Number, edge: Edge },
        BirthDeath { #[serde(default)] lowest: i64, up: Vec<Number>, down: Vec<Number> },
        Matrix { #[serde(default)] lowest: i64, rows: Vec<Vec<Number>> },
        Affine(Affine)
    }
    pub enum Edge { Reflect, Hold }

    pub struct LoadDrift {
        pub processors: usize, pub chain: Chain, pub initial_load: i64, pub steps: u64,
        pub remap_cost: Number, #[serde(default)] pub rebalance: Rebalance,
        #[serde(default)] pub decide: Decide, #[serde(default)] pub objective: Objective
    }
    #[derive(Default)]
    pub enum Rebalance { #[default] Split, Nearest, Stochastic }
    #[derive(Default)]
    pub enum Decide { #[default] AfterStep, BeforeStep }
    #[derive(Default)]
    pub enum Objective { #[default] Imbalance, Makespan }
}

impl Stopping {
    /// Those that are given.
    pub fn capacities(&self) -> Option<Vec<BigRational>> {
        self.capacities.as_ref().map(|list| list.iter().map(|c| c.0.clone()).collect())
    }

    /// What a remap costs, if that is the same everywhere.
    pub fn constant(&self) -> Option<&BigRational> {
        match &self.remap_cost {
            Cost::Constant(cost) => Some(&cost.0),
            _ => None,
        }
    }
}
