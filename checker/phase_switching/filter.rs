//! How the belief moves while phases come and go, and functions of it enclosed from above.

use crate::core::budget::{Budget, Refusal};
use crate::core::span::{Span, UNIT, WEIGHT, wide};
use crate::core::weights::{down, up};
use num_rational::BigRational;
use num_traits::{One, Zero};

/// A function of the belief from above: linear between places, ascending from 0 to 1 as multiples of 2^-62, its values
/// rising.
#[derive(Clone, Default)]
pub struct Upper<T> {
    pub at: Vec<u64>,
    pub value: Vec<T>,
}

impl<T: Copy + Ord> Upper<T> {
    /// The function with these values, made to rise.
    pub fn rising(at: Vec<u64>, mut value: Vec<T>) -> Upper<T> {
        for k in 1..value.len() {
            value[k] = value[k].max(value[k - 1]);
        }
        Upper { at, value }
    }
}

/// A report: the weight of a belief under it and that of the second phase with it, at beliefs 0 and 1, rounded down
/// and up.
#[derive(Clone)]
struct Report {
    weight: [[u64; 2]; 2],
    second: [[u64; 2]; 2],
    /// What it says is certain.
    certain: Option<u64>,
}

/// The reports.
#[derive(Clone)]
pub struct Filter {
    reports: Vec<Report>,
}

/// Where the belief after a report lies, rounded down and up, and the weight of the report, rounded up.
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
    /// With these rates at which the first and the second phase end, and these probabilities of reports in each.
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
        // What never happens tells nothing.
        let some = reports.iter().filter(|[before, after]| !(before + after).is_zero());
        Ok(Filter { reports: some.map(report).collect::<Result<_, Refusal>>()? })
    }

    /// The mean of a function from 0 up over the next belief, at these places: the function through these values is
    /// nowhere below it.
    ///
    /// Where a piece between two places is led to, by a report, the chord between its ends bounds the function but
    /// for what rises above it in between; so much is added at both ends.
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
            // How much is added at each place: what the pieces on both sides need.
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

    /// The value at a place, rounded up.
    pub fn value_at(&self, place: u64) -> u64 {
        self.chord(self.piece(place), place)
    }

    /// The same, rounded down.
    pub fn below(&self, place: u64) -> u64 {
        let piece = self.piece(place);
        let own = self.chord(piece, place);
        if self.at[piece..=piece + 1].contains(&place) { own } else { own.saturating_sub(1) }
    }

    /// The value at a place of a piece, rounded up.
    fn chord(&self, piece: usize, place: u64) -> u64 {
        let (from, to) = (self.at[piece], self.at[piece + 1]);
        let rise = wide(self.value[piece + 1] - self.value[piece], place.clamp(from, to) - from);
        self.value[piece] + rise.div_ceil((to - from).into()) as u64
    }

    /// By how much the function rises above its chord between two places at most, where these nodes lie between them;
    /// the first place may lie as far back as `least`.
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
        // Before the first place the chord falls, and the function may not.
        let blur = wide(rise, from - least).div_ceil(width.into()).min(UNIT.into()) as u64;
        over.max().unwrap_or(0).max(blur).max(start.saturating_sub(end))
    }
}
