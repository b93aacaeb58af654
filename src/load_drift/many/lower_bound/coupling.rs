//! Coupling of binomial variates on several branches: branches reach the same total as often as
//! possible.
//!
//! A variate leads to an integer. First its remainder modulo a common number is drawn; this number
//! is slightly longer than a standard deviation. Remainders are then nearly uniform on all
//! branches, so that almost always all branches have the same one. Different integers are therefore
//! at least that far apart. Then one of the integers with this remainder is drawn.
//!
//! Both draws use the Poisson functional representation [C. T. Li and A. El Gamal, 2018]. Every
//! candidate has an exponential time E, common to all branches. A branch with probabilities p takes
//! the candidate with the least E / p. This has distribution p, and branches with similar
//! distributions almost always take the same candidate.

use super::draws::LnFactorial;
use crate::random::{Stream, stream};
use rand::RngExt;

/// Common random numbers of all branches in one step.
pub struct Meeting {
    /// Stream for the remainders.
    common: Stream,
    /// The modulus of the remainders.
    length: u64,
    time: f64,
    /// Times, and remainders as a share of the modulus.
    points: Vec<(f64, f64)>,
    /// Exponential times of the candidates from the first integer up, and below it.
    clocks: [Clocks; 2],
    /// The first integer.
    first: Option<u64>,
}

/// Exponential times, drawn on first use.
struct Clocks(Stream, Vec<f64>);

impl Clocks {
    fn get(&mut self, at: u64) -> f64 {
        while self.1.len() <= at as usize {
            let share: f64 = self.0.random();
            self.1.push(-(-share).ln_1p());
        }
        self.1[at as usize]
    }
}

/// Modulus of the remainders, in standard deviations.
const LENGTH: f64 = 1.25;
/// Truncation of a binomial distribution: standard deviations from its mean, and additional
/// integers.
const END: [f64; 2] = [9.0, 12.0];

impl Meeting {
    /// Common numbers for one step, from a seed, for branches with at most this standard deviation.
    pub fn new(seed: u64, deviation: f64) -> Meeting {
        let clocks = [2, 3].map(|i| Clocks(stream(seed, i), Vec::new()));
        let common = stream(seed, 1);
        let length = (LENGTH * deviation).max(1.0) as u64;
        Meeting { common, length, time: 0.0, points: Vec::new(), clocks, first: None }
    }

    /// A variate a ~ Binomial(count, rise), coupled so that `start` + a agrees on all branches
    /// where possible.
    pub fn next(&mut self, start: u64, count: u64, rise: f64, factorial: &LnFactorial) -> u64 {
        if count == 0 || rise <= 0.0 {
            return 0;
        }
        if rise >= 1.0 {
            return count;
        }
        let mean = count as f64 * rise;
        let variance = mean * (1.0 - rise);
        let wide = END[0] * variance.sqrt() + END[1];
        let (low, high) = ((mean - wide).max(0.0) as u64, ((mean + wide) as u64).min(count));
        let length = self.length;
        let (up, down) = (rise.ln(), (-rise).ln_1p());
        let law =
            |a: u64| (factorial.choose(count, a) + a as f64 * up + (count - a) as f64 * down).exp();
        // The least variate whose integer has this remainder.
        let least = |remainder: u64| low + (remainder + length - (start + low) % length) % length;
        let numbers = |remainder: u64| (least(remainder)..=high).step_by(length as usize);
        let most = most_of_a_remainder(length, count, rise);
        let mut best = (f64::INFINITY, 0);
        for i in 0.. {
            let (time, share) = self.point(i);
            if time / most >= best.0 {
                break;
            }
            let remainder = (share * length as f64) as u64;
            let score = time / numbers(remainder).map(law).sum::<f64>();
            if score < best.0 {
                best = (score, remainder);
            }
        }
        let first = *self.first.get_or_insert((start + mean as u64) / length);
        let mut taken = (f64::INFINITY, low);
        for a in numbers(best.1) {
            let place = (start + a) / length;
            let time = match place.checked_sub(first) {
                Some(above) => self.clocks[0].get(above),
                None => self.clocks[1].get(first - place - 1),
            };
            let score = time / law(a);
            if score < taken.0 {
                taken = (score, a);
            }
        }
        taken.1
    }

    fn point(&mut self, i: usize) -> (f64, f64) {
        while self.points.len() <= i {
            let gap: f64 = self.common.random();
            self.time -= (-gap).ln_1p();
            self.points.push((self.time, self.common.random()));
        }
        self.points[i]
    }
}

/// Upper bound on the probability of any remainder, by the characteristic function of the
/// distribution, plus an allowance for rounding.
fn most_of_a_remainder(length: u64, count: u64, rise: f64) -> f64 {
    let size = |m: u64| {
        let angle = 2.0 * std::f64::consts::PI * m as f64 / length as f64;
        (0.5 * count as f64 * (-2.0 * rise * (1.0 - rise) * (1.0 - angle.cos())).ln_1p()).exp()
    };
    let mut sum = 1.0;
    for m in 1..length {
        // Terms m and length - m are equal.
        let both = 2.0 * size(m);
        sum += both;
        if both < 1e-12 || 2 * m >= length {
            break;
        }
    }
    (sum + 1e-9) / length as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn branches_meet_and_keep_their_laws() {
        let factorial = LnFactorial::new();
        for (count, rise, shift) in [(771, 1.0 / 3.0, 1), (6, 0.3, 1), (75_000, 0.5, 10)] {
            let (mean, variance) = (count as f64 * rise, count as f64 * rise * (1.0 - rise));
            let (mut same, mut moments) = (0.0, [0.0; 4]);
            for i in 0..20_000 {
                let mut meeting = Meeting::new(i, variance.sqrt());
                let a = meeting.next(9150, count, rise, &factorial);
                let b = meeting.next(9150 - shift, count, rise, &factorial);
                same += f64::from(u8::from(a + shift == b)) / 2e4;
                for (at, x) in [(0, a), (2, b)] {
                    moments[at] += (x as f64 - mean) / variance.sqrt() / 2e4;
                    moments[at + 1] += (x as f64 - mean).powi(2) / variance / 2e4;
                }
            }
            assert!(same > 0.4, "{count} {same}");
            for at in [0, 2] {
                assert!(
                    moments[at].abs() < 0.03 && (moments[at + 1] - 1.0).abs() < 0.04,
                    "{moments:?}"
                );
            }
        }
    }

    /// Different integers almost always differ by a multiple of the modulus, however far apart the
    /// branches are.
    #[test]
    fn branches_share_their_remainders() {
        let factorial = LnFactorial::new();
        for (count, rise, shift) in [(771u64, 1.0 / 3.0, 57), (75_000, 0.5, 3001)] {
            let deviation = (count as f64 * rise * (1.0 - rise)).sqrt();
            let (mut shared, mut runs) = (0.0, 0.0);
            for i in 0..4000 {
                let mut meeting = Meeting::new(i, deviation);
                let a = 9150 + meeting.next(9150, count, rise, &factorial);
                let fewer = count - count / 8;
                let b = 9150 + shift + meeting.next(9150 + shift, fewer, rise, &factorial);
                shared += f64::from(u8::from(a.abs_diff(b).is_multiple_of(meeting.length)));
                runs += 1.0;
            }
            assert!(shared > 0.995 * runs, "{count} {shared} of {runs}");
        }
    }

    /// No remainder is more probable than the bound, for small and large distributions.
    #[test]
    fn the_most_of_a_remainder_is_a_bound() {
        let factorial = LnFactorial::new();
        for (count, rise) in [(1u64, 0.3f64), (7, 0.02), (40, 0.25), (771, 1.0 / 3.0)] {
            for length in [1u64, 2, 5, 16, 40] {
                let log = |a: u64| {
                    factorial.choose(count, a)
                        + a as f64 * rise.ln()
                        + (count - a) as f64 * (-rise).ln_1p()
                };
                let mass = |first: u64| -> f64 {
                    (first..=count).step_by(length as usize).map(|a| log(a).exp()).sum()
                };
                let most = (0..length.min(count + 1)).map(mass).fold(0.0, f64::max);
                let bound = most_of_a_remainder(length, count, rise);
                assert!(most <= bound, "{count} {rise} {length}: {most} {bound}");
            }
        }
    }
}
