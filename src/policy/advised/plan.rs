//! Look-ahead plan on the expected development of an imbalance.
//!
//! The excess of the imbalance over its usual value for its age, e = u(b, t) - growth, decays or
//! persists. For lags h = 1, 2, 4, ..., 32 a regression over all steps b of the window estimates by
//! how much:
//!
//! ```text
//! e(b, t + h) ~ x e(b, t) + y (mean of the last six e(b, .)),     0 <= x + y <= 1,
//! ```
//!
//! with exponential forgetting; without data, x = 0 and y = 1. A step is also unfavorable for a
//! remap when the mapping it produces fits the preceding steps badly. Let q be the mean of u(t, t -
//! h) over h = 1..8 relative to its usual value; it predicts a share of e(t, t + h). With n steps
//! since the last remap and k remaining,
//!
//! ```text
//! stay j steps, then remap:  sum over h <= j of (growth_(n+h) + e_h)  +  C + V_(k-j)
//! remap now:                 C + V_k + what q foretells of the first cycle
//! ```
//!
//! where V_k is the cost of k steps from balance in equal cycles. With unknown horizon V_k is k
//! times the cost per step of the best cycle. Staying costs no more than the sum for j = k. Where a
//! remap takes effect d steps after its decision, the next d steps are common to all options, and
//! the sums begin at h = d + 1.

use super::course::Course;
use super::stored::Memory;
use super::window::{ROWS, Window};

/// Lags of the regressions.
pub(super) const LAGS: [usize; 6] = [1, 2, 4, 8, 16, 32];
const LONGEST: usize = 32;

/// Number of steps whose excesses are stored.
pub(super) const COLUMNS: usize = LONGEST + 1;

/// Candidate numbers of steps until the next remap: lags and the midpoints between them. Beyond the
/// longest lag the excess is extrapolated geometrically.
pub(super) const STAYS: [usize; 18] =
    [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512];

/// Number of excesses averaged.
pub(super) const AVERAGED: usize = 6;

/// Forgetting factor of the regression sums per step.
pub(super) const FORGETTING: f64 = 0.01;

/// Weight of the prior, as a share of all data.
pub(super) const PRIOR: f64 = 0.001;

/// `BEFORE`: steps before a step that predict whether it is favorable for a remap. `USUAL`: weight
/// of the newest in their usual value. `DOUBT`: weight of the prior that they predict nothing, in
/// number of steps.
pub(super) const BEFORE: usize = 8;
pub(super) const USUAL: f64 = 0.1;
pub(super) const DOUBT: f64 = 10.0;

/// Regressions of the imbalance, and the plan they lead to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plan {
    remap_cost: f64,
    seen: u64,
    /// e(b, t) and its mean over the last steps: `excess[(t mod COLUMNS) * ROWS + index of b]`.
    pub excess: Vec<f64>,
    pub smooth: Vec<f64>,
    /// For each lag the sums of the squares of both columns, of their product, and of both with the
    /// later excess.
    pub sums: Vec<[f64; 5]>,
    /// q of each step, by index; and the regression state.
    pub quality: Vec<f64>,
    pub usual: f64,
    pub scale: f64,
    pub quality_sums: Vec<[f64; 2]>,
    /// Sums over h = 1..=STAYS[i] of x, y, and the share of q.
    stays: [[f64; 3]; 18],
}

impl Plan {
    /// No data yet.
    pub fn new(remap_cost: f64) -> Plan {
        Plan {
            remap_cost,
            seen: 0,
            excess: vec![0.0; COLUMNS * ROWS],
            smooth: vec![0.0; COLUMNS * ROWS],
            sums: vec![[0.0; 5]; LAGS.len()],
            quality: vec![0.0; ROWS],
            usual: 0.0,
            scale: 0.0,
            quality_sums: vec![[0.0; 2]; LAGS.len()],
            stays: [[0.0; 3]; 18],
        }
    }

    /// The state between two steps, except for the factors, which the next step recomputes.
    pub fn restored(memory: &Memory, remap_cost: f64) -> Plan {
        Plan {
            seen: memory.steps,
            excess: memory.excess.clone(),
            smooth: memory.smooth.clone(),
            sums: memory.sums.clone(),
            quality: memory.quality.clone(),
            usual: memory.usual,
            scale: memory.scale,
            quality_sums: memory.quality_sums.clone(),
            ..Plan::new(remap_cost)
        }
    }

    fn column(&self, back: usize) -> usize {
        ((self.seen + COLUMNS as u64 - back as u64) % COLUMNS as u64) as usize * ROWS
    }

    /// Updates the regressions with the row the window has just processed and not yet stored.
    pub fn observe(&mut self, window: &Window) {
        self.seen += 1;
        self.take_excesses(window);
        let mut factors = [[0.0; 3]; 6];
        for (at, lag) in LAGS.into_iter().enumerate() {
            let [x, y] = self.regress(at, lag);
            factors[at] = [x, y, self.regress_quality(window, at, lag)];
        }
        self.take_quality(window);
        self.add_up(factors);
    }

    fn take_excesses(&mut self, window: &Window) {
        let newest = window.place(1);
        for back in 1..=LONGEST {
            // The stored values belong to another step.
            let column = self.column(back);
            self.excess[column + newest] = 0.0;
            self.smooth[column + newest] = 0.0;
        }
        let now = self.column(0);
        for age in 1..=window.oldest() {
            let place = window.place(age);
            let excess = window.forward(age) - window.growth(age as f64);
            self.excess[now + place] = excess;
            let averaged = age.min(AVERAGED);
            let mut sum = excess;
            for back in 1..averaged {
                sum += self.excess[self.column(back) + place];
            }
            self.smooth[now + place] = sum / averaged as f64;
        }
    }

    fn regress(&mut self, at: usize, lag: usize) -> [f64; 2] {
        let mut found = [0.0; 5];
        if self.seen > lag as u64 {
            let (now, then) = (self.column(0), self.column(lag));
            let last = &self.excess[then..then + ROWS];
            let smooth = &self.smooth[then..then + ROWS];
            for ((y, a), b) in self.excess[now..now + ROWS].iter().zip(last).zip(smooth) {
                let products = [a * a, b * b, a * b, a * y, b * y];
                found.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
            }
        }
        let sums = &mut self.sums[at];
        sums.iter_mut().zip(found).for_each(|(sum, more)| *sum = (1.0 - FORGETTING) * *sum + more);
        let [first, second, product, c, d] = *sums;
        let little = 0.01 * self.remap_cost;
        let prior = PRIOR * (first + second + little * little);
        let (a, b, d) = (first + prior, second + prior, d + prior);
        let determinant = a * b - product * product;
        if !(determinant > 0.0 && determinant.is_finite()) {
            return [0.0, 1.0];
        }
        let x = (c * b - d * product) / determinant;
        let y = (a * d - product * c) / determinant;
        // The persisting share lies between 0 and 1.
        let beyond = ((x + y).clamp(0.0, 1.0) - (x + y)) / 2.0;
        [x + beyond, y + beyond]
    }

    fn regress_quality(&mut self, window: &Window, at: usize, lag: usize) -> f64 {
        let [squares, products] = &mut self.quality_sums[at];
        *squares *= 1.0 - FORGETTING;
        *products *= 1.0 - FORGETTING;
        if self.seen > lag as u64 {
            let quality = self.quality[window.place(lag)];
            *squares += quality * quality;
            *products += quality * (window.forward(lag) - window.growth(lag as f64));
        }
        let all = *squares + DOUBT * self.scale;
        if all > 0.0 && all.is_finite() { (*products / all).clamp(0.0, 1.0) } else { 0.0 }
    }

    fn take_quality(&mut self, window: &Window) {
        let before = window.oldest().min(BEFORE);
        let sum: f64 = (1..=before).map(|age| window.backward(age)).sum();
        let found = sum / before as f64;
        let share = 1.0 / self.seen as f64;
        self.scale += (found * found - self.scale) * share.max(2.0 * FORGETTING);
        self.usual += (found - self.usual) * share.max(USUAL);
        self.quality[window.place(0)] = found - self.usual;
    }

    /// Sums of the factors over the candidate steps, linear between the lags.
    fn add_up(&mut self, factors: [[f64; 3]; 6]) {
        let mut sum = factors[0];
        self.stays[0] = sum;
        let (mut lag, mut from, mut to) = (1, factors[0], factors[1]);
        for i in 1..STAYS.len() {
            let (before, stay) = (STAYS[i - 1], STAYS[i]);
            // From `lag` to twice the lag the factors change from `from` to `to`.
            let place = |h: usize| (h - lag) as f64 / lag as f64;
            let middle = (place(before + 1) + place(stay)) / 2.0;
            for k in 0..3 {
                sum[k] += (stay - before) as f64 * (from[k] + middle * (to[k] - from[k]));
            }
            self.stays[i] = sum;
            if stay == 2 * lag {
                lag = stay;
                from = to;
                to = match LAGS.iter().position(|known| *known == 2 * lag) {
                    Some(next) => factors[next],
                    None => {
                        let left = from[0] + from[1];
                        [from[0] * left, from[1] * left, 0.0]
                    }
                };
            }
        }
    }

    /// Sums of the factors over `steps` steps; linear between the entries of [`STAYS`].
    fn persisting(&self, steps: usize) -> [f64; 3] {
        let Some(above) = STAYS.iter().position(|stay| *stay >= steps) else {
            return self.stays[STAYS.len() - 1];
        };
        if STAYS[above] == steps {
            return self.stays[above];
        }
        let (from, low) = match above {
            0 => (0, [0.0; 3]),
            _ => (STAYS[above - 1], self.stays[above - 1]),
        };
        let place = (steps - from) as f64 / (STAYS[above] - from) as f64;
        let high = self.stays[above];
        [0, 1, 2].map(|k| low[k] + place * (high[k] - low[k]))
    }

    /// Gain of a remap now over the best later one, or none. `left` steps follow, if that is known.
    /// Work independent of the number of ranks.
    pub fn gain(&self, window: &Window, course: &Course, left: Option<u64>) -> f64 {
        let (excess, smooth) = course.excess();
        let delay = window.delay;
        // A decision now has no effect earlier.
        let age = (course.age() + delay as u64) as f64;
        let paid = window.sum(age);
        let cost = self.remap_cost;
        let end = left.map(|left| left.saturating_sub(delay as u64) as f64);
        let earlier = self.persisting(delay);
        let after = |stay: usize| {
            let until = self.persisting(delay + stay);
            [0, 1, 2].map(|k| until[k] - earlier[k])
        };
        let mut best = f64::INFINITY;
        let mut before = (0.0, 0.0);
        for stay in STAYS {
            let [x, y, _] = after(stay);
            let mut stay = stay as f64;
            let mut more = x * excess + y * smooth;
            let through = end.is_some_and(|end| stay >= end);
            if let (Some(end), true) = (end, through) {
                let (steps, earlier) = before;
                more = earlier + (more - earlier) * (end - steps) / (stay - steps);
                stay = end;
            }
            before = (stay, more);
            let stayed = (window.sum(age + stay) - paid + more).max(0.0);
            let total = match end {
                None => stayed - window.cycle.cost * stay,
                Some(_) if through => stayed,
                Some(end) => stayed + cost + window.value(end - stay, cost),
            };
            best = best.min(total);
            if through {
                break;
            }
        }
        if let Some(end) = end.filter(|end| *end > before.0) {
            // To the end without a remap; persistence over that time is unknown.
            best = best.min((window.sum(age + end) - paid + before.1).max(0.0));
        }
        let first = window.cycle.length.min(end.unwrap_or(f64::INFINITY));
        let within = STAYS.iter().position(|stay| *stay as f64 >= first);
        let [_, _, share] = after(STAYS[within.unwrap_or(STAYS.len() - 1)]);
        let bad = self.quality[window.place(0)] * share;
        match end {
            None => best - bad,
            Some(end) => best - (cost + window.value(end, cost) + bad),
        }
    }
}
