//! The expected largest deviation from the mean, for independent integer positions. It sums, window
//! by window, the probability that all positions lie within; docs/certificates.md has the formula.

use crate::core::budget::{Budget, Refusal};
use crate::core::span::{UNIT, WEIGHT, up, wide};
use num_bigint::BigInt;
use num_rational::BigRational;
use rayon::prelude::*;

/// The possible integer positions of a processor, each with at least this probability. The missing
/// probability is at these positions, too.
#[derive(Clone, Default)]
pub struct Place {
    pub first: i64,
    pub weights: Vec<u64>,
    /// An upper bound on the mean distance from the true position, in units of 2^-62.
    pub moved: BigInt,
}

/// Lower bounds on the probabilities of a sum, from `first` on.
#[derive(Clone)]
pub struct Part {
    pub first: i64,
    pub weights: Vec<u64>,
    /// The total probability lost by rounding.
    lost: u128,
}

/// The mass of tails that are ignored.
const TINY: u64 = 1 << 24;

/// The most possible positions of a processor.
pub const MOST: usize = 1 << 18;

/// Bounds on the expected largest deviation from the mean; each entry has the number of its
/// processors.
pub fn largest(classes: &[(u64, Place)], budget: &Budget) -> Result<[BigRational; 2], Refusal> {
    let ends = |place: &Place| [place.first, place.first + place.weights.len() as i64 - 1];
    let all = classes.iter().map(|(_, place)| ends(place));
    let Some([low, high]) = all.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]) else {
        return Err(Refusal::Malformed);
    };
    let (n, reach) = (classes.iter().map(|(count, _)| *count as i64).sum::<i64>(), high - low);
    if reach >= MOST as i64 || n > 1 << 20 || high.max(-low) >= 1 << 40 {
        return Err(Refusal::TooLarge);
    }
    let part = |place: &Place| Part::new(place.first, place.weights.clone());
    let parts = Vec::from_iter(classes.iter().map(|(count, place)| (*count, part(place))));
    let lacking = |parts: &[(u64, Part)]| -> u128 {
        parts
            .iter()
            .map(|(count, part)| u128::from(*count) * (u128::from(UNIT) - part.mass()))
            .sum()
    };
    let missing = lacking(&parts);
    let whole = Part::product(&parts, budget)?;
    let [start, end] = whole.middle();
    let outside =
        u128::from(UNIT) - whole.weights[start..=end].iter().map(|w| u128::from(*w)).sum::<u128>();
    let sum = |at: usize| whole.first + at as i64;
    // Twice the centers that are less than half a position from a mean.
    let centres = (2 * sum(start) - n).div_euclid(n) + 1..=(2 * sum(end) + n - 1).div_euclid(n);
    let window = |double: i64, width: i64| {
        let ends = [(double - width + 1) / 2, (double + width - 1) / 2];
        let cut: Vec<(u64, Part)> =
            parts.iter().map(|(count, part)| (*count, part.cut(ends))).collect();
        let beyond = lacking(&cut);
        if beyond <= u128::from(TINY).max(2 * missing) {
            // Everything that matters lies within the window.
            let found = whole.tent(n, double).saturating_sub(beyond * n as u128);
            return Ok((found, whole.lost + beyond));
        }
        let within = cut.iter().fold(UNIT, |all, (count, part)| {
            // Includes all the missing probability.
            let most = (part.mass() + missing).min(u128::from(UNIT));
            up(all, power(most as u64, *count, up))
        });
        if within <= TINY {
            return Ok((0, within.into()));
        }
        let (found, lost) = Part::about(&cut, n, double, budget)?;
        Ok((found, lost))
    };
    // Twice the sum of all windows, each weighted with n times its share of the distances.
    let (mut found, mut lost) = (BigInt::from(0), BigInt::from(0));
    for double in centres {
        let widths = if double.rem_euclid(2) == 0 { 1..2 * reach } else { 2..2 * reach + 1 };
        let widths: Vec<i64> = widths.step_by(2).collect();
        let each = widths.into_par_iter().map(|width| {
            // The last even window is cut in half.
            let half = if width == 2 * reach { 1u128 } else { 2 };
            let (found, lost) = window(double, width)?;
            Ok((half * found, lost))
        });
        let each: Result<Vec<(u128, u128)>, Refusal> = each.collect();
        for (own, off) in each? {
            found += own;
            lost += off;
        }
    }
    let unit = BigInt::from(UNIT);
    let whole = BigRational::from(BigInt::from(reach) * &unit);
    let found = BigRational::new(found, BigInt::from(2 * n));
    let moved: BigInt =
        classes.iter().map(|(count, place)| &place.moved * BigInt::from(*count)).sum();
    let moved = BigRational::from(moved);
    let lost = lost + BigInt::from(reach) * (BigInt::from(missing) * 2 + BigInt::from(outside));
    let upper = &whole - &found + &moved;
    let lower = whole - found - BigRational::from(lost) - moved;
    Ok([lower / &unit, upper / unit])
}

/// A power of a weight; `times` rounds its products.
pub fn power(weight: u64, exponent: u64, times: fn(u64, u64) -> u64) -> u64 {
    let (mut all, mut square, mut left) = (UNIT, weight, exponent);
    while left > 0 {
        if left & 1 == 1 {
            all = times(all, square);
        }
        square = times(square, square);
        left >>= 1;
    }
    all
}

impl Part {
    pub fn new(first: i64, weights: Vec<u64>) -> Part {
        Part { first, weights, lost: 0 }
    }

    fn mass(&self) -> u128 {
        self.weights.iter().map(|w| u128::from(*w)).sum()
    }

    /// The probabilities within a window.
    fn cut(&self, [from, to]: [i64; 2]) -> Part {
        let len = self.weights.len() as i64;
        let start = (from - self.first).clamp(0, len);
        let end = (to + 1 - self.first).clamp(start, len);
        let weights = self.weights[start as usize..end as usize].to_vec();
        Part::new(self.first + start, weights)
    }

    /// Removes the zeros at both ends.
    fn trimmed(mut self) -> Part {
        let end = self.weights.iter().rposition(|w| *w > 0).map_or(0, |at| at + 1);
        self.weights.truncate(end);
        let start = self.weights.iter().position(|w| *w > 0).unwrap_or(0);
        self.weights.drain(..start);
        self.first += start as i64;
        self
    }

    /// The distribution of the sum of two, rounded down.
    fn joined(&self, other: &Part, budget: &Budget) -> Result<Part, Refusal> {
        let (a, b) = (&self.weights, &other.weights);
        if a.is_empty() || b.is_empty() {
            return Ok(Part { first: 0, weights: Vec::new(), lost: self.lost + other.lost });
        }
        budget.spend((a.len() as u64).saturating_mul(b.len() as u64))?;
        let len = a.len() + b.len() - 1;
        let weights = (0..len).map(|k| {
            let (from, to) = ((k + 1).saturating_sub(b.len()), k.min(a.len() - 1));
            let back = b[k - to..=k - from].iter().rev();
            let terms = a[from..=to].iter().zip(back);
            (terms.map(|(a, b)| wide(*a, *b)).sum::<u128>() >> WEIGHT) as u64
        });
        let (first, lost) = (self.first + other.first, self.lost + other.lost + len as u128);
        Ok(Part { first, weights: weights.collect(), lost }.trimmed())
    }

    /// The distribution of the sum of `count` of these, at least one.
    pub fn repeated(&self, count: u64, budget: &Budget) -> Result<Part, Refusal> {
        let mut all = self.clone();
        for bit in (0..count.max(1).ilog2()).rev() {
            all = all.joined(&all, budget)?;
            if count >> bit & 1 == 1 {
                all = all.joined(self, budget)?;
            }
        }
        Ok(all)
    }

    fn product(parts: &[(u64, Part)], budget: &Budget) -> Result<Part, Refusal> {
        parts.iter().try_fold(Part::new(0, vec![UNIT]), |all, (count, part)| {
            all.joined(&part.repeated(*count, budget)?, budget)
        })
    }

    /// The range of indices that leaves out only tails of at most [`TINY`].
    fn middle(&self) -> [usize; 2] {
        let within = |sum: &mut u64, w: &u64| {
            *sum += w;
            Some(*sum <= TINY)
        };
        let skip = |found: usize| found.min(self.weights.len().saturating_sub(1));
        let start = skip(self.weights.iter().scan(0, within).take_while(|tiny| *tiny).count());
        let end = skip(self.weights.iter().rev().scan(0, within).take_while(|tiny| *tiny).count());
        [start, (self.weights.len().max(1) - 1 - end).max(start)]
    }

    /// n times the sum of the probabilities, each weighted with 1 - 2 |s/n - c| where that is
    /// positive.
    fn tent(&self, n: i64, double: i64) -> u128 {
        let weights = self.weights.iter().zip(self.first..);
        weights.map(|(w, s)| u128::from(*w) * (n - (2 * s - n * double).abs()).max(0) as u128).sum()
    }

    /// The same for the sum of all parts, of which only the middle is computed; and the most that
    /// it is too low.
    fn about(
        parts: &[(u64, Part)],
        n: i64,
        double: i64,
        budget: &Budget,
    ) -> Result<(u128, u128), Refusal> {
        let (one, other) = match parts {
            [(count, part)] if *count > 1 => {
                let half = part.repeated(count / 2, budget)?;
                let rest = if count % 2 == 0 { half.clone() } else { half.joined(part, budget)? };
                (half, rest)
            }
            [rest @ .., (count, part)] => {
                (Part::product(rest, budget)?, part.repeated(*count, budget)?)
            }
            [] => return Err(Refusal::Malformed),
        };
        // 2 s - n double| < n.
        let (from, to) = ((n * double - n).div_euclid(2) + 1, (n * double + n - 1).div_euclid(2));
        budget.spend((one.weights.len() as u64).saturating_mul((to - from + 1) as u64))?;
        let mut found = 0u128;
        for s in from..=to {
            let at = |k: usize| {
                let place = s - one.first - k as i64 - other.first;
                usize::try_from(place).ok().and_then(|place| other.weights.get(place))
            };
            let terms = one.weights.iter().enumerate();
            let sum: u128 = terms.filter_map(|(k, w)| Some(wide(*w, *at(k)?))).sum();
            found += (sum >> WEIGHT) * (n - (2 * s - n * double).abs()) as u128;
        }
        Ok((found, one.lost + other.lost + (to - from + 1) as u128))
    }
}
