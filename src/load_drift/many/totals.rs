//! Distribution of the change of the total load in one step, where every rank moves like most
//! ranks.

use super::counts::Counts;
use crate::load_drift::state_space::distributions::convolve;

/// Distribution of the change of the total.
pub struct Totals {
    /// Levels with the usual moves.
    usual: Vec<bool>,
    /// The distribution; `None` if it has too many values.
    law: Option<Hats>,
}

/// A distribution given by the expectations of hat functions on an equidistant grid. It integrates
/// every function that is linear between grid points exactly.
struct Hats {
    first: i64,
    width: i64,
    masses: Vec<f64>,
}

/// A function of the total one step later, linear between equidistant points.
#[derive(Debug)]
pub struct Profile {
    first: i64,
    width: i64,
    values: Vec<f64>,
    /// Its expectation.
    pub expected: f64,
}

impl Profile {
    /// Value at a total.
    pub fn at(&self, total: u64) -> f64 {
        let away =
            (total as i64 - self.first).clamp(0, self.width * (self.values.len() as i64 - 1));
        let (i, rest) = ((away / self.width) as usize, away % self.width);
        if rest == 0 {
            return self.values[i];
        }
        let share = rest as f64 / self.width as f64;
        self.values[i] * (1.0 - share) + self.values[i + 1] * share
    }
}

/// Largest number of values of a distribution.
const MOST_VALUES: usize = 18_000;
/// Approximate number of grid points.
const POINTS: usize = 120;
/// Probability below which values are cut off at either end.
const NOTHING: f64 = 1e-18;

impl Totals {
    /// For `ranks` ranks, most of which move like those on level `typical`.
    pub fn new(rows: &[Vec<f64>], typical: usize, ranks: u64) -> Totals {
        let moves = |from: usize| -> Vec<(i64, f64)> {
            let row = rows[from].iter().enumerate().filter(|(_, p)| **p > 0.0);
            row.map(|(to, p)| (to as i64 - from as i64, *p)).collect()
        };
        let one = moves(typical);
        let usual = (0..rows.len()).map(|level| moves(level) == one).collect();
        let (low, high) = (one[0].0, one[one.len() - 1].0);
        let mut each = (low, vec![0.0; (high - low) as usize + 1]);
        for (by, p) in one {
            each.1[(by - low) as usize] = p;
        }
        // By the binary digits of the number of ranks, the highest first.
        let mut digits = (0..u64::BITS - ranks.leading_zeros()).rev();
        let law = digits.try_fold((0, vec![1.0]), |law, digit| {
            let double = sum(&law, &law)?;
            if ranks >> digit & 1 == 1 { sum(&double, &each) } else { Some(double) }
        });
        Totals { usual, law: law.map(|(first, law)| Hats::of(first, &law)) }
    }

    /// Whether the distribution is that of the step after x.
    pub fn applies(&self, x: &Counts) -> bool {
        self.law.is_some() && (x.low..=x.top).all(|level| x.on[level] == 0.0 || self.usual[level])
    }

    /// A function of the total one step later, given the present total.
    pub fn profile(&self, total: u64, value: impl Fn(f64) -> f64) -> Option<Profile> {
        let Hats { first, width, masses } = self.law.as_ref()?;
        let first = total as i64 + first;
        let point = |i: usize| value((first + i as i64 * width).max(0) as f64);
        let values: Vec<f64> = (0..masses.len()).map(point).collect();
        let expected = values.iter().zip(masses).map(|(value, mass)| value * mass).sum();
        Some(Profile { first, width: *width, values, expected })
    }
}

impl Hats {
    fn of(first: i64, law: &[f64]) -> Hats {
        let width = law.len().div_ceil(POINTS).max(1);
        let mut masses = vec![0.0; (law.len() - 1).div_ceil(width) + 1];
        for (at, p) in law.iter().enumerate() {
            let (i, share) = (at / width, (at % width) as f64 / width as f64);
            masses[i] += p * (1.0 - share);
            if share > 0.0 {
                masses[i + 1] += p * share;
            }
        }
        let all: f64 = masses.iter().sum();
        masses.iter_mut().for_each(|mass| *mass /= all);
        Hats { first, width: width as i64, masses }
    }
}

/// Convolution: the distribution of the sum of two independent numbers, with its tails cut off.
fn sum(a: &(i64, Vec<f64>), b: &(i64, Vec<f64>)) -> Option<(i64, Vec<f64>)> {
    let law = convolve(&a.1, &b.1);
    let first = law.iter().position(|p| *p > NOTHING)?;
    let last = law.iter().rposition(|p| *p > NOTHING)?;
    (last - first < MOST_VALUES).then(|| (a.0 + b.0 + first as i64, law[first..=last].to_vec()))
}
