//! Whether ranks keep their slopes from one remap to the next, or draw new ones.
//!
//! Between two remaps every rank has a slope, by least squares, against the mean over the ranks. Slopes that are
//! redrawn know nothing of each other, so that among the ranks of a stretch every order is as likely: the
//! variance of the ranks' mean slopes is compared with what it is when the ranks of each stretch change
//! places (a permutation test). Slopes that are kept differ between stretches by chance only, which a
//! random walk and noise of the measurement explain: what is beyond that is a chi-square.

use crate::random::stream;
use crate::record::{Record, mean};
use rand::seq::SliceRandom;
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// What the log says of the slopes.
#[derive(Debug, Clone, PartialEq)]
pub struct Slopes {
    /// The verdict.
    pub fate: Fate,
    /// Stretches looked at.
    pub stretches: usize,
    /// Probability of slopes so alike in all stretches, if each remap redraws them.
    pub redrawn: f64,
    /// Probability of slopes so different, if they are kept.
    pub kept: f64,
    /// Spread of the slopes within a stretch, with what chance makes of it taken away.
    pub spread: f64,
    /// Ranks whose kept slope stands out upwards, with the slope, the steepest first.
    pub steep: Vec<(usize, f64)>,
    /// What there is beside the slopes of the stretches.
    pub chance: Chance,
}

/// What slopes of stretches are seen through.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chance {
    /// Standard deviation of what a step adds for good.
    pub walk: f64,
    /// Standard deviation of what a step adds and the next takes back.
    pub noise: f64,
}

/// What becomes of slopes at a remap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// They stay with the ranks.
    Kept,
    /// They are drawn anew.
    Redrawn,
    /// There are slopes, and these stretches do not tell what becomes of them.
    Unknown,
    /// What there is may be chance, or does not matter beside it.
    None,
}

/// Shortest stretch that has a slope.
const SHORTEST: usize = 6;

/// Permutations tried.
const PERMUTATIONS: u64 = 1999;

/// Probability below which something is refuted.
const REFUTED: f64 = 0.01;

/// Probability above which nothing speaks against it.
const BELIEVED: f64 = 0.03;

/// Slopes whose variance is less than this share of what chance makes of the slopes of a stretch do not matter, however
/// surely they are there: the ranks that get the rest when loads are split evenly come down a little faster.
const SLIGHT: f64 = 0.02;

/// Slopes of the ranks in one stretch, and their variance by chance.
struct Stretch {
    slopes: Vec<f64>,
    variance: f64,
}

impl Slopes {
    /// From a record; `None` if it has fewer than two stretches of six steps.
    pub fn of(record: &Record) -> Option<Slopes> {
        let ranks = record.ranks();
        let long: Vec<_> =
            record.stretches().into_iter().filter(|found| found.len() >= SHORTEST).collect();
        if long.len() < 2 || ranks < 2 {
            return None;
        }
        let rows = |steps: &std::ops::Range<usize>| -> Vec<Vec<f64>> {
            let row = |step| {
                let row = record.row(step);
                let mean = mean(row);
                row.iter().map(|time| time - mean).collect()
            };
            steps.clone().map(row).collect()
        };
        let all: Vec<Vec<Vec<f64>>> = long.iter().map(rows).collect();
        let (variance, walk, error) = chance(&all);
        // Both add up to the variance of a change.
        let noise_beside = |walk: f64| ((variance - walk) / 2.0).clamp(0.0, variance / 2.0);
        let beside = Chance { walk: walk.max(0.0).sqrt(), noise: noise_beside(walk).sqrt() };
        // The walk is moved up by its error, so that it is not taken for slopes.
        let noise = noise_beside(walk);
        let walk = (walk.max(0.0) + error).min(variance);
        let stretches: Vec<Stretch> = all
            .iter()
            .map(|rows| {
                let n = rows.len() as f64;
                // Least squares on n points of a random walk, and of noise.
                let variance = 1.2 * walk / n + 12.0 * noise / n.powi(3);
                Stretch { slopes: (0..ranks).map(|rank| slope(rows, rank)).collect(), variance }
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

/// Slope of a rank by least squares.
fn slope(rows: &[Vec<f64>], rank: usize) -> f64 {
    let middle = (rows.len() - 1) as f64 / 2.0;
    let (mut products, mut squares) = (0.0, 0.0);
    for (at, row) in rows.iter().enumerate() {
        let x = at as f64 - middle;
        products += x * row[rank];
        squares += x * x;
    }
    products / squares
}

/// Variances of a change and of what a step adds for good, around the stretches' own slopes, and the error of the latter.
/// That is found in two ways, from successive changes and from what is left of the lines; the surer one is taken.
fn chance(all: &[Vec<Vec<f64>>]) -> (f64, f64, f64) {
    let (mut squares, mut products) = ((0.0, 0.0), (0.0, 0.0));
    let (mut rests, mut walks, mut lines) = ((0.0, 0.0), 0.0, 0.0);
    for rows in all {
        let ranks = rows[0].len();
        // The ranks' mean and the slope are taken away.
        let left = (ranks - 1) as f64 / ranks as f64;
        let of_walk = rest_of_a_walk(rows.len());
        for rank in 0..ranks {
            let each: Vec<f64> =
                rows.windows(2).map(|pair| pair[1][rank] - pair[0][rank]).collect();
            let steady = mean(&each);
            squares.0 += each.iter().map(|change| (change - steady).powi(2)).sum::<f64>();
            squares.1 += (each.len() - 1) as f64 * left;
            let pairs = each.windows(2).map(|pair| (pair[0] - steady) * (pair[1] - steady));
            products.0 += pairs.sum::<f64>();
            products.1 += (each.len() - 1) as f64 * left;
            rests.0 += rest(rows, rank);
            rests.1 += (rows.len() - 2) as f64 * left;
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

/// Squares of what is left of a rank's loads around its line.
fn rest(rows: &[Vec<f64>], rank: usize) -> f64 {
    let (level, slope) =
        (rows.iter().map(|row| row[rank]).sum::<f64>() / rows.len() as f64, slope(rows, rank));
    let middle = (rows.len() - 1) as f64 / 2.0;
    let off = |(at, row): (usize, &Vec<f64>)| row[rank] - level - slope * (at as f64 - middle);
    rows.iter().enumerate().map(off).map(|off| off * off).sum()
}

/// Expected squares around the line of so many points of a random walk of variance 1.
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
