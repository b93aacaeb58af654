//! The perfect-information optimum: the least cost of any sequence of remaps on a path known in
//! advance (information-relaxation bound; Brown, Smith and Sun 2010).

use super::mapped::may_remap;
use super::{Mapped, Workload};
use crate::policy::Step;
use std::collections::HashMap;

/// Forward dynamic programming over a path as it unfolds: for every mapping that some sequence of
/// remaps reaches, the least cost of reaching it.
///
/// If the mapping after a remap does not depend on the earlier ones, each step adds one mapping:
/// O(K^2) evaluations of the loads. In general there are at most as many mappings as remap times
/// times the mappings a remap can lead to.
pub(super) struct Clairvoyant<'a, W: Workload> {
    workload: &'a W,
    /// Distinct mappings in order of their first occurrence, with the least cost so far. Mappings
    /// with different remaps under way are distinct.
    reached: Vec<(Mapped<W::Mapping>, f64)>,
    step: Step,
}

impl<'a, W: Workload> Clairvoyant<'a, W> {
    pub fn new(workload: &'a W, initial: Mapped<W::Mapping>) -> Self {
        Clairvoyant { workload, reached: vec![(initial, 0.0)], step: Step::default() }
    }

    /// Processes step `number`, to which the world has just advanced.
    pub fn step(&mut self, world: &W::World, number: u64) {
        let before = self.workload.decides_before_step();
        if !before || number > 1 {
            for (mapped, _) in &mut self.reached {
                mapped.follow(self.workload, world);
            }
        }
        if !before {
            self.pay(world, number);
        }
        self.branch(world, may_remap(self.workload, number));
        if before {
            self.pay(world, number);
        }
    }

    /// The least cost of the path so far.
    pub fn best(&self) -> f64 {
        self.reached.iter().map(|(_, cost)| *cost).fold(f64::INFINITY, f64::min)
    }

    fn pay(&mut self, world: &W::World, number: u64) {
        let workload = self.workload;
        for (mapped, cost) in &mut self.reached {
            self.step.refill(number, |loads| workload.loads(world, mapped.mapping(), loads));
            let time = workload.minimises_time();
            *cost += if time { self.step.max() } else { self.step.imbalance() };
            let share = mapped.slowdown(workload);
            if share > 0.0 {
                *cost += share * workload.duration(&self.step);
            }
            mapped.made();
        }
    }

    /// Puts arrived mappings into force, adds the result of a remap of every other mapping if it
    /// `may` be decided, and keeps the least cost of each.
    fn branch(&mut self, world: &W::World, may: bool) {
        let mut remapped = Vec::new();
        let mut has_arrived = false;
        for (mapped, cost) in &mut self.reached {
            if mapped.is_under_way() {
                has_arrived |= mapped.arrives();
            } else if may {
                let remap =
                    self.workload.remap_cost() + self.workload.surcharge(world, mapped.mapping());
                let mut mapped = mapped.clone();
                mapped.remap(self.workload, world);
                remapped.push((mapped, *cost + remap));
            }
        }
        if remapped.is_empty() && !has_arrived {
            return;
        }
        let mut places: HashMap<Mapped<W::Mapping>, usize> = HashMap::new();
        let mut kept: Vec<(Mapped<W::Mapping>, f64)> = Vec::new();
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
