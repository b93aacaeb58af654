//! Beliefs between which the functions of recurring phases are nearly linear, for each step: the
//! nodes that a certificate needs.
//!
//! Approximate backward induction on D and V with node reduction; the results are not bounds.

use super::enclosure::Pair;
use super::operator::Line;
use super::recursion::Chances;
use super::recursion::Recursion;
use crate::phase_switching::polylines::polyline::Polyline;
use crate::phase_switching::polylines::shifted::Change;
use crate::phase_switching::problem::PhaseSwitching;
use crate::phase_switching::value_function::relative::Relative;
use crate::rounding::nearest;

/// The difference and the value after some backward steps, reduced.
#[derive(Debug)]
pub struct Places {
    recursion: Recursion,
    running: Line,
    next: Polyline,
    raw: Polyline,
    value: Polyline,
    /// Reduction of the difference and of the value per step.
    merge: [f64; 2],
}

/// Nodes for a stationary program: its approximate relative value, and beliefs for its one-step
/// change, for the mean of that change after one step, and so on.
#[derive(Debug)]
pub struct AtRest {
    /// Beliefs, increasing.
    pub at: Vec<f64>,
    /// The relative value at each belief.
    pub value: Vec<f64>,
    /// Beliefs for each mean.
    pub means: Vec<Vec<f64>>,
}

/// Share of the remaining reduction budget that one mean uses, the flatness (relative to the
/// tolerance) at which means end, and their largest number.
const SPEND: f64 = 0.03;
const FLAT: f64 = 0.2;
const MOST_MEANS: usize = 2000;

impl Places {
    /// The state before any step; `problem` must be valid. A step may move the difference by
    /// `tolerance` times the gain of a cycle, and the value by `value`.
    pub fn new(problem: &PhaseSwitching, tolerance: f64, value: f64) -> Places {
        let recursion = Recursion::new(problem);
        let merge = [tolerance * recursion.scale, value];
        let running = [nearest(&problem.cycle[0][0]), nearest(&problem.cycle[1][0])];
        let nothing = Polyline::constant(0.0);
        let [next, raw] = [nothing.clone(), nothing.clone()];
        Places { recursion, running, next, raw, value: nothing, merge }
    }

    /// Takes one step back with this survival probability. Returns nodes strictly between 0 and 1.
    pub fn step(&mut self, survival: f64) -> Vec<f64> {
        let Recursion { filter, difference, low, high, most_nodes, .. } = &self.recursion;
        let [merge, rough] = self.merge;
        self.raw = filter.back::<true>(&self.next, survival, *difference, None).rising::<true>();
        self.next = self.raw.cut_and_reduced::<true>([*low, *high], merge, *most_nodes);
        let gains = self.gains();
        let back = filter.back::<true>(&self.value, survival, self.running, Some(&gains.lower));
        self.value = back.reduced_to::<true>(rough, *most_nodes);
        let start = self.value.value[0];
        self.value.value.iter_mut().for_each(|value| *value -= start);
        let short = self.raw.reduced_to::<true>(merge, *most_nodes);
        inner(&[&short, &self.value])
    }

    /// Nodes of a step whose next difference is clipped from `belief` on: the beliefs that one
    /// observation updates to it.
    pub fn preimages(&self, belief: f64) -> Vec<f64> {
        self.recursion.filter.preimages(belief)
    }

    fn gains(&self) -> Pair {
        let raw = Pair { upper: self.raw.clone(), lower: self.raw.clone() };
        self.recursion.gains(&raw)
    }

    /// The nodes for infinitely many steps like the last one, each mean to `tolerance`.
    pub fn rest(&self, tolerance: f64) -> AtRest {
        let always = Chances { survival: 1.0, failure: 0.0 };
        let recursion = &self.recursion;
        let Relative { value, mut change } =
            Relative::of(recursion, self.running, &self.gains(), always, tolerance, &());
        let mut legacy =
            Change::of(self.value.less::<true>(&value), self.value.less::<false>(&value));
        let mut means = Vec::new();
        let mut budget = FLAT * tolerance;
        loop {
            means.push(inner(&[&change.upper.shape, &legacy.upper.shape]));
            let [[a, b], [c, d]] = change.lines();
            if (a - c).max(b - d) <= FLAT * tolerance || means.len() >= MOST_MEANS {
                return AtRest { at: value.at, value: value.value, means };
            }
            change.step(recursion, always, SPEND * budget, [0.0; 2], None);
            legacy.step(recursion, always, 100.0 * SPEND * budget, [0.0; 2], None);
            budget *= 1.0 - SPEND;
        }
    }
}

/// The nodes of the functions strictly between 0 and 1.
fn inner(lines: &[&Polyline]) -> Vec<f64> {
    let mut at: Vec<f64> = lines.iter().flat_map(|line| &line.at).copied().collect();
    at.retain(|p| *p > 0.0 && *p < 1.0);
    at.sort_by(f64::total_cmp);
    at.dedup();
    at
}
