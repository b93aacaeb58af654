//! The beliefs between which functions of recurring phases are nearly linear, step by step.

use super::around::{Around, Pair};
use super::operator::Line;
use super::polyline::Polyline;
use super::problem::PhaseSwitching;
use super::recursion::Chances;
use super::recursion::Recursion;
use super::relative::Relative;
use super::shifted::Change;
use crate::rounding::nearest;

/// The difference and the value after some steps back from the end, kept short.
#[derive(Debug)]
pub struct Places {
    recursion: Recursion,
    running: Line,
    next: Polyline,
    raw: Polyline,
    value: Polyline,
    /// How far a step may move the difference and the value.
    merge: [f64; 2],
}

/// A program at rest: its value, roughly, and beliefs for what a step changes in it, then for the mean of that
/// after one step, and so on.
#[derive(Debug)]
pub struct AtRest {
    /// Beliefs.
    pub at: Vec<f64>,
    /// The value at each.
    pub value: Vec<f64>,
    /// Beliefs of the means.
    pub means: Vec<Vec<f64>>,
}

/// What a step uses of what means may be moved in all, and when they are flat enough; how many there are at most.
const SPEND: f64 = 0.03;
const FLAT: f64 = 0.2;
const MOST_MEANS: usize = 2000;

impl Places {
    /// Before any step of a problem that has been validated. A step may move the difference by `tolerance` times
    /// what a cycle gains, and the value by `value`.
    pub fn new(problem: &PhaseSwitching, tolerance: f64, value: f64) -> Places {
        let recursion = Recursion::new(problem);
        let merge = [tolerance * recursion.scale, value];
        let running = [nearest(&problem.cycle[0][0]), nearest(&problem.cycle[1][0])];
        let nothing = Polyline::constant(0.0);
        let [next, raw] = [nothing.clone(), nothing.clone()];
        Places { recursion, running, next, raw, value: nothing, merge }
    }

    /// Goes a step back, in which the program survives with this chance: the beliefs between 0 and 1.
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

    fn gains(&self) -> Pair {
        let raw = Pair { upper: self.raw.clone(), lower: self.raw.clone() };
        self.recursion.gains(&Around::Both(raw))
    }

    /// If all steps are as the last one from now on: what shows what they add up to, to `tolerance` each.
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
            means.push(inner(&[change.upper(), legacy.upper()]));
            let [[a, b], [c, d]] = change.lines();
            if (a - c).max(b - d) <= FLAT * tolerance || means.len() >= MOST_MEANS {
                return AtRest { at: value.at, value: value.value, means };
            }
            change.step(recursion, always, SPEND * budget);
            legacy.step(recursion, always, 100.0 * SPEND * budget);
            budget *= 1.0 - SPEND;
        }
    }
}

/// The nodes of functions between 0 and 1.
fn inner(lines: &[&Polyline]) -> Vec<f64> {
    let mut at: Vec<f64> = lines.iter().flat_map(|line| &line.at).copied().collect();
    at.retain(|p| *p > 0.0 && *p < 1.0);
    at.sort_by(f64::total_cmp);
    at.dedup();
    at
}
