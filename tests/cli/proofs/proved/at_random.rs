//! Random models of each kind: what is as it was solved is accepted.

use super::{Case, Proves, all};
use crate::proofs::certificates::small_phase_change;
use crate::support::prelude::*;
use proptest::prelude::*;
use remap::problems::Settings;
use remap::problems::proved::Fields;

/// The model solved, and what `verify` finds in the solution.
fn accepted(problem: &str, settings: Settings) -> Result<(Case, Fields), TestCaseError> {
    let case = Case::model(problem, settings);
    let found = case.verify(&case.document).map_err(TestCaseError::fail)?;
    Ok((case, found))
}

/// A number of tenths.
fn tenths(number: u32) -> f64 {
    f64::from(number) / 10.0
}

fn capacity() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("1"), Just("2")]
}

fn edge() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("Hold"), Just("Reflect")]
}

fn bound() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("MaxDeviation"), Just("RmsDeviation")]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: few_or_all(40, 200), ..ProptestConfig::default() })]

    /// Whatever the model is, what was solved agrees with what is proved.
    #[test]
    fn solutions_of_random_changes_of_phase_are_accepted(problem in small_phase_change(), exact in any::<bool>()) {
        let (_, found) = accepted(&problem, Settings { exact, ..Settings::default() })?;
        prop_assert!(found.proves("threshold"));
    }

    /// Whether equal chains are lumped or not, and written as walks, as rows by one level or as
    /// rows by any.
    #[test]
    fn solutions_of_random_programs_with_an_end_are_accepted(
        chains in prop::collection::vec(0usize..3, 2..=3),
        levels in 3usize..5,
        (fixed, each) in (0u32..40, 0u32..20),
        steps in 1u32..30,
        after in prop_oneof![Just("Stop"), Just("Restart")],
        capacity in capacity(),
    ) {
        let rows = |far: bool| -> Vec<Vec<f64>> {
            let near = |i: usize, j: usize| far || i.abs_diff(j) <= 1;
            let row = |i: usize| (0..levels).map(|j| if i != j && near(i, j) { 0.125 } else { 0.0 }).collect();
            let mut rows: Vec<Vec<f64>> = (0..levels).map(row).collect();
            rows.iter_mut().enumerate().for_each(|(i, row)| row[i] = 1.0 - row.iter().sum::<f64>());
            rows
        };
        let walk = format!("Walk(levels: {levels}, up: 0.25, down: 0.125, edge: Hold)");
        let kinds = [walk, format!("Matrix(rows: {:?})", rows(false)), format!("Matrix(rows: {:?})", rows(true))];
        let processes: Vec<&str> = chains.iter().map(|kind| kinds[*kind].as_str()).collect();
        let capacities = [vec![capacity], vec!["1"; chains.len() - 1]].concat();
        let capacities = if after == "Restart" { vec!["1"; chains.len()] } else { capacities };
        let problem = format!("Stopping(processes: Distinct([{}]), capacities: [{}], remap_cost: (fixed: {}, per_unit_moved: {}), \
                 after_remap: {after}, steps: {steps})",
                processes.join(", "), capacities.join(", "), tenths(fixed), tenths(each));
        let (_, found) = accepted(&problem, all())?;
        prop_assert!(found.proves("decision"));
    }

    #[test]
    fn solutions_of_random_stopping_problems_are_accepted(
        (first, second) in (2usize..7, 2usize..5),
        count in prop_oneof![Just(2usize), Just(3), Just(5)],
        (up, down) in (1u32..50, 1u32..50),
        rho in 0u32..200,
        edge in edge(),
        cost in prop_oneof![Just("MaxMinusMean"), Just("MaxAbsDeviation"), Just("EuclideanDeviation")],
        after in prop_oneof![Just("Stop"), Just("Uniform"), Just("Restart")],
        equal in any::<bool>(),
        capacity in prop_oneof![Just("1"), Just("2"), Just("0.7")],
    ) {
        let walk = |levels: usize| {
            format!("Walk(lowest: -1, levels: {levels}, up: 0.{up:02}, down: 0.{down:02}, edge: {edge})")
        };
        let processes = if equal {
            format!("Identical(count: {count}, chain: {})", walk(if count == 2 { first } else { second }))
        } else {
            format!("Distinct([{0}, {1}, {0}])", walk(second), walk(first))
        };
        let capacity = if after == "Restart" { "1" } else { capacity };
        let ones = ", 1".repeat(if equal { count - 1 } else { 2 });
        let problem = format!("Stopping(processes: {processes}, capacities: [{capacity}{ones}], running_cost: {cost}, \
                 remap_cost: {}, after_remap: {after})",
                tenths(rho));
        let (case, found) = accepted(&problem, all())?;
        prop_assert_eq!(found.proves("decision"), after != "Restart");
        let narrow = |(_, low, high): &(String, f64, f64)| low <= high && high - low < 1e-6 * high.abs().max(1.0);
        prop_assert!(case.intervals().iter().all(narrow));
    }

    /// Costs by state or by units moved, with an end or without.
    #[test]
    fn solutions_of_random_varied_stopping_problems_are_accepted(
        (up, down) in (5u32..45, 5u32..45),
        (levels, count) in (2usize..5, 2usize..4),
        (fixed, each) in (0u32..60, 0u32..30),
        list in proptest::collection::vec(0u32..90, 4),
        form in 0usize..3,
        steps in prop_oneof![Just(None), (1u64..80).prop_map(Some)],
        after in prop_oneof![Just("Stop"), Just("Restart")],
        capacity in capacity(),
    ) {
        let walks = format!(
            "Identical(count: {count}, chain: Walk(levels: {levels}, up: 0.{up:02}, down: 0.{down:02}, edge: Hold))"
        );
        let joint = "Joint(loads: [[1, 1], [0, 2], [2, 0], [3, 1]], transition: Dense([[0.4, 0.3, 0.3, 0], [0.2, 0.5, \
                     0.1, 0.2], [0.1, 0.1, 0.7, 0.1], [0, 0, 0.3, 0.7]]))";
        // A remap of the last of these loads must lead to some that are listed.
        let joint = if after == "Restart" { joint.replace("[3, 1]", "[-1, 3]") } else { joint.to_owned() };
        let list: Vec<String> = list.iter().map(|cost| (f64::from(*cost) / 10.0).to_string()).collect();
        let (fixed, each) = (tenths(fixed), tenths(each));
        let (processes, cost) = match form {
            0 => (walks, format!("(fixed: {fixed}, per_unit_moved: {each})")),
            1 => (walks, fixed.to_string()),
            _ => (joint, format!("PerState([{}])", list.join(", "))),
        };
        let steps = steps.or((form == 1).then_some(9)).map_or(String::new(), |n| format!(", steps: {n}"));
        let ones = if form < 2 && after == "Stop" { format!("capacities: [{capacity}{}], ", ", 1".repeat(count - 1)) } else { String::new() };
        let problem = format!("Stopping(processes: {processes}, {ones}remap_cost: {cost}, after_remap: {after}{steps})");
        let (case, found) = accepted(&problem, all())?;
        let decides = after == "Stop" || !steps.is_empty();
        prop_assert_eq!(found.proves("decision"), decides);
        let whole = after == "Stop" && !steps.is_empty();
        prop_assert!(!whole || found.proves("remaps_from") || case.document["ties"] != json!([]));
    }

    /// Hidden phases that move the loads, listed in either order.
    #[test]
    fn solutions_of_random_shared_loads_are_accepted(
        (calm, busy) in (1u32..8, 8u32..32),
        change in 1u32..32,
        rho in 1u32..60,
        together in any::<bool>(),
        after in prop_oneof![Just("Stop"), Just("Uniform"), Just("Restart")],
    ) {
        let loads = [[0, 0], [0, 1], [1, 0], [1, 1]];
        let states: Vec<(usize, usize)> = match together {
            true => (0..8).map(|s| (s % 4, s / 4)).collect(),
            false => (0..8).map(|s| (s / 2, s % 2)).collect(),
        };
        let chance = |from: &(usize, usize), to: &(usize, usize)| {
            let p = f64::from([calm, busy][from.1]) / 64.0;
            let moved = |i: usize| if loads[from.0][i] == loads[to.0][i] { 1.0 - p } else { p };
            let change = f64::from(change) / 64.0;
            moved(0) * moved(1) * if from.1 == to.1 { 1.0 - change } else { change }
        };
        let rows: Vec<Vec<f64>> =
            states.iter().map(|from| states.iter().map(|to| chance(from, to)).collect()).collect();
        let listed: Vec<[i64; 2]> = states.iter().map(|state| loads[state.0]).collect();
        let problem = format!("Stopping(processes: Joint(loads: {listed:?}, transition: Dense({rows:?})), remap_cost: {}, after_remap: \
                 {after})",
                f64::from(rho) / 20.0);
        let (case, found) = accepted(&problem, all())?;
        let main = if after == "Restart" { "average" } else { "decision" };
        prop_assert!(found.proves(main) && case.warning.is_none());
    }

    #[test]
    fn solutions_of_random_unbounded_walks_are_accepted(
        count in 1usize..4,
        (up, down) in (2u32..50, 2u32..50),
        rho in 0u32..40,
        shown in 2usize..5,
        lowest in -3i32..3,
        edge in edge(),
        capacity in capacity(),
    ) {
        let ones = ", 1".repeat(count - 1);
        let problem = format!("Stopping(processes: Unbounded(count: {count}, lowest: {lowest}, up: 0.{up:02}, down: 0.{down:02}, edge: \
                 {edge}, shown: {shown}), capacities: [{capacity}{ones}], remap_cost: {}, after_remap: Stop)",
                f64::from(rho) / 20.0);
        let (_, found) = accepted(&problem, all())?;
        prop_assert!(found.proves("decision"));
    }

    #[test]
    fn solutions_of_random_partial_remaps_are_accepted(
        count in 2usize..4,
        levels in 2usize..5,
        (up, down) in (5u32..45, 5u32..45),
        (fixed, each) in (0u32..40, 0u32..90),
        capacity in capacity(),
        constant in any::<bool>(),
    ) {
        let (fixed, each) = (tenths(fixed), tenths(each));
        let cost = match constant {
            true => fixed.to_string(),
            false => format!("(fixed: {fixed}, per_unit_moved: {each})"),
        };
        let ones = ", 1".repeat(count - 1);
        let problem = format!("Stopping(processes: Identical(count: {count}, chain: Walk(levels: {levels}, up: 0.{up:02}, down: \
                 0.{down:02}, edge: Hold)), capacities: [{capacity}{ones}], remap_cost: {cost}, after_remap: Restart, \
                 partial_remaps: true)");
        let (case, found) = accepted(&problem, all())?;
        prop_assert!(found.proves("average") && case.warning.is_none());
    }

    #[test]
    fn solutions_of_random_many_phases_are_accepted(
        count in 1usize..4,
        horizon in prop_oneof![
            (0u32..40).prop_map(|last| format!("lifetime: Fixed({last})")),
            (1u32..20).prop_map(|last| format!("lifetime: Uniform(first: 1, last: {last})")),
            (1u32..20).prop_map(|last| format!("lifetime: Geometric(rate: 0.2, first: 1, last: {last})")),
            (10u32..95).prop_map(|rate| format!("discount: 0.{rate}")),
        ],
        fitted in any::<bool>(),
        numbers in proptest::collection::vec(0u32..60, 18),
        (own, seen) in (40u32..99, 40u32..99),
    ) {
        let table = |from: usize| -> Vec<Vec<f64>> {
            (0..count).map(|z| (0..count).map(|m| f64::from(numbers[from + 3 * z + m]) / 20.0).collect()).collect()
        };
        let laws = |own: u32| -> Vec<Vec<f64>> {
            let other = f64::from(128 - own) / 128.0 / (count.max(2) - 1) as f64;
            let at = |z: usize, y: usize| if z == y { f64::from(own) / 128.0 } else { other };
            match count {
                1 => vec![vec![1.0]],
                _ => (0..count).map(|z| (0..count).map(|y| at(z, y)).collect()).collect(),
            }
        };
        let problem = format!("ManyPhases({horizon}, cycle: {:?}, switch: {:?}, remap: {}, transition: {:?}, detector: {:?})",
                table(0), table(9), if fitted { "Fitted" } else { "Chosen" }, laws(own), laws(seen));
        let (case, found) = accepted(&problem, Settings::default())?;
        // Where the grid is coarser than the solver's bounds, how far the proof goes is said.
        let proved = found.proves("value");
        prop_assert!(proved != found.reasons.contains_key("value"));
        prop_assert!(case.document["status"] != "converged" || case.warning.is_none(), "{:?}", case.warning);
    }

    #[test]
    fn solutions_of_random_drifting_loads_are_accepted(
        processors in 1usize..4,
        levels in 2usize..6,
        (up, down) in (1u32..50, 1u32..50),
        (steps, rho) in (1u32..40, 0u32..50),
        rebalance in prop_oneof![Just("Split"), Just("Nearest"), Just("Stochastic")],
        decide in prop_oneof![Just("AfterStep"), Just("BeforeStep")],
        objective in prop_oneof![Just("Imbalance"), Just("Makespan")],
        each in prop_oneof![Just(0u32), 1u32..30],
    ) {
        let rho = tenths(rho);
        let remap_cost = match rebalance {
            "Split" if each > 0 => format!("(fixed: {rho}, per_unit_moved: 0.{each:02})"),
            _ => rho.to_string(),
        };
        let problem = format!("LoadDrift(processors: {processors}, chain: Walk(lowest: 1, levels: {levels}, up: 0.{up:02}, down: \
                 0.{down:02}, edge: Hold), initial_load: 2, steps: {steps}, remap_cost: {remap_cost}, rebalance: \
                 {rebalance}, decide: {decide}, objective: {objective})");
        let (_, found) = accepted(&problem, Settings::default())?;
        prop_assert!(found.proves("value"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: few_or_all(2, 6), ..ProptestConfig::default() })]

    #[test]
    fn solutions_of_random_recurring_phases_are_accepted(
        last in prop_oneof![(0u64..40).prop_map(|last| format!("lifetime: Fixed({last}), ")), Just(String::new()),
            (1u64..20).prop_map(|last| format!("lifetime: Uniform(first: 1, last: {last}), ")),
            (200u64..600).prop_map(|last| format!("lifetime: Fixed({last}), "))],
        (a, b) in (3u32..30, 3u32..30),
        (alarm, missed) in (2u32..15, 2u32..15),
        (own, gain) in (0u32..20, 1u32..20),
        (there, back) in (0u32..30, 0u32..30),
        initial in 0u32..100,
    ) {
        let problem = format!("PhaseSwitching({last}cycle: (first: (own: 1, other: 1.{own:02}), second: (own: 1, other: {})), switch: \
                 (to_second: {}, to_first: {}), rates: (to_second: 0.{a:02}, to_first: 0.{b:02}), detector: \
                 (false_alarm: 0.{alarm:02}, missed: 0.{missed:02}), initial: 0.{initial:02})",
                1.0 + tenths(gain), tenths(there), tenths(back));
        let (_, found) = accepted(&problem, Settings::default())?;
        prop_assert!(found.proves("to_second"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: few_or_all(5, 24), ..ProptestConfig::default() })]

    #[test]
    fn solutions_of_random_intervals_are_accepted(
        count in 2u32..6,
        law in prop_oneof![
            (1u32..99, -3i32..4).prop_map(|(p, x)| format!("Steps({{{x}: 0.{p:02}, 5: {}}})", f64::from(100 - p) / 100.0)),
            (1u32..30).prop_map(|mean| format!("Exponential(mean: 0.{mean:02})")),
            (1u32..4).prop_map(|shape| format!("Gamma(shape: {shape}, mean: 0.5)")),
            (1u32..99).prop_map(|p| format!("Normal(mean: 0.1, deviation: 0.{p:02})")),
            (0i32..9).prop_map(|mean| format!("Moments(mean: -0.{mean}, variance: 0.5)")),
        ],
        bound in 1u32..99,
        kind in bound(),
    ) {
        let problem = format!("Periodic(initial_load: 10, changes: Identical(count: {count}, law: {law}), bound: {kind}(0.{bound:02}))");
        accepted(&problem, Settings::default())?;
    }

    #[test]
    fn solutions_of_random_periods_are_accepted(
        (count, periods) in (2u32..6, 1u32..9),
        law in prop_oneof![
            (1u32..99, 0i32..4).prop_map(|(p, x)| format!("Steps({{{x}: 0.{p:02}, 5: {}}})", f64::from(100 - p) / 100.0)),
            (1u32..30).prop_map(|mean| format!("Exponential(mean: 0.{mean:02})")),
            (0i32..9).prop_map(|mean| format!("Moments(mean: 0.{mean}, variance: 0.5)")),
        ],
        bound in 10u32..40,
        kind in bound(),
    ) {
        let problem = format!("Periodic(initial_load: 10, changes: Identical(count: {count}, law: {law}), bound: {kind}(0.{bound:02}), \
                 periods: {periods})");
        let (case, found) = accepted(&problem, Settings::default())?;
        let exact = case.document["interval_by"] == "closed_form" || case.document["interval_by"] == "exact";
        prop_assert!(!exact || case.warning.is_some() || found.proves("sequence"));
    }

    /// Equal laws and others, and a cost by a description of the machine.
    #[test]
    fn solutions_of_random_least_costs_are_accepted(
        count in 2u32..6,
        (p, x, y) in (1u32..99, -3i32..4, 1i32..4),
        other in prop_oneof![Just(""), Just(", Steps({0: 1})"), Just(", Steps({1: 0.5, -1: 0.5})")],
        cost in prop_oneof![(0u32..900).prop_map(|cost| (tenths(cost)).to_string()),
            (1u64..9, 0u64..99).prop_map(|(n, b)| format!(
                "LogGP(latency: 1, overhead: 0.5, gap: 1, gap_per_byte: 0.01, messages: {n}, bytes: {}, planning: 2)", n + b))],
    ) {
        let law = format!("Steps({{{x}: 0.{p:02}, {}: {}}})", x + y, f64::from(100 - p) / 100.0);
        let laws = vec![law; count as usize].join(", ");
        let problem = format!("Periodic(initial_load: 10, changes: Distinct([{laws}{other}]), remap_cost: {cost})");
        let (case, found) = accepted(&problem, Settings::default())?;
        prop_assert!(case.warning.is_some() || found.proves("interval"));
    }

    #[test]
    fn solutions_of_random_chains_are_accepted(
        (count, levels) in (2u32..6, 2u32..8),
        (up, down) in (1u32..50, 1u32..50),
        bound in 1u32..99,
        kind in bound(),
    ) {
        let problem = format!("Periodic(initial_load: 2, changes: Chain(count: {count}, chain: Walk(lowest: 1, levels: {levels}, up: \
                 0.{up:02}, down: 0.{down:02}, edge: Hold)), bound: {kind}(0.{bound:02}))");
        accepted(&problem, Settings::default())?;
    }
}
