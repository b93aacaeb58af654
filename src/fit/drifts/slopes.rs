//! Test whether ranks keep their slopes over remaps or draw new ones.
//!
//! Between two remaps every rank has a least-squares slope, relative to the mean over the ranks.
//! Redrawn slopes are independent, so every assignment to the ranks of a stretch is equally likely.
//! The variance of the mean slopes of the ranks is compared with that under random permutations
//! within each stretch (a permutation test). Slopes that persist differ between stretches only by a
//! random walk and measurement noise; the excess is tested by chi-square. O(ranks x (steps +
//! permutations x stretches)).

use crate::random::stream;
use crate::record::{Record, mean};
use rand::seq::SliceRandom;
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// Result of the test.
#[derive(Debug, Clone, PartialEq)]
pub struct Slopes {
    /// The conclusion.
    pub fate: Fate,
    /// Number of stretches used.
    pub stretches: usize,
    /// p-value of slopes this similar in all stretches, if each remap redraws them.
    pub redrawn: f64,
    /// p-value of slopes this different, if they are kept.
    pub kept: f64,
    /// Standard deviation of the slopes within a stretch, corrected for random variation.
    pub spread: f64,
    /// Ranks with a significantly positive kept slope, steepest first.
    pub steep: Vec<(usize, f64)>,
    /// Random variation around the slopes.
    pub chance: Chance,
}

/// Random variation of the loads around the slopes of stretches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chance {
    /// Standard deviation of what a step adds permanently.
    pub walk: f64,
    /// Standard deviation of what a step adds and the next removes.
    pub noise: f64,
}

/// Effect of a remap on slopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// They stay with the ranks.
    Kept,
    /// They are redrawn.
    Redrawn,
    /// There are slopes, and the stretches do not determine what happens to them.
    Unknown,
    /// The slopes may be random variation, or are negligible relative to it.
    None,
}

/// Shortest stretch for which a slope is computed.
const SHORTEST: usize = 6;

/// Number of permutations.
const PERMUTATIONS: u64 = 1999;

/// p-value below which a hypothesis is rejected.
const REFUTED: f64 = 0.01;

/// p-value above which a hypothesis is accepted.
const BELIEVED: f64 = 0.03;

/// Slopes with a variance below this share of the random variation of slopes are negligible,
/// however significant. An even split that leaves a remainder on some ranks produces such slopes.
const SLIGHT: f64 = 0.02;

/// Slopes of the ranks in one stretch, and their variance by random variation.
struct Stretch {
    slopes: Vec<f64>,
    variance: f64,
}

impl Slopes {
    /// From a record; `None` if it has fewer than two stretches of six steps.
    pub fn of(record: &Record) -> Option<Slopes> {
        record.computed().of_times.get(|| Slopes::computed(record)).clone()
    }

    fn computed(record: &Record) -> Option<Slopes> {
        let ranks = record.ranks();
        let long: Vec<_> =
            record.stretches().into_iter().filter(|found| found.len() >= SHORTEST).collect();
        if long.len() < 2 || ranks < 2 {
            return None;
        }
        let columns = |steps: &std::ops::Range<usize>| -> Vec<Vec<f64>> {
            let mut columns: Vec<_> = (0..ranks).map(|_| Vec::with_capacity(steps.len())).collect();
            for step in steps.clone() {
                let row = record.row(step);
                let mean = mean(row);
                columns.iter_mut().zip(row).for_each(|(column, time)| column.push(time - mean));
            }
            columns
        };
        let all: Vec<Vec<Vec<f64>>> = long.iter().map(columns).collect();
        let (variance, walk, error) = chance(&all);
        // Walk and noise sum to the variance of a change.
        let noise_beside = |walk: f64| ((variance - walk) / 2.0).clamp(0.0, variance / 2.0);
        let beside = Chance { walk: walk.max(0.0).sqrt(), noise: noise_beside(walk).sqrt() };
        // The walk is raised by its error, so that it is not mistaken for slopes.
        let noise = noise_beside(walk);
        let walk = (walk.max(0.0) + error).min(variance);
        let stretches: Vec<Stretch> = all
            .iter()
            .map(|columns| {
                let n = columns[0].len() as f64;
                // Variance of a least-squares slope over n points: of a random walk, and of noise.
                let variance = 1.2 * walk / n + 12.0 * noise / n.powi(3);
                Stretch { slopes: columns.iter().map(|column| slope(column)).collect(), variance }
            })
            .collect();
        Some(Slopes::judged(&stretches, ranks, beside))
    }

    fn judged(stretches: &[Stretch], ranks: usize, chance: Chance) -> Slopes {
        let many = stretches.len() as f64;
        let weights: Vec<f64> =
            stretches.iter().map(|one| 1.0 / one.variance.max(1e-300)).collect();
        let whole: f64 = weights.iter().sum();
        let pooled = |order: &dyn Fn(usize, usize) -> usize| -> Vec<f64> {
            let of = |rank: usize| {
                let terms = stretches.iter().zip(&weights).enumerate();
                let sum: f64 = terms.map(|(k, (one, w))| w * one.slopes[order(k, rank)]).sum();
                sum / whole
            };
            (0..ranks).map(of).collect()
        };
        let squares = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>();
        let means = pooled(&|_, rank| rank);
        let seen = squares(&means);
        let mut numbers = stream(1, 0);
        let mut orders: Vec<Vec<usize>> = vec![(0..ranks).collect(); stretches.len()];
        let mut as_large = 1;
        for _ in 0..PERMUTATIONS {
            orders.iter_mut().skip(1).for_each(|order| order.shuffle(&mut numbers));
            let found = squares(&pooled(&|k, rank| orders[k][rank]));
            as_large += u64::from(found >= seen * (1.0 - 1e-12));
        }
        let redrawn = as_large as f64 / (PERMUTATIONS + 1) as f64;
        let free = (ranks - 1) as f64;
        let beyond = |sum: f64, freedom: f64| match ChiSquared::new(freedom) {
            Ok(law) if sum.is_finite() => law.sf(sum),
            _ => 0.0,
        };
        let apart = |(one, weight): (&Stretch, &f64)| -> f64 {
            let off = one.slopes.iter().zip(&means).map(|(slope, mean)| (slope - mean).powi(2));
            weight * off.sum::<f64>()
        };
        let kept = beyond(stretches.iter().zip(&weights).map(apart).sum(), free * (many - 1.0));
        let size: f64 =
            stretches.iter().zip(&weights).map(|(one, w)| w * squares(&one.slopes)).sum();
        let nothing = beyond(size, free * many);
        let variance = |one: &Stretch| squares(&one.slopes) / free - one.variance;
        let spread = (stretches.iter().map(variance).sum::<f64>() / many).max(0.0).sqrt();
        let slight = SLIGHT * many / whole;
        let lasting = seen / free - 1.0 / whole;
        let stay = redrawn <= REFUTED && lasting >= slight;
        let fate = if stay {
            Fate::Kept
        } else if nothing > REFUTED || spread.powi(2) < slight {
            Fate::None
        } else if redrawn > BELIEVED && kept <= 0.1 * REFUTED {
            Fate::Redrawn
        } else {
            Fate::Unknown
        };
        let error = (1.0 / whole).sqrt();
        let mut steep: Vec<(usize, f64)> =
            means.iter().copied().enumerate().filter(|(_, slope)| *slope > 4.0 * error).collect();
        steep.sort_by(|a, b| b.1.total_cmp(&a.1));
        Slopes { fate, stretches: stretches.len(), redrawn, kept, spread, steep, chance }
    }
}

/// Least-squares slope of a rank.
fn slope(column: &[f64]) -> f64 {
    let middle = (column.len() - 1) as f64 / 2.0;
    let (mut products, mut squares) = (0.0, 0.0);
    for (at, load) in column.iter().enumerate() {
        let x = at as f64 - middle;
        products += x * load;
        squares += x * x;
    }
    products / squares
}

/// Variances of a change and of the permanent part of a step, around the slopes of the stretches,
/// and the error of the latter. It is estimated from successive changes and from the residuals of
/// the lines; the estimate with the smaller error is used. Of each stretch there are the columns of
/// the ranks.
fn chance(all: &[Vec<Vec<f64>>]) -> (f64, f64, f64) {
    let (mut squares, mut products) = ((0.0, 0.0), (0.0, 0.0));
    let (mut rests, mut walks, mut lines) = ((0.0, 0.0), 0.0, 0.0);
    for columns in all {
        let (ranks, steps) = (columns.len(), columns[0].len());
        // The mean over the ranks and the slope are subtracted.
        let left = (ranks - 1) as f64 / ranks as f64;
        let of_walk = rest_of_a_walk(steps);
        for column in columns {
            let each: Vec<f64> = column.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let steady = mean(&each);
            squares.0 += each.iter().map(|change| (change - steady).powi(2)).sum::<f64>();
            squares.1 += (each.len() - 1) as f64 * left;
            let pairs = each.windows(2).map(|pair| (pair[0] - steady) * (pair[1] - steady));
            products.0 += pairs.sum::<f64>();
            products.1 += (each.len() - 1) as f64 * left;
            rests.0 += rest(column);
            rests.1 += (steps - 2) as f64 * left;
            walks += of_walk * left;
            lines += left;
        }
    }
    let (variance, next) = (squares.0 / squares.1, products.0 / products.1);
    let (rest, of_walk) = (rests.0 / rests.1, walks / rests.1);
    let by_changes = (variance + 2.0 * next, 2.0 * variance / products.1.sqrt());
    // rest = noise + walk of_walk, variance = walk + 2 noise.
    let freedom = if rest < variance { rests.1 } else { lines };
    let by_lines = match of_walk > 0.6 {
        true => {
            let error = rest * (2.0 / freedom).sqrt() / (of_walk - 0.5);
            ((rest - variance / 2.0) / (of_walk - 0.5), error)
        }
        false => (0.0, f64::INFINITY),
    };
    let (walk, error) = if by_lines.1 < by_changes.1 { by_lines } else { by_changes };
    (variance, walk, error)
}

/// Residual sum of squares of a rank's loads around its line.
fn rest(column: &[f64]) -> f64 {
    let (level, slope) = (mean(column), slope(column));
    let middle = (column.len() - 1) as f64 / 2.0;
    let off = |(at, load): (usize, &f64)| load - level - slope * (at as f64 - middle);
    column.iter().enumerate().map(off).map(|off| off * off).sum()
}

/// Expected residual sum of squares of a random walk of variance 1 with so many points.
fn rest_of_a_walk(points: usize) -> f64 {
    const SUMMED: usize = 200;
    let n = points as f64;
    if points > SUMMED {
        return n * n / 15.0;
    }
    let middle = (n + 1.0) / 2.0;
    let spread = n * (n * n - 1.0) / 12.0;
    let mut sum = n * (n + 1.0) / 2.0;
    for i in 1..=points {
        for j in 1..=points {
            let line = 1.0 / n + (i as f64 - middle) * (j as f64 - middle) / spread;
            sum -= line * i.min(j) as f64;
        }
    }
    sum
}
