//! Fits `ContinuousDrift`: loads that drift by normal increments, with drift rates (`slopes`) and
//! noise where the log has them.
//!
//! If the log shows that remaps redraw the drift rates, so does the model. Otherwise they persist
//! over remaps and change at random times; a remap that removed them would be visible in the log.

use super::load_drift::SEED;
use super::{Deck, Facts, short};
use remapping::continuous_drift::{Class, ContinuousDrift, Increments, KeptSlopes, Loads};
use remapping::fit::goodness;
use remapping::fit::growth::Point;
use remapping::fit::lasting::Lasting;
use remapping::fit::simulated::{Change, Drifting, Drifts};
use remapping::fit::slopes::{Fate, Slopes};
use remapping::overlap::Overlap;
use remapping::parallel;
use remapping::random::stream;
use remapping::record::Record;
use remapping::simulate::Workload;
use std::f64::consts::SQRT_2;

/// The most steps of the model.
const MOST_STEPS: u64 = 2_000;

/// The model, where the engine has bounds for it.
pub fn continuous_drift(facts: &Facts<'_>) -> Option<Deck> {
    let steps = facts.steps();
    if facts.job_steps.is_some() && steps > MOST_STEPS {
        return None;
    }
    let increments = &facts.increments;
    let mut deviation = increments.deviation.value;
    let mut noise = increments.noise;
    let slopes = redrawn(facts);
    if let Some(found) = slopes {
        // Drift rates that change with every remap are not part of the random walk.
        (deviation, noise) = (found.chance.walk, found.chance.noise);
    }
    if noise <= 0.2 * deviation {
        noise = 0.0;
    }
    let ranks = facts.record.ranks();
    let mut kept_slopes = None;
    if let Some(found) = lasting(facts) {
        kept_slopes = Some(KeptSlopes { deviation: found.slopes, change: found.change });
        (deviation, noise) = (found.walk, found.noise);
    }
    let start = facts.whole.mean;
    let problem = ContinuousDrift {
        classes: vec![Class::of(ranks, Increments::Normal { deviation })],
        slopes: slopes.map_or(0.0, |found| found.spread),
        kept_slopes,
        noise,
        steps: steps.min(MOST_STEPS),
        remap_cost: facts.remap_cost,
        per_unit_moved: 0.0,
        overlap: Overlap::NONE,
        mean_load: start,
    };
    if problem.fault().is_some() {
        return None;
    }
    let lags = facts.lags();
    // The increment of a rank is observed with the noise of two steps.
    let gained = ContinuousDrift { noise: SQRT_2 * noise, ..problem.clone() };
    let longest = lags.last().copied().unwrap_or(1) as u64;
    let expected = gained.expected(longest).unwrap_or_else(|| sampled(&gained, longest));
    let point = |lag: &usize| Point { lag: *lag, mean: expected[lag - 1], half_width: 0.0 };
    let predicted: Vec<Point> = lags.iter().map(point).collect();
    let mut misfits = Vec::from_iter(drawn(facts, &problem, &predicted));
    let kept = problem.kept_slopes.unwrap_or(KeptSlopes { deviation: 0.0, change: 0.0 });
    let drifts = Drifts::Drawn {
        ranks,
        // One of the two is 0.
        deviation: problem.slopes + kept.deviation,
        by_remaps: problem.slopes > 0.0,
        by_steps: kept.change,
    };
    let loads = Drifting { change: Change::Normal(deviation), drifts, noise };
    let tested = facts.tested(
        &|numbers, steps, remaps| loads.record(numbers, start, steps, remaps),
        &mut misfits,
    );
    let mut model = format!(
        "ContinuousDrift(\n    processors: {},\n    increments: Normal(deviation: {}),\n",
        ranks,
        short(deviation)
    );
    if problem.slopes > 0.0 {
        model += &format!("    slopes: {},\n", short(problem.slopes));
    }
    let mut parameters = Vec::new();
    match problem.kept_slopes {
        None if problem.slopes > 0.0 => {}
        None => parameters.push(("deviation per step".to_owned(), increments.deviation)),
        Some(KeptSlopes { deviation, change }) => {
            let (slopes, change) = (short(deviation), short(change));
            model += &format!("    kept_slopes: (deviation: {slopes}, change: {change}),\n");
        }
    }
    if noise > 0.0 {
        model += &format!("    noise: {},\n", short(noise));
    }
    if start > 0.0 {
        model += &format!("    mean_load: {},\n", short(start));
    }
    let cost = short(problem.remap_cost);
    model += &format!("    steps: {},\n    remap_cost: {cost},\n)", problem.steps);
    Some(Deck {
        problem: "continuous_drift",
        model,
        parameters,
        predicted,
        unit: 1.0,
        misfits,
        tested,
    })
}

/// Why drift rates that persist as long as the log cannot be drawn at random, if so. Those of this
/// log are known, and loads diverge accordingly. Logs with random drift rates differ so much from
/// each other that the test by simulated logs cannot decide.
fn drawn(facts: &Facts<'_>, problem: &ContinuousDrift, predicted: &[Point]) -> Option<String> {
    let kept = problem.kept_slopes?;
    if kept.change * facts.record.steps() as f64 > 1.0 {
        return None;
    }
    let off =
        |seen: &Point, made: &Point| (seen.mean - made.mean).abs() - goodness::GROWTH * made.mean;
    let pairs = facts.recorded.iter().zip(predicted);
    let wrong = pairs.filter(|(seen, made)| {
        off(seen, made) > 0.0 && (seen.mean - made.mean).abs() > seen.half_width
    });
    let (seen, made) = wrong.max_by(|a, b| off(a.0, a.1).total_cmp(&off(b.0, b.1)))?;
    let (lag, half_width) = (seen.lag, short(seen.half_width));
    let [seen, made] = [seen, made].map(|point| short(point.mean));
    Some(format!(
        "the slopes of the ranks stay as they are, and draws of such slopes say other things: the imbalance {lag} steps after \
         a remap is {seen} +- {half_width} in the log and {made} in this model"
    ))
}

/// The drift rates that remaps redraw, where the log shows that.
fn redrawn<'f>(facts: &'f Facts<'_>) -> Option<&'f Slopes> {
    facts.slopes.as_ref().filter(|found| found.fate == Fate::Redrawn)
}

/// Persistent drift rates, unless the log shows that there are none or that remaps redraw them.
/// They must last longer than the interval between remaps, and explain much of the increments
/// within it.
fn lasting(facts: &Facts<'_>) -> Option<Lasting> {
    let fate = facts.slopes.as_ref().map(|found| found.fate);
    if matches!(fate, Some(Fate::None | Fate::Redrawn)) {
        return None;
    }
    let found = Lasting::of(facts.record)?;
    if found.slopes == 0.0 {
        return None;
    }
    // Approximates the interval of least cost per step: the largest of P normal numbers is this far
    // out.
    let far = (2.0 * (facts.record.ranks() as f64).ln()).sqrt();
    let (mut spent, mut best) = (facts.remap_cost, (f64::INFINITY, 1));
    for n in 1..=facts.record.steps() {
        spent += far * found.gained(n).iter().sum::<f64>().sqrt();
        let average = spent / n as f64;
        if average >= best.0 {
            break;
        }
        best = (average, n);
    }
    let [by_walk, by_slopes] = found.gained(best.1);
    let lasts = found.change * best.1 as f64 <= 1.0;
    let much = by_slopes >= MUCH * (by_walk + by_slopes);
    (lasts && much && is_no_walk(facts, &found, best.1)).then_some(found)
}

/// Whether random walks with the log's noise would rarely look like these drift rates. In walks
/// with as many ranks and steps, at most one in forty may explain as much of the increments.
fn is_no_walk(facts: &Facts<'_>, found: &Lasting, lag: usize) -> bool {
    let (ranks, steps) = (facts.record.ranks(), facts.record.steps());
    // This many times suffice to distinguish drift rates from a walk.
    if ranks * steps > MANY {
        return true;
    }
    let by_slopes = |found: &Lasting| found.gained(lag)[1];
    let increments = &facts.increments;
    let walk = Drifting {
        change: Change::Normal(increments.deviation.value),
        drifts: Drifts::Drawn { ranks, deviation: 0.0, by_remaps: false, by_steps: 0.0 },
        noise: increments.noise,
    };
    let seen = by_slopes(found);
    let as_much = |number: usize| {
        let times = walk.record(&mut stream(SEED, number as u64), 0.0, steps, &[]);
        let least = times.iter().copied().fold(0.0, f64::min);
        let times = times.into_iter().map(|time| time - least).collect();
        let made = Record::new(ranks, times, Vec::new()).ok();
        made.and_then(|made| Lasting::of(&made)).is_some_and(|made| by_slopes(&made) >= seen)
    };
    let found = parallel::map(WALKS, &as_much);
    found.into_iter().filter(|as_much| *as_much).count() <= 1
}

/// The number of simulated walks, and the number of times in a log that needs none.
const WALKS: usize = 79;
const MANY: usize = 200_000;

/// The least share of the variance of increments between remaps at which drift rates matter.
const MUCH: f64 = 0.1;

/// The expected imbalance 1 to `steps` steps after a remap, by sampling.
fn sampled(problem: &ContinuousDrift, steps: u64) -> Vec<f64> {
    const RUNS: u64 = 400;
    let workload = Loads::new(problem.clone());
    let mut sums = vec![0.0; steps as usize];
    let mut loads = Vec::new();
    for run in 0..RUNS {
        let mut world = workload.start(stream(SEED, run));
        for sum in &mut sums {
            workload.advance(&mut world);
            workload.loads(&world, &0, &mut loads);
            let mean = loads.iter().sum::<f64>() / loads.len() as f64;
            *sum += loads.iter().copied().fold(f64::MIN, f64::max) - mean;
        }
    }
    sums.into_iter().map(|sum| sum / RUNS as f64).collect()
}
