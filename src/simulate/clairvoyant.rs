//! The least cost any sequence of remaps reaches on a path known in advance.

use super::Workload;
use crate::policy::Step;
use std::collections::HashMap;

/// Forward dynamic programming over a path as it unfolds: for every mapping that some sequence of
/// remaps leads to, the least cost of getting there. After step k there are at most as many
/// mappings as earlier remap moments times the mappings a remap can leave, and in a workload where
/// a remap forgets the past, exactly one new one per step: O(K^2) evaluations of the loads.
pub(super) struct Clairvoyant<'a, W: Workload> {
    workload: &'a W,
    /// Distinct mappings in the order they arose, with the least cost so far.
    reached: Vec<(W::Mapping, f64)>,
    step: Step,
}

impl<'a, W: Workload> Clairvoyant<'a, W> {
    pub fn new(workload: &'a W, initial: W::Mapping) -> Self {
        Clairvoyant { workload, reached: vec![(initial, 0.0)], step: Step::default() }
    }

    /// Takes in step `number`, which the world has just come to.
    pub fn step(&mut self, world: &W::World, number: u64) {
        let before = self.workload.decides_before_step();
        if !before || number > 1 {
            for (mapping, _) in &mut self.reached {
                self.workload.follow(world, mapping);
            }
        }
        if !before {
            self.pay(world, number);
        }
        if if before { number > 1 } else { number < self.workload.steps() } {
            self.branch(world);
        }
        if before {
            self.pay(world, number);
        }
    }

    /// The least cost of the path so far.
    pub fn best(&self) -> f64 {
        self.reached.iter().map(|(_, cost)| *cost).fold(f64::INFINITY, f64::min)
    }

    fn pay(&mut self, world: &W::World, number: u64) {
        for (mapping, cost) in &mut self.reached {
            self.step.refill(number, |loads| self.workload.loads(world, mapping, loads));
            let time = self.workload.minimises_time();
            *cost += if time { self.step.max() } else { self.step.imbalance() };
        }
    }

    /// Adds what a remap makes of every mapping, and keeps the cheapest way to each.
    fn branch(&mut self, world: &W::World) {
        let remapped: Vec<(W::Mapping, f64)> = self
            .reached
            .iter()
            .map(|(mapping, cost)| {
                let remap = self.workload.remap_cost() + self.workload.surcharge(world, mapping);
                let mut mapping = mapping.clone();
                self.workload.remap(world, &mut mapping);
                (mapping, cost + remap)
            })
            .collect();
        let mut places: HashMap<W::Mapping, usize> = HashMap::new();
        let mut kept: Vec<(W::Mapping, f64)> = Vec::new();
        for (mapping, cost) in self.reached.drain(..).chain(remapped) {
            match places.get(&mapping) {
                Some(&place) => kept[place].1 = kept[place].1.min(cost),
                None => {
                    places.insert(mapping.clone(), kept.len());
                    kept.push((mapping, cost));
                }
            }
        }
        self.reached = kept;
    }
}
