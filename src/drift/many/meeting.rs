//! Binomial numbers on several branches, drawn so that what they lead to is the same as often as can be.
//!
//! Every branch draws a first number from the same random numbers: laws that differ little give numbers
//! that do. Then it draws again, within a block of whole numbers around the first, the blocks
//! being common to all branches: that changes no law. Within a block, points z_1, z_2, ... arrive at the times
//! T_1 < T_2 < ... of a Poisson process, common to all branches; a branch whose law is p takes the
//! point with the least T_i / p(z_i). It has the law p, given the block, and branches with laws that hardly
//! differ take the same one with hardly an exception [C. T. Li and A. El Gamal, 2018].

use super::draws::{LnFactorial, binomial};
use crate::random::{Stream, stream};
use rand::RngExt;

/// What the branches have in common in one step.
pub struct Meeting {
    seed: u64,
    stream: Stream,
    /// Where a block begins, and how long all are.
    blocks: Option<(u64, u64)>,
    time: f64,
    /// Times, and points by their share of a block.
    points: Vec<(f64, f64)>,
}

/// The shortest block.
const SHORTEST: f64 = 6.0;

impl Meeting {
    /// A seed for each step gives other numbers.
    pub fn new(seed: u64) -> Meeting {
        Meeting { seed, stream: stream(seed, 1), blocks: None, time: 0.0, points: Vec::new() }
    }

    /// A number a of law Binomial(count, rise), with `start` + a the same on all branches where that can be.
    pub fn next(&mut self, start: u64, count: u64, rise: f64, factorial: &LnFactorial) -> u64 {
        if count == 0 {
            return 0;
        }
        let common = &mut self.stream;
        let (begin, length) = *self.blocks.get_or_insert_with(|| {
            let deviation = (count as f64 * rise * (1.0 - rise)).sqrt();
            let length = deviation.max(SHORTEST) as u64;
            (common.random_range(0..length), length)
        });
        let drawn = binomial(count, rise, &mut stream(self.seed, 0));
        // Blocks start a little before zero.
        let block = (start + drawn + length - begin) / length * length + begin;
        let low = (block.max(start + length) - start - length).min(count);
        let high = (block - start - 1).min(count);
        let (up, down) = (rise.ln(), (-rise).ln_1p());
        let log = |a: u64| factorial.choose(count, a) + a as f64 * up + (count - a) as f64 * down;
        let mode = ((count as f64 + 1.0) * rise) as u64;
        // A little more than it is, for what rounding may hide.
        let most = log(mode.clamp(low, high)) + 1e-9;
        let mut best = (f64::INFINITY, drawn);
        for i in 0.. {
            let (time, share) = self.point(i);
            if time.ln() - most >= best.0 {
                break;
            }
            let point = block + (share * length as f64) as u64;
            if (start + length + low..=start + length + high).contains(&point) {
                let a = point - start - length;
                let score = time.ln() - log(a);
                if score < best.0 {
                    best = (score, a);
                }
            }
        }
        best.1
    }

    fn point(&mut self, i: usize) -> (f64, f64) {
        while self.points.len() <= i {
            let gap: f64 = self.stream.random();
            self.time -= (-gap).ln_1p();
            self.points.push((self.time, self.stream.random()));
        }
        self.points[i]
    }
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
                let mut meeting = Meeting::new(i);
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
}
