//! One of the two bounds on the difference between the mappings and on the saving by switching.

use super::filter::{Filter, Upper};
use crate::core::budget::{Budget, Refusal};
use crate::core::span::{Span, UNIT, down, up, wide};
use std::rc::Rc;

/// Upper bounds. A lower bound is an upper bound with phases and mappings exchanged: the belief is
/// then that of the first phase, and the difference changes its sign.
#[derive(Clone)]
pub(crate) struct Side {
    pub(crate) filter: Filter,
    /// The loss of a cycle at beliefs 0 and 1, rounded up.
    pub(crate) gain: [i64; 2],
    /// The levels at which the difference is clipped, rounded up: minus the first, and the second.
    pub(crate) cut: [i64; 2],
    /// The same levels rounded down and up, for thresholds; `None` where one cannot switch.
    pub(crate) levels: [Option<[i64; 2]>; 2],
    /// A linear function that the difference never exceeds: its values at beliefs 0 and 1, rounded
    /// up, of which the second is not below the first.
    pub(crate) most: Option<[i64; 2]>,
    /// Whether this is the lower bound.
    pub(crate) mirrored: bool,
    pub(crate) share: Span,
    /// The difference.
    pub(crate) difference: Rc<Upper<i64>>,
    /// The saving by switching to the second mapping, or its negative, without the linear part
    /// `rest`.
    pub(crate) saved: Upper<u64>,
    /// A constant, and a factor of the belief less its long-run share.
    pub(crate) rest: [Span; 2],
    /// An upper bound on the total saving, or on that per step without an end.
    pub(crate) whole: Option<Span>,
}

impl Upper<i64> {
    /// An upper bound on the smaller of this function and the line through `ends` at 0 and 1. Where
    /// one crosses the other, both ends of the unit of belief that holds the crossing are nodes,
    /// with the value of the right one: to the left and to the right either bound is linear.
    pub fn least(&self, ends: [i64; 2]) -> Upper<i64> {
        let line = |p: u64| {
            let rise = wide((ends[1] - ends[0]) as u64, p);
            ends[0] + rise.div_ceil(UNIT.into()) as i64
        };
        let (mut at, mut value) = (vec![self.at[0]], vec![self.value[0].min(line(self.at[0]))]);
        for (nodes, own) in self.at.windows(2).zip(self.value.windows(2)) {
            let [from, to] = [nodes[0], nodes[1]];
            let chord = |p: u64| {
                let rise = wide((own[1] - own[0]) as u64, p - from);
                own[0] + rise.div_ceil((to - from).into()) as i64
            };
            let over = |p: u64| chord(p) > line(p);
            if over(from) != over(to) {
                let (mut low, mut high) = (from, to);
                while high - low > 1 {
                    let middle = low + (high - low) / 2;
                    if over(middle) == over(from) { low = middle } else { high = middle }
                }
                if low > from {
                    at.push(low);
                    value.push(0);
                }
                let last = value.len() - 1;
                value[last] = chord(high).min(line(high));
                if high < to {
                    at.push(high);
                    value.push(value[last]);
                }
            }
            at.push(to);
            value.push(own[1].min(line(to)));
        }
        Upper { at, value }
    }
}

/// The survival probability of one step.
pub(crate) struct Step {
    pub(crate) survival: [u64; 2],
    pub(crate) span: Span,
}

impl Side {
    /// The clipped function less its least value, and the saving by switching, at its own beliefs
    /// and where it is clipped.
    pub(super) fn kinks(&self, raw: &Upper<i64>) -> (Upper<u64>, Vec<i64>) {
        let [low, high] = [-self.cut[0], self.cut[1]];
        let (mut at, mut value): (Vec<u64>, Vec<i64>) = (Vec::new(), Vec::new());
        for (p, own) in raw.at.iter().zip(&raw.value) {
            for level in [low, high] {
                if let (Some(&start), Some(&before)) = (at.last(), value.last())
                    && before < level
                    && level < *own
                {
                    // Rounded down, which raises the function.
                    let part = wide((level - before) as u64, p - start)
                        / u128::from((own - before) as u64);
                    let kink = start + part as u64;
                    if kink > start {
                        at.push(kink);
                        value.push(level);
                    } else {
                        value.last_mut().into_iter().for_each(|last| *last = level);
                    }
                }
            }
            at.push(*p);
            value.push(*own);
        }
        let cut = value.iter().map(|v| (v.clamp(&low, &high) - low) as u64).collect();
        let saved = |v: &i64| match (self.mirrored, self.levels) {
            (false, [_, Some([level, _])]) => (v - level).max(0),
            // The function bends where it is clipped, not one unit before.
            (true, [Some([level, most]), _]) => (v + level).min(0) + most - level,
            _ => 0,
        };
        (Upper { at, value: cut }, value.iter().map(saved).collect())
    }

    /// The difference one step before.
    pub(super) fn before(
        &self,
        next: &Upper<i64>,
        to: &[u64],
        step: &Step,
        budget: &Budget,
    ) -> Result<Upper<i64>, Refusal> {
        let (cut, _) = self.kinks(next);
        let mean = self.filter.mean(&cut, to, budget)?;
        let least = down(self.cut[0] as u64, step.survival[0]) as i64;
        let value = to.iter().zip(mean).map(|(p, mean)| {
            let [zero, one] = self.gain.map(i128::from);
            let own = zero * i128::from(UNIT - p) + one * i128::from(*p);
            let own = -(-own).div_euclid(i128::from(UNIT)) as i64;
            own + up(mean, step.survival[1]) as i64 - least
        });
        let found = Upper::rising(to.to_vec(), value.collect());
        Ok(match self.most {
            Some(ends) => found.least(ends),
            None => found,
        })
    }

    /// The saving one step before, given the difference: its shape, and its least value.
    pub(super) fn save(
        &self,
        raw: &Upper<i64>,
        step: &Step,
        budget: &Budget,
    ) -> Result<(Upper<u64>, i64), Refusal> {
        let (cut, now) = self.kinks(raw);
        let later = self.filter.mean(&self.saved, &cut.at, budget)?;
        let both = now.iter().zip(later).map(|(now, m)| now + up(m, step.survival[1]) as i64);
        let all = Upper::rising(cut.at, both.collect());
        let least = all.value[0];
        let shape = all.value.iter().map(|v| (v - least) as u64).collect();
        Ok((Upper { at: all.at, value: shape }, least))
    }

    /// Takes a step whose difference is `raw`.
    pub(super) fn take(
        &mut self,
        raw: Upper<i64>,
        step: &Step,
        motion: &Motion,
        budget: &Budget,
    ) -> Result<(), Refusal> {
        let (saved, least) = self.save(&raw, step, budget)?;
        let more = Span::between(least, least, motion.bits);
        let forget = step.span.times(&motion.memory);
        self.rest = [self.rest[0].times(&step.span).plus(&more), self.rest[1].times(&forget)];
        (self.saved, self.difference) = (saved, Rc::new(raw));
        Ok(())
    }

    /// Bounds on thresholds from one side. The first is the belief up to which the difference is at
    /// most the second level. The second is the belief from which on it is at least minus the first
    /// level.
    pub(super) fn thresholds(&self) -> [u64; 2] {
        let Upper { at, value } = &*self.difference;
        // The largest belief at which the function stays below `refused`: it crosses the level
        // there.
        let until = |refused: i64, level: i64| match value.iter().position(|v| *v >= refused) {
            None => UNIT,
            Some(0) => 0,
            Some(k) => {
                let (rise, room) = (value[k] - value[k - 1], level - value[k - 1]);
                at[k - 1] + (wide(room as u64, at[k] - at[k - 1]) / rise as u128) as u64
            }
        };
        let above = self.levels[1].map_or(UNIT, |[level, _]| until(level + 1, level));
        [above, self.levels[0].map_or(0, |[_, level]| until(-level, -level))]
    }
}

/// Quantities that do not depend on the belief.
#[derive(Clone)]
pub(crate) struct Motion {
    pub(crate) bits: u32,
    /// 1 - a - b, and the long-run share of the second phase.
    pub(crate) memory: Span,
    pub(crate) share: Span,
    /// The time of a cycle under the first mapping at the long-run share, and its increase in the
    /// second phase.
    pub(crate) cycle: [Span; 2],
}
