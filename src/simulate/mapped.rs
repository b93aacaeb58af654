//! The mapping in force, and a delayed (asynchronous) remap under way.

use super::Workload;

/// The mapping in force, and the one that a remap under way will replace it by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Mapped<M> {
    mapping: M,
    /// Remaining steps on the old mapping, and the new mapping, which follows the world already.
    under_way: Option<(u64, M)>,
}

impl<M: Clone> Mapped<M> {
    /// A mapping without a remap under way.
    pub fn new(mapping: M) -> Mapped<M> {
        Mapped { mapping, under_way: None }
    }

    /// The mapping that is in force.
    pub fn mapping(&self) -> &M {
        &self.mapping
    }

    /// Lets both mappings follow the latest step of the world.
    pub fn follow<W: Workload<Mapping = M>>(&mut self, workload: &W, world: &W::World) {
        workload.follow(world, &mut self.mapping);
        if let Some((_, next)) = &mut self.under_way {
            workload.follow(world, next);
        }
    }

    /// Relative slowdown of the next step.
    pub fn slowdown<W: Workload<Mapping = M>>(&self, workload: &W) -> f64 {
        match self.under_way {
            Some((left, _)) if left > 0 => workload.overlap().slowdown,
            _ => 0.0,
        }
    }

    /// Counts a step.
    pub fn made(&mut self) {
        if let Some((left, _)) = &mut self.under_way {
            *left = left.saturating_sub(1);
        }
    }

    /// Whether a remap is under way; no other is decided meanwhile.
    pub fn is_under_way(&self) -> bool {
        self.under_way.is_some()
    }

    /// Puts the new mapping into force once its steps are counted; returns whether it did.
    pub fn arrives(&mut self) -> bool {
        if !matches!(self.under_way, Some((0, _))) {
            return false;
        }
        if let Some((_, next)) = self.under_way.take() {
            self.mapping = next;
        }
        true
    }

    /// Decides a remap; returns whether its mapping is in force at once.
    pub fn remap<W: Workload<Mapping = M>>(&mut self, workload: &W, world: &W::World) -> bool {
        let mut next = self.mapping.clone();
        workload.remap(world, &mut next);
        self.under_way = Some((workload.overlap().steps, next));
        self.arrives()
    }
}

/// Whether a remap may be decided at this step: after it, or before it except the first. Its
/// mapping must take effect before the last step.
pub(super) fn may_remap<W: Workload>(workload: &W, step: u64) -> bool {
    let force = step.saturating_add(workload.overlap().steps);
    match workload.decides_before_step() {
        true => step > 1 && force <= workload.steps(),
        false => force < workload.steps(),
    }
}
