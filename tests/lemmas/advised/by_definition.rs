//! The rule `advised` from its definition, with everything computed anew from all rows: slow and
//! obvious.

/// Deviations from the mean, in pairs of moments and at each moment.
pub struct Past {
    cost: f64,
    /// Steps from a decision until the new mapping is in force.
    delay: usize,
    /// The moment the paper runs start from.
    start: usize,
    /// `u[b][t]` for all moments.
    u: Vec<Vec<f64>>,
    /// `growth[t][j]` as known after step t.
    growth: Vec<Vec<f64>>,
}

const STAYS: [usize; 18] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512];
const LAGS: [usize; 6] = [1, 2, 4, 8, 16, 32];

/// What regressions say at a moment.
struct Learnt {
    /// Sums over h = 1..=j of x, y and the share of q.
    factors: Vec<[f64; 3]>,
    quality: f64,
}

/// A run under some remaps.
#[derive(Clone)]
struct Run {
    base: usize,
    /// The step after which the mapping was in force, and that of the decision under way.
    arrived: usize,
    begun: Option<usize>,
    /// Imbalance, and number of remaps, since the run started.
    total: f64,
    remaps: f64,
}

impl Run {
    fn new(base: usize) -> Run {
        Run { base, arrived: base, begun: None, total: 0.0, remaps: 0.0 }
    }

    /// After step t: whether a remap is, or was until now, under way.
    fn under_way(&mut self, t: usize, delay: usize) -> bool {
        let Some(decided) = self.begun else { return false };
        if t == decided + delay {
            (self.base, self.arrived, self.begun) = (decided, t, None);
            self.remaps += 1.0;
        }
        true
    }

    fn decide(&mut self, t: usize, delay: usize) {
        self.begun = Some(t);
        if delay == 0 {
            self.under_way(t, delay);
        }
    }
}

impl Past {
    fn new(rows: &[Vec<f64>], start: usize, cost: f64, delay: usize) -> Past {
        let most = |now: &Vec<f64>, then: &Vec<f64>| {
            now.iter().zip(then).map(|(now, then)| now - then).fold(0.0, f64::max)
        };
        let u: Vec<Vec<f64>> =
            rows.iter().map(|then| rows.iter().map(|now| most(now, then)).collect()).collect();
        let mut growth = vec![vec![0.0; 65]; rows.len()];
        for t in start + 1..rows.len() {
            for j in 1..=64 {
                growth[t][j] = growth[t - 1][j];
                if t - start >= j {
                    let count = (t - start - j + 1) as f64;
                    growth[t][j] += (1.0 / count).max(0.005) * (u[t - j][t] - growth[t - 1][j]);
                }
            }
        }
        Past { cost, delay, start, u, growth }
    }

    fn oldest(&self, t: usize) -> usize {
        (t - self.start).min(64)
    }

    fn slope(&self, t: usize) -> f64 {
        let (known, half) = (self.oldest(t), (self.oldest(t) / 2).max(1));
        let rise = self.growth[t][known] - self.growth[t][half];
        (rise / (known - half).max(1) as f64).max(0.0)
    }

    fn usual(&self, t: usize, age: usize) -> f64 {
        let known = self.oldest(t);
        match age <= known {
            true => self.growth[t][age],
            false => self.growth[t][known] + self.slope(t) * (age - known) as f64,
        }
    }

    fn sum(&self, t: usize, steps: f64) -> f64 {
        let known = self.oldest(t) as f64;
        let whole = (1..=steps.min(known) as usize).map(|age| self.growth[t][age]).sum::<f64>();
        if steps < known {
            return whole + steps.fract() * self.growth[t][steps as usize + 1];
        }
        let beyond = steps - known;
        let last = self.growth[t][known as usize];
        whole + last * beyond + self.slope(t) * beyond * (beyond + 1.0) / 2.0
    }

    /// The first steps on a new mapping.
    fn in_force(&self, t: usize, steps: f64) -> f64 {
        self.sum(t, self.delay as f64 + steps) - self.sum(t, self.delay as f64)
    }

    /// Length and average cost of the best cycle.
    fn cycle(&self, t: usize) -> (f64, f64) {
        let average = |length: f64| (self.cost + self.in_force(t, length)) / length;
        let known = self.oldest(t).saturating_sub(self.delay);
        let (mut low, mut high) = ((known as f64).max(1e-9), 4096.0);
        for _ in 0..300 {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if average(a) <= average(b) { high = b } else { low = a }
        }
        let lengths = (1..=known).map(|length| length as f64).chain([high]);
        let all = lengths.map(|length| (length, average(length)));
        all.reduce(|best, next| if next.1 < best.1 - 1e-13 * best.1 { next } else { best }).unwrap()
    }

    fn value(&self, t: usize, steps: f64) -> f64 {
        if steps <= 0.0 {
            return 0.0;
        }
        let fewer = (steps / self.cycle(t).0).floor().max(1.0);
        let of = |m: f64| (m - 1.0) * self.cost + m * self.in_force(t, steps / m);
        of(fewer).min(of(fewer + 1.0))
    }

    fn excess(&self, b: usize, t: usize) -> f64 {
        self.u[b][t] - self.usual(t, t - b)
    }

    fn smooth(&self, b: usize, t: usize) -> f64 {
        let averaged = (t - b).min(6);
        (0..averaged).map(|back| self.excess(b, t - back)).sum::<f64>() / averaged as f64
    }

    /// q, and the mean squares of what it is taken from, at every moment up to t.
    fn qualities(&self, t: usize) -> (Vec<f64>, Vec<f64>) {
        let (mut q, mut scales) = (vec![0.0; self.start + 1], vec![0.0; self.start + 1]);
        let (mut usual, mut scale) = (0.0, 0.0);
        for s in self.start + 1..=t {
            let before = self.oldest(s).min(8);
            let found = (1..=before).map(|h| self.u[s][s - h]).sum::<f64>() / before as f64;
            let share = 1.0 / (s - self.start) as f64;
            scale += (found * found - scale) * share.max(0.02);
            usual += (found - usual) * share.max(0.1);
            q.push(found - usual);
            scales.push(scale);
        }
        (q, scales)
    }

    fn learnt(&self, t: usize) -> Learnt {
        let (q, scales) = self.qualities(t);
        let at_lag = |lag: usize| -> [f64; 3] {
            let (mut aa, mut ab, mut bb, mut ay, mut by) = (0.0, 0.0, 0.0, 0.0, 0.0);
            let (mut qq, mut qy) = (0.0, 0.0);
            for s in self.start + 1..=t {
                let weight = 0.99_f64.powi((t - s) as i32);
                for base in s - self.oldest(s)..s {
                    if s > base + lag {
                        let (a, b) = (self.excess(base, s - lag), self.smooth(base, s - lag));
                        let y = self.excess(base, s);
                        aa += weight * a * a;
                        ab += weight * a * b;
                        bb += weight * b * b;
                        ay += weight * a * y;
                        by += weight * b * y;
                    }
                }
                if s > self.start + lag {
                    qq += weight * q[s - lag] * q[s - lag];
                    qy += weight * q[s - lag] * self.excess(s - lag, s);
                }
            }
            let prior = 0.001 * (aa + bb + (0.01 * self.cost).powi(2));
            let (aa, bb, by) = (aa + prior, bb + prior, by + prior);
            let determinant = aa * bb - ab * ab;
            let (x, y) = ((ay * bb - by * ab) / determinant, (aa * by - ab * ay) / determinant);
            let moved = ((x + y).clamp(0.0, 1.0) - x - y) / 2.0;
            let doubt = qq + 10.0 * scales[t - 1];
            let share = if doubt > 0.0 { (qy / doubt).clamp(0.0, 1.0) } else { 0.0 };
            [x + moved, y + moved, share]
        };
        let mut points: Vec<(usize, [f64; 3])> = LAGS.iter().map(|h| (*h, at_lag(*h))).collect();
        while points[points.len() - 1].0 < 512 {
            let (lag, [x, y, _]) = points[points.len() - 1];
            points.push((2 * lag, [x * (x + y), y * (x + y), 0.0]));
        }
        let mut factors = vec![[0.0; 3]];
        for h in 1..=512 {
            let above = points.iter().position(|point| point.0 >= h).unwrap();
            let (to, high) = points[above];
            let (from, low) = if above == 0 { (0, high) } else { points[above - 1] };
            let place = (h - from) as f64 / (to - from) as f64;
            let last = factors[h - 1];
            factors.push([0, 1, 2].map(|k| last[k] + low[k] + place * (high[k] - low[k])));
        }
        Learnt { factors, quality: q[t] }
    }

    fn regret(&self, run: &Run, t: usize) -> f64 {
        let oldest = t - self.oldest(t).min(63);
        (oldest.max(run.arrived + 1)..t.saturating_sub(self.delay))
            .map(|b| {
                (b + self.delay + 1..=t).map(|s| self.u[run.base][s] - self.u[b][s]).sum::<f64>()
            })
            .fold(0.0, f64::max)
    }

    fn rise(&self, run: &Run, t: usize) -> f64 {
        (run.arrived + 1..=t).map(|s| self.u[run.base][t] - self.u[run.base][s]).sum()
    }

    fn plan(&self, learnt: &Learnt, run: &Run, t: usize, left: Option<usize>) -> f64 {
        let age = t - run.base + self.delay;
        let left = left.map(|left| left.saturating_sub(self.delay));
        // An excess is taken when its step is seen.
        let late = |s: usize| self.u[run.base][s] - self.usual(s, s - run.base);
        let (excess, averaged) = (late(t), (t - run.arrived).min(6));
        let smooth = (0..averaged).map(|back| late(t - back)).sum::<f64>() / averaged as f64;
        // Linear between the numbers of steps that are compared.
        let factor = |j: usize, k: usize| {
            let Some(above) = STAYS.iter().find(|stay| **stay >= j) else {
                return learnt.factors[512][k];
            };
            let below = STAYS.iter().rev().find(|stay| **stay < j).copied().unwrap_or(0);
            let place = j.saturating_sub(below) as f64 / (above - below) as f64;
            learnt.factors[below][k] * (1.0 - place) + learnt.factors[*above][k] * place
        };
        let later = |j: usize, k: usize| factor(self.delay + j, k) - factor(self.delay, k);
        let persists = |j: usize| excess * later(j, 0) + smooth * later(j, 1);
        let stay = |j: f64, more: f64| {
            let usual = self.sum(t, age as f64 + j) - self.sum(t, age as f64);
            (usual + more).max(0.0)
        };
        let (length, average) = self.cycle(t);
        let mut alternatives = Vec::new();
        let inside = |j: &&usize| left.is_none_or(|left| **j < left);
        for j in STAYS.iter().filter(inside) {
            let stayed = stay(*j as f64, persists(*j));
            alternatives.push(match left {
                None => stayed - average * *j as f64,
                Some(left) => stayed + self.cost + self.value(t, (left - j) as f64),
            });
        }
        if let Some(left) = left {
            let above = STAYS.iter().find(|j| **j >= left);
            let below = STAYS.iter().rev().find(|j| **j < left).copied().unwrap_or(0);
            let more = match above {
                None => persists(512),
                Some(above) => {
                    let place = (left - below) as f64 / (above - below) as f64;
                    persists(below) * (1.0 - place) + persists(*above) * place
                }
            };
            alternatives.push(stay(left as f64, more));
        }
        let first = left.map_or(length, |left| length.min(left as f64));
        let within = STAYS.iter().find(|j| **j as f64 >= first - 1e-9).copied().unwrap_or(512);
        let bad = learnt.quality * later(within, 2);
        let now = left.map_or(0.0, |left| self.cost + self.value(t, left as f64));
        alternatives.into_iter().fold(f64::INFINITY, f64::min) - now - bad
    }
}

/// The cost of the steps from `first` on while no step is slower for a remap, decided by `advised`,
/// and the steps after which it remaps; `rows` are the deviations of the ranks from the mean
/// without remaps, which come into force `delay` steps after they are decided. Trained on the rows
/// before, if `warm`.
pub fn play(
    rows: &[Vec<f64>],
    first: usize,
    warm: bool,
    cost: f64,
    delay: usize,
) -> (f64, Vec<usize>) {
    let start = if warm { 0 } else { first - 1 };
    let past = Past::new(rows, start, cost, delay);
    let rules: [(usize, f64); 8] =
        [(2, -0.1), (2, 0.0), (2, 0.1), (2, 0.3), (0, 0.5), (0, 1.0), (1, 1.0), (3, 0.0)];
    let mut voters: Vec<(Vec<Run>, f64)> =
        rules.iter().map(|_| (vec![Run::new(start)], 0.0)).collect();
    let (mut own, mut remaps) = (Run::new(first - 1), Vec::new());
    // What each remap had to wait for, in remap costs, and the step at which it was in force.
    let mut waits: Vec<(f64, usize, f64)> = Vec::new();
    let wait = |waits: &[(f64, usize, f64)], base: usize, t: usize| {
        let Some(&(waited, arrived, before)) = waits.last() else { return 0.0 };
        let after = (arrived + 1..=t.min(arrived + 3)).map(|s| past.u[base][s]);
        if after.fold(before, f64::min) > 0.7 * before { 2.0 * waited + 1.0 } else { 0.0 }
    };
    for t in start + 1..rows.len() {
        let learnt = past.learnt(t);
        let gains = |run: &Run, left| {
            let above = past.u[run.base][t] - past.cycle(t).1;
            [past.regret(run, t), past.rise(run, t), past.plan(&learnt, run, t, left), above]
        };
        for ((runs, score), (gain, least)) in voters.iter_mut().zip(rules) {
            if t == start + 10 {
                runs.push(Run::new(t - 1));
            }
            let mut paid = 0.0;
            for run in runs.iter_mut() {
                paid += past.u[run.base][t];
                if !run.under_way(t, delay) && gains(run, None)[gain] > least * cost {
                    run.decide(t, delay);
                    paid += cost;
                }
            }
            *score = 0.997_692 * *score + paid / runs.len() as f64;
        }
        if t < first {
            continue;
        }
        own.total += past.u[own.base][t];
        let left = rows.len() - 1 - t;
        let (base, arrived) = (own.base, own.arrived);
        let is_under_way = own.under_way(t, delay);
        if own.arrived != arrived {
            let waited = wait(&waits, base, t);
            waits.push((waited, t, past.u[base][t]));
        }
        if is_under_way || left <= delay {
            continue;
        }
        let found = gains(&own, Some(left));
        let least = voters.iter().map(|voter| voter.1).fold(f64::INFINITY, f64::min);
        let weights: Vec<f64> =
            voters.iter().map(|voter| (1.0 + (voter.1 - least) / (8.0 * cost)).powi(-4)).collect();
        let says = |rule: &(usize, f64)| found[rule.0] > rule.1 * cost;
        let votes: f64 = rules
            .iter()
            .zip(&weights)
            .filter(|(rule, _)| says(rule))
            .map(|(_, weight)| weight)
            .sum();
        let voted = votes >= 0.4 * weights.iter().sum::<f64>();
        let allowed = own.remaps * cost <= own.total && found[2] >= 0.0;
        let pays = past.u[own.base][t] * (left - delay) as f64 > cost || found[0] > 3.0 * cost;
        let waited = found[0] >= (wait(&waits, own.base, t) - 1.0) * cost;
        if waited && pays && (found[0] > 1.5 * cost || voted && allowed) {
            own.decide(t, delay);
            if delay == 0 {
                let waited = wait(&waits, base, t);
                waits.push((waited, t, past.u[base][t]));
            }
            remaps.push(t);
        }
    }
    (own.total + own.remaps * cost, remaps)
}
