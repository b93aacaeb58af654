//! Delayed remaps in runs: resumed and stopped ones, simulated costs against exact ones, the
//! perfect-information optimum, and mappings that come into force.

use super::late::{found, walk};
use super::problems::{finish, prepared};
use crate::shared::{Asked, Planned};
use crate::thorough::some;
use approx::assert_abs_diff_eq;
use remapping::load_drift::{
    Backward, Carry, Control, Intervals, LoadDrift, Loads, MapPolicy, Objective, Ranks, Rebalance,
    Timing,
};
use remapping::overlap::Overlap;
use remapping::policy::stated::{Following, Stated};
use remapping::policy::{Policy, Rule};
use remapping::simulate::{Estimate, Mapped, Tally, Workload, compare, stream};

/// One interrupted at any step goes on with the same bits, also where it has already looked ahead.
#[test]
fn late_remaps_go_on_from_snapshots() {
    for timing in [Timing::AfterStep, Timing::BeforeStep] {
        let problem = LoadDrift { timing, ..walk(3, 6, 12) };
        let overlap = Overlap { steps: 3, slowdown: 0.02 };
        let (states, transition) = prepared(&problem);
        let all = (&states, &transition);
        let start = || {
            let control = Control::Optimal;
            Backward::overlapping(&problem, overlap, all, control, Carry::Outcome)
        };
        let whole = finish(start());
        for stop in 0..=12 {
            for looked in [false, true] {
                let mut first = start();
                (0..stop).for_each(|_| first.advance());
                if looked {
                    first.look_ahead(&()).unwrap();
                }
                let snapshot = first.snapshot();
                let mut second = start();
                second.resume(snapshot.clone()).unwrap();
                let second = finish(second);
                assert_eq!(second.outcome(), whole.outcome(), "{stop} {looked}");
                // At the end there are none left to make.
                if stop < 11 {
                    assert_eq!(second.decisions(), whole.decisions(), "{stop} {looked}");
                }
                let [mut longer, mut other] = [snapshot.clone(), snapshot];
                longer.region.push(0);
                other.region[0] += 2;
                assert!([longer, other].into_iter().all(|bad| start().resume(bad).is_err()));
            }
        }
    }
}

/// One that is stopped while it looks ahead is where it was, at the beginning and later.
#[test]
fn late_remaps_stop_where_they_are_told_to() {
    let problem = walk(3, 6, 12);
    let overlap = Overlap { steps: 3, slowdown: 0.02 };
    let (states, transition) = prepared(&problem);
    let all = (&states, &transition);
    let start = || Backward::overlapping(&problem, overlap, all, Control::Optimal, Carry::Outcome);
    let whole = finish(start());
    // Six expectations of the steps beside a remap, nine of those to come.
    for (steps, asked) in [(0, 6), (4, 9)] {
        for questions in 0..asked {
            let mut stopped = start();
            (0..steps).for_each(|_| stopped.advance());
            let before = stopped.snapshot();
            assert!(stopped.look_ahead(&Asked::at_most(questions)).is_err(), "{questions}");
            assert_eq!(stopped.snapshot(), before);
            assert_eq!(finish(stopped).outcome(), whole.outcome());
        }
    }
}

/// Both timings, both objectives, all rules of rebalancing, units moved: what policies cost on
/// sample paths is what they cost exactly.
#[test]
fn simulated_late_remaps_cost_the_exact_value() {
    for case in some(2, 0..12u64) {
        let rebalance =
            [Rebalance::Split, Rebalance::Nearest, Rebalance::Stochastic][case as usize % 3];
        let problem = LoadDrift {
            rebalance,
            remap_cost: 1.5,
            per_unit_moved: if case % 3 == 0 { 0.2 } else { 0.0 },
            timing: if case % 2 == 0 { Timing::AfterStep } else { Timing::BeforeStep },
            objective: if case % 4 < 2 { Objective::Imbalance } else { Objective::Makespan },
            ..walk(3, 6, 14)
        };
        let overlap = Overlap { steps: 1 + case % 3, slowdown: [0.0, 0.1][case as usize / 6] };
        let (states, transition) = prepared(&problem);
        let all = (&states, &transition);
        let maps = MapPolicy::solve(&problem, overlap, all, &()).unwrap();
        let alone = (&states, &Ranks::alone());
        let intervals = Intervals::overlapping(&problem, overlap, alone, &transition, 9, &());
        let every = |every: u64| intervals.all()[every as usize - 1].outcome;
        let exact = [
            (maps.value(), None),
            (found(&problem, overlap, Control::Threshold(1.1), None).0.value, None),
            (every(2).value, Some(every(2).remaps)),
            (every(5).value, Some(every(5).remaps)),
        ];
        let start = || -> Vec<Box<dyn Policy>> {
            // Intervals of d steps and fewer are as that of d + 1.
            let fixed = |every: u64| {
                let every = Some(every.max(overlap.steps + 1));
                Following::new(Stated::Interval { every }, 1)
            };
            vec![
                Box::new(maps.clone()),
                Rule::Threshold(1.1).start(1.5),
                Box::new(fixed(2)),
                Box::new(fixed(5)),
            ]
        };
        let loads = Loads::new(problem.clone()).overlapping(overlap);
        let played = compare(&loads, &start, 0..8000, 5, true, &()).unwrap();
        let known = played.clairvoyant.unwrap();
        for ((value, remaps), runs) in exact.iter().zip(&played.tallies) {
            let mean =
                |read: fn(&Tally) -> f64| Estimate::of(&runs.iter().map(read).collect::<Vec<_>>());
            // Four and a half standard errors.
            let found = mean(|run| run.value);
            assert!(found.agrees(*value, 2.3), "{case}: {found:?} {value}");
            if let Some(remaps) = remaps {
                let found = mean(|run| run.remaps as f64);
                assert_abs_diff_eq!(found.value, remaps, epsilon = 1e-9);
            }
            for (run, best) in runs.iter().zip(&known) {
                assert!(*best <= run.value + 1e-9, "{case}: {best} {}", run.value);
            }
        }
    }
}

/// The least cost in hindsight is that of the cheapest of all sets of decisions.
#[test]
fn hindsight_is_the_cheapest_of_all_decisions() {
    let (after, before) = (Timing::AfterStep, Timing::BeforeStep);
    let [short, long] = [Overlap { steps: 1, slowdown: 0.1 }, Overlap { steps: 3, slowdown: 0.0 }];
    for (timing, per_unit_moved, overlap) in [
        (after, 0.0, Overlap::NONE),
        (after, 0.2, Overlap::NONE),
        (before, 0.0, Overlap::NONE),
        (after, 0.0, short),
        (after, 0.0, long),
        (before, 0.0, short),
        (before, 0.0, long),
    ] {
        let problem = LoadDrift { timing, per_unit_moved, remap_cost: 0.5, ..walk(3, 5, 9) };
        let loads = Loads::new(problem).overlapping(overlap);
        let start = || -> Vec<Box<dyn Policy>> {
            // No decision has number 0.
            (0..512).map(|plan| Box::new(Planned::new(plan << 1)) as Box<dyn Policy>).collect()
        };
        let (paths, apart) = if overlap.steps == 0 { (50, 1e-12) } else { (20, 1e-9) };
        let played = compare(&loads, &start, 0..paths, 3, true, &()).unwrap();
        for (path, known) in played.clairvoyant.unwrap().iter().enumerate() {
            let values = played.tallies.iter().map(|runs| runs[path].value);
            let least = values.fold(f64::INFINITY, f64::min);
            assert_abs_diff_eq!(least, *known, epsilon = apart * known.max(1.0));
        }
    }
}

/// Without an overlap a mapping is in force at once; with one, after its steps.
#[test]
fn a_mapping_comes_into_force_after_the_steps_beside_its_remap() {
    let loads = Loads::new(walk(2, 5, 9));
    let mut world = loads.start(stream(1, 0));
    let mut mapped = Mapped::new(vec![0, 4]);
    assert!(mapped.remap(&loads, &world) && !mapped.is_under_way());
    assert_eq!(mapped.mapping(), &vec![2, 2]);
    let late = loads.overlapping(Overlap { steps: 2, slowdown: 0.5 });
    let mut mapped = Mapped::new(vec![0, 4]);
    assert!(!mapped.remap(&late, &world));
    for left in [2, 1] {
        late.advance(&mut world);
        mapped.follow(&late, &world);
        assert!(!mapped.arrives() && mapped.is_under_way(), "{left}");
        assert_eq!(mapped.slowdown(&late), 0.5);
        mapped.made();
    }
    assert_eq!(mapped.slowdown(&late), 0.0);
    assert!(mapped.arrives() && !mapped.is_under_way());
}
