//! Recorded runs: what other remaps would have made of them, and what is estimated from them.

use crate::thorough::{few_or_all, some};
use approx::{abs_diff_eq, assert_abs_diff_eq};
use proptest::prelude::*;
use rand::RngExt;
use remapping::chain::Edge;
use remapping::fit::chain::{Moves, lattice};
use remapping::fit::change::change;
use remapping::fit::growth;
use remapping::fit::increments::Increments;
use remapping::fit::level::Family;
use remapping::fit::transitions::Transitions;
use remapping::policy::predictive::Predictive;
use remapping::policy::{Policy, Rule};
use remapping::record::{Record, Remap};
use remapping::replay::{Indicator, cheapest, intervals, learn, replay, thresholds, tuned};
use remapping::simulate::{Base, Recorded, stream};

/// Records of a few ranks and steps, with remaps here and there.
fn records() -> impl Strategy<Value = Record> {
    (2_usize..5, 3_usize..10).prop_flat_map(|(ranks, steps)| {
        let seconds = prop::collection::vec(0.0..10.0_f64, ranks * steps);
        let remaps = prop::collection::btree_set(1..steps, 0..3);
        (seconds, remaps).prop_map(move |(seconds, remaps)| {
            let remap = |before| Remap { before, seconds: Some(0.5) };
            Record::new(ranks, seconds, remaps.into_iter().map(remap).collect()).unwrap()
        })
    })
}

/// The cost of the steps from `first` on with remaps after the steps marked in `plan`.
fn cost(record: &Record, first: usize, plan: u32, remap_cost: f64) -> f64 {
    let mut base = first.checked_sub(1).map_or(Base::AsRecorded, Base::Balanced);
    let (mut total, mut times) = (0.0, Vec::new());
    for step in first..record.steps() {
        Recorded::times(record, base, step, &mut times);
        let most = times.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        total += most - times.iter().sum::<f64>() / times.len() as f64;
        if plan >> (step - first) & 1 == 1 {
            base = Base::Balanced(step);
            total += remap_cost;
        }
    }
    total
}

proptest! {
    /// Hindsight by dynamic programming is the best of all sequences of remaps.
    #[test]
    fn the_clairvoyant_is_the_best_sequence(record in records(), remap_cost in 0.0..8.0_f64, late in any::<bool>()) {
        let first = if late { 1 } else { 0 };
        let steps = record.steps() - first;
        let best = (0..1_u32 << (steps - 1))
            .map(|plan| cost(&record, first, plan, remap_cost))
            .fold(f64::INFINITY, f64::min);
        let start = || -> Vec<Box<dyn Policy>> { vec![Rule::Never.start(remap_cost)] };
        let found = replay(&record, first..record.steps(), remap_cost, &start, &()).unwrap();
        prop_assert!(abs_diff_eq!(found.clairvoyant, best, epsilon = 1e-9 * best.max(1.0)));
        let never = cost(&record, first, 0, remap_cost);
        prop_assert!(abs_diff_eq!(found.tallies[0].value, never, epsilon = 1e-9 * never.max(1.0)));
    }

    /// Without remaps, recorded or made, the counterfactual is the record.
    #[test]
    fn what_nobody_remapped_is_what_was_recorded(record in records()) {
        let plain = Record::new(record.ranks(), (0..record.steps()).flat_map(|s| record.row(s).to_vec()).collect(), vec![]).unwrap();
        let mut times = Vec::new();
        for step in 0..plain.steps() {
            Recorded::times(&plain, Base::AsRecorded, step, &mut times);
            for (found, recorded) in times.iter().zip(plain.row(step)) {
                prop_assert!(abs_diff_eq!(found, recorded, epsilon = 1e-9));
            }
        }
    }

    /// A recorded remap resets to balance: played at the same step, the counterfactual agrees with
    /// what was recorded from there on.
    #[test]
    fn the_recorded_remap_gives_the_recorded_times(record in records()) {
        let Some(remap) = record.remaps().last() else { return Ok(()) };
        let (mut times, base) = (Vec::new(), Base::Balanced(remap.before - 1));
        for step in remap.before..record.steps() {
            Recorded::times(&record, base, step, &mut times);
            let shift = times[0] - record.row(step)[0];
            for (found, recorded) in times.iter().zip(record.row(step)) {
                prop_assert!(abs_diff_eq!(found - recorded, shift, epsilon = 1e-9));
            }
        }
    }

    /// No policy is cheaper than hindsight, and every tuned rule is as good as each it was chosen from.
    #[test]
    fn hindsight_is_never_beaten(record in records(), remap_cost in 0.01..8.0_f64, late in any::<bool>()) {
        let steps = 0..record.steps();
        let rules: Vec<Rule> = intervals(steps.len()).into_iter().chain(thresholds(&record, steps.clone(), Indicator::Excess)).collect();
        let best = tuned(&record, steps.clone(), remap_cost, &rules).unwrap();
        let start = || -> Vec<Box<dyn Policy>> {
            let family = if late { Family::Trends } else { Family::Means };
            let plan = Predictive::new((0..2).map(|s| record.path(s)), remap_cost, steps.len() as u64, true, family);
            let ours: [Box<dyn Policy>; 2] = [best.start(remap_cost), Box::new(plan)];
            ours.into_iter().chain(rules.iter().map(|rule| rule.start(remap_cost))).collect()
        };
        let found = replay(&record, steps.clone(), remap_cost, &start, &()).unwrap();
        for tally in &found.tallies {
            prop_assert!(tally.value >= found.clairvoyant - 1e-9);
        }
        for tally in &found.tallies[2..] {
            prop_assert!(found.tallies[0].value <= tally.value + 1e-9);
        }
    }
}

/// Ranks of which one gains steadily; uniform noise that does not add up.
fn drifting(ranks: usize, steps: usize, drift: f64, noise: f64) -> Record {
    let mut draws = stream(9, 0);
    let mut seconds = Vec::new();
    for step in 0..steps {
        for rank in 0..ranks {
            let draw: f64 = draws.random();
            let gained = if rank == 1 { drift * step as f64 } else { 0.0 };
            seconds.push(10.0 + gained + noise * (2.0 * draw - 1.0));
        }
    }
    Record::new(ranks, seconds, Vec::new()).unwrap()
}

/// On a steady drift the plan is hindsight's, end of the run included.
#[test]
fn the_plan_is_optimal_on_a_steady_drift() {
    for (drift, remap_cost) in [(0.1, 1.0), (0.1, 5.0), (0.02, 1.0), (1.0, 3.0)] {
        let record = drifting(8, 120, drift, 0.0);
        let start = || -> Vec<Box<dyn Policy>> {
            let rows = (0..60).map(|step| record.path(step));
            vec![Box::new(Predictive::new(rows, remap_cost, 60, true, Family::Trends))]
        };
        let found = replay(&record, 60..120, remap_cost, &start, &()).unwrap();
        let (own, best) = (found.tallies[0].value, found.clairvoyant);
        assert!(own - best <= 1e-9 * best, "drift {drift}, cost {remap_cost}: {own} is not {best}");
    }
}

/// Loads that leave their mean and return: a plan by means lets them, a plan by trends follows them.
#[test]
fn what_returns_by_itself_is_left_alone() {
    let (mut draws, mut loads, mut seconds) = (stream(4, 0), [0.0; 8], Vec::new());
    for _ in 0..240 {
        for load in &mut loads {
            let draw: f64 = draws.random();
            *load = 0.7 * *load + draw - 0.5;
            seconds.push(10.0 + *load);
        }
    }
    let record = Record::new(8, seconds, Vec::new()).unwrap();
    let start = || -> Vec<Box<dyn Policy>> {
        let plan =
            |family| Predictive::new((0..120).map(|s| record.path(s)), 8.0, 120, true, family);
        vec![Box::new(plan(Family::Means)), Box::new(plan(Family::Trends)), Rule::Never.start(8.0)]
    };
    let found = replay(&record, 120..240, 8.0, &start, &()).unwrap();
    let [means, trends, never] = [0, 1, 2].map(|place| found.tallies[place].value);
    assert!(means <= never.min(trends), "{means}, {trends}, {never}");
}

#[test]
fn learning_is_reproducible_and_keeps_its_best() {
    let record = drifting(8, 200, 0.1, 0.05);
    let (first, curve) = learn(&record, 0..200, 2.0, 256, 7);
    let (second, again) = learn(&record, 0..200, 2.0, 256, 7);
    assert_eq!(first, second);
    assert_eq!(curve, again);
    let start = || -> Vec<Box<dyn Policy>> {
        vec![Box::new(first.clone()), Rule::Never.start(2.0), Rule::Fixed(1).start(2.0)]
    };
    let found = replay(&record, 0..200, 2.0, &start, &()).unwrap();
    let regret = |place: usize| found.tallies[place].value - found.clairvoyant;
    let least = curve.iter().map(|(_, regret)| *regret).fold(f64::INFINITY, f64::min);
    assert!(
        abs_diff_eq!(regret(0), least, epsilon = 1e-9),
        "the best of the curve is kept: {curve:?}"
    );
    assert!(regret(0) < 0.25 * found.clairvoyant, "{curve:?}, {}", found.clairvoyant);
    assert!(regret(0) < 0.2 * regret(1).min(regret(2)));
}

#[test]
fn a_lattice_is_found_and_its_moves_counted() {
    // Two ranks on the levels 3..=6 of 0.25 each: up, up, up, down, stay; stay throughout.
    let first = [3.0, 4.0, 5.0, 6.0, 5.0, 5.0];
    let seconds = first.iter().flat_map(|level| [0.25 * level, 0.75]).collect();
    let record = Record::new(2, seconds, Vec::new()).unwrap();
    assert_abs_diff_eq!(lattice(&record).unwrap(), 0.25, epsilon = 1e-12);
    let moves = Moves::of(&record, 0.25);
    assert_eq!(moves.lowest, 3);
    assert_eq!(moves.counts, [[0, 5, 1], [0, 0, 1], [0, 1, 1], [1, 0, 0]]);
    assert_eq!((moves.total(), moves.jumps), (10, 0));
    let irregular =
        Record::new(2, vec![1.0, 2.0_f64.sqrt(), 1.1, 3.0_f64.sqrt()], Vec::new()).unwrap();
    assert_eq!(lattice(&irregular), None);
}

#[test]
fn ranks_that_move_alike_are_told_from_those_that_do_not() {
    let walk = |ups: [f64; 4], seed: u64| {
        let (mut draws, mut levels, mut seconds) = (stream(seed, 0), [3_usize; 4], Vec::new());
        for _ in 0..1500 {
            seconds.extend(levels.map(|level| 1.0 + level as f64));
            for (level, up) in levels.iter_mut().zip(ups) {
                let draw: f64 = draws.random();
                *level = match draw {
                    _ if draw < up => (*level + 2).min(6),
                    _ if draw < up + 0.3 => level.saturating_sub(1),
                    _ => *level,
                };
            }
        }
        Transitions::of(&Record::new(4, seconds, Vec::new()).unwrap(), 1.0).unwrap()
    };
    // If they are alike the probability is uniform: below 0.05 in 5 of 100.
    let (seeds, most) = few_or_all((6, 1), (40, 7));
    let low = (0..seeds).filter(|seed| walk([0.2; 4], *seed).alike() < 0.05).count();
    assert!(low <= most, "{low} of {seeds}");
    assert!(walk([0.2, 0.2, 0.2, 0.4], 1).alike() < 1e-6);
    // One that is a little unlike is not lost among the moves from each level to each other.
    let (seeds, least) = few_or_all((3, 3), (10, 8));
    let unlike = |seed: &u64| walk([0.2, 0.2, 0.2, 0.3], *seed).alike() < 0.001;
    let refuted = (0..seeds).filter(unlike).count();
    assert!(refuted >= least, "{refuted} of {seeds}");
    let moves = walk([0.2; 4], 3);
    // A fifth of the steps from all levels but the two at the top.
    assert!((0.05..0.2).contains(&moves.jumps()), "{}", moves.jumps());
    for rows in moves.matrices().into_iter().chain([moves.matrix()]) {
        for row in rows {
            assert_abs_diff_eq!(row.iter().sum::<f64>(), 1.0, epsilon = 1e-12);
        }
    }
    assert!(moves.probabilities(None).iter().any(|(from, to, found)| {
        (*from, *to) == (2, 4) && found.contains(0.2) && found.contains(found.value)
    }));
}

#[test]
fn the_kind_of_edge_is_recognised() {
    let counts = |inward: u64, stays: u64| {
        vec![[0, stays, inward], [250, 500, 250], [250, 500, 250], [inward, stays, 0]]
    };
    // Two ranks side by side make each move, and are remapped before the next.
    let moves = |counts: Vec<[u64; 3]>| {
        let (mut seconds, mut remaps) = (Vec::new(), Vec::new());
        for (level, counts) in counts.iter().enumerate() {
            for (side, &count) in counts.iter().enumerate() {
                for _ in 0..count / 2 {
                    remaps.push(Remap { before: seconds.len() / 2, seconds: None });
                    seconds.extend([level, level, level + side - 1, level + side - 1]);
                }
            }
        }
        let seconds = seconds.into_iter().map(|level| level as f64).collect();
        Moves::of(&Record::new(2, seconds, remaps).unwrap(), 1.0)
    };
    assert_eq!(moves(counts(250, 750)).walk().edge, Edge::Hold);
    assert_eq!(moves(counts(500, 500)).walk().edge, Edge::Reflect);
    let walk = moves(counts(250, 750)).walk();
    assert!(walk.up.contains(0.25) && walk.same_at_every_level > 0.9);
    let uneven = vec![[0, 10, 10], [400, 500, 100], [100, 500, 400], [10, 10, 0]];
    assert!(moves(uneven).walk().same_at_every_level < 1e-6);
}

#[test]
fn drift_and_noise_are_told_apart() {
    let found = Increments::of(&drifting(32, 200, 0.05, 0.2)).unwrap();
    assert_abs_diff_eq!(found.drifts[1], 0.05, epsilon = 0.005);
    assert!(found.same_drift < 1e-6);
    // Uniform in [-.2, .2].
    assert!(abs_diff_eq!(found.noise, 0.2 / 3.0_f64.sqrt(), epsilon = 0.02), "{}", found.noise);
    assert!(found.deviation.value < 0.03);
}

#[test]
fn a_change_point_is_found_where_it_is() {
    let jitter = |i: usize| ((i * 37) % 11) as f64 / 100.0;
    let values: Vec<f64> = (0..80).map(|i| jitter(i) + if i < 50 { 1.0 } else { 2.0 }).collect();
    let found = change(&values).unwrap();
    assert_eq!(found.at, 50);
    assert!(
        abs_diff_eq!(found.before, 1.05, epsilon = 0.01)
            && abs_diff_eq!(found.after, 2.05, epsilon = 0.01)
    );
    let line: Vec<f64> = (0..80).map(|i| jitter(i) + 0.05 * i as f64).collect();
    assert!(change(&line).is_none(), "a line is no change of phase");
    let flat: Vec<f64> = (0..80).map(jitter).collect();
    assert!(change(&flat).is_none());
}

/// E max of 2 standard normals is 1/sqrt(pi): after n steps max - mean is sqrt(n/pi).
#[test]
fn growth_of_independent_changes_is_that_of_normal_extremes() {
    let lags = growth::lags(21);
    assert_eq!(lags, [1, 2, 3, 5, 8, 13, 21]);
    for point in growth::normal(&[0.0, 0.0], 1.0, 0.0, &lags, 5) {
        let exact = (point.lag as f64 / std::f64::consts::PI).sqrt();
        assert!(abs_diff_eq!(point.mean, exact, epsilon = 2.0 * point.half_width), "{point:?}");
    }
}

#[test]
fn what_is_no_record_is_refused() {
    assert!(Record::new(1, vec![1.0], Vec::new()).is_err());
    assert!(Record::new(2, Vec::new(), Vec::new()).is_err());
    assert!(Record::new(2, vec![1.0; 3], Vec::new()).is_err());
    for wrong in [f64::NAN, -1.0, f64::INFINITY] {
        assert!(Record::new(2, vec![1.0, wrong], Vec::new()).is_err());
    }
    let late = Remap { before: 1, seconds: None };
    assert!(Record::new(2, vec![1.0; 2], vec![late]).is_err());
    let negative = Remap { before: 0, seconds: Some(-1.0) };
    assert!(Record::new(2, vec![1.0; 2], vec![negative]).is_err());
}

/// Loads that drift apart for thousands of steps without remaps are next to never where the best threshold lies.
#[test]
fn thresholds_of_long_drifting_records_are_tuned() {
    for steps in some(1, [1_000, 6_000]) {
        let (mut draws, mut seconds) = (stream(11, 0), Vec::new());
        let mut loads = [0.0_f64; 4];
        for _ in 0..steps {
            for (load, slope) in loads.iter_mut().zip([0.004, -0.003, 0.001, -0.002]) {
                let draw: f64 = draws.random();
                *load += slope + 0.004 * (draw - 0.5);
                seconds.push(50.0 + *load);
            }
        }
        let record = Record::new(4, seconds, Vec::new()).unwrap();
        // Means are near 50, and the least and the largest load are as far from them.
        let to = |indicator, excess: f64| match indicator {
            Indicator::Excess => Rule::Threshold(excess),
            Indicator::Utilization => Rule::Utilization(50.0 / (50.0 + excess)),
            Indicator::Range => Rule::Range(2.0 * excess / 50.0),
            Indicator::Ratio => Rule::Ratio((50.0 + excess) / (50.0 - excess).max(1e-9)),
        };
        let all = [Indicator::Excess, Indicator::Utilization, Indicator::Range, Indicator::Ratio];
        for indicator in all {
            let grid = |indicator| -> Vec<Rule> {
                (0..40).map(|k| to(indicator, 0.002 * 1.15_f64.powi(k))).collect()
            };
            let cost = |rules: &[Rule]| {
                let best = tuned(&record, 0..steps, 0.1, rules).unwrap();
                let start = || -> Vec<Box<dyn Policy>> { vec![best.start(0.1)] };
                replay(&record, 0..steps, 0.1, &start, &()).unwrap().tallies[0].value
            };
            let (found, best) =
                (cost(&thresholds(&record, 0..steps, indicator)), cost(&grid(indicator)));
            assert!(found <= 1.05 * best, "{steps} steps, {indicator:?}: {found} {best}");
        }
    }
}

/// A time that was filled in lies between levels, which the others still have, and no move leads to it or from it.
#[test]
fn levels_outlast_gaps() {
    let (mut draws, mut seconds, mut level) = (stream(5, 0), Vec::new(), [6.0_f64; 3]);
    for _ in 0..400 {
        for load in &mut level {
            let draw: f64 = draws.random();
            *load = (*load + f64::from(draw < 0.3) - f64::from(draw > 0.7)).clamp(1.0, 12.0);
            seconds.push(*load);
        }
    }
    let (mut gone, mut filled) = (seconds.clone(), vec![false; seconds.len()]);
    for cell in [40, 41, 300, 307, 900] {
        (gone[cell], filled[cell]) = (4.5, true);
    }
    let whole = Record::new(3, seconds.clone(), Vec::new()).unwrap();
    let record = Record::new(3, gone, Vec::new()).unwrap().with_filled(filled.clone());
    assert_eq!(lattice(&record), Some(1.0));
    let mut counts = vec![[0; 3]; 12];
    for cell in 3..seconds.len() {
        if !filled[cell] && !filled[cell - 3] {
            let side = (seconds[cell] - seconds[cell - 3]).signum();
            let side = if seconds[cell] == seconds[cell - 3] { 0.0 } else { side };
            counts[seconds[cell - 3] as usize - 1][(side + 1.0) as usize] += 1;
        }
    }
    let moves = Moves::of(&record, 1.0);
    let shift = moves.lowest as usize - 1;
    assert_eq!(moves.counts, counts[shift..shift + moves.counts.len()]);
    assert_eq!(Moves::of(&whole, 1.0).total() - moves.total(), 10);
}

/// Rules that cost the same but for rounding are told apart by their order, so that the unit of a log changes no advice.
#[test]
fn ties_are_broken_alike_in_all_units() {
    assert_eq!(cheapest([3.0, 1.0 + 1e-12, 1.0, 2.0].into_iter()), Some(1));
    assert_eq!(cheapest([3.0, 1.0 + 1e-8, 1.0].into_iter()), Some(2));
    assert_eq!(cheapest([f64::NAN, 0.0, 0.0].into_iter()), Some(1));
    assert_eq!(cheapest([f64::INFINITY; 2].into_iter()), Some(0));
    assert_eq!(cheapest(std::iter::empty()), None);
    // A step costs as much as the next one until the first remap, and a remap as much as ten: intervals of 20 and of 30 steps
    // both cost 40 of 60 steps, added up in other orders.
    let tuned_in = |unit: f64| {
        let seconds = (0..60).flat_map(|_| [unit, 1.1 * unit]).collect();
        let record = Record::new(2, seconds, Vec::new()).unwrap();
        let cost = 10.0 * (record.row(0)[1] - 0.5 * (record.row(0)[0] + record.row(0)[1]));
        tuned(&record, 0..60, cost, &intervals(60)).unwrap()
    };
    for k in 0..200 {
        assert_eq!(tuned_in(1.37_f64.powi(k - 100)), Rule::Fixed(20), "{k}");
    }
}
