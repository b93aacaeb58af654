//! One policy on recorded steps, step by step; what the run itself paid; and hindsight.

use crate::observer::{Halt, Observer};
use crate::policy::{Policy, Step};
use crate::record::Record;
use crate::simulate::{Base, Recorded, Tally};
use rayon::prelude::*;
use std::ops::{ControlFlow, Range};

/// What a policy paid, and when it remapped.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// Sums over the steps.
    pub tally: Tally,
    /// Of each step max - mean, and a remap if one followed it.
    pub costs: Vec<f64>,
    /// The steps of the record after which it remapped.
    pub remaps: Vec<usize>,
}

impl Course {
    fn empty(steps: usize) -> Course {
        Course { tally: Tally::default(), costs: Vec::with_capacity(steps), remaps: Vec::new() }
    }

    fn pay(&mut self, max: f64, mean: f64) {
        let imbalance = (max - mean).max(0.0);
        self.tally.time += max;
        self.tally.work += mean;
        self.tally.value += imbalance;
        self.costs.push(imbalance);
    }

    fn remap(&mut self, after: usize, cost: f64) {
        self.tally.time += cost;
        self.tally.value += cost;
        self.tally.remaps += 1;
        self.tally.last_remap = self.costs.len() as u64;
        if let Some(last) = self.costs.last_mut() {
            *last += cost;
        }
        self.remaps.push(after);
    }
}

/// Where the recorded run stood before a step: the last remap it had made.
pub fn standing(record: &Record, step: usize) -> Base {
    let before = record.remaps().iter().map(|remap| remap.before);
    match before.filter(|before| (1..=step).contains(before)).max() {
        Some(before) => Base::Balanced(before - 1),
        None => Base::AsRecorded,
    }
}

/// Plays a policy on the steps `steps`, started from `base`. After the last of them nobody remaps. Work: steps x
/// ranks, and the policy's.
pub fn play(
    record: &Record,
    steps: Range<usize>,
    base: Base,
    remap_cost: f64,
    policy: &mut dyn Policy,
) -> Course {
    let (mut base, mut course) = (base, Course::empty(steps.len()));
    let mut seen = Step::default();
    for (number, step) in (1..).zip(steps.clone()) {
        seen.refill(number, |times| Recorded::times(record, base, step, times));
        policy.observe(&seen);
        course.pay(seen.max(), seen.mean());
        if step + 1 < steps.end && policy.wants_remap() {
            policy.remapped();
            base = Base::Balanced(step);
            course.remap(step, remap_cost);
        }
    }
    course
}

/// What the run paid on the steps `steps`: its own times, and `remap_cost` for each recorded remap between
/// them.
pub fn recorded(record: &Record, steps: Range<usize>, remap_cost: f64) -> Course {
    let mut course = Course::empty(steps.len());
    let mut remaps = record.remaps().iter().map(|remap| remap.before).peekable();
    for step in steps.clone() {
        let most = record.row(step).iter().copied().fold(f64::NEG_INFINITY, f64::max);
        course.pay(most, record.mean(step));
        while remaps.next_if(|before| *before <= step).is_some() {}
        if step + 1 < steps.end && remaps.peek() == Some(&(step + 1)) {
            course.remap(step, remap_cost);
        }
    }
    course
}

/// The least cost that any remaps between the steps reach from `base`, by dynamic programming over the last
/// remap. Work: steps^2 x ranks / 2.
///
/// # Errors
/// The halt the observer asked for.
pub fn hindsight(
    record: &Record,
    steps: Range<usize>,
    base: Base,
    remap_cost: f64,
    observer: &dyn Observer,
) -> Result<f64, Halt> {
    let ranks = record.ranks();
    let deviations = |row: &[f64]| {
        let mean = crate::record::mean(row);
        row.iter().map(|time| time - mean).collect::<Vec<f64>>()
    };
    let mut bases = match base {
        Base::AsRecorded => vec![0.0; ranks],
        Base::Balanced(step) => deviations(record.path(step)),
    };
    bases.reserve(steps.len() * ranks);
    let mut costs = vec![0.0];
    for (made, step) in steps.clone().enumerate() {
        let row = deviations(record.path(step));
        let imbalance = |base: &[f64]| {
            let most = |most: f64, (now, then): (&f64, &f64)| most.max(now - then);
            row.iter().zip(base).fold(0.0, most)
        };
        let enough = (1 << 14) / ranks + 1;
        costs
            .par_iter_mut()
            .zip(bases.par_chunks_exact(ranks))
            .with_min_len(enough)
            .for_each(|(cost, base)| *cost += imbalance(base));
        if step + 1 < steps.end {
            let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
            costs.push(least + remap_cost);
            bases.extend(row);
        }
        let done = (made * made) as u64;
        if let ControlFlow::Break(halt) = observer.progress(done, (steps.len() as u64).pow(2)) {
            return Err(halt);
        }
    }
    Ok(costs.into_iter().fold(f64::INFINITY, f64::min))
}
