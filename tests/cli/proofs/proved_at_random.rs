//! Random changes of solutions, random models of each kind, and all decks: what is as it was solved is accepted, and
//! nothing else.

use crate::proofs::certificates::small_phase_change;
use crate::proofs::proved::{Case, all, every_kind, models};
use crate::support::workplace::{Json, decks};
use crate::thorough::{few_or_all, some_of_each_folder};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use rand::{Rng, RngExt};
use remap::problems::Settings;
use remap::problems::proved::Fields;
use serde_json::{Value, json};

/// Changes something in a value, by more than what bounds and tolerance leave open; `None` if it cannot.
fn changed(value: &Value, name: &str, tolerance: f64, rng: &mut impl Rng) -> Option<Value> {
    let kind = rng.random_range(0..12);
    if kind == 0 {
        return (!value.is_null()).then_some(Value::Null);
    }
    Some(match value {
        Value::Number(_) if kind == 1 => json!("x"),
        Value::Number(number) if number.is_u64() => {
            let number = number.as_u64()?;
            let more = rng.random_range(1..=1 + number / 2);
            json!(if rng.random() { number + more } else { number.checked_sub(more)? })
        }
        Value::Number(number) => {
            let number = number.as_f64()?;
            let away =
                3.0 * tolerance * number.abs().max(1.0) * 10f64.powf(rng.random_range(0.0..9.0));
            json!(if rng.random() { number + away } else { number - away })
        }
        Value::String(text) if name == "decision" => {
            let mut letters = text.clone().into_bytes();
            match kind {
                1 => letters.clear(),
                2 => letters.reverse(),
                3 => letters.fill(b'R'),
                4 => drop(letters.pop()),
                _ => {
                    let place = rng.random_range(0..letters.len());
                    letters[place] = b"BRC"[rng.random_range(0..3)];
                }
            }
            json!(String::from_utf8(letters).unwrap())
        }
        Value::String(text) if name == "status" => {
            json!(["interrupted", "time_limit", "", text][rng.random_range(0..4)])
        }
        Value::String(text) => json!(format!("1{text}")),
        Value::Array(list) if kind == 1 || list.is_empty() => {
            json!(if list.is_empty() { vec![json!(1u64 << 50)] } else { Vec::new() })
        }
        Value::Array(list) => {
            let (mut list, place) = (list.clone(), rng.random_range(0..list.len()));
            match kind {
                2 => drop(list.pop()),
                3 => list.push(list[place].clone()),
                _ => list[place] = changed(&list[place], name, tolerance, rng)?,
            }
            json!(list)
        }
        Value::Object(map) => {
            let (mut map, place) = (map.clone(), rng.random_range(0..map.len()));
            let key = map.keys().nth(place)?.clone();
            match kind {
                2 => drop(map.remove(&key)),
                _ => map[&key] = changed(&map[&key], &key, tolerance, rng)?,
            }
            json!(map)
        }
        Value::Bool(_) | Value::Null => return None,
    })
}

/// No random change of a field that is proved leaves it said to be proved.
fn tampered(case: &Case, cases: usize) {
    let mut rng = TestRunner::deterministic().rng().clone();
    let tolerance = case.document["tolerance"].f64();
    let mut proved = case.fields().proved;
    proved.retain(|name| name != "certificate");
    let (mut tried, mut refused) = (0, 0);
    while tried < cases {
        let field = &proved[rng.random_range(0..proved.len())];
        let mut document = case.document.clone();
        let Some(other) = changed(&document[field], field, tolerance, &mut rng) else { continue };
        if other == document[field] {
            continue;
        }
        document[field] = other.clone();
        tried += 1;
        match case.verify(&document) {
            Err(_) => refused += 1,
            // What may be missing says nothing.
            Ok(fields) => {
                assert!(other.is_null() && !fields.proved.contains(field), "{field}: {other}");
            }
        }
    }
    assert!(refused > tried * 9 / 10, "{refused} of {tried}");
}

const MANY: usize = 10_000;

#[test]
fn tampered_solutions_are_refused() {
    for case in every_kind() {
        tampered(case, few_or_all(100, 300));
    }
}

/// `cargo test --test cli -- --ignored tampered_solutions`
#[test]
#[ignore = "a minute of processor time; run with: cargo test --test cli ten_thousand_tampered_solutions -- --ignored"]
fn ten_thousand_tampered_solutions_of_each_kind_are_refused() {
    for case in every_kind() {
        tampered(case, MANY);
    }
    for deck in ["capacities", "particles", "restart"] {
        tampered(&Case::deck(&format!("stopping/{deck}.ron"), all()), MANY);
    }
}

/// Decks that take more than some seconds to solve, to certify or to check.
const SLOW: &str = "load_drift/eight_chains.ron periodic/capacities.ron phase_change/table_iii_n1000_g5.ron \
    phase_switching/four_levels.ron stopping/sixteen_chains.ron";

/// Decks of which confidence intervals are computed, or whose remaps come into force later: nothing is proved of them.
const NOT_PROVED: &str = "load_drift/1024_ranks.ron load_drift/64_ranks.ron load_drift/65536_ranks.ron \
    load_drift/late_ranks.ron load_drift/late_remaps.ron load_drift/million_ranks.ron";

/// Folders of models that are simulated, that have confidence intervals, or of no models.
const SIMULATED: &str = "activity_mesh continuous_drift fluids land_battle logs studies";

/// A counterexample that is a mesh.
fn simulated(deck: &str) -> bool {
    let text = std::fs::read_to_string(models().join(deck)).unwrap();
    ["ActivityMesh(", "Fluids(", "LandBattle("].iter().any(|kind| text.contains(kind))
}

/// Its certificate verifies, is as narrow as was asked for, and the solution agrees with it.
fn certified(name: &str) {
    let case = Case::deck(name, Settings::default());
    let found = case.verify(&case.document);
    assert!(found.is_ok(), "{name}: {found:?}");
    let main = match case.document["problem"].text() {
        "phase_change" => "threshold",
        "phase_switching" => "to_second",
        "periodic" => "interval",
        "load_drift" | "many_phases" => "value",
        "stopping" if case.document.get("average").is_some() => "average",
        "stopping" => "remap_value",
        other => panic!("{name}: {other}"),
    };
    assert!(found.unwrap().proves(main), "{name}: {main}");
    assert!(case.warning.is_none(), "{name}: {:?}", case.warning);
}

#[test]
fn every_solved_deck_has_a_certificate() {
    let mut all = decks();
    let others: Vec<&str> = SLOW.split(' ').chain(NOT_PROVED.split(' ')).collect();
    assert!(others.iter().all(|name| all.contains(&(*name).to_owned())));
    all.retain(|name| !SIMULATED.split(' ').any(|folder| name.starts_with(folder)));
    all.retain(|name| !others.contains(&name.as_str()) && !simulated(name));
    some_of_each_folder(all).iter().for_each(|name| certified(name));
}

/// `cargo test --test cli slow_decks_have_certificates -- --ignored`
#[test]
#[ignore = "some minutes; run with: cargo test --test cli slow_decks_have_certificates -- --ignored"]
fn slow_decks_have_certificates() {
    SLOW.split(' ').for_each(certified);
}

/// Whether a field is among those that are proved.
trait Proves {
    fn proves(&self, field: &str) -> bool;
}

impl Proves for Fields {
    fn proves(&self, field: &str) -> bool {
        self.proved.iter().any(|name| name == field)
    }
}

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

    /// Whether equal chains are lumped or not, and written as walks, as rows by one level or as rows by any.
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
