//! Walks without a highest load.

use super::{BITS, checked, prove, psi, runs};
use crate::shared::is_model_error;
use remap_checker::{Decision, Evidence, Interval, Proof, Refusal};

/// What two walks cost that are cut where one comes to this level, which costs that much.
fn cut(levels: usize, [up, down]: [f64; 2], reflect: bool, rho: f64, at_cut: f64) -> Vec<Vec<f64>> {
    let moves = |from: usize| {
        let (u, d) = match (from, reflect) {
            (0, true) => (up + down, 0.0),
            (0, false) => (up, 0.0),
            _ => (up, down),
        };
        [(from.saturating_sub(1), d), (from, 1.0 - u - d), (from + 1, u)]
    };
    let mut value = vec![vec![0.0; levels + 1]; levels + 1];
    for _ in 0..3000 {
        let mut next = value.clone();
        for (a, row) in next.iter_mut().enumerate() {
            for (b, own) in row.iter_mut().enumerate() {
                *own = if a == b {
                    0.0
                } else if a.max(b) == levels {
                    at_cut
                } else {
                    let each = moves(a).into_iter().flat_map(|x| moves(b).map(|y| (x, y)));
                    let ahead = each.map(|((x, p), (y, q))| p * q * value[x][y]).sum::<f64>();
                    rho.min(psi(&[a as i64, b as i64]) + ahead)
                };
            }
        }
        value = next;
    }
    value
}

fn unbounded(lowest: i64, [up, down]: [f64; 2], edge: &str, rho: f64, shown: usize) -> String {
    format!(
        "Stopping(processes: Unbounded(count: 2, lowest: {lowest}, up: {up}, down: {down}, edge: {edge}, shown: {shown}), \
         remap_cost: {rho}, after_remap: Stop)"
    )
}

/// Both bounds on all pairs of levels up to the cut, as the checker lists them: the lower level
/// first, by the higher one.
fn pairs(levels: usize, of: impl Fn(usize, usize) -> [f64; 2]) -> Evidence {
    let each = (0..=levels).flat_map(|b| (0..=b).map(move |a| (a, b)));
    let mut all = runs(each.map(|(a, b)| of(a, b)));
    all.insert(0, (levels as u64 + 1, 0, 0));
    Evidence::Stopping(BITS, all)
}

#[test]
fn walks_without_a_highest_load_cost_what_many_levels_say() {
    for (moves, edge, rho) in [
        ([0.25, 0.25], "Reflect", 3.0),
        ([0.25, 0.125], "Hold", 2.0),
        ([0.5, 0.5], "Reflect", 4.0),
        ([0.125, 0.5], "Hold", 5.0),
    ] {
        let (shown, levels, reflect) = (4, 16, edge == "Reflect");
        let right = cut(40, moves, reflect, rho, rho / 2.0);
        let [low, high] = [0.0, rho].map(|at_cut| cut(levels, moves, reflect, rho, at_cut));
        let bounds = |a: usize, b: usize| [low[a][b] * (1.0 - 1e-10), high[a][b] * (1.0 + 1e-10)];
        let problem = unbounded(-2, moves, edge, rho, shown);
        let checked = checked(&problem, &pairs(levels, bounds));
        for (a, b) in (0..shown).flat_map(|a| (0..shown).map(move |b| (a, b))) {
            let (loads, right) = ([a as i64 - 2, b as i64 - 2], right[a][b]);
            let (decision, Interval { lower, upper }) = checked.state(&loads, 0).unwrap();
            assert!(lower <= right + 1e-9 && right - 1e-9 <= upper, "{loads:?}");
            assert!(upper - lower < 0.02, "{loads:?}: [{lower}, {upper}]");
            assert_eq!(decision == Decision::Balanced, a == b);
            assert!(decision != Decision::Remap || right == rho);
        }
        // Nothing is said of those that are not shown.
        assert!(checked.state(&[0, shown as i64 - 2], 0).is_none());
        let Proof::Map { vectors: Some(vectors), .. } = &checked.proof else { panic!() };
        assert_eq!(vectors.balanced.upper, shown as f64);
        // Beyond the cut nothing more is known: not that it is cheaper than a remap, nor that it
        // costs anything.
        let refusal = Err(Refusal::Unproved("the values do not enclose the optimal cost"));
        let half = cut(levels, moves, reflect, rho, rho / 2.0);
        let cheap = |a: usize, b: usize| [0.0, half[a][b] * (1.0 + 1e-10)];
        assert_eq!(prove(&problem, &pairs(levels, cheap)), refusal);
        let dear =
            |a: usize, b: usize| [half[a][b] * (1.0 - 1e-10), if a == b { 0.0 } else { rho }];
        assert_eq!(prove(&problem, &pairs(levels, dear)), refusal);
    }
}

#[test]
fn levels_that_are_shown_are_kept() {
    let problem = unbounded(0, [0.25, 0.25], "Reflect", 2.0, 4);
    let trivial = |levels: u64, states: u64| {
        Evidence::Stopping(BITS, vec![(levels, 0, 0), (states, 0, 2 << BITS)])
    };
    assert!(prove(&problem, &trivial(5, 15)).is_ok());
    for evidence in [
        trivial(4, 10),
        trivial(5, 14),
        trivial(5, 21),
        trivial(1 << 20, 15),
        trivial(u64::MAX, 15),
        trivial(0, 0),
        Evidence::Stopping(BITS, vec![(5, 0, 1), (15, 0, 2 << BITS)]),
        Evidence::Stopping(BITS, vec![(15, 0, 2 << BITS)]),
        Evidence::Stopping(BITS, Vec::new()),
    ] {
        assert!(prove(&problem, &evidence).is_err(), "{evidence:?}");
    }
    // What holds of the levels that are shown alone, the last of which walks would not leave: that
    // the rest is a remap's.
    let region = (0..4).map(|level| (vec![level; 2], (1u64 << BITS) / 100 + 1, 2));
    let held = "Stopping(processes: Identical(count: 2, chain: BirthDeath(up: [0.5, 0.25, 0.25, 0], down: [0, 0.25, 0.25, \
                0.25])), remap_cost: 0.01, after_remap: Stop)";
    let region = Evidence::Region(BITS, region.collect());
    assert!(prove(held, &region).is_ok());
    let cheap = problem.replace("remap_cost: 2", "remap_cost: 0.01");
    assert_eq!(prove(&cheap, &region), Err(Refusal::Malformed));
    for (from, to) in [
        ("count: 2", "count: 0"),
        ("count: 2", "count: 101"),
        ("shown: 4", "shown: 1"),
        ("shown: 4", "shown: 1001"),
        ("up: 0.25", "up: 1.25"),
        ("up: 0.25", "up: 0.8"),
        ("Stop", "Restart"),
        ("Stop", "Uniform"),
        ("Stop", "Stop, steps: 4"),
        ("remap_cost: 2", "remap_cost: (fixed: 1, per_unit_moved: 1)"),
    ] {
        assert!(problem.contains(from));
        is_model_error(&problem.replace(from, to));
    }
}
