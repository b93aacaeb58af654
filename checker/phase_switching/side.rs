//! One of the two bounds on the difference between the mappings and on what switching saves.

use super::filter::{Filter, Upper};
use crate::core::budget::{Budget, Refusal};
use crate::core::span::{Span, UNIT, wide};
use crate::core::weights::{down, up};
use std::rc::Rc;

/// Bounds from one side. Those from below are bounds from above where phases and mappings change places, the
/// belief is that of the first phase, and the difference has the other sign.
#[derive(Clone)]
pub(crate) struct Side {
    pub(crate) filter: Filter,
    /// What a cycle loses at beliefs 0 and 1, rounded up.
    pub(crate) gain: [i64; 2],
    /// Where the difference is cut, rounded up: less the first, and the second.
    pub(crate) cut: [i64; 2],
    /// The same rounded down and up, for thresholds; none where one cannot switch.
    pub(crate) levels: [Option<[i64; 2]>; 2],
    /// Whether this is the other side.
    pub(crate) mirrored: bool,
    pub(crate) share: Span,
    /// The difference.
    pub(crate) difference: Rc<Upper<i64>>,
    /// What is saved by switching to the second mapping, or its negative, less the numbers that follow.
    pub(crate) saved: Upper<u64>,
    /// Times 1, and times the belief less its long-run share.
    pub(crate) rest: [Span; 2],
    /// All that is saved in the end, or per step without an end, at most.
    pub(crate) whole: Option<Span>,
}

/// How one step is left.
pub(crate) struct Step {
    pub(crate) survival: [u64; 2],
    pub(crate) span: Span,
}

impl Side {
    /// The cut function less its least value, and what switching saves, at its own places and where it is cut.
    pub(crate) fn kinks(&self, raw: &Upper<i64>) -> (Upper<u64>, Vec<i64>) {
        let [low, high] = [-self.cut[0], self.cut[1]];
        let (mut at, mut value): (Vec<u64>, Vec<i64>) = (Vec::new(), Vec::new());
        for (p, own) in raw.at.iter().zip(&raw.value) {
            for level in [low, high] {
                if let (Some(&start), Some(&before)) = (at.last(), value.last())
                    && before < level
                    && level < *own
                {
                    // Rounded down: the function is raised.
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
            // It bends where the function is cut, not a unit before.
            (true, [Some([level, most]), _]) => (v + level).min(0) + most - level,
            _ => 0,
        };
        (Upper { at, value: cut }, value.iter().map(saved).collect())
    }

    /// The difference a step before.
    pub(crate) fn before(
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
        Ok(Upper::rising(to.to_vec(), value.collect()))
    }

    /// What is saved a step before, where the difference is this: its shape, and its least value.
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

    /// Takes a step, if the difference comes out as this.
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

    /// Bounds on thresholds from one side: up to which belief the difference does not exceed the second level, and from
    /// which on it is not below less the first, at least.
    pub(super) fn thresholds(&self) -> [u64; 2] {
        let Upper { at, value } = &*self.difference;
        // Up to where it stays below what is refused: it crosses the level there.
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

/// What all beliefs have in common.
#[derive(Clone)]
pub(crate) struct Motion {
    pub(crate) bits: u32,
    /// 1 - a - b, and the long-run share of the second phase.
    pub(crate) memory: Span,
    pub(crate) share: Span,
    /// What a cycle takes under the first mapping at the long-run share, and what it takes more in the second phase.
    pub(crate) cycle: [Span; 2],
}
