//! The last rows of a run, each as a possible step of a remap, and the imbalance that follows a
//! remap.
//!
//! Y are the deviations of the ranks from the mean as if nothing had been remapped. A remap after
//! step b makes the imbalance of step t
//!
//! ```text
//! u(b, t) = max over ranks of Y_t - Y_b >= 0.
//! ```

use super::stored::Memory;
use crate::machine::widest;
use pulp::{Simd, WithSimd};

/// Rows kept.
pub(super) const ROWS: usize = 64;

/// Least weight of the newest value in a mean over steps.
pub(super) const FORGETTING: f64 = 0.005;

/// Longer cycles are treated as infinite.
pub(super) const LONGEST_CYCLE: f64 = 4096.0;

/// The rows, and the cost of a remap at each of them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Window {
    ranks: usize,
    /// Steps from the decision of a remap until it takes effect.
    pub delay: usize,
    /// Rows processed, including the initial one.
    seen: u64,
    /// `rows[s * ranks + i]`: Y of rank i at the last step t with t mod ROWS = s.
    pub rows: Vec<f64>,
    /// u(b, now) and u(now, b), by the index of b.
    forward: Vec<f64>,
    backward: Vec<f64>,
    /// Sum of u(b, s) over the steps s after b once a remap at b has taken effect, by the index of
    /// b.
    pub since: Vec<f64>,
    /// Mean of u(b, b + j), number of b averaged, and its sums over 1..=j.
    pub growth: Vec<f64>,
    pub counts: Vec<f64>,
    sums: Vec<f64>,
    /// Growth per step beyond the longest age.
    slope: f64,
    /// The cycle of least average cost, for the growth so far.
    pub cycle: Cycle,
}

/// The cycle of least average cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cycle {
    /// Its length in steps.
    pub length: f64,
    /// min over j of (C + growth_(d+1) + ... + growth_(d+j)) / j, with delay d.
    pub cost: f64,
}

impl Window {
    /// A run that starts balanced at these deviations.
    pub fn new(start: &[f64], delay: usize) -> Window {
        let mut rows = vec![0.0; ROWS * start.len()];
        rows[..start.len()].copy_from_slice(start);
        Window {
            ranks: start.len(),
            delay,
            seen: 1,
            rows,
            forward: vec![0.0; ROWS],
            backward: vec![0.0; ROWS],
            since: vec![0.0; ROWS],
            growth: vec![0.0; ROWS + 1],
            counts: vec![0.0; ROWS + 1],
            sums: vec![0.0; ROWS + 1],
            slope: 0.0,
            cycle: Cycle { length: 1.0, cost: 0.0 },
        }
    }

    /// The row that is `age` steps old, fewer than [`ROWS`].
    pub fn row(&self, age: usize) -> &[f64] {
        let place = self.place(age);
        &self.rows[place * self.ranks..(place + 1) * self.ranks]
    }

    /// Number of rows stored before the present one.
    pub fn oldest(&self) -> usize {
        (self.seen - 1).min(ROWS as u64) as usize
    }

    /// Index of the row that is `age` steps old.
    pub fn place(&self, age: usize) -> usize {
        ((self.seen - 1 - age as u64) % ROWS as u64) as usize
    }

    /// Processes the next row. Work: 2 ROWS x ranks.
    pub fn observe(&mut self, row: &[f64], remap_cost: f64) {
        self.seen += 1;
        for age in 1..=self.oldest() {
            let place = self.place(age);
            let then = &self.rows[place * self.ranks..(place + 1) * self.ranks];
            let (most, least) = extremes(row, then);
            let ahead = most.max(0.0);
            self.forward[place] = ahead;
            self.backward[place] = (-least).max(0.0);
            if age > self.delay {
                self.since[place] += ahead;
            }
            self.counts[age] += 1.0;
            let share = (1.0 / self.counts[age]).max(FORGETTING);
            self.growth[age] += share * (ahead - self.growth[age]);
        }
        self.add_up(remap_cost);
        // The newest row replaces the oldest.
        let place = self.place(0);
        self.rows[place * self.ranks..(place + 1) * self.ranks].copy_from_slice(row);
        self.since[place] = 0.0;
    }

    /// The state between two steps.
    pub fn restored(memory: &Memory, remap_cost: f64, delay: usize) -> Window {
        let mut window = Window {
            seen: memory.steps + 1,
            rows: memory.rows.clone(),
            since: memory.since.clone(),
            growth: memory.growth.clone(),
            counts: memory.counts.clone(),
            ..Window::new(&memory.row, delay)
        };
        if memory.steps > 0 {
            window.add_up(remap_cost);
        }
        window
    }

    /// Sums of the growth, and the cycle of least average cost.
    fn add_up(&mut self, remap_cost: f64) {
        let oldest = self.oldest();
        for age in 1..=oldest {
            self.sums[age] = self.sums[age - 1] + self.growth[age];
        }
        // A remap is in effect that many steps after its decision.
        let first = self.delay.min(oldest);
        let spent = |length: usize| self.sums[first + length] - self.sums[first];
        let average = |length: usize| (remap_cost + spent(length)) / length as f64;
        let mut best = Cycle { length: 1.0, cost: f64::INFINITY };
        for length in 1..=oldest - first {
            if average(length) < best.cost {
                best = Cycle { length: length as f64, cost: average(length) };
            }
        }
        let (last, half) = (self.growth[oldest], (oldest / 2).max(1));
        let rise = (last - self.growth[half]) / (oldest - half).max(1) as f64;
        self.slope = rise.max(0.0);
        // From the last age on linear growth: d more steps cost last d + slope d (d + 1) / 2.
        let age = (oldest - first) as f64;
        let saved = remap_cost + spent(oldest - first) - (last + self.slope / 2.0) * age;
        if saved > 0.0 {
            let least = (age * age + 2.0 * saved / self.slope).sqrt().min(LONGEST_CYCLE);
            let cost = (remap_cost + self.in_force(least)) / least;
            if cost < best.cost {
                best = Cycle { length: least, cost };
            }
        }
        self.cycle = best;
    }

    /// u(b, now).
    pub fn forward(&self, age: usize) -> f64 {
        self.forward[self.place(age)]
    }

    /// u(now, b): the imbalance of step b under a remap now.
    pub fn backward(&self, age: usize) -> f64 {
        self.backward[self.place(age)]
    }

    /// Cost of the steps since b after a remap at b.
    pub fn since(&self, age: usize) -> f64 {
        self.since[self.place(age)]
    }

    /// Mean imbalance `steps` steps after a remap. Beyond the longest age it is extrapolated by the
    /// line through the second half of the ages.
    pub fn growth(&self, steps: f64) -> f64 {
        let oldest = self.oldest();
        let beyond = steps - oldest as f64;
        if beyond >= 0.0 {
            return self.growth[oldest] + self.slope * beyond;
        }
        self.growth[steps as usize]
    }

    /// Sum of the mean imbalance of the first `steps` steps after a remap; linear between integer
    /// steps.
    pub fn sum(&self, steps: f64) -> f64 {
        let oldest = self.oldest();
        let beyond = steps - oldest as f64;
        if beyond >= 0.0 {
            let line = self.growth[oldest] + self.slope * (beyond + 1.0) / 2.0;
            return self.sums[oldest] + line * beyond;
        }
        let whole = steps as usize;
        self.sums[whole] + (steps - whole as f64) * self.growth[whole + 1]
    }

    /// The same for the first `steps` steps under a new mapping.
    fn in_force(&self, steps: f64) -> f64 {
        let delay = self.delay as f64;
        self.sum(delay + steps) - self.sum(delay)
    }

    /// Cost of `steps` steps under a new mapping in cycles of equal length: min over m of (m - 1) C
    /// + m (growth_(d+1) + ... + growth_(d + steps / m)).
    pub fn value(&self, steps: f64, remap_cost: f64) -> f64 {
        if steps <= 0.0 {
            return 0.0;
        }
        let fewer = (steps / self.cycle.length).floor().max(1.0);
        let cost =
            |cycles: f64| (cycles - 1.0) * remap_cost + cycles * self.in_force(steps / cycles);
        cost(fewer).min(cost(fewer + 1.0))
    }
}

/// Number of independent vector accumulators.
const STRANDS: usize = 4;

/// The largest and the least of `a - b`, for finite numbers.
pub(super) fn extremes(a: &[f64], b: &[f64]) -> (f64, f64) {
    widest(Extremes { a, b })
}

struct Extremes<'a> {
    a: &'a [f64],
    b: &'a [f64],
}

impl WithSimd for Extremes<'_> {
    type Output = (f64, f64);

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> (f64, f64) {
        let ((a, a_rest), (b, b_rest)) = (S::as_simd_f64s(self.a), S::as_simd_f64s(self.b));
        let mut most = [simd.splat_f64s(f64::NEG_INFINITY); STRANDS];
        let mut least = [simd.splat_f64s(f64::INFINITY); STRANDS];
        for (a, b) in a.chunks(STRANDS).zip(b.chunks(STRANDS)) {
            for (strand, (a, b)) in a.iter().zip(b).enumerate() {
                let change = simd.sub_f64s(*a, *b);
                most[strand] = simd.max_f64s(change, most[strand]);
                least[strand] = simd.min_f64s(change, least[strand]);
            }
        }
        let most = most.into_iter().map(|most| simd.reduce_max_f64s(most));
        let least = least.into_iter().map(|least| simd.reduce_min_f64s(least));
        let rest = || a_rest.iter().zip(b_rest).map(|(a, b)| a - b);
        let most = most.chain(rest()).fold(f64::NEG_INFINITY, f64::max);
        (most, least.chain(rest()).fold(f64::INFINITY, f64::min))
    }
}
