//! The level of a statistic, or the interval, that costs least in a code that knows nothing else.

use crate::problems::shared::map::Map;
use remapping::policy::codes::{Statistic, Trigger};
use remapping::simulate::{Course, Trials};

/// A setting and its cost, and the cost of never remapping, on the same paths.
#[derive(Debug, Clone, Copy)]
pub struct Fitted<T> {
    /// The setting.
    pub value: T,
    /// Mean cost of a path.
    pub cost: f64,
    /// That of never remapping.
    pub never: f64,
    /// Number of paths.
    pub runs: u64,
    /// What `cost` is off by at most, 95 times in 100, by its batches.
    pub error: f64,
}

/// Moves of one process that one comparison of settings may take, all paths together.
const MOVES: f64 = 3e7;
/// Settings compared at a time.
const AT_A_TIME: usize = 64;
/// Load vectors whose statistics are listed one by one.
const MOST_VECTORS: usize = 50_000;
/// Seeds: for choosing, and for what is printed.
const SEEDS: [u64; 2] = [1, 2];

/// Batches of paths for what is printed, and Student's quantile of 97.5 % for one fewer.
const BATCHES: u64 = 8;
const STUDENT: f64 = 2.365;

/// Paths for one comparison.
pub fn runs(trials: &Trials, processes: usize) -> u64 {
    let steps = match trials.course() {
        // Few take all their steps.
        Course::Once { .. } => 100,
        _ => trials.steps().max(1),
    };
    let each = steps as f64 * processes as f64 * AT_A_TIME as f64;
    (MOVES / each).clamp(40.0, 4000.0) as u64
}

/// The cheapest of `list`, of which those of one time are even spread and the next lie around the
/// best: what they cost is taken to fall and then to rise.
fn cheapest<T: Copy>(trials: &Trials, list: &[T], trigger: impl Fn(T) -> Trigger, runs: u64) -> T {
    let (mut from, mut end) = (0, list.len());
    loop {
        let stride = (end - from).div_ceil(AT_A_TIME).max(1);
        let places: Vec<usize> = (from..end).step_by(stride).collect();
        let triggers: Vec<Trigger> = places.iter().map(|place| trigger(list[*place])).collect();
        let costs = trials.play(&triggers, runs, SEEDS[0]);
        let least = (0..places.len()).min_by(|a, b| costs[*a].total_cmp(&costs[*b]));
        let best = places[least.unwrap_or(0)];
        if stride == 1 {
            return list[best];
        }
        (from, end) = (best.saturating_sub(stride - 1).max(from), (best + stride).min(end));
    }
}

fn priced<T: Copy>(trials: &Trials, value: T, trigger: Trigger, runs: u64) -> Fitted<T> {
    let each = runs.div_ceil(BATCHES);
    let seeds = SEEDS[1]..SEEDS[1] + BATCHES;
    let batches: Vec<Vec<f64>> =
        seeds.map(|seed| trials.play(&[trigger, Trigger::NEVER], each, seed)).collect();
    let mean =
        |place: usize| batches.iter().map(|costs| costs[place]).sum::<f64>() / BATCHES as f64;
    let (cost, never) = (mean(0), mean(1));
    let squares: f64 = batches.iter().map(|costs| (costs[0] - cost).powi(2)).sum();
    let error = STUDENT * (squares / (BATCHES * (BATCHES - 1)) as f64).sqrt();
    Fitted { value, cost, never, runs: each * BATCHES, error }
}

/// What a rule on the loads costs.
pub fn price_map(trials: &Trials, map: &Map) -> f64 {
    let remaps = |loads: &[i64]| map.decision(loads) == Some(b'R');
    trials.play_map(&remaps, runs(trials, map.processes()), SEEDS[1])
}

/// The level of least cost for a code that remaps `at` a level of this statistic, below `limit`.
pub fn level(
    trials: &Trials,
    statistic: Statistic,
    at: impl Fn(f64) -> Trigger,
    limit: f64,
    processes: usize,
) -> Option<Fitted<f64>> {
    let mut levels = match vectors(trials) {
        Some(vectors) => {
            let times = vectors.iter().map(|loads| trials.times(loads));
            between(times.map(|times| statistic.of_times(&times)).collect())
        }
        // Too many to list, and close together.
        None => {
            let balanced = statistic.of_times(&vec![1.0; processes]);
            (0..256).map(|i| balanced + 0.002 * 1.035_f64.powi(i)).collect()
        }
    };
    levels.retain(|level| *level < limit);
    if levels.is_empty() {
        return None;
    }
    let runs = runs(trials, processes);
    let best = cheapest(trials, &levels, &at, runs);
    Some(priced(trials, best, at(best), runs))
}

/// The interval of least cost for a code that remaps as `shape` says for one.
pub fn interval(
    trials: &Trials,
    shape: impl Fn(u64) -> Trigger,
    processes: usize,
) -> Fitted<Option<u64>> {
    let longest = trials.steps().saturating_sub(1).max(1);
    let mut list: Vec<u64> = (1..=longest.min(64)).collect();
    let mut next = 66.0;
    while next <= longest as f64 {
        list.push(next as u64);
        next *= 1.05;
    }
    let runs = runs(trials, processes);
    let best = cheapest(trials, &list, &shape, runs);
    let fitted = priced(trials, Some(best), shape(best), runs);
    match fitted.cost < fitted.never {
        true => fitted,
        false => Fitted { value: None, cost: fitted.never, ..fitted },
    }
}

/// The level that differs from a map in the fewest load vectors.
pub struct Closest {
    /// The level.
    pub level: f64,
    /// Share of the load vectors in which it differs.
    pub wrong: f64,
    /// Share in which never remapping does.
    pub never: f64,
}

/// The level of a statistic closest to a map, of loads over capacities.
pub fn closest(map: &Map, capacities: &[f64], statistic: Statistic, limit: f64) -> Option<Closest> {
    let mut entries = Vec::with_capacity(map.decisions.len());
    for (place, letter) in map.decisions.iter().enumerate() {
        let (loads, vectors) = map.entry(place);
        let times: Vec<f64> = loads.iter().zip(capacities).map(|(w, c)| *w as f64 / c).collect();
        if times.iter().sum::<f64>() > 0.0 {
            entries.push((statistic.of_times(&times), *letter == b'R', vectors));
        }
    }
    let all: f64 = entries.iter().map(|(.., vectors)| vectors).sum();
    let levels = between(entries.iter().map(|(value, ..)| *value).collect());
    let remapped = |entry: &&(f64, bool, f64)| entry.1;
    let never: f64 = entries.iter().filter(remapped).map(|(.., vectors)| vectors).sum();
    entries.sort_by(|a, b| a.0.total_cmp(&b.0));
    // From remapping everywhere up.
    let mut wrong: f64 = entries.iter().filter(|e| !e.1).map(|(.., vectors)| vectors).sum();
    let (mut place, mut best) = (0, None::<(f64, f64)>);
    for level in levels.into_iter().filter(|level| *level < limit) {
        while let Some((_, remap, vectors)) = entries.get(place).filter(|entry| entry.0 < level) {
            wrong += if *remap { *vectors } else { -vectors };
            place += 1;
        }
        if best.is_none_or(|(_, least)| wrong < least) {
            best = Some((level, wrong));
        }
    }
    best.map(|(level, wrong)| Closest { level, wrong: wrong.max(0.0) / all, never: never / all })
}

/// The midpoints between these values, and what lies beyond the last that is finite.
fn between(mut values: Vec<f64>) -> Vec<f64> {
    let infinite = values.contains(&f64::INFINITY);
    values.retain(|value| value.is_finite());
    values.sort_by(f64::total_cmp);
    values.dedup_by(|next, last| *next - *last <= 1e-12 * last.abs().max(1e-12));
    let mut levels: Vec<f64> = values.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0).collect();
    if let Some(last) = values.last().filter(|_| infinite) {
        levels.push(2.0 * last.max(1.0));
    }
    levels
}

/// Every load vector, if they are not too many.
fn vectors(trials: &Trials) -> Option<Vec<Vec<i64>>> {
    let ranges: Vec<(i64, i64)> = trials.ranges();
    let all = ranges.iter().try_fold(1_usize, |all, (low, high)| {
        all.checked_mul((high - low + 1) as usize).filter(|all| *all <= MOST_VECTORS)
    })?;
    let vector = |mut place: usize| {
        let one = |(low, high): &(i64, i64)| {
            let levels = (high - low + 1) as usize;
            let level = place % levels;
            place /= levels;
            low + level as i64
        };
        ranges.iter().map(one).collect()
    };
    Some((0..all).map(vector).collect())
}
