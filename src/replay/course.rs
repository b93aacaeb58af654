//! Cost of one policy on recorded steps, the cost the run itself paid, and the perfect-information
//! optimum.
//!
//! With x_k(i) the recorded time of rank i at step k, without remaps, and a remap after step b, the
//! time of rank i is
//!
//! ```text
//! t_k(i) = mean(x_b) + x_k(i) - x_b(i)
//! ```
//!
//! A policy takes O(steps x ranks) time plus its own; the optimum takes O(steps^2 x ranks).

use crate::observer::{Halt, Observer};
use crate::overlap::{Overlap, Price};
use crate::policy::{Policy, Step};
use crate::record::{Record, deviations, mean};
use crate::simulate::{Base, Recorded, Tally};
use rayon::prelude::*;
use std::ops::{ControlFlow, Range};

/// The cost of a policy and the times of its remaps.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// Sums over the steps.
    pub tally: Tally,
    /// By step: max - mean, plus the cost of a remap if one was decided after it.
    pub costs: Vec<f64>,
    /// The steps of the record after which the policy remapped.
    pub remaps: Vec<usize>,
}

impl Course {
    fn empty(steps: usize) -> Course {
        Course { tally: Tally::default(), costs: Vec::with_capacity(steps), remaps: Vec::new() }
    }

    /// Appends the results of the steps that follow.
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

/// The state of the recorded run before a step: its last remap.
pub fn standing(record: &Record, step: usize) -> Base {
    let before = record.remaps().iter().map(|remap| remap.before);
    match before.filter(|before| (1..=step).contains(before)).max() {
        Some(before) => Base::Balanced(before - 1),
        None => Base::AsRecorded,
    }
}

/// The state of a policy that is fed step by step: the rank times at the last remap and a remap
/// under way.
#[derive(Debug, Clone)]
pub struct Playing {
    price: Price,
    /// Rank times at the last remap and their mean; `None` if the run is as recorded.
    base: Option<(Vec<f64>, f64)>,
    /// Steps since the remap under way was decided, and the rank times at that moment.
    begun: Option<(u64, Vec<f64>)>,
    seen: Step,
    number: u64,
}

/// The cost of one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paid {
    /// The largest rank time.
    pub max: f64,
    /// The mean rank time, without the slowdown of a remap under way.
    pub mean: f64,
    /// Whether a remap was decided after the step.
    pub remapped: bool,
}

impl Playing {
    /// `base` are the rank times at the last remap, as in [`Record::loads`]; `None` if the run is
    /// as recorded.
    pub fn new(price: impl Into<Price>, base: Option<&[f64]>) -> Playing {
        Playing {
            price: price.into(),
            base: base.map(|path| (path.to_vec(), mean(path))),
            begun: None,
            seen: Step::default(),
            number: 0,
        }
    }

    /// Takes the next step. `path` are the rank times without any remap, `loads` those that a remap
    /// would even out. A remap is decided only if `may` holds. While a remap is under way the
    /// policy observes the slower steps, and cannot decide another.
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

/// Evaluates a policy on the steps `steps`, started from `base`. A remap whose mapping would take
/// effect only after the last step is not made. While a remap is under way the policy observes the
/// slower steps, and cannot decide another. O(steps x ranks), plus the policy's time.
pub fn play(
    record: &Record,
    steps: Range<usize>,
    base: Base,
    price: impl Into<Price>,
    policy: &mut dyn Policy,
) -> Course {
    play_at(record, steps, base, price.into(), policy)
}

fn play_at(
    record: &Record,
    steps: Range<usize>,
    base: Base,
    price: Price,
    policy: &mut dyn Policy,
) -> Course {
    let delay = price.overlap.steps as usize;
    let base = base.loads(record);
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

/// The cost the run itself paid on the steps `steps`: its own times, and `remap_cost` for each
/// recorded remap between them.
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

/// A candidate for the last remap, in the dynamic program over remap times.
struct Last {
    /// The first step on its mapping, counted from 0.
    from: usize,
    /// The least cost up to the current step, and the accumulated cost of steps on its mapping
    /// during a replacement.
    cost: f64,
    replaced: f64,
}

impl Last {
    /// Pays a step. `then` has both values after each of the latest steps, as many as a remap takes
    /// and one; this step is kept at this `place`: the step modulo the number of those kept.
    #[inline]
    fn pay(
        &mut self,
        then: &mut [(f64, f64)],
        place: usize,
        [imbalance, mean]: [f64; 2],
        overlap: Overlap,
    ) {
        self.cost += imbalance;
        self.replaced += imbalance + overlap.slowdown * (mean + imbalance);
        then[place] = (self.cost, self.replaced);
    }

    /// The least cost up to this step if its mapping has just been replaced, by a remap decided
    /// after `decided`, when both values were `then`.
    fn until(&self, decided: usize, then: (f64, f64)) -> f64 {
        let (cost, replaced) = then;
        if self.from <= decided { cost + (self.replaced - replaced) } else { f64::INFINITY }
    }
}

/// The largest of now - then, at least 0; four at a time, which are computed at once.
#[inline]
fn gain(now: &[f64], then: &[f64]) -> f64 {
    let ((now, more), (then, before)) = (now.as_chunks::<4>(), then.as_chunks::<4>());
    let larger = |a: f64, b: f64| if b > a { b } else { a };
    let mut most = [0.0; 4];
    for (now, then) in now.iter().zip(then) {
        for ((most, now), then) in most.iter_mut().zip(now).zip(then) {
            *most = larger(*most, now - then);
        }
    }
    let most = larger(larger(most[0], most[2]), larger(most[1], most[3]));
    more.iter().zip(before).fold(most, |most, (now, then)| larger(most, now - then))
}

/// The perfect-information optimum from `base`: the least cost of any sequence of remaps on these
/// steps, a lower bound for every policy. Dynamic programming over the last remap; O(steps^2 x
/// ranks / 2) time, O(steps x ranks) memory.
///
/// # Errors
/// The halt of the observer.
pub fn hindsight(
    record: &Record,
    steps: Range<usize>,
    base: Base,
    price: impl Into<Price>,
    observer: &dyn Observer,
) -> Result<f64, Halt> {
    hindsight_at(record, steps, base, price.into(), observer)
}

/// The same for a price: one instance, in this crate.
fn hindsight_at(
    record: &Record,
    steps: Range<usize>,
    base: Base,
    Price { stops, overlap }: Price,
    observer: &dyn Observer,
) -> Result<f64, Halt> {
    let delay = overlap.steps as usize;
    let (ranks, kept) = (record.ranks(), delay + 1);
    let mut bases: Vec<f64> =
        base.loads(record).map_or(vec![0.0; ranks], |loads| deviations(loads).collect());
    bases.reserve(steps.len() * ranks);
    let mut remaps = vec![Last { from: 0, cost: 0.0, replaced: 0.0 }];
    let mut thens = vec![(0.0, 0.0); kept];
    for (made, step) in steps.clone().enumerate() {
        let path = record.path(step);
        let (row, mean) = (deviations(path).collect::<Vec<f64>>(), mean(path));
        let enough = (1 << 14) / ranks + 1;
        // With the place of the step after which a remap that takes effect now was decided.
        let (place, decided) = (made % kept, made.saturating_sub(delay));
        let then_place = decided % kept;
        let least = remaps
            .par_chunks_mut(enough)
            .zip(bases.par_chunks(enough * ranks))
            .zip(thens.par_chunks_mut(enough * kept))
            .map(|((remaps, bases), thens)| {
                let smaller = |a: f64, b: f64| if b < a { b } else { a };
                let each = remaps.iter_mut().zip(bases.chunks_exact(ranks));
                if delay == 0 {
                    // What a remap under way costs need not be known.
                    return each.fold(f64::INFINITY, |least, (remap, base)| {
                        remap.cost += gain(&row, base);
                        smaller(least, remap.cost)
                    });
                }
                let each = each.zip(thens.chunks_exact_mut(kept));
                each.fold(f64::INFINITY, |least, ((remap, base), then)| {
                    remap.pay(then, place, [gain(&row, base), mean], overlap);
                    smaller(least, remap.until(decided, then[then_place]))
                })
            })
            .reduce(|| f64::INFINITY, f64::min);
        if step + 1 < steps.end && made >= delay {
            remaps.push(Last { from: made + 1, cost: least + stops, replaced: 0.0 });
            thens.resize(thens.len() + kept, (0.0, 0.0));
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

    /// Four ranks gain 0.005 s times their number per step; remaps every 40 steps leave an
    /// imbalance of up to 0.1 s.
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
