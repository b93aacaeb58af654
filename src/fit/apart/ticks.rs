//! Timers with ticks: all times are multiples of one time.
//!
//! The largest of some rounded times is the largest time, rounded. So rounding adds nothing to
//! max - mean on average, while noise of the same size that is drawn for each rank by itself does.
//! Simulated steps therefore show times as they were before rounding. Those are unknown but lie
//! within half a tick; one sample of the noise in them is drawn from the normal distribution
//! between these limits.
//!
//! Loads that are counts are multiples, too, and their fluctuations no rounding: units above a
//! twentieth of a step are no ticks.

use crate::random::Stream;
use crate::record::{Record, mean};
use rand::RngExt;

/// Rounding errors of times, as a share of the largest.
const DIGITS: f64 = 1e-9;

/// How far a time may be from a multiple, in ticks.
const OFF: f64 = 1e-3;

/// The longest tick, in mean times.
const COARSE: f64 = 0.05;

/// The least variance of noise in units of that of rounding. Less is no noise of a timer.
const LEAST: f64 = 0.5;

/// The most draws for one time.
const DRAWS: usize = 100;

/// Which times were measured rather than filled in, by their place.
fn is_measured(record: &Record, at: usize) -> bool {
    let filled = record.filled(at / record.ranks());
    filled.is_empty() || !filled[at % record.ranks()]
}

/// The noise before rounding, given the noise of variance `variance` that includes it. Rounding to
/// ticks of length t has variance t^2 / 12. `None` where there is less noise. Proportional to the
/// length of the record.
pub(super) fn unrounded(
    record: &Record,
    noise: &[f64],
    variance: f64,
    tick: f64,
    random: &mut Stream,
) -> Option<Vec<f64>> {
    let rounding = tick * tick / 12.0;
    let own = (variance - rounding).max(0.0);
    let mut drawn = |(at, noise): (usize, &f64)| {
        if !is_measured(record, at) {
            return *noise;
        }
        let near = noise.signum() * (noise.abs() - 0.5 * tick).max(0.0);
        for _ in 0..if own > 0.0 { DRAWS } else { 0 } {
            let place: f64 = random.random();
            let draw = noise + (place - 0.5) * tick;
            let likely: f64 = random.random();
            if likely < ((near * near - draw * draw) / (2.0 * own)).exp() {
                return draw;
            }
        }
        near
    };
    (variance >= LEAST * rounding).then(|| noise.iter().enumerate().map(&mut drawn).collect())
}

/// The least distance of two measured times, if all others are multiples of it. One sort of the
/// times.
pub(super) fn tick(record: &Record) -> Option<f64> {
    let times = record.times().iter().enumerate().filter(|(at, _)| is_measured(record, *at));
    let mut times: Vec<f64> = times.map(|(_, time)| *time).collect();
    times.sort_unstable_by(f64::total_cmp);
    let same = DIGITS * times.last()?;
    let gaps = times.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > same);
    let tick = gaps.clone().min_by(f64::total_cmp).filter(|tick| *tick <= COARSE * mean(&times))?;
    let is_multiple = |gap: f64| {
        let ticks = gap / tick;
        (ticks - ticks.round()).abs() < OFF
    };
    gaps.into_iter().all(is_multiple).then_some(tick)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use rand_distr::{Distribution, StandardNormal};

    #[test]
    fn ticks_are_found_among_rounded_times_only() {
        let time = |at: usize| 1.0 + 0.01 * ((at * at) as f64).sin();
        let record = |times: Vec<f64>| Record::new(4, times, Vec::new()).unwrap();
        let rounded = (0..400).map(|at| (500.0 * time(at)).round() / 500.0).collect();
        let found = tick(&record(rounded)).unwrap();
        assert!((found - 0.002).abs() < 1e-9, "{found}");
        assert_eq!(tick(&record((0..400).map(time).collect())), None);
        assert_eq!(tick(&record(vec![1.0; 400])), None);
        // Loads that are counts.
        assert_eq!(tick(&record((0..400).map(|at| (1 + at % 9) as f64).collect())), None);
    }

    /// Normal noise that was rounded: what is drawn has its standard deviation.
    #[test]
    fn noise_before_rounding_is_as_it_was() {
        const TICK: f64 = 0.02;
        for share in [0.2, 0.5, 2.0] {
            let mut random = stream(7, 0);
            let deviation = share * TICK;
            let mut times = Vec::new();
            let mut rounded = Vec::new();
            for _ in 0..20_000 {
                let place: f64 = random.random();
                let (load, own): (f64, f64) = (1.0 + place, StandardNormal.sample(&mut random));
                times.push(((load + deviation * own) / TICK).round() * TICK);
                rounded.push(times[times.len() - 1] - load);
            }
            let variance = deviation * deviation + TICK * TICK / 12.0;
            let record = Record::new(4, times, Vec::new()).unwrap();
            let found = unrounded(&record, &rounded, variance, TICK, &mut random).unwrap();
            let ratio = (found.iter().map(|own| own * own).sum::<f64>() / found.len() as f64)
                .sqrt()
                / deviation;
            assert!((ratio - 1.0).abs() < 0.03, "{share}: {ratio}");
            assert!(found.iter().zip(&rounded).all(|(own, all)| (own - all).abs() <= 0.5 * TICK));
            let little = TICK * TICK / 25.0;
            assert_eq!(unrounded(&record, &rounded, little, TICK, &mut random), None);
        }
    }
}
