//! What rounding and rows that miss one take away, to the unit.

use super::{expect, imbalance, interval, model, vectors, walk};
use remap_checker::{Evidence, Model};

#[test]
fn all_that_rounding_may_take_away_is_in_the_interval() {
    // A unit for each process and for each of its weights that are no binary fractions.
    for (count, steps, up, down, own) in [
        (1, 40, 0.25, 0.25, 1.0),
        (2, 40, 0.3, 0.2, 3.0),
        (3, 40, 0.25, 0.25, 1.0),
        (5, 7, 0.3, 0.1, 4.0),
    ] {
        let found = model(&format!(
            "LoadDrift(processors: {count}, chain: Walk(lowest: 1, levels: 4, up: {up}, down: {down}, edge: Hold), \
             initial_load: 2, steps: {steps}, remap_cost: 0.7)"
        ));
        let (low, high) = interval(&found.prove(&Evidence::LoadDrift).unwrap(), "value");
        // Besides, per step: its cost, the remap's and what it leads to.
        let units = f64::from(steps) * (6.0 + 1.0 + own * f64::from(count));
        let bits = 60 - (((0.7 + 4.0 * f64::from(count) + 1.0) * 8.0) as u64).ilog2() as i32 - 1;
        let (width, double) =
            ((high - low) * 2f64.powi(bits), high * f64::EPSILON * 2f64.powi(bits));
        assert!(units <= width && width <= units + 1.0 + 4.0 * double, "{count}: {units} {width}");
    }
}

#[test]
fn where_nothing_moves_the_interval_is_what_rounding_may_take_away() {
    for count in [1, 2, 6] {
        let found = model(&format!(
            "LoadDrift(processors: {count}, chain: Walk(levels: 3, up: 0, down: 0, edge: Hold), initial_load: 1, \
             steps: 9, remap_cost: 1)"
        ));
        let (low, high) = interval(&found.prove(&Evidence::LoadDrift).unwrap(), "value");
        let span = 8 * (1 + 2 * count + 1) as u64;
        let units = high * 2f64.powi(60 - span.ilog2() as i32 - 1);
        let expected = f64::from(1 + 9 * (6 + 1 + count));
        assert!(
            low <= 0.0 && low > -1e-300 && (units - expected).abs() < 1e-6,
            "{count}: {units} {expected}"
        );
    }
}

/// Functions that differ in one class of states only, and rows that miss 1 by what is allowed,
/// which keep processes apart: both show in the bounds on the change in a step.
#[test]
fn functions_equal_nearly_everywhere_are_averaged_as_any_other() {
    for (levels, count, missed) in [
        (2, 2, 0.0),
        (2, 4, 0.0),
        (3, 3, 0.0),
        (4, 2, 0.0),
        (5, 3, 0.0),
        (2, 3, 4e-10),
        (4, 2, 4e-10),
    ] {
        let mut rows = walk(levels, 0.25, 0.125, false);
        rows[1][1] -= missed;
        let found = model(&format!(
            "Stopping(processes: Identical(count: {count}, chain: Matrix(rows: {rows:?})), \
             remap_cost: 500, after_remap: Restart)"
        ));
        let Model::Stopping(problem) = &found else { panic!("another problem") };
        let (states, even) = (vectors(count, levels), vec![1.0; count]);
        let classes = problem.space().unwrap().each(|_, loads| Ok(loads.to_vec())).unwrap();
        for (odd, other) in (0..classes.len()).flat_map(|odd| [(odd, 0.0), (odd, 90.0)]) {
            let of = |class: usize| if class == odd { other } else { 64.0 };
            let scale = 2f64.powi(50);
            let mut last = 0;
            let runs = (0..classes.len()).map(|class| {
                let now = (of(class) * scale) as i64;
                (1, now - std::mem::replace(&mut last, now), 0)
            });
            let proof = found.prove(&Evidence::Stopping(50, runs.collect())).unwrap();
            // Relative costs are counted from the least of them.
            let base = if classes.len() > 1 { other.min(64.0) } else { other };
            let value = states.iter().map(|state| {
                let mut sorted: Vec<i64> = state.iter().map(|level| *level as i64).collect();
                if missed == 0.0 {
                    sorted.sort_unstable();
                }
                of(classes.iter().position(|class| *class == sorted).unwrap()) - base
            });
            let value: Vec<f64> = value.collect();
            let image = expect(&rows, count, &value);
            let missing = missed * count as f64 * value.iter().copied().fold(0.0, f64::max);
            let psi = |s: usize| imbalance(&states[s], &even, "MaxMinusMean");
            let change = || (0..value.len()).map(|s| psi(s) + image[s] - value[s]);
            // No cost is negative.
            let least = change().fold(f64::MAX, f64::min).max(0.0);
            let most = change().fold(f64::MIN, f64::max);
            let (low, high) = interval(&proof, "average");
            let close = |a: f64, b: f64| (a - b).abs() < 1e-11;
            assert!(
                close(low, least) && close(high, most + missing),
                "{count} of {levels}, {odd}: {proof:?}, not [{least}, {most}]"
            );
        }
    }
}

/// Rows that miss 1 on either side: what is proved of the average holds for every chain whose rows
/// sum to 1, that has what is missing besides or lacks what is too much, however relative costs are
/// chosen.
#[test]
fn averages_hold_for_every_chain_near_rows_that_miss_one() {
    for (p, sign) in [("0.333333333", 1.0), ("0.3333333336", -1.0)] {
        let row = format!("[{p}, {p}, {p}]");
        let found = model(&format!(
            "Stopping(processes: Identical(count: 2, chain: Matrix(rows: [{row}, {row}, {row}])), \
             remap_cost: 100, after_remap: Restart)"
        ));
        // Relative costs are all the same, and any number is added to them.
        for base in [0u64, 1, 1 << 30, 1 << 50, (1 << 60) - (1 << 41)] {
            let equal = Evidence::Stopping(20, vec![(9, base as i64, 0)]);
            let (low, high) = interval(&found.prove(&equal).unwrap(), "average");
            assert!(low <= 4.0 / 9.0 && 4.0 / 9.0 <= high, "{p} {base}: [{low}, {high}]");
        }
        // In one state more is to come than in all others: the more, the less is proved.
        for place in 0..9 {
            for more in [1i64 << 30, 1 << 40, 1 << 59] {
                let runs = [(place, 0, 0), (1, more, 0), (8 - place, -more, 0)];
                let runs = runs.into_iter().filter(|run| run.0 > 0).collect();
                let Ok(proof) = found.prove(&Evidence::Stopping(20, runs)) else { continue };
                let (low, high) = interval(&proof, "average");
                // The exact operator at rows of three thirds, and what the missing mass makes of
                // it.
                let own = more as f64 / 2f64.powi(20);
                let mean = own / 9.0;
                let psi = |s: usize| (s / 3).abs_diff(s % 3) as f64 / 2.0;
                let change = |s: usize| {
                    let go = (psi(s) + mean)
                        .min(100.0 + mean + if (s / 3 + s % 3) % 2 == 1 { 0.5 } else { 0.0 });
                    go - if s == place as usize { own } else { 0.0 }
                };
                let least = (0..9).map(change).fold(f64::MAX, f64::min).max(0.0);
                let most = (0..9).map(change).fold(f64::MIN, f64::max);
                let close = 1e-12 * own;
                assert!(
                    low <= least + close && most - close <= high,
                    "{sign} {place}: [{low}, {high}] [{least}, {most}]"
                );
            }
        }
    }
}
