//! Intervals of periodic remaps against the imbalance itself: all outcomes gone through, and closed
//! forms.

use crate::exact::walk;
use crate::shared::{Random, is_model_error, model, prove, read};
use crate::thorough::{few_or_all, some};
use remap_checker::{Budget, Evidence, Proof, Refusal};

fn periodic(problem: &str) -> String {
    format!("Periodic({problem})")
}

/// After how many steps the bound is proved to be kept, and after how many not to be.
fn longest(problem: &str, grid: u32) -> (Option<u64>, Option<u64>) {
    match prove(&periodic(problem), &Evidence::Periodic(grid)) {
        Ok(Proof::Longest { kept, broken }) => (kept, broken),
        other => panic!("{problem}: {other:?}"),
    }
}

/// What is right if d at 1, 2, .. is this and all later times break the bound, or not: `None`.
#[track_caller]
fn agrees(problem: &str, grid: u32, bound: f64, known: &[f64]) -> (Option<u64>, Option<u64>) {
    let (kept, broken) = longest(problem, grid);
    for (t, d) in (1u64..).zip(known) {
        if kept.is_none_or(|kept| t <= kept) {
            assert!(*d <= bound + 1e-9, "{problem}: kept {kept:?}, but {d} after {t}");
        }
        if broken == Some(t) {
            assert!(*d >= bound - 1e-9, "{problem}: broken after {t}, but {d}");
        }
    }
    if let Some(broken) = broken {
        assert!(kept.is_some_and(|kept| kept < broken), "{problem}");
    }
    (kept, broken)
}

/// A step: so much with such a chance.
type Step = (i64, f64);

/// d after 1, 2, .. steps, by all outcomes, of loads divided by capacities.
fn enumerated(load: f64, laws: &[Vec<Step>], capacities: &[f64], steps: u32) -> Vec<f64> {
    let n = laws.len() as f64;
    let mut places: Vec<(Vec<i64>, f64)> = vec![(vec![0; laws.len()], 1.0)];
    let mut found = Vec::new();
    for t in 1..=steps {
        for (i, law) in laws.iter().enumerate() {
            let go = |(at, p): &(Vec<i64>, f64)| {
                let one = |&(x, q): &Step| {
                    let mut at = at.clone();
                    at[i] += x;
                    (at, p * q)
                };
                law.iter().map(one).collect::<Vec<_>>()
            };
            places = places.iter().flat_map(go).collect();
        }
        let farthest = |(at, p): &(Vec<i64>, f64)| {
            let own: Vec<f64> = at.iter().zip(capacities).map(|(x, c)| *x as f64 / c).collect();
            let mean = own.iter().sum::<f64>() / n;
            p * own.iter().map(|x| (x - mean).abs()).fold(0.0, f64::max)
        };
        let mean = |law: &Vec<Step>| law.iter().map(|(x, p)| *x as f64 * p).sum::<f64>();
        let all = laws.iter().zip(capacities).map(|(law, c)| mean(law) / c).sum::<f64>() / n;
        let average = load + f64::from(t) * all;
        let d = places.iter().map(farthest).sum::<f64>() / average;
        found.push(if average > 0.0 { d } else { f64::INFINITY });
    }
    found
}

#[test]
fn intervals_of_random_steps_are_those_of_all_outcomes() {
    let mut random = Random(7);
    let mut settled = 0;
    for _ in 0..300 {
        let n = 2 + random.below(2) as usize;
        let law = |random: &mut Random| -> Vec<Step> {
            let p = (1 + random.below(98)) as f64 / 100.0;
            let (x, y) = (random.below(7) as i64 - 3, 4 + random.below(3) as i64);
            vec![(x, p), (y, (100.0 - 100.0 * p).round() / 100.0)]
        };
        let same = random.below(2) == 0;
        let first = law(&mut random);
        let laws: Vec<Vec<Step>> =
            (0..n).map(|_| if same { first.clone() } else { law(&mut random) }).collect();
        let capacities: Vec<f64> =
            (0..n).map(|_| [1.0, 2.0, 0.5][random.below(3) as usize]).collect();
        let steps = if n == 2 { 5 } else { 3 };
        let known = enumerated(20.0, &laws, &capacities, steps);
        let bound = (known[random.below(steps as u64) as usize] * 1e4).round() / 1e4;
        if !bound.is_finite() {
            continue;
        }
        let written = |law: &Vec<Step>| {
            let points: Vec<String> = law.iter().map(|(x, p)| format!("{x}: {p}")).collect();
            format!("Steps({{{}}})", points.join(", "))
        };
        let laws = Vec::from_iter(laws.iter().map(written)).join(", ");
        let problem = format!(
            "initial_load: 20, changes: Distinct([{laws}]), capacities: {capacities:?}, bound: MaxDeviation({bound})"
        );
        let (kept, broken) = agrees(&problem, 1, bound, &known);
        settled += usize::from(kept.is_some() && broken == kept.map(|kept| kept + 1));
    }
    assert!(settled > 250, "{settled}");
}

/// Two exponential loads of mean 1 are 2 t C(2t, t) / 4^t apart on average after t steps, and each
/// half of that from their mean; two normal ones of deviation 1 are 2 sqrt(t / pi) apart.
#[test]
fn intervals_of_other_laws_are_those_of_closed_forms() {
    for t in some(1, [1, 5]) {
        // t C(2t, t) / 4^t.
        let grows = |half: f64, t: i32| half * f64::from(2 * t + 1) / f64::from(2 * t);
        let exponential = (1..t).fold(0.5, grows) / f64::from(50 + t);
        let normal = (f64::from(t) / std::f64::consts::PI).sqrt() / 50.0;
        for (law, d) in [
            ("Exponential(mean: 1)", exponential),
            ("Gamma(shape: 1, mean: 1)", exponential),
            ("Normal(mean: 0, deviation: 1)", normal),
        ] {
            for (factor, kept) in [(0.98, t as u64 - 1), (1.02, t as u64)] {
                let problem = format!(
                    "initial_load: 50, changes: Identical(count: 2, law: {law}), bound: MaxDeviation({:.9})",
                    factor * d
                );
                assert_eq!(longest(&problem, 8), (Some(kept), Some(kept + 1)), "{problem}");
            }
        }
    }
}

/// Coarse grids prove less, and nothing else.
#[test]
fn coarser_grids_prove_no_more() {
    let problem = "initial_load: 100, changes: Classes([(count: 5, law: Exponential(mean: 0.5)), (count: 3, law: \
                   Gamma(shape: 3, mean: 1))]), bound: MaxDeviation(0.08)";
    let (kept, broken) = longest(problem, few_or_all(5, 8));
    assert_eq!(broken, kept.map(|kept| kept + 1));
    for grid in some(1, [2, 1, 3, 5]) {
        let (least, most) = longest(problem, grid);
        let more = most.is_none_or(|most| broken.is_some_and(|end| most >= end));
        assert!(least <= kept && more, "{grid}");
    }
}

/// Squares: the law does not matter, and the crossing is that of a quadratic.
#[test]
fn intervals_of_squares_are_those_of_the_quadratic() {
    let mut random = Random(3);
    for _ in 0..200 {
        let number = |random: &mut Random, most: u64| random.below(most) as f64 / 10.0;
        let means = [number(&mut random, 20) - 1.0, number(&mut random, 20) - 1.0];
        let variances = [number(&mut random, 30), number(&mut random, 30)];
        let bound = (1.0 + number(&mut random, 30)) / 10.0;
        let problem = format!(
            "initial_load: 10, changes: Distinct([Moments(mean: {}, variance: {}), Moments(mean: {}, variance: {})]), \
             bound: RmsDeviation({bound})",
            means[0], variances[0], means[1], variances[1]
        );
        let spread = (variances[0] + variances[1]) / 2.0;
        let mean = (means[0] + means[1]) / 2.0;
        let drift = (means[0] - mean).powi(2) + (means[1] - mean).powi(2);
        let known: Vec<f64> = (1..=400)
            .map(|t| {
                let (t, average) = (f64::from(t), 10.0 + mean * f64::from(t));
                let v = (spread * t + drift * t * t).sqrt() / average;
                if average > 0.0 { v } else { f64::INFINITY }
            })
            .collect();
        let (kept, _) = agrees(&problem, 1, bound, &known);
        let end = known.iter().position(|v| *v > bound + 1e-9).map(|t| t as u64);
        assert!(end.is_none() || kept == end, "{problem}: {kept:?} {end:?}");
    }
}

/// Chains: the law of one level is what a matrix says, and two processors are half their distance
/// from their mean.
#[test]
fn intervals_of_chains_are_those_of_their_laws() {
    for (up, down, load) in [(0.25, 0.25, 1), (0.4, 0.1, 0), (0.05, 0.3, 2), (0.01, 0.02, 1)] {
        let levels = 4usize;
        let rows = walk(levels, up, down, false);
        let mut law = vec![0.0; levels];
        law[load] = 1.0;
        let mut known = Vec::new();
        for _ in 0..300 {
            law = (0..levels).map(|to| (0..levels).map(|i| law[i] * rows[i][to]).sum()).collect();
            let both = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
                let pairs = (0..levels).flat_map(|i| (0..levels).map(move |j| (i, j)));
                pairs.map(|(i, j)| law[i] * law[j] * f(i as f64, j as f64)).sum()
            };
            let mean = 1.0 + law.iter().enumerate().map(|(i, p)| i as f64 * p).sum::<f64>();
            let half = both(&|i, j| (i - j).abs() / 2.0);
            let square = both(&|i, j| (i - j).powi(2) / 2.0).sqrt();
            known.push([half / mean, square / mean]);
        }
        for (k, kind) in ["MaxDeviation", "RmsDeviation"].into_iter().enumerate() {
            let d: Vec<f64> = known.iter().map(|both| both[k]).collect();
            let most = d.iter().copied().fold(0.0, f64::max);
            for bound in [0.3 * most, 0.9 * most, 1.001 * most, 2.0 * most] {
                let problem = format!(
                    "initial_load: {}, changes: Chain(count: 2, chain: Walk(lowest: 1, levels: 4, up: {up}, down: \
                     {down}, edge: Hold)), bound: {kind}({bound:.9})",
                    load + 1
                );
                let (kept, _) = agrees(&problem, 1, bound, &d);
                let end = d.iter().position(|d| *d > bound + 1e-8).map(|t| t as u64);
                assert_eq!(kept, end, "{problem}");
            }
        }
    }
}

// Hypotheses, each broken alone.

#[test]
fn laws_and_bounds_out_of_range_are_refused() {
    let good = "initial_load: 10, changes: Identical(count: 2, law: Steps({-1: 0.5, 1: 0.5})), capacities: [1, 1], \
                bound: MaxDeviation(0.2)";
    assert!(read(&periodic(good)).is_ok());
    for (from, to) in [
        ("1: 0.5}", "1: 0.5001}"),
        ("1: 0.5}", "1: 0.5, 2: -0.1}"),
        ("1: 0.5}", "1: 0.25, 1.0: 0.25}"),
        ("[1, 1]", "[1, 0]"),
        ("[1, 1]", "[1]"),
        ("count: 2", "count: 1"),
        ("load: 10", "load: 0"),
        ("0.2)", "-0.2)"),
        ("0.2)", "NaN)"),
        (", bound: MaxDeviation(0.2)", ""),
        ("bound:", "bound: None, bound:"),
        ("count: 2", "count: 18446744073709551615"),
    ] {
        is_model_error(&periodic(&good.replacen(from, to, 1)));
    }
    let squares = "initial_load: 10, changes: Identical(count: 2, law: Moments(mean: 0, variance: 1)), covariance: \
                   [[1, 0.5], [0.5, 1]], bound: RmsDeviation(0.2)";
    assert!(read(&periodic(squares)).is_ok());
    for (from, to) in
        [("[0.5, 1]", "[0.4, 1]"), ("[0.5, 1]", "[0.5]"), ("Rms", "Max"), ("[1, 0.5]", "[-1, 0.5]")]
    {
        is_model_error(&periodic(&squares.replacen(from, to, 1)));
    }
}

#[test]
fn what_a_proof_of_intervals_needs_is_seen_to() {
    let proved = |problem: &str, grid: u32| prove(&periodic(problem), &Evidence::Periodic(grid));
    let walk = "initial_load: 10, changes: Identical(count: 2, law: Steps({-1: 0.5, 1: 0.5})), bound: MaxDeviation(0.2)";
    assert!(proved(walk, 1).is_ok());
    for grid in [0, 1025, u32::MAX] {
        assert_eq!(proved(walk, grid), Err(Refusal::Malformed));
    }
    // Rows above 1: their product is no law.
    let chain = |up: &str| {
        format!(
            "initial_load: 1, changes: Chain(count: 2, chain: BirthDeath(up: [0.5, {up}, 0], down: [0, 0.5, 0.5])), bound: \
             MaxDeviation(0.2)"
        )
    };
    assert!(proved(&chain("0.5"), 1).is_ok());
    let refusal = Err(Refusal::Unproved("the rows of the chain do not sum to 1"));
    assert_eq!(proved(&chain("0.5000000001"), 1), refusal);
    for law in ["Gamma(shape: 1.5, mean: 1)", "Gamma(shape: 0.5, mean: 1)"] {
        let found = proved(&walk.replace("Steps({-1: 0.5, 1: 0.5})", law), 8);
        assert!(matches!(found, Err(Refusal::Unproved(_))), "{law}");
    }
    let mixed = "initial_load: 10, changes: Distinct([Steps({-1: 0.5, 1: 0.5}), Exponential(mean: 1)]), bound: \
                 MaxDeviation(0.2)";
    assert!(matches!(proved(mixed, 8), Err(Refusal::Unproved(_))));
    // Moments prove that the bound is kept, not that it is not.
    let moments = walk.replace("Steps({-1: 0.5, 1: 0.5})", "Moments(mean: 0, variance: 1)");
    assert!(matches!(proved(&moments, 1), Ok(Proof::Longest { kept: Some(4), broken: None })));
    // What takes more than there is.
    let model = model(&periodic(walk));
    let found = model.prove_within(&Evidence::Periodic(1), &Budget::new(100));
    assert_eq!(found, Err(Refusal::OverBudget));
}
