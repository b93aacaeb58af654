//! Periodic models at their edges: loads that die out or fall, ties, intervals without numbers,
//! laws that bounds do not tell apart.

use crate::support::prelude::*;

fn place(parts: &str) -> Workplace {
    Workplace::stating(format!("Periodic({parts})"))
}

/// Solves a model of these parts, with options.
fn solved(parts: &str, options: &str) -> Outcome {
    place(parts).remap(format!("solve model.ron {options}"))
}

fn document(parts: &str, code: i32) -> Value {
    solved(parts, "--json").exits(code).json()
}

/// What a bound that holds for any law never breaks is never broken, however long d(t) itself would
/// be looked at.
#[test]
fn an_interval_that_a_safe_bound_proves_endless_is_the_longest() {
    for law in ["Steps({-1: 0.5, 3: 0.5})", "Steps({0: 0.5, 2: 0.5})"] {
        let changes = format!("changes: Identical(count: 2, law: {law})");
        let found = document(&format!("initial_load: 10, {changes}, bound: MaxDeviation(1.0)"), 0);
        assert!(found["interval"].is_null() && found["at_least"].is_null(), "{law}");
        assert_eq!([&found["interval_by"], &found["status"]], ["exact", "converged"]);
    }
}

/// Two loads that die out by halves: d(t) = 1 - 2^-t, v(t) = sqrt(2^t - 1).
#[test]
fn loads_that_die_out_keep_a_bound_for_so_long_only() {
    let dying = |bound: &str| {
        format!(
            "initial_load: 1, changes: Chain(count: 2, chain: Walk(lowest: 0, levels: 2, up: 0, down: 0.5, \
             edge: Hold)), bound: {bound}"
        )
    };
    for (bound, steps) in [
        ("MaxDeviation(0.99999999)", 26),
        ("MaxDeviation(0.9999999999)", 33),
        ("RmsDeviation(1137158905911050.2)", 100),
    ] {
        let found = document(&dying(bound), 0);
        assert_eq!(found["interval"], steps, "{bound}: {found}");
        assert!(found["at_least"].is_null());
    }
    // What is nearer than can be told is open.
    let found = document(&dying("MaxDeviation(0.99999999999999)"), 3);
    let at_least = found["at_least"].u64();
    assert!((30..=46).contains(&at_least), "{found}");
    let never = document(&dying("MaxDeviation(1)"), 0);
    assert!(never["interval"].is_null());
}

/// Half a step before a tie, at 10^12 steps: found in fractions, as the checker finds it.
#[test]
fn intervals_beside_ties_are_not_one_too_long() {
    let parts = |load: &str, changes: &str, bound: &str| {
        format!("initial_load: {load}, changes: {changes}, bound: {bound}")
    };
    let moments = "Identical(count: 2, law: Moments(mean: 0, variance: 1))";
    for (load, steps) in [
        ("9999999.9999975", 999_999_999_999_u64),
        ("999999.99999975", 9_999_999_999),
        ("10000000", 1_000_000_000_000),
    ] {
        let place = place(&parts(load, moments, "RmsDeviation(0.1)"));
        let found = place.answer("solve model.ron --certificate proof");
        assert_eq!(found["interval"], steps, "{load}");
    }
    // A third of what a capacity of three leaves is a third: (1/9) t <= (0.1 w)^2 at t = 9, w = 10.
    let thirds = format!("{}, capacities: [3, 3]", parts("10", moments, "RmsDeviation(0.1)"));
    assert_eq!(document(&thirds, 0)["interval"], 9);
    let free = document(&parts("10", moments, "MaxDeviation(0.1)"), 0);
    // (N-1)^2/(2N-1) = 1/3 for two: t/3 <= 1 at 3.
    assert_eq!(free["methods"]["distribution_free"]["interval"], 3);
}

/// Where the mean load is gone, nothing is relative to it.
#[test]
fn no_interval_of_least_cost_outlasts_the_mean_load() {
    let steps = "initial_load: 20, changes: Identical(count: 4, law: Steps({-1: 0.5, -0.7: 0.5})), remap_cost: 10";
    let bounded = format!("{steps}, bound: MaxDeviation(0.0244661)");
    let five = "initial_load: 1, changes: Identical(count: 5, law: Steps({-1: 0.5, 0: 0.5})), capacities: \
                [0.5, 4, 1, 2.5, 0.5], bound: MaxDeviation(10), remap_cost: 1";
    let two = "initial_load: 2, changes: Identical(count: 2, law: Steps({-0.5: 1})), remap_cost: 1";
    for (parts, last) in [(steps, 23), (&*bounded, 23), (five, 1), (two, 3)] {
        let found = solved(parts, "--json").exits(0).says("every interval ends before").json();
        let cost = &found["cost_aware"];
        assert!(cost["interval"].u64() <= last, "{found}");
        for name in ["max_over_mean", "max_deviation", "max_deviation_error"] {
            assert!(cost[format!("tolerance_{name}")].f64() >= 0.0, "{name}: {found}");
        }
    }
    // The checker knows no longer ones either.
    place(steps).remap("solve model.ron --json --certificate proof").exits(0);
    // No step has a mean load after it.
    let none = "initial_load: 1, changes: Identical(count: 2, law: Steps({-3: 0.5, -1: 0.5})), remap_cost: 1";
    assert_eq!(document(none, 3)["cost_aware"]["interval"], "not computed");
}

#[test]
fn equal_means_have_no_spread_whatever_the_laws() {
    let laws = "Distinct([Normal(mean: 0.1, deviation: 1), Normal(mean: 0.1, deviation: 2), Normal(mean: 0.1, deviation: 1.5)])";
    let parts = format!("initial_load: 100, changes: {laws}, remap_cost: 1000");
    assert_eq!(document(&parts, 0)["interval"], 175);
    let facts = ["mean change: 0.1\n", "spread of the means: 0.0\n", "limit of v: 0.0\n"];
    has(&place(&parts).shown("check model.ron"), &facts);
}

/// A time limit is heard inside the laws of one evaluation.
#[test]
fn time_limits_are_heard_in_gamma_laws_of_any_shape() {
    let needle = |shape: &str, mean: &str, own: &str, load: &str| {
        format!(
            "initial_load: {load}, changes: Classes([(count: 8, law: Gamma(shape: {shape}, mean: {mean})), \
             (count: 1, law: Gamma(shape: 0.5, mean: {own}))]), bound: MaxDeviation(2)"
        )
    };
    let models = [
        needle("1e7", "1", "1e3", "100"),
        needle("1e12", "1", "1e3", "100"),
        needle("1e40", "1e-40", "1e-30", "1e-9"),
    ];
    for parts in models {
        let asked = std::time::Instant::now();
        solved(&parts, "--time-limit 1");
        assert!(asked.elapsed().as_secs_f64() < 4.0, "{parts}: {:?}", asked.elapsed());
    }
}

/// Steps that have no numbers are said to be as many or more, and end no period.
#[test]
fn intervals_without_numbers_are_open() {
    let tiny = |rest: &str| {
        format!(
            "initial_load: 1000, changes: Identical(count: 2, law: Normal(mean: 0, deviation: 1e-9)), {rest}"
        )
    };
    for rest in ["bound: RmsDeviation(0.04), periods: 4", "bound: MaxDeviation(0.04)"] {
        let found = document(&tiny(rest), 3);
        assert_eq!(found["at_least"], u64::MAX, "{found}");
    }
    let periods = tiny("bound: RmsDeviation(0.004), periods: 4").replace("1e-9", "1.2e-9");
    let found = solved(&periods, "--json").exits(3).says("periods: 2 of 4 are known").json();
    assert_eq!(found["sequence"].list().len(), 2);
    assert_eq!(found["sequence"][0]["interval"], 11_111_111_111_111_111_111_u64);
}

/// Of a real crossing no more is shown than is known, and never a step that is not within the
/// interval.
#[test]
fn real_crossings_do_not_contradict_their_intervals() {
    let coarse = "initial_load: 20, changes: Identical(count: 4, law: Steps({-1.1: 0.4, 0.3: 0.4, -0.5: 0.2})), \
                  capacities: [2.5, 0.5, 4.0, 1.0], bound: MaxDeviation(0.051)";
    let real = document(coarse, 0)["methods"]["exact"]["real"].as_f64();
    assert!(real.is_none_or(|real| (real - 1.008319).abs() < 1e-6), "{real:?}");
    let near = "initial_load: 50, changes: Distinct([Steps({1.2: 0.12, 0.9: 0.55, -0.3: 0.33}), \
                Steps({1.9: 0.39, 1.4: 0.23, -0.8: 0.38}), Steps({0: 0.5, -1: 0.5}), \
                Steps({1.5: 0.5, 1.6: 0.5})]), bound: MaxDeviation(0.02730759727)";
    let shown = solved(near, "").exits(0).out;
    has(&shown, &["0.999999 "]);
    lacks(&shown, &["  1.000000"]);
}

/// Changes that depend on each other have the interval of independent ones that add as much to the
/// imbalance, without rounding.
#[test]
fn covariances_are_summed_without_rounding() {
    let interval = |load: &str, mean: &str, bound: &str, variance: &str, covariance: &str| {
        let law = format!("Moments(mean: {mean}, variance: {variance})");
        let parts = format!(
            "initial_load: {load}, changes: Identical(count: 2, law: {law}), bound: RmsDeviation({bound}){covariance}"
        );
        document(&parts, 0)["interval"].clone()
    };
    let dependent = ", covariance: [[1, 0.4], [0.4, 1]]";
    for (load, mean, bound, steps) in [("15", "1", "0.1", None), ("10", "0", "0.3", Some(15))] {
        assert_eq!(interval(load, mean, bound, "1", dependent).as_u64(), steps);
        assert_eq!(interval(load, mean, bound, "0.6", "").as_u64(), steps);
    }
    // 1 - c, for any digits.
    for (covariance, variance) in
        [("0.1", "0.9"), ("0.7", "0.3"), ("-0.3", "1.3"), ("0.05", "0.95")]
    {
        let dependent = format!(", covariance: [[1, {covariance}], [{covariance}, 1]]");
        for bound in ["0.3", "0.7", "0.01"] {
            for load in ["10", "30", "1000"] {
                let both = [("1", dependent.as_str()), (variance, "")];
                let [own, other] =
                    both.map(|(variance, more)| interval(load, "0", bound, variance, more));
                assert_eq!(own, other, "{covariance} {bound} {load}");
            }
        }
    }
}

/// What a search that was halted left behind is no number to go on with.
#[test]
fn halted_searches_leave_bounds() {
    let laws = "Normal(mean: 0.1, deviation: 1.0), Normal(mean: 0.2, deviation: 2.0), Gamma(shape: 0.7, mean: 1.0)";
    let parts = format!("initial_load: 100, changes: Distinct([{laws}]), bound: MaxDeviation(0.3)");
    for thousandths in 1..24 {
        let limit = f64::from(thousandths) / 1000.0;
        let outcome = solved(&parts, &format!("--time-limit {limit}"));
        assert!([0, 3].contains(&outcome.code), "{limit}: {}", outcome.err);
    }
}
