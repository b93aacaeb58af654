//! `Periodic` models: chains, periods, machines, covariances; wrong models and suspicious ones.

use crate::support::prelude::*;

/// A model with these parts.
pub fn model(load: &str, changes: &str, rest: &str) -> String {
    stated(format!("Periodic(initial_load: {load}, changes: {changes}, {rest})"))
}

/// Solves a right model: the document, and standard error in one line.
pub fn solve(text: &str) -> (Value, String) {
    let outcome = Workplace::of(text).remap("solve model.ron --json").exits(0);
    (outcome.json(), in_one_line(&outcome.err))
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}

/// Eight processors on a chain.
fn chain(levels: &str, up: &str) -> String {
    format!("Chain(count: 8, chain: Walk({levels}, up: {up}, down: 0.25, edge: Hold))")
}

/// Loads on levels: the interval of least cost of eight processors, remapped at a cost of 8, and
/// the interval within a bound, both against enumeration of the law of one processor.
#[test]
fn a_birth_death_chain_has_its_intervals() {
    let found = Workplace::new().answer("solve models/periodic/birth_death.ron");
    // The law of one processor; E max and E max - mean from its distribution function.
    let mut law = vec![0.0; 19];
    law[9] = 1.0;
    let mut sum = 8.0;
    let mut best = (0, f64::INFINITY, 0.0);
    for n in 1..60_u32 {
        let at = |level: i32| law.get(level as usize).copied().unwrap_or(0.0);
        let next = (0..19).map(|level| {
            let outward = f64::from(level == 0 || level == 18) * at(level);
            0.5 * at(level) + 0.25 * (at(level - 1) + at(level + 1) + outward)
        });
        law = next.collect();
        let mut below = 0.0;
        let mut largest = 18.0;
        for p in &law[..18] {
            below += p;
            largest -= f64::powi(below, 8);
        }
        let mean: f64 = law.iter().enumerate().map(|(level, p)| level as f64 * p).sum();
        sum += largest - mean;
        let cost = sum / f64::from(n);
        if cost < best.1 {
            best = (n, cost, (largest - mean) / (1.0 + mean));
        }
    }
    let cost_aware = &found["cost_aware"];
    assert_eq!(cost_aware["interval"], best.0);
    assert_abs_diff_eq!(cost_aware["cost_per_step"].f64(), best.1, epsilon = 1e-11);
    assert_abs_diff_eq!(cost_aware["tolerance_max_over_mean"].f64(), best.2, epsilon = 1e-11);
    // Within the interval the bound holds, one step later it does not.
    let deviation = found["deviation"].list();
    let interval = found["interval"].u64() as usize;
    assert!(deviation[1..=interval].iter().all(|d| d.f64() <= 0.4));
    assert!(deviation[interval + 1].f64() > 0.4);
    // Two processors on two levels, from the lower: the difference of the loads after one step.
    let two = "Chain(count: 2, chain: BirthDeath(lowest: 1, up: [0.5, 0], down: [0, 0.5]))";
    let found = solve(&model("1", two, "bound: MaxDeviation(0.2), remap_cost: 1")).0;
    // From the first step on both levels are even: E max|w - wbar| = 1/4, mean 3/2; no step is
    // worse.
    assert_eq!(found["deviation"][1], 0.25 / 1.5);
    assert!(found["interval"].is_null() && found["cost_aware"]["interval"].is_null(), "{found}");
}

#[test]
fn wrong_models_are_explained() {
    let walk = "Identical(count: 8, law: Steps({-1: 0.5, 1: 0.5}))";
    let two = "Identical(count: 2, law: Moments(mean: 0, variance: 1))";
    let bound = "bound: MaxDeviation(0.1)";
    let explained = |load: &str, changes: &str, rest: &str, expected: &str| {
        let outcome =
            Workplace::of(model(load, changes, rest)).remap("solve model.ron --json").exits(1);
        assert_eq!(outcome.out, "");
        has(&in_one_line(&outcome.err), &[expected, "model.ron:1:"]);
    };
    for (law, expected) in [
        ("Moments(mean: 0, variance: -1)", "`-1` is below zero"),
        ("Normal(mean: 0, deviation: -2)", "`-2` is below zero"),
        ("Exponential(mean: 0)", "must be positive"),
        ("Gamma(shape: -1, mean: 1)", "must be positive"),
        ("Steps({-1: 0.5, 1: 0.4})", "the sum is 0.9, 0.1 below 1"),
        ("Steps({-1: 1.5, 1: -0.5})", "is not in [0, 1]"),
        ("Steps({1: 0.5, 1.0: 0.5})", "given twice"),
        ("Steps({})", "a step"),
    ] {
        explained("100", &format!("Identical(count: 8, law: {law})"), bound, expected);
    }
    for (load, chain, expected) in [
        ("19", chain("levels: 19", "0.25"), "19 is not a load of the chain"),
        ("2.5", chain("levels: 19", "0.25"), "2.5 is not a load of the chain"),
        ("1", chain("lowest: -1, levels: 19", "0.25"), "cannot be negative"),
        ("10", chain("levels: 19", "0.8"), "not a Markov chain"),
    ] {
        explained(load, &chain, bound, expected);
    }
    for (matrix, kind, expected) in [
        ("[[2, -3], [-3, 2]]", "Rms", "least eigenvalue is -1.000000e0"),
        ("[[1, 0], [0.5, 1]]", "Rms", "is 0.5, but"),
        ("[[1]]", "Rms", "wrong size"),
        ("[[1, 0], [0, 1]]", "Max", "RmsDeviation only"),
    ] {
        let rest = format!("covariance: {matrix}, bound: {kind}Deviation(0.1)");
        explained("100", two, &rest, expected);
    }
    let alone = "Identical(count: 1, law: Exponential(mean: 1))";
    let matrix = "Chain(count: 2, chain: Matrix(rows: [[0.5, 0.5], [0.5, 0.5]]))";
    let levels = &chain("levels: 19", "0.25");
    for (load, changes, more, expected) in [
        ("100", alone, "", "at least two processors"),
        ("100", "Distinct([])", "", "at least two processors"),
        ("0", walk, "", "the initial load must be positive"),
        ("-3", walk, "", "the initial load must be positive"),
        ("1", matrix, "", "a birth–death chain is needed"),
        ("100", walk, "capacities: [1, 2], ", "one capacity per processor"),
        ("100", two, "capacities: [1, 0], ", "must be positive"),
        ("10", levels, "capacities: [1], ", "do not go with a chain"),
        ("100", walk, "remap_cost: -1, ", "cannot be negative"),
        ("100", walk, "tolerance: 1, ", "no field `tolerance`"),
    ] {
        explained(load, changes, &format!("{more}{bound}"), expected);
    }
    explained("100", walk, "bound: MaxDeviation(-0.1)", "cannot be negative");
    explained("100", walk, "bound: MaxDeviation(inf)", "finite");
    explained("100", two, "remap_cost: 5", "an interval of least cost needs laws");
}

#[test]
fn suspicious_models_are_warned_of_and_solved() {
    let of = |load: &str, law: &str, bound: &str| {
        solve(&model(load, &format!("Identical({law})"), &format!("bound: MaxDeviation({bound})")))
    };
    let (found, words) = of("10", "count: 3, law: Moments(mean: -2.5, variance: 0)", "0.1");
    has(&words, &["the mean load falls and reaches zero after 4"]);
    assert_eq!(found["interval"], 3);
    let (found, words) = of("2", "count: 2, law: Steps({-1: 0.5, 1: 0.5})", "0.6");
    // Two walks from 2: below zero within 4 steps only by three steps down in a row, then (path of
    // probability 1/8) or one up among four never: 1 - (1 - 1/8)^2.
    assert_eq!(found["interval"], 4, "{found}");
    has(&words, &["negative within 4 steps is 2.344e-1"]);
    let thirds = "count: 2, law: Steps({-1: 0.3333333333, 0: 0.3333333333, 1: 0.3333333333})";
    has(&of("20", thirds, "0.05").1, &["sum to 1e-10 below 1"]);
}

/// Chernoff's bound overflows on wide laws; the range of the sum is a bound, too.
#[test]
fn chains_of_many_levels_have_an_answer() {
    let changes =
        "Chain(count: 6, chain: Walk(lowest: 0, levels: 600, up: 0.25, down: 0.25, edge: Hold))";
    let workplace = Workplace::of(model("3", changes, "bound: MaxDeviation(0.9), remap_cost: 1"));
    let outcome = workplace.remap("solve model.ron --json --time-limit 2");
    assert!([0, 3].contains(&outcome.code), "{}", outcome.err);
    assert!(outcome.json()["interval"].u64() > 0);
}

/// Each period by looking at every step of it, from the mean load that the one before ends with.
#[test]
fn periods_follow_one_another() {
    let workplace = Workplace::new();
    let model = deck_text("periodic/growing.ron");
    workplace.write("growing.ron", &model);
    let found = workplace.answer("solve growing.ron");
    let periods = found["sequence"].list();
    assert!(periods.len() > 3 && periods.len() < 12);
    let (mut from, mut load) = (0, 100.0);
    for (k, period) in periods.iter().enumerate() {
        assert_eq!(period["from"], from);
        assert_abs_diff_eq!(period["initial_load"].f64(), load, epsilon = 1e-9);
        // 63 variances of 1/4, over the mean load.
        let v = |t: u64| (63.0 * 0.25 * t as f64).sqrt() / (load + 0.5 * t as f64);
        match period["interval"].as_u64() {
            Some(steps) => {
                assert!((1..=steps).all(|t| v(t) <= 0.15) && v(steps + 1) > 0.15);
                (from, load) = (from + steps, load + 0.5 * steps as f64);
            }
            None => assert!(k + 1 == periods.len() && (1..5000).all(|t| v(t) <= 0.15)),
        }
    }
    assert!(periods.last().unwrap()["interval"].is_null());
    assert_eq!(periods[0]["interval"], found["interval"]);
    has(&workplace.shown("solve growing.ron"), &["never remap again"]);
    workplace.write("growing.ron", model.replace("periods: 12", "periods: 0"));
    workplace.remap("solve growing.ron").exits(1).says("not between 1 and 1000");
    let chain = "Chain(count: 4, chain: Walk(levels: 200, up: 0.25, down: 0.25, edge: Hold))";
    let other = model.replace("Identical(count: 64, law: Exponential(mean: 0.5))", chain);
    workplace.write("growing.ron", other);
    workplace.remap("solve growing.ron").exits(1).says("periods need a bound");
}

#[test]
fn a_machine_makes_the_cost_of_a_remap() {
    let workplace = Workplace::new();
    let model = deck_text("periodic/log_gp.ron");
    workplace.write("machine.ron", &model);
    let found = workplace.answer("solve machine.ron");
    // 2 * 2 + 9 + 5 * 5 + 19994 * .004 + 10.
    assert_eq!(found["cost_aware"]["remap_cost"], 127.976);
    let (before, rest) = model.split_once("LogGP(").unwrap();
    let (_, after) = rest.split_once(')').unwrap();
    workplace.write("number.ron", format!("{before}127.976{after}"));
    let number = workplace.answer("solve number.ron");
    assert_eq!(number["cost_aware"], found["cost_aware"]);
    for (from, to, said) in [
        ("gap: 5, ", "", "gap"),
        ("messages: 6", "messages: 0", "a remap sends one message at least"),
        ("bytes: 20000", "bytes: 3", "a remap sends one message at least"),
        ("latency: 9", "latency: -9", "latency"),
        ("LogGP(", "LogP(", "LogGP(latency"),
    ] {
        workplace.write("machine.ron", model.replace(from, to));
        workplace.remap("solve machine.ron").exits(1).says(said);
    }
}

/// Changes that move all loads alike never set them apart: nothing of independent changes may be
/// said of them.
#[test]
fn a_covariance_is_not_passed_over() {
    let workplace = Workplace::new();
    let ones = "[[1, 1, 1], [1, 1, 1], [1, 1, 1]]";
    let three = "Identical(count: 3, law: Steps({-1: 0.5, 1: 0.5}))";
    let own = |load: &str, law: &str, matrix: &str| {
        model(load, law, &format!("covariance: {matrix}, bound: RmsDeviation(0.1), remap_cost: 5"))
    };
    workplace.write("model.ron", own("10", three, ones));
    let outcome = workplace.remap("solve model.ron --json").exits(0);
    let found = outcome.json();
    assert!(found["interval"].is_null() && found["cost_aware"].is_null(), "{found}");
    has(&outcome.err, &["with `covariance` there is none", "is at most 1.000e0"]);
    workplace.write("model.ron", own("100", three, ones));
    // Reflection: below zero at some time as often as beyond -101 at the end, both sides together.
    let reached =
        1.0 - (-101..=101).map(|place| walked(1000, place)).sum::<f64>() + walked(1000, 101);
    let said = format!("is at most {:.3e}", 3.0 * reached);
    workplace.remap("solve model.ron --json").exits(0).says(&said);
    // Where the matrix has other variances than the laws, nothing is said of the laws.
    let wide = "[[4, 4, 4], [4, 4, 4], [4, 4, 4]]";
    workplace.write("model.ron", own("1000", three, wide));
    let kolmogorov = format!("is at most {:.3e}", 3.0 * 1000.0 * 4.0 / 1e6);
    workplace.remap("solve model.ron").exits(0).says("the matrix is used").says(&kolmogorov);
    let facts = workplace.answer("check model.ron");
    let numbers = ["mean_variance", "variance_added_to_the_imbalance_by_a_step"];
    assert_eq!(numbers.map(|fact| facts[fact].f64()), [4.0, 0.0]);
    assert_eq!(facts["largest_deviation_known_exactly"], false);
}

/// The chance that a walk of so many steps up or down is there at the end.
fn walked(steps: i32, place: i32) -> f64 {
    if (steps - place) % 2 != 0 || place.abs() > steps {
        return 0.0;
    }
    let ups = (steps + place) / 2;
    let chance = |ups: i32| {
        (1..=ups).map(|k| f64::from(steps - ups + k).ln() - f64::from(k).ln()).sum::<f64>()
    };
    (chance(ups) - f64::from(steps) * std::f64::consts::LN_2).exp()
}

/// The largest deviation at the cheapest interval has the error that it was computed with.
#[test]
fn the_tolerance_of_the_cheapest_interval_has_an_error() {
    let law = "Steps({-0.25: 0.25, 0: 0.5, 0.25: 0.25})";
    let laws = format!("Distinct([{law}, {law}, {law}, {law}])");
    let given = "capacities: [4, 0.5, 0.5, 1], bound: MaxDeviation(0.9), remap_cost: 0.1";
    let workplace = Workplace::of(model("1", &laws, given));
    let cost = &workplace.answer("solve model.ron")["cost_aware"];
    let near = cost["tolerance_max_deviation"].f64();
    let error = cost["tolerance_max_deviation_error"].f64();
    let steps = cost["interval"].u64();
    let truth = largest_of_four(steps, [4.0, 0.5, 0.5, 1.0]);
    assert!((near - truth).abs() <= error, "{near} {error} {truth}");
    let text = workplace.shown("solve model.ron");
    assert!(error < 5e-7 || text.contains(&format!("D = {near:.6} ± ")), "{text}");
    lacks(&text, &["certified"]);
}

/// E max |w_i - wbar| over the mean load of 1 after so many steps of a quarter, by all places.
fn largest_of_four(steps: u64, capacities: [f64; 4]) -> f64 {
    let mut law = vec![1.0];
    for _ in 0..steps {
        let mut next = vec![0.0; law.len() + 2];
        for (i, p) in law.iter().enumerate() {
            for (j, q) in [0.25, 0.5, 0.25].iter().enumerate() {
                next[i + j] += p * q;
            }
        }
        law = next;
    }
    let reach = law.len() as f64 / 2.0 - 0.5;
    let place = |i: usize| 0.25 * (i as f64 - reach);
    let (n, mut sum) = (law.len(), 0.0);
    for all in 0..n.pow(4) {
        let at = [all % n, all / n % n, all / n.pow(2) % n, all / n.pow(3)];
        let loads: Vec<f64> = at.iter().zip(capacities).map(|(i, own)| place(*i) / own).collect();
        let mean = loads.iter().sum::<f64>() / 4.0;
        let most = loads.iter().map(|x| (x - mean).abs()).fold(0.0, f64::max);
        sum += at.map(|i| law[i]).iter().product::<f64>() * most;
    }
    sum
}

/// Where the mean load is all but lost, what rounding does to the deviation is said: v(5) is
/// 63245.5532160 by hand.
#[test]
fn deviations_of_a_mean_load_next_to_zero_have_an_error() {
    let place = Workplace::stating(
        "Periodic(initial_load: 5, changes: Distinct([Steps({-1: 1}), Steps({-1: 0.9999999999, 1: 0.0000000001})]), \
         bound: RmsDeviation(1.93))",
    );
    let found = place.answer("solve model.ron");
    let (last, error) = (&found["deviation"][5], &found["deviation_error"]);
    let off = (last.f64() - 63245.5532160).abs();
    assert!(off <= error.f64() && off > 0.0, "{last} {error}");
}
