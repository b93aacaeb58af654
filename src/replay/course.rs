//! One policy on recorded steps, step by step; what the run itself paid; and hindsight.

use crate::observer::{Halt, Observer};
use crate::overlap::{Overlap, Price};
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

    /// Takes in the course of the steps that follow.
    pub fn extend(&mut self, next: Course) {
        let (tally, before) = (next.tally, self.costs.len() as u64);
        self.tally.time += tally.time;
        self.tally.work += tally.work;
        self.tally.value += tally.value;
        if tally.remaps > 0 {
            self.tally.last_remap = before + tally.last_remap;
        }
        self.tally.remaps += tally.remaps;
        self.costs.extend(next.costs);
        self.remaps.extend(next.remaps);
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

/// A policy on steps that come one by one: what is remembered of them is where the ranks were at the last remap.
#[derive(Debug, Clone)]
pub struct Playing {
    price: Price,
    /// Where every rank was at the last remap, and their mean; none where the run is as recorded.
    base: Option<(Vec<f64>, f64)>,
    /// Steps that the remap under way has been, and where the ranks were when it was decided.
    begun: Option<(u64, Vec<f64>)>,
    seen: Step,
    number: u64,
}

/// What was paid for a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paid {
    /// The largest time, and the mean.
    pub max: f64,
    /// The mean, without what a remap under way has slowed it by.
    pub mean: f64,
    /// Whether a remap was decided after it.
    pub remapped: bool,
}

impl Playing {
    /// From where the ranks were at the last remap, as [`Record::loads`] has it; none where the run is as recorded.
    pub fn new(price: impl Into<Price>, base: Option<&[f64]>) -> Playing {
        Playing {
            price: price.into(),
            base: base.map(|path| (path.to_vec(), crate::record::mean(path))),
            begun: None,
            seen: Step::default(),
            number: 0,
        }
    }

    /// The next step, at which the ranks would be at `path` had nothing been remapped, and a remap would even out `loads`. A remap is decided only if it
    /// `may` be. While one is under way the policy sees the steps as they are then, slower, and is not asked.
    pub fn step(
        &mut self,
        path: &[f64],
        loads: &[f64],
        may: bool,
        policy: &mut dyn Policy,
    ) -> Paid {
        let Overlap { steps: delay, slowdown } = self.price.overlap;
        let slower = if self.begun.is_some() { 1.0 + slowdown } else { 1.0 };
        self.number += 1;
        let base = &self.base;
        self.seen.refill(self.number, |times| {
            Recorded::since(base.as_ref().map(|(then, mean)| (&then[..], *mean)), path, times);
            times.iter_mut().for_each(|time| *time *= slower);
        });
        policy.observe(&self.seen);
        let (max, mean) = (self.seen.max(), self.seen.mean() / slower);
        let remapped = self.begun.is_none() && may && policy.wants_remap();
        if remapped {
            self.begun = Some((0, loads.to_vec()));
            if delay > 0 {
                policy.begun();
            }
        }
        match &mut self.begun {
            Some((made, _)) if *made < delay => *made += 1,
            begun => {
                if let Some((_, then)) = begun.take() {
                    policy.remapped();
                    let mean = crate::record::mean(&then);
                    self.base = Some((then, mean));
                }
            }
        }
        Paid { max, mean, remapped }
    }
}

/// Plays a policy on the steps `steps`, started from `base`. A remap whose mapping would come into force after the
/// last of them is not made. While one is under way the policy sees the steps as they are then, slower, and is not
/// asked. Work: steps x ranks, and the policy's.
pub fn play(
    record: &Record,
    steps: Range<usize>,
    base: Base,
    price: impl Into<Price>,
    policy: &mut dyn Policy,
) -> Course {
    let price = price.into();
    let delay = price.overlap.steps as usize;
    let base = match base {
        Base::AsRecorded => None,
        Base::Balanced(step) => Some(record.loads(step)),
    };
    let (mut playing, mut course) = (Playing::new(price, base), Course::empty(steps.len()));
    for step in steps.clone() {
        let Paid { max, mean, remapped } = playing.step(
            record.path(step),
            record.loads(step),
            step + delay + 1 < steps.end,
            policy,
        );
        course.pay(max, mean);
        if remapped {
            course.remap(step, price.stops);
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

/// A remap that may have been the last.
struct Last {
    /// The first step, counted from 0, on its mapping.
    from: usize,
    /// The least cost of all steps so far, and what those on its mapping would cost while it is being replaced.
    cost: f64,
    replaced: f64,
    /// Both after each of the last steps, as many as a remap takes and one.
    then: Vec<(f64, f64)>,
}

impl Last {
    fn new(from: usize, cost: f64, overlap: Overlap) -> Last {
        Last { from, cost, replaced: 0.0, then: vec![(0.0, 0.0); overlap.steps as usize + 1] }
    }

    fn pay(&mut self, step: usize, imbalance: f64, mean: f64, overlap: Overlap) {
        self.cost += imbalance;
        self.replaced += imbalance + overlap.slowdown * (mean + imbalance);
        let place = step % self.then.len();
        self.then[place] = (self.cost, self.replaced);
    }

    /// The least cost up to this step if its mapping has just been replaced, by a remap decided after `decided`.
    fn until(&self, decided: usize) -> f64 {
        let (cost, replaced) = self.then[decided % self.then.len()];
        if self.from <= decided { cost + (self.replaced - replaced) } else { f64::INFINITY }
    }
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
    price: impl Into<Price>,
    observer: &dyn Observer,
) -> Result<f64, Halt> {
    let Price { stops, overlap } = price.into();
    let delay = overlap.steps as usize;
    let ranks = record.ranks();
    let deviations = |row: &[f64]| {
        let mean = crate::record::mean(row);
        row.iter().map(|time| time - mean).collect::<Vec<f64>>()
    };
    let mut bases = match base {
        Base::AsRecorded => vec![0.0; ranks],
        Base::Balanced(step) => deviations(record.loads(step)),
    };
    bases.reserve(steps.len() * ranks);
    let mut remaps = vec![Last::new(0, 0.0, overlap)];
    for (made, step) in steps.clone().enumerate() {
        let path = record.path(step);
        let (row, mean) = (deviations(path), crate::record::mean(path));
        let imbalance = |base: &[f64]| {
            let most = |most: f64, (now, then): (&f64, &f64)| most.max(now - then);
            row.iter().zip(base).fold(0.0, most)
        };
        let enough = (1 << 14) / ranks + 1;
        remaps
            .par_iter_mut()
            .zip(bases.par_chunks_exact(ranks))
            .with_min_len(enough)
            .for_each(|(remap, base)| remap.pay(made, imbalance(base), mean, overlap));
        if step + 1 < steps.end && made >= delay {
            let all = remaps.iter().map(|remap| remap.until(made - delay));
            let least = all.fold(f64::INFINITY, f64::min);
            remaps.push(Last::new(made + 1, least + stops, overlap));
            bases.extend(deviations(record.loads(step - delay)));
        }
        let done = (made * made) as u64;
        if let ControlFlow::Break(halt) = observer.progress(done, (steps.len() as u64).pow(2)) {
            return Err(halt);
        }
    }
    Ok(remaps.iter().map(|remap| remap.cost).fold(f64::INFINITY, f64::min))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::left_over::left_over;
    use crate::policy::Rule;
    use crate::random::stream;
    use crate::record::Remap;
    use rand::RngExt;

    /// Four ranks that gain as many times .005 as their number in a step; remaps, every forty steps, leave up to a tenth.
    fn unevenly_split(seed: u64) -> Record {
        let mut numbers = stream(11, seed);
        let mut seconds = Vec::new();
        let mut off = [0.0; 4];
        for step in 0..400 {
            if step % 40 == 0 && step > 0 {
                off = off.map(|_| 0.1 * numbers.random_range(-1.0..1.0));
            }
            for (rank, off) in off.iter_mut().enumerate() {
                *off += 0.005 * rank as f64;
                seconds.push(2.0 + *off + 0.002 * numbers.random_range(-1.0..1.0));
            }
        }
        let remaps = (1..10).map(|many| Remap { before: 40 * many, seconds: None }).collect();
        Record::new(4, seconds, remaps).unwrap()
    }

    #[test]
    fn what_is_left_is_played_by_policies_and_hindsight() {
        for seed in 0..10 {
            let record = unevenly_split(seed);
            let left = left_over(&record).unwrap();
            let told = record.clone().with_left(left.clone());
            let off = left.iter().map(|left| crate::record::imbalance(&left.off)).sum::<f64>()
                / left.len() as f64;
            let steps = 200..400;
            let base = standing(&told, 200);
            let least = hindsight(&told, steps.clone(), base, 0.05, &()).unwrap();
            for every in [1, 2, 10, 40] {
                let cost = |record: &Record| {
                    let mut rule = Rule::Fixed(every).start(0.05);
                    play(record, steps.clone(), base, 0.05, rule.as_mut()).tally.value
                };
                let (even, uneven) = (cost(&record), cost(&told));
                assert!(uneven > least - 1e-9, "{seed}: {uneven} below {least}");
                if every <= 2 {
                    assert!(uneven - even > 0.5 * off * 190.0, "{seed}, {every}: {even} {uneven}");
                }
            }
        }
    }
}
