//! Decides for each step whether the recursion visits a region or all states.

use super::Region;
use super::shapes::Packing;
use crate::load_drift::induction::control::is_dearer;
use crate::load_drift::{Backward, Control, ProcessChain, States, Timing};
use crate::parallel;
use rayon::prelude::*;
use std::collections::HashSet;

/// When regions are searched for.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::load_drift) struct Search {
    /// Least number of states for which regions are searched.
    pub least_states: usize,
    /// No further search before only this many steps remain.
    pub until: u64,
    /// The largest number of states that a region had.
    pub largest: u64,
}

/// With fewer states than this a region saves no time.
const LEAST_STATES: usize = 20_000;
/// Number of steps that a region must last, and that must lie between two searches, to pay.
const WORTH: u64 = 4;
/// Largest number of steps between two failed searches for a region.
const LONGEST: u64 = 64;
/// A region has at most this share of all states (1/8).
pub(super) const SHARE: usize = 8;
/// Least and largest margin by which a remap is better in omitted states, relative to the remap
/// cost.
const MARGINS: [f64; 2] = [1.0 / 48.0, 1.0 / 24.0];
/// Marker in place of the cost-to-go of an omitted state.
const LEFT_OUT: f64 = 1e300;

/// Whether a value is the marker of an omitted state.
pub(in crate::load_drift) fn is_left_out(value: f64) -> bool {
    value >= LEFT_OUT
}

impl Search {
    pub fn new() -> Search {
        Search { least_states: LEAST_STATES, until: u64::MAX, largest: 0 }
    }
}

impl Backward<'_> {
    /// Searches for regions in problems with at least `least_states` states; `usize::MAX` disables
    /// the search. Values are the same up to rounding.
    #[must_use]
    pub fn regions_from(mut self, least_states: usize) -> Self {
        self.search.least_states = least_states;
        self
    }

    /// Number of states of the present region, if there is one.
    pub fn region(&self) -> Option<usize> {
        self.region.as_ref().map(Region::states)
    }

    /// The largest number of states that a region had so far, if there was one.
    pub fn largest_region(&self) -> Option<u64> {
        Some(self.search.largest).filter(|largest| *largest > 0)
    }

    /// Computes one step back on the region, if there is one and it is certain to be large enough.
    pub(in crate::load_drift) fn advance_in_region(&mut self) -> bool {
        let Some(mut region) = self.region.take() else { return false };
        // The last step is computed in all states.
        let done = self.remaining > 1 && self.step_in(&mut region);
        if !done {
            region.write(&mut self.vectors, &self.ranks);
        }
        self.region = Some(region);
        done
    }

    fn step_in(&mut self, region: &mut Region) -> bool {
        self.observe();
        let rounding = self.rounding();
        let remaps = self.remapping.costs();
        let largest = remaps[0].iter().copied().fold(0.0, f64::max);
        let lost = 4.0 * (rounding.growth.exp_m1() * largest + rounding.absolute) + 1e-12 * largest;
        let width = remaps.len();
        let savings = region.savings(remaps, &self.ranks);
        let next = region.step(&savings, remaps);
        let earlier = std::mem::replace(&mut region.values, next);
        region.write_balanced(&mut self.vectors, self.states.first(), &self.ranks);
        let after = self.leads_to();
        let before = &self.remapping.costs()[0];
        if !self.limits_hold([rounding.growth.exp_m1(), rounding.absolute])
            || !region.stays_apart(before, &after, lost)
        {
            region.values = earlier;
            return false;
        }
        region.rounding += region.rounding_of_step(&savings, width, before);
        let mut risen = region.risen_in_step(&savings, width, &after);
        self.ranks.largest(&mut risen);
        region.note(risen, before, &after);
        std::mem::swap(&mut self.decisions, &mut self.upcoming);
        self.goes_on = Some(self.decide_in(region, &after));
        self.remaining -= 1;
        true
    }

    /// Whether a remap is still certain in the states beyond the limits after one more step.
    fn limits_hold(&self, rounding: [f64; 2]) -> bool {
        let value = self.at_places(&self.vectors[0]);
        let needed = self.remapping.certain_beyond(&value, rounding);
        let Some(goes_on) = &self.goes_on else { return false };
        let reachable = self.remapping.reachable(goes_on);
        let holds = |(total, limit): (usize, &u32)| {
            let wanted = needed[total].max(reachable[total]);
            *limit >= wanted.min(self.remapping.largest_excess(total))
        };
        self.limits.iter().enumerate().all(holds)
    }

    /// Makes the decisions that precede the present values of the members; all other states remap.
    /// Returns, by total, the largest r (max - mean) that continues.
    fn decide_in(&mut self, region: &mut Region, after: &[f64]) -> Vec<u32> {
        let mut largest = vec![0; after.len()];
        let values = region.values.iter().step_by(self.vectors.len());
        let flags = region.goes_on.iter_mut().zip(values);
        for (member, (goes_on, &value)) in region.members.iter().zip(flags) {
            let total = member.total as usize;
            *goes_on = !is_dearer(self.problem, value, after[total]);
            if *goes_on {
                largest[total] = largest[total].max(member.excess);
            }
        }
        let flags = region.goes_on.iter().map(|goes_on| if *goes_on { 1.0 } else { 0.0 });
        let flags = self.ranks.gather(flags.collect());
        let words = self.upcoming.words_mut();
        words.fill(u64::MAX);
        let rest = self.states.count() % 64;
        if let Some(last) = words.last_mut().filter(|_| rest > 0) {
            *last = u64::MAX >> (64 - rest);
        }
        for (member, state) in region.placed.iter().zip(&region.places) {
            if flags[*member as usize] == 1.0 {
                words[state / 64] &= !(1 << (state % 64));
            }
        }
        self.ranks.highest(largest)
    }

    /// Whether a step over all states may be followed by one over a region.
    pub(in crate::load_drift) fn seeks(&self) -> bool {
        // Threshold rules remap in most states, and the limits exclude those already.
        self.control == Control::Optimal
            && self.is_constant()
            && self.states.all() >= self.search.least_states
            && self.remaining > WORTH
            && !self.remapping.costs().is_empty()
    }

    /// After a step over all states: keeps the region, replaces it, or gives it up. `risen` is the
    /// rise of the savings in this step by total, if regions are searched for.
    pub(in crate::load_drift) fn seek_region(&mut self, risen: Option<Vec<f64>>) {
        let region = self.region.take();
        let Some(risen) = risen else {
            self.give_up(region);
            return;
        };
        let after = self.leads_to();
        // Changes of the savings decay with the number of steps.
        let most = risen.iter().copied().fold(0.0, f64::max);
        let margin = (6.0 * most).max(MARGINS[0] * self.problem.remap_cost);
        if let Some(region) = region {
            let slack = self.slack(&region, &after);
            let least = slack.iter().copied().fold(f64::INFINITY, f64::min);
            let large = self.remaining < self.search.until && least > 3.0 * margin;
            if least >= 0.25 * margin && !large {
                self.take_up(region, slack, risen, &after);
                return;
            }
            self.give_up(Some(region));
        }
        let restless = margin > MARGINS[1] * self.problem.remap_cost;
        if restless || margin <= 0.0 || self.remaining > self.search.until {
            return;
        }
        let found = self.shapes_within(&after, margin).and_then(|shapes| {
            let most = self.states.all() / SHARE;
            Region::new(self.problem, self.states, shapes, most, &self.ranks)
        });
        let Some(region) = found else {
            // Near the end of the horizon the number of states that continue decreases soon.
            let gone = self.problem.steps - self.remaining;
            self.search.until = self.remaining.saturating_sub((gone / 2).clamp(2, LONGEST));
            return;
        };
        self.search.until = self.remaining - WORTH;
        let slack = self.slack(&region, &after);
        self.take_up(region, slack, risen, &after);
    }

    fn take_up(&mut self, mut region: Region, slack: Vec<f64>, risen: Vec<f64>, after: &[f64]) {
        region.read(&self.vectors, &self.upcoming, &self.ranks);
        region.moved = vec![0.0; slack.len()];
        region.slack = slack;
        region.note(risen, &self.remapping.costs()[0], after);
        parallel::pieces(&mut self.vectors[0], CHUNK, &|chunk, values| {
            let values = values.iter_mut().zip(chunk * CHUNK..);
            values.filter(|(_, state)| !region.contains(*state)).for_each(|(v, _)| *v = LEFT_OUT);
        });
        self.search.largest = self.search.largest.max(region.states() as u64);
        self.region = Some(region);
    }

    fn give_up(&mut self, region: Option<Region>) {
        self.lost += region.map_or(0.0, |region| region.rounding);
    }

    /// By total: upper bound on the rise of the savings in the present step, over all states. The
    /// argument of the transition operator is still in the buffer.
    pub(in crate::load_drift) fn risen_everywhere(&self) -> Vec<f64> {
        let (states, problem, after) = (self.states, self.problem, self.leads_to());
        let (before, filled) = (&self.remapping.costs()[0], self.buffer.seen());
        let pays = problem.timing == Timing::AfterStep;
        let words = self.decisions.words().par_iter().zip(self.upcoming.words()).enumerate();
        // States that continue neither before nor after have no change, and their values may be
        // unknown.
        let found = words.with_min_len(CHUNK / 64).fold(
            || vec![0.0f64; after.len()],
            |mut risen, (block, (&earlier, &now))| {
                let mut either = !(earlier & now);
                while either != 0 {
                    let bit = either.trailing_zeros();
                    either &= either - 1;
                    let state = block * 64 + bit as usize;
                    if state >= states.count() {
                        break;
                    }
                    let total = states.totals()[state] as usize;
                    let saved = |word: u64, remapped: f64, value: f64| match word >> bit & 1 {
                        0 => f64::max(0.0, remapped - value),
                        _ => 0.0,
                    };
                    let mut remapped = before[total];
                    if pays {
                        let (max, mean) = problem.loads(states, state);
                        remapped += problem.step_cost(max, mean);
                    }
                    let earlier = saved(earlier, remapped, filled[state]);
                    let rise = saved(now, after[total], self.vectors[0][state]) - earlier;
                    risen[total] = risen[total].max(rise);
                }
                risen
            },
        );
        let mut risen = found.reduce(
            || vec![0.0; after.len()],
            |a, b| a.into_iter().zip(b).map(|(a, b)| a.max(b)).collect(),
        );
        self.ranks.largest(&mut risen);
        risen
    }

    /// The shapes of all states in which a remap is not better by the margin.
    fn shapes_within(&self, after: &[f64], margin: f64) -> Option<HashSet<u128>> {
        let ProcessChain::BirthDeath(chain) = &self.problem.chain else { return None };
        let packing = Packing::new(self.problem.processors, chain.levels())?;
        let most = self.states.all() / SHARE;
        let (states, value) = (self.states, &self.vectors[0]);
        let within = |state: usize| {
            let total = states.totals()[state] as usize;
            states.excess(state) <= self.limits[total] && value[state] - after[total] < margin
        };
        let blocks = states.count().div_ceil(CHUNK);
        let found = (0..blocks).into_par_iter().map(|block| {
            let mut shapes = HashSet::new();
            let mut sorted = vec![0; self.problem.processors];
            for state in block * CHUNK..states.count().min((block + 1) * CHUNK) {
                if within(state) {
                    states.multisets().unrank_into(states.first() + state, &mut sorted);
                    shapes.insert(packing.of(&sorted).0);
                }
            }
            shapes
        });
        let all = found.reduce(HashSet::new, |a, b| {
            let (mut large, small) = if a.len() < b.len() { (b, a) } else { (a, b) };
            large.extend(small);
            large
        });
        let mut count = [all.len() as f64];
        self.ranks.largest(&mut count);
        if count[0] > most as f64 {
            return None;
        }
        // Sent as 32-bit parts, which doubles represent exactly on every machine.
        let parts =
            all.iter().flat_map(|shape| [0, 32, 64, 96].map(|at| f64::from((shape >> at) as u32)));
        let parts = self.ranks.gather(parts.collect());
        let whole = |parts: &[f64; 4]| parts.iter().rev().fold(0, |all, x| all << 32 | *x as u128);
        let all: HashSet<u128> = parts.as_chunks().0.iter().map(whole).collect();
        (all.len() <= most).then_some(all)
    }

    /// By total and class: the least advantage of a remap in the omitted states. States beyond the
    /// limits are covered by another proof.
    fn slack(&self, region: &Region, after: &[f64]) -> Vec<f64> {
        let (states, value) = (self.states, &self.vectors[0]);
        let levels = self.problem.chain.levels();
        let none = || vec![f64::INFINITY; after.len() * region.classes()];
        let beyond = self.limits.iter().copied().max().unwrap_or(0);
        let blocks =
            value.par_chunks(States::BLOCK).enumerate().with_min_len(CHUNK / States::BLOCK);
        let found = blocks.fold(none, |mut slack, (block, values)| {
            if states.least_excess(block) > beyond {
                return slack;
            }
            let first = block * States::BLOCK;
            let mut walk = states.multisets().from(states.first() + first);
            for (state, value) in (first..).zip(values) {
                let total = states.totals()[state] as usize;
                let left_out =
                    states.excess(state) <= self.limits[total] && !region.contains(state);
                if let (true, Some(sorted)) = (left_out, walk.get()) {
                    let slack = &mut slack[region.class(total, sorted, levels)];
                    *slack = f64::min(*slack, value - after[total]);
                }
                walk.advance();
            }
            slack
        });
        let found = found.reduce(none, |mut a, b| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a = f64::min(*a, b));
            a
        });
        let mut opposite: Vec<f64> = found.into_iter().map(|slack| -slack).collect();
        self.ranks.largest(&mut opposite);
        opposite.into_iter().map(|slack| -slack).collect()
    }
}

/// States handled by one task.
const CHUNK: usize = 1 << 14;
