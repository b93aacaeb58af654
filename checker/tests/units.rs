//! Bounds that are right to the unit, and evidence that is none.

use crate::shared;
use remap_checker::phase_change::Steps;
use remap_checker::{Evidence, Model, Proof, Refusal};

/// Two loads of 0 or 1. That they differ costs 0.5 a step and lasts with probability 0.75^2 +
/// 0.25^2, so that waiting costs 0.5 / 0.375 = 4/3.
fn model(remap_cost: &str) -> Model {
    shared::model(&format!(
        "Stopping(processes: Identical(count: 2, chain: Walk(levels: 2, up: 0.25, down: 0.25, edge: Hold)), \
         remap_cost: {remap_cost}, after_remap: Stop)"
    ))
}

/// With these bounds where the loads differ.
fn prove(model: &Model, bits: u32, low: u64, high: u64) -> Result<Proof, Refusal> {
    let values = vec![(1, 0, 0), (1, low as i64, high.wrapping_sub(low)), (1, -(low as i64), 0)];
    model.prove(&Evidence::Stopping(bits, values))
}

#[test]
fn what_is_accepted_encloses_the_cost_to_the_unit() {
    let (found, bits) = (model("100"), 20);
    let exact = (4u64 << bits) / 3;
    let low = |low: u64| prove(&found, bits, low, 2 << bits).is_ok();
    let high = |high: u64| prove(&found, bits, 0, high).is_ok();
    // Up to what rounding may take away, twice a step.
    assert!((exact - 20..=exact - 15).all(low) && !(exact + 1..exact + 40).any(low));
    assert!((exact + 15..=exact + 40).all(high) && !(exact - 40..=exact).any(high));
}

#[test]
fn decisions_that_are_open_are_counted() {
    let count = |cost: &str, low: u64, high: u64| {
        let proof = prove(&model(cost), 20, low, high).unwrap();
        ["proved_remap", "proved_continue", "balanced", "either"]
            .map(|name| shared::count(&proof, name))
    };
    let one = 1 << 20;
    assert_eq!(count("1", 0, one), [0.0, 0.0, 2.0, 1.0]);
    // Going on costs at least 0.5 + 0.625 * 0.9.
    assert_eq!(count("1", one / 10 * 9, one), [1.0, 0.0, 2.0, 0.0]);
    assert_eq!(count("100", one, 2 * one), [0.0, 1.0, 2.0, 0.0]);
}

/// Bounds that are the same everywhere are not averaged, and do not change places.
#[test]
fn relative_costs_of_nothing_leave_what_a_step_costs() {
    for levels in 2..8 {
        let found = shared::model(&format!(
            "Stopping(processes: Identical(count: 2, chain: Walk(levels: {levels}, up: 0.25, down: 0.25, edge: Hold)), \
             remap_cost: 100, after_remap: Restart)"
        ));
        let proof = found.prove(&Evidence::Stopping(20, vec![(levels * (levels + 1) / 2, 7, 9)]));
        let [(name, low, high)] = &proof.unwrap().intervals()[..] else { panic!() };
        let most = (levels - 1) as f64 / 2.0;
        assert!(name == "average" && (*low..=*high).contains(&most), "{levels}: {low} {high}");
        assert!((-1e-4..=0.0).contains(low) && high - most <= 1e-4, "{levels}: {low} {high}");
    }
}

#[test]
fn values_that_do_not_fit_are_refused() {
    let found = model("0.5");
    assert!(prove(&found, 60, 0, 1 << 59).is_ok());
    for bits in [61, 62, 100, 200, 300, u32::MAX] {
        assert_eq!(prove(&found, bits, 0, 1 << 59), Err(Refusal::Malformed), "{bits}");
    }
    for (low, high) in [(0, 1 << 60), (1 << 60, 0), (1 << 60, 1 << 60), (u64::MAX, 0)] {
        assert_eq!(prove(&found, 20, low, high), Err(Refusal::Malformed), "{low} {high}");
    }
    for states in [0, 1, 2, 4, 6] {
        let values = Evidence::Stopping(20, vec![(1, 0, 0); states]);
        assert_eq!(found.prove(&values), Err(Refusal::Malformed), "{states}");
    }
    assert_eq!(found.prove(&Evidence::LoadDrift), Err(Refusal::Malformed));
}

fn read(processes: &str) -> Result<(), Refusal> {
    let problem = format!("Stopping(processes: {processes}, remap_cost: 1, after_remap: Restart)");
    let Model::Stopping(found) = shared::read(&problem)? else { panic!() };
    found.space().map(|_| ())
}

#[test]
fn loads_so_large_that_sums_overflow_are_refused() {
    let still = |loads: &str| format!("Joint(loads: {loads}, transition: Dense([[1, 0], [0, 1]]))");
    for (size, fits) in [(1i64, true), (1 << 38, true), ((1 << 40) + 2, false), (i64::MAX, false)] {
        for lowest in [size, -size] {
            let walk =
                format!("Walk(lowest: {lowest}, levels: 2, up: 0.25, down: 0.25, edge: Hold)");
            let found = read(&format!("Identical(count: 2, chain: {walk})"));
            assert_eq!(found, if fits { Ok(()) } else { Err(Refusal::TooLarge) }, "{lowest}");
            let joint = read(&still(&format!("[[0, {lowest}], [0, 0]]")));
            assert_eq!(joint.is_ok(), fits, "{lowest}");
        }
    }
    for (loads, fits) in [(1 << 20, true), ((1 << 20) + 1, false)] {
        let [zeros, ones] = ["0", "1"].map(|load| vec![load; loads].join(","));
        let found = read(&still(&format!("[[{zeros}], [{ones}]]")));
        assert_eq!(found, if fits { Ok(()) } else { Err(Refusal::TooLarge) }, "{loads}");
    }
}

#[test]
fn more_states_levels_or_processes_than_fit_are_refused() {
    // 2^23 states and no more.
    let walk = |levels: u64| format!("Walk(levels: {levels}, up: 0.25, down: 0.25, edge: Hold)");
    let two = |one: u64, other: u64| format!("Distinct([{}, {}])", walk(one), walk(other));
    assert_eq!(read(&two(1 << 14, (1 << 9) + 1)), Err(Refusal::TooLarge));
    assert_eq!(read(&two(1 << 10, 1 << 9)), Ok(()));
    // Levels that would have to be listed, and functions of some of the processes.
    for (count, levels, fits) in [
        (1000, 2, true),
        (1001, 2, false),
        (usize::MAX, 1, false),
        (400, 4, false),
        (1, usize::MAX, false),
        (1, (1 << 20) + 1, false),
    ] {
        let chain = format!("Walk(levels: {levels}, up: 0, down: 0.25, edge: Hold)");
        let found = read(&format!("Identical(count: {count}, chain: {chain})"));
        let expected = if fits { Ok(()) } else { Err(Refusal::TooLarge) };
        assert_eq!(found, expected, "{count} {levels}");
    }
}

/// Every process counts: none are left out to make it fit.
#[test]
fn two_thousand_loads_are_too_many() {
    let value = |processors: u64| {
        let problem = format!(
            "LoadDrift(processors: {processors}, chain: Walk(levels: 2, up: 0.5, down: 0.5, edge: Hold), initial_load: 1, \
             steps: 1, remap_cost: 5, decide: BeforeStep)"
        );
        shared::prove(&problem, &Evidence::LoadDrift)
    };
    let (_, low, high) = value(1000).unwrap().intervals()[0].clone();
    assert!(low <= 0.0 && (0.0..1e-12).contains(&high), "{low} {high}");
    for processors in [1001, 2000, u64::MAX] {
        assert_eq!(value(processors), Err(Refusal::TooLarge), "{processors}");
    }
}

/// Two entries for one move are its probability together.
#[test]
fn entries_of_a_matrix_add_up() {
    let folder = std::env::temp_dir().join(format!("remap-checker-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let matrix = "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 0.5\n1 1 0.5\n2 2 0.5\n2 2 0.5\n";
    std::fs::write(folder.join("p.mtx"), matrix).unwrap();
    let problem = "Stopping(processes: Joint(loads: [[0], [1]], transition: File(\"p.mtx\")), remap_cost: 5, \
                   after_remap: Restart)";
    let found = Model::read(&shared::text(problem), &folder).unwrap();
    let proof = found.prove(&Evidence::Stopping(20, vec![(2, 1 << 20, 0)])).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let (_, low, high) = proof.intervals()[0].clone();
    assert!(low <= 0.0 && 0.0 <= high && high - low < 1e-4, "{low} {high}");
}

#[test]
fn times_beyond_the_doubles_are_enclosed() {
    for (time, truth) in [("1e240", 4e240), ("1e300", 4e300), ("1e306", 4e306), ("1e308", f64::MAX)]
    {
        let problem = format!(
            "PhaseChange(lifetime: Fixed(3), cycle: (before: {time}, after: {time}, remapped: {time}), remap: (test: 1, \
             install: 1), detector: (false_alarm: 0, missed: 0), hazard: Constant(0))"
        );
        let steps = Evidence::PhaseChange(40, vec![Steps::On(Vec::new()); 4]);
        let (_, low, high) = shared::prove(&problem, &steps).unwrap().intervals()[0].clone();
        assert!(low <= truth && truth <= high, "{time}: {low} {high}");
    }
}

#[test]
fn matrices_and_decimals_of_the_wrong_form_are_refused() {
    for processes in [
        "Identical(count: 1, chain: Matrix(rows: [[1, 0, 0]]))",
        "Joint(loads: [[0, 0], [1, 1]], transition: Dense([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]))",
        "Identical(count: 1, chain: Matrix(rows: [[1e-2147483648]]))",
        "Identical(count: 1, chain: Matrix(rows: [[1.0e-2147483648]]))",
    ] {
        assert!(matches!(read(processes), Err(Refusal::Model(_))), "{processes}");
    }
}
