//! The motion of the belief with recurring phases, and upper bounds on functions of it.

use crate::core::budget::{Budget, Refusal};
use crate::core::span::{Span, UNIT, WEIGHT, down, up, wide};
use num_rational::BigRational;
use num_traits::{One, Zero};

/// An upper bound on a function of the belief. It is linear between the beliefs `at`, which ascend
/// from 0 to 1 as multiples of 2^-62; its values do not decrease.
#[derive(Clone, Default)]
pub struct Upper<T> {
    /// The beliefs.
    pub at: Vec<u64>,
    /// The value at each of them.
    pub value: Vec<T>,
}

impl<T: Copy + Ord> Upper<T> {
    /// The function with these values, raised where they decrease.
    pub fn rising(at: Vec<u64>, mut value: Vec<T>) -> Upper<T> {
        for k in 1..value.len() {
            value[k] = value[k].max(value[k - 1]);
        }
        Upper { at, value }
    }
}

/// An observation: its probability, and its joint probability with the second phase, at beliefs 0
/// and 1. Each is rounded down and up.
#[derive(Clone)]
struct Report {
    weight: [[u64; 2]; 2],
    second: [[u64; 2]; 2],
    /// The belief after an observation that makes the phase certain.
    certain: Option<u64>,
}

/// The observations.
#[derive(Clone)]
pub struct Filter {
    reports: Vec<Report>,
}

/// The belief after an observation, rounded down and up, and the probability of the observation,
/// rounded up.
struct Image {
    belief: [u64; 2],
    weight: u64,
}

impl Report {
    fn image(&self, p: u64) -> Image {
        let mix = |[zero, one]: [[u64; 2]; 2], side: usize| match side {
            0 => down(zero[0], UNIT - p) + down(one[0], p),
            _ => up(zero[1], UNIT - p) + up(one[1], p),
        };
        let weight = [mix(self.weight, 0), mix(self.weight, 1)];
        if let Some(belief) = self.certain {
            return Image { belief: [belief; 2], weight: weight[1] };
        }
        let second = [mix(self.second, 0), mix(self.second, 1)];
        let low = (u128::from(second[0]) << WEIGHT).checked_div(weight[1].into()).unwrap_or(0);
        let high = match weight[0] {
            0 => UNIT.into(),
            least => (u128::from(second[1]) << WEIGHT).div_ceil(least.into()),
        };
        let unit = |x: u128| x.min(UNIT.into()) as u64;
        Image { belief: [unit(low), unit(high)], weight: weight[1] }
    }
}

impl Filter {
    /// From the rates at which the phases end, and the probabilities of observations in each.
    pub fn new(rates: &[BigRational; 2], reports: &[[BigRational; 2]]) -> Result<Filter, Refusal> {
        let one = BigRational::one();
        let units = |x: BigRational| Span::from(&x).units(WEIGHT);
        let [a, b] = rates;
        let report = |[before, after]: &[BigRational; 2]| {
            let weight = |share: &BigRational| (&one - share) * before + share * after;
            let (start, end) = (a.clone(), &one - b);
            let certain = if before.is_zero() { Some(UNIT) } else { None };
            Ok(Report {
                weight: [units(weight(&start))?, units(weight(&end))?],
                second: [units(&start * after)?, units(&end * after)?],
                certain: if after.is_zero() { Some(0) } else { certain },
            })
        };
        // An observation of probability 0 tells nothing.
        let some = reports.iter().filter(|[before, after]| !(before + after).is_zero());
        Ok(Filter { reports: some.map(report).collect::<Result<_, Refusal>>()? })
    }

    /// An upper bound at the beliefs `to` on the mean of a nonnegative function over the next
    /// belief. The function through the returned values is nowhere below that mean.
    ///
    /// Each observation maps an interval of beliefs to an interval. The chord between its ends
    /// bounds the function except for what rises above the chord; that excess is added at both
    /// ends.
    pub fn mean(
        &self,
        next: &Upper<u64>,
        to: &[u64],
        budget: &Budget,
    ) -> Result<Vec<u64>, Refusal> {
        let work = (to.len() + next.at.len()) as u64 * self.reports.len() as u64;
        budget.spend(work.saturating_mul(16))?;
        let mut all = vec![0u64; to.len()];
        for report in &self.reports {
            let (mut piece, mut last): (usize, Option<(Image, u64)>) = (0, None);
            // The amount added at each belief: what the intervals on both sides need.
            let mut added = vec![0u64; to.len()];
            let mut found = Vec::with_capacity(to.len());
            for (k, p) in to.iter().enumerate() {
                let image = report.image(*p);
                let [_, place] = image.belief;
                let before = piece;
                while piece + 2 < next.at.len() && next.at[piece + 1] <= place {
                    piece += 1;
                }
                while piece > 0 && next.at[piece] > place {
                    piece -= 1;
                }
                let value = next.chord(piece, place);
                if let Some((other, start)) = &last {
                    let inside = before.min(piece) + 1..=piece;
                    let more = next.above(
                        [other.belief[1], place],
                        [*start, value],
                        inside,
                        other.belief[0],
                    );
                    added[k - 1] = added[k - 1].max(more);
                    added[k] = more;
                }
                found.push((image.weight, value));
                last = Some((image, value));
            }
            for ((all, added), (weight, value)) in all.iter_mut().zip(added).zip(found) {
                let most = value.checked_add(added).filter(|sum| *sum <= UNIT);
                *all += up(most.ok_or(Refusal::TooLarge)?, weight);
                if *all > UNIT {
                    return Err(Refusal::TooLarge);
                }
            }
        }
        Ok(all)
    }
}

impl Upper<u64> {
    fn piece(&self, place: u64) -> usize {
        self.at.partition_point(|node| *node <= place).clamp(1, self.at.len() - 1) - 1
    }

    /// The value at a belief, rounded up.
    pub fn value_at(&self, place: u64) -> u64 {
        self.chord(self.piece(place), place)
    }

    /// The value at a belief, rounded down.
    pub fn below(&self, place: u64) -> u64 {
        let piece = self.piece(place);
        let own = self.chord(piece, place);
        if self.at[piece..=piece + 1].contains(&place) { own } else { own.saturating_sub(1) }
    }

    /// The value at a belief of a segment, rounded up.
    fn chord(&self, piece: usize, place: u64) -> u64 {
        let (from, to) = (self.at[piece], self.at[piece + 1]);
        let rise = wide(self.value[piece + 1] - self.value[piece], place.clamp(from, to) - from);
        self.value[piece] + rise.div_ceil((to - from).into()) as u64
    }

    /// The most by which the function rises above its chord between two beliefs, where these nodes
    /// lie between them. The first belief may lie as far back as `least`.
    fn above(
        &self,
        [from, to]: [u64; 2],
        [start, end]: [u64; 2],
        inside: std::ops::RangeInclusive<usize>,
        least: u64,
    ) -> u64 {
        let Some(width) = to.checked_sub(from).filter(|width| *width > 0) else {
            return end.abs_diff(start);
        };
        let rise = end.saturating_sub(start);
        let between = inside.filter(|j| from < self.at[*j] && self.at[*j] < to);
        let over = between.map(|j| {
            let chord = start + (wide(rise, self.at[j] - from) / u128::from(width)) as u64;
            self.value[j].saturating_sub(chord)
        });
        // Before the first belief the chord decreases, and the function may not.
        let blur = wide(rise, from - least).div_ceil(width.into()).min(UNIT.into()) as u64;
        over.max().unwrap_or(0).max(blur).max(start.saturating_sub(end))
    }
}
