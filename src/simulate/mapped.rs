//! The mapping of a run, and the one that is on its way.

use super::Workload;

/// The mapping that is in force, and what a remap under way will put in its place.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Mapped<M> {
    mapping: M,
    /// Steps still to be made on the old mapping, and the new one, which moves on unseen.
    under_way: Option<(u64, M)>,
}

impl<M: Clone> Mapped<M> {
    /// This one, no remap being under way.
    pub fn new(mapping: M) -> Mapped<M> {
        Mapped { mapping, under_way: None }
    }

    /// The mapping that is in force.
    pub fn mapping(&self) -> &M {
        &self.mapping
    }

    /// Carries both along with the step the world has just made.
    pub fn follow<W: Workload<Mapping = M>>(&mut self, workload: &W, world: &W::World) {
        workload.follow(world, &mut self.mapping);
        if let Some((_, next)) = &mut self.under_way {
            workload.follow(world, next);
        }
    }

    /// The share by which the step to be made is slower.
    pub fn slowdown<W: Workload<Mapping = M>>(&self, workload: &W) -> f64 {
        match self.under_way {
            Some((left, _)) if left > 0 => workload.overlap().slowdown,
            _ => 0.0,
        }
    }

    /// A step has been made.
    pub fn made(&mut self) {
        if let Some((left, _)) = &mut self.under_way {
            *left = left.saturating_sub(1);
        }
    }

    /// Whether a remap is under way. Then nothing is decided.
    pub fn is_under_way(&self) -> bool {
        self.under_way.is_some()
    }

    /// Puts the new mapping into force if its steps have been made; whether it did.
    pub fn arrives(&mut self) -> bool {
        if !matches!(self.under_way, Some((0, _))) {
            return false;
        }
        if let Some((_, next)) = self.under_way.take() {
            self.mapping = next;
        }
        true
    }

    /// A remap is decided; whether it is in force at once.
    pub fn remap<W: Workload<Mapping = M>>(&mut self, workload: &W, world: &W::World) -> bool {
        let mut next = self.mapping.clone();
        workload.remap(world, &mut next);
        self.under_way = Some((workload.overlap().steps, next));
        self.arrives()
    }
}

/// Whether a remap may be decided at this step: after it, or before it but for the first, and so that it comes into force
/// before the last step is made.
pub(super) fn may_remap<W: Workload>(workload: &W, step: u64) -> bool {
    let force = step.saturating_add(workload.overlap().steps);
    match workload.decides_before_step() {
        true => step > 1 && force <= workload.steps(),
        false => force < workload.steps(),
    }
}
