//! The beliefs between which the difference of the mappings is nearly linear, step by step.

use super::operator::Filter;
use super::polyline::Polyline;
use super::problem::PhaseSwitching;
use super::recursion::Recursion;

/// The difference after some steps back from the end, kept short.
#[derive(Debug)]
pub struct Places {
    recursion: Recursion,
    next: Polyline,
    merge: f64,
}

impl Places {
    /// Before any step of a problem that has been validated. A step may move the difference by `tolerance` times
    /// what a cycle gains.
    pub fn new(problem: &PhaseSwitching, tolerance: f64) -> Places {
        let recursion = Recursion::new(problem);
        let merge = tolerance * recursion.scale;
        Places { recursion, next: Polyline::constant(0.0), merge }
    }

    /// Goes a step back, in which the program survives with this chance: the beliefs, ascending, between 0 and 1.
    pub fn step(&mut self, survival: f64) -> Vec<f64> {
        let Recursion { filter, difference, low, high, most_nodes, .. } = &self.recursion;
        let raw = Filter::back::<true>(filter, &self.next, survival, *difference, None);
        let raw = raw.rising::<true>();
        self.next = raw.cut::<true>(*low, *high).reduced_to::<true>(self.merge, *most_nodes);
        let mut at = raw.reduced_to::<true>(self.merge, *most_nodes).at;
        at.retain(|p| *p > 0.0 && *p < 1.0);
        at
    }
}
