//! States that share loads, walks without a highest load, remaps of any number of units: what is proved encloses what plain
//! iterations on all states give, and what is forged is refused.

use remap_checker::{
    Budget, Checked, Decision, Evidence, Interval, Model, Proof, Refusal, Run, certificate,
    check_within,
};
use std::path::Path;

const BITS: u32 = 44;

fn text(problem: &str) -> String {
    format!("Model(title: \"t\", problem: {problem})")
}

fn prove(problem: &str, evidence: &Evidence) -> Result<Proof, Refusal> {
    Model::read(&text(problem), Path::new(""))?.prove(evidence)
}

fn checked(problem: &str, evidence: &Evidence) -> Checked {
    let (text, proof) = (text(problem), prove(problem, evidence).unwrap());
    let bytes = certificate(&text, evidence, &proof);
    check_within(&text, Path::new(""), &bytes, &Budget::default()).unwrap()
}

/// Lower and upper values, one after the other.
fn runs(values: impl IntoIterator<Item = [f64; 2]>) -> Vec<Run> {
    let (scale, mut last) = ((1u64 << BITS) as f64, 0);
    let run = |[low, high]: [f64; 2]| {
        let [low, high] = [(low * scale).floor() as i64, (high * scale).ceil() as i64];
        let step = low - std::mem::replace(&mut last, low);
        (1, step, (high - low) as u64)
    };
    values.into_iter().map(run).collect()
}

fn values(values: impl IntoIterator<Item = [f64; 2]>) -> Evidence {
    Evidence::Stopping(BITS, runs(values))
}

/// A little outward.
fn around(value: &[f64]) -> Vec<[f64; 2]> {
    value.iter().map(|v| [v * (1.0 - 1e-10), v * (1.0 + 1e-10)]).collect()
}

fn psi(loads: &[i64]) -> f64 {
    let mean = loads.iter().sum::<i64>() as f64 / loads.len() as f64;
    *loads.iter().max().unwrap() as f64 - mean
}

/// A chain of listed states.
struct Chain {
    loads: Vec<Vec<i64>>,
    rows: Vec<Vec<f64>>,
}

impl Chain {
    /// Walks of so many levels that move with these probabilities up and down, in each hidden phase, of which there are
    /// as many; phases are listed together, or loads are.
    fn hidden(count: usize, levels: i64, moves: &[f64], together: bool) -> Chain {
        let phases = moves.len();
        let vectors = levels.pow(count as u32) as usize;
        let digits = |mut n: usize| {
            let mut loads = vec![0; count];
            for load in loads.iter_mut().rev() {
                (*load, n) = (n as i64 % levels, n / levels as usize);
            }
            loads
        };
        let all = (0..vectors * phases).map(|s| match together {
            true => (digits(s % vectors), s / vectors),
            false => (digits(s / phases), s % phases),
        });
        let all = Vec::from_iter(all);
        let step = |from: i64, to: i64, p: f64| {
            let (up, down) =
                (if from + 1 < levels { p } else { 0.0 }, if from > 0 { p } else { 0.0 });
            match to - from {
                1 => up,
                -1 => down,
                0 => 1.0 - up - down,
                _ => 0.0,
            }
        };
        let chance = |(from, phase): &(Vec<i64>, usize), (to, next): &(Vec<i64>, usize)| {
            let change = if phase == next { 0.875 } else { 0.125 / (phases - 1).max(1) as f64 };
            let change = if phases == 1 { 1.0 } else { change };
            from.iter()
                .zip(to)
                .fold(change, |all, (from, to)| all * step(*from, *to, moves[*phase]))
        };
        let rows = all.iter().map(|from| all.iter().map(|to| chance(from, to)).collect());
        Chain { rows: rows.collect(), loads: all.iter().map(|(loads, _)| loads.clone()).collect() }
    }

    fn written(&self, more: &str) -> String {
        format!(
            "Stopping(processes: Joint(loads: {:?}, transition: Dense({:?})), {more})",
            self.loads, self.rows
        )
    }

    fn ahead(&self, value: &[f64]) -> Vec<f64> {
        let mean = |row: &Vec<f64>| row.iter().zip(value).map(|(p, v)| p * v).sum::<f64>();
        self.rows.iter().map(mean).zip(&self.loads).map(|(mean, loads)| mean + psi(loads)).collect()
    }

    /// The cost where a remap ends it.
    fn once(&self, rho: f64) -> (Vec<f64>, Vec<f64>) {
        let mut value = vec![0.0; self.loads.len()];
        for _ in 0..4000 {
            let go = self.ahead(&value);
            let best = go.iter().zip(&self.loads);
            value = best.map(|(go, l)| if psi(l) == 0.0 { 0.0 } else { go.min(rho) }).collect();
        }
        let go = self.ahead(&value);
        (value, go)
    }

    /// The average where one goes on, each state having these other ones to move to at a cost, and what states
    /// cost beside the cheapest.
    fn forever(&self, ways: &[Vec<(f64, usize)>]) -> (f64, Vec<f64>) {
        let mut h = vec![0.0; self.loads.len()];
        let mut average = 0.0;
        for _ in 0..3_000 {
            let go = self.ahead(&h);
            let best = |(s, go_on): (usize, &f64)| {
                ways[s].iter().fold(*go_on, |best, (cost, to)| best.min(cost + go[*to]))
            };
            let next: Vec<f64> = go.iter().enumerate().map(best).collect();
            average = next[0] - h[0];
            let damped = next.iter().zip(&h).map(|(new, old)| 0.5 * new + 0.5 * old);
            let damped = Vec::from_iter(damped);
            let least = damped.iter().copied().fold(f64::INFINITY, f64::min);
            h = damped.iter().map(|v| v - least).collect();
        }
        (average, h)
    }

    /// The k-th state with some loads, if this is the k-th with its own.
    fn twin(&self, s: usize, loads: &[i64]) -> Option<usize> {
        let k = self.loads[..s].iter().filter(|other| **other == self.loads[s]).count();
        (0..self.loads.len()).filter(|other| self.loads[*other] == loads).nth(k)
    }
}

fn average(proof: &Proof) -> Interval {
    let Proof::Average(average) = proof else { panic!("{proof:?}") };
    *average
}

#[track_caller]
fn holds(found: Interval, right: f64) {
    let Interval { lower, upper } = found;
    assert!(lower <= right + 1e-9 && right - 1e-9 <= upper, "[{lower}, {upper}] {right}");
    assert!(upper - lower < 1e-7, "[{lower}, {upper}]");
}

const RHO: f64 = 2.0;

#[test]
fn states_that_share_loads_have_their_own_decisions() {
    let mut differ = 0;
    for (count, moves) in
        [(2, vec![0.0625, 0.4375]), (2, vec![0.03125, 0.25, 0.5]), (3, vec![0.0625, 0.375])]
    {
        for together in [true, false] {
            let chain = Chain::hidden(count, 3, &moves, together);
            let problem = chain.written(&format!("remap_cost: {RHO}, after_remap: Stop"));
            let (value, go) = chain.once(RHO);
            let checked = checked(&problem, &values(around(&value)));
            for (s, loads) in chain.loads.iter().enumerate() {
                let (decision, bounds) = checked.state(loads, s).unwrap();
                let right = match (psi(loads) == 0.0, go[s] < RHO) {
                    (true, _) => Decision::Balanced,
                    (_, true) => Decision::Continue,
                    _ => Decision::Remap,
                };
                assert_eq!(decision, right, "{loads:?}");
                holds(bounds, value[s]);
                let other = chain.loads.iter().position(|own| own == loads).unwrap();
                differ += usize::from((value[s] - value[other]).abs() > 1e-3);
                // The state is known by its place.
                let elsewhere = (0..chain.loads.len()).find(|t| chain.loads[*t] != *loads);
                assert!(checked.state(loads, elsewhere.unwrap()).is_none());
            }
            // One for the other.
            let mut swapped = around(&value);
            let twin = (0..value.len()).find_map(|s| {
                let other = (s + 1..value.len()).find(|t| chain.loads[*t] == chain.loads[s])?;
                ((value[s] - value[other]).abs() > 1e-3).then_some((s, other))
            });
            swapped.swap(twin.unwrap().0, twin.unwrap().1);
            let refusal = Refusal::Unproved("the values do not enclose the optimal cost");
            assert_eq!(prove(&problem, &values(swapped)), Err(refusal));
        }
    }
    assert!(differ > 20);
}

#[test]
fn a_remap_leads_to_the_state_that_is_in_the_same_place_of_its_list() {
    for together in [true, false] {
        let chain = Chain::hidden(2, 4, &[0.0625, 0.4375], together);
        let even = |s: usize| {
            let total: i64 = chain.loads[s].iter().sum();
            vec![(total + 1) / 2, total / 2]
        };
        let states = 0..chain.loads.len();
        let ways = |to: &dyn Fn(usize) -> usize| {
            Vec::from_iter(states.clone().map(|s| vec![(RHO, to(s))]))
        };
        let (right, h) = chain.forever(&ways(&|s| chain.twin(s, &even(s)).unwrap()));
        let first = |s: usize| chain.loads.iter().position(|loads| *loads == even(s)).unwrap();
        let (other, _) = chain.forever(&ways(&first));
        assert!((right - other).abs() > 1e-3, "{right} {other}");
        let problem = chain.written(&format!("remap_cost: {RHO}, after_remap: Restart"));
        holds(average(&prove(&problem, &values(h.iter().map(|v| [*v; 2]))).unwrap()), right);
    }
    // With no such state a remap leads nowhere.
    let problem = "Stopping(processes: Joint(loads: [[1, 1], [0, 2], [0, 2]], transition: Dense([[0.5, 0.25, 0.25], [0.5, \
                   0.5, 0], [0.5, 0, 0.5]])), remap_cost: 2, after_remap: Restart)";
    let shared =
        Refusal::Model("a remap leads to loads that are shared by fewer states".to_owned());
    assert_eq!(prove(problem, &values([[0.0; 2]; 3])), Err(shared.clone()));
    let ends = problem.replace("Restart", "Restart, steps: 5");
    assert_eq!(prove(&ends, &Evidence::Stopping(BITS, Vec::new())), Err(shared));
}

/// The states that moving 1, 2, .. units leads to, unit by unit.
fn path(loads: &[i64], even: &[i64], capacities: &[i64]) -> Vec<Vec<i64>> {
    let sorted = |loads: &[i64]| {
        let mut all = Vec::from_iter((0..loads.len()).map(|i| (capacities[i], loads[i], i)));
        all.sort_unstable();
        all
    };
    let mut share = vec![0; loads.len()];
    sorted(loads).iter().zip(sorted(even)).for_each(|((.., i), (_, load, _))| share[*i] = load);
    let (mut now, mut all) = (loads.to_vec(), Vec::new());
    loop {
        let above = |i: usize| now[i] - share[i];
        let most = (0..now.len()).rev().max_by_key(|i| above(*i)).unwrap();
        let least = (0..now.len()).min_by_key(|i| above(*i)).unwrap();
        if above(most) <= 0 {
            return all;
        }
        now[most] -= 1;
        now[least] += 1;
        all.push(now.clone());
    }
}

/// Loads in proportion to capacities, in whole units.
fn split(total: i64, capacities: &[i64]) -> Vec<i64> {
    let sum: i64 = capacities.iter().sum();
    let mut loads: Vec<i64> = capacities.iter().map(|c| total * c / sum).collect();
    let mut order = Vec::from_iter(0..loads.len());
    order.sort_by_key(|i| -(total * capacities[*i] % sum));
    let left = total - loads.iter().sum::<i64>();
    order.iter().take(left as usize).for_each(|i| loads[*i] += 1);
    loads
}

#[test]
fn remaps_of_some_units_cost_what_plain_iteration_says() {
    let mut pays = 0;
    for (count, levels, moves, fixed, each) in [
        (2, 5, vec![0.25], 0.5, 1.5),
        (3, 6, vec![0.25], 0.5, 4.0),
        (3, 5, vec![0.375], 1.0, 0.25),
        (3, 4, vec![0.0625, 0.4375], 0.125, 2.5),
    ] {
        let chain = Chain::hidden(count, levels, &moves, true);
        let price = |units: usize| fixed + each * units as f64;
        let ways = |whole: bool, ascending: bool| {
            let one = |s: usize| {
                let mut loads = chain.loads[s].clone();
                if ascending {
                    loads.sort_unstable();
                }
                let even = split(loads.iter().sum(), &vec![1; count]);
                // Processes that depend on each other are not known to move alike.
                let kinds = |i: usize| if ascending { 1 } else { 1 + i as i64 };
                let all = path(&loads, &even, &Vec::from_iter((0..count).map(kinds)));
                let first = if whole { all.len().saturating_sub(1) } else { 0 };
                let all = all.iter().enumerate().skip(first);
                all.map(|(m, to)| (price(m + 1), chain.twin(s, to).unwrap())).collect()
            };
            Vec::from_iter((0..chain.loads.len()).map(one))
        };
        let (right, h) = chain.forever(&ways(false, false));
        let (whole, _) = chain.forever(&ways(true, false));
        assert!(right <= whole + 1e-9);
        pays += usize::from(right < whole - 1e-3);
        let cost =
            format!("remap_cost: (fixed: {fixed}, per_unit_moved: {each}), after_remap: Restart");
        let joint = chain.written(&format!("{cost}, partial_remaps: true"));
        holds(average(&prove(&joint, &values(h.iter().map(|v| [*v; 2]))).unwrap()), right);
        // Whatever is said of the states, the best average is within what that shows.
        for seed in 1..6u64 {
            let odd = |s: u64| ((s * 7919 * seed + seed * seed * 31) % 97) as f64 / 16.0;
            let found = prove(&joint, &values((0..h.len() as u64).map(|s| [odd(s); 2])));
            let Interval { lower, upper } = average(&found.unwrap());
            assert!(lower <= right && right <= upper, "[{lower}, {upper}] {right}");
        }
        if moves.len() > 1 {
            continue;
        }
        // The same of walks that are lumped: units are taken from equal ones in the order of their loads.
        let (right, h) = chain.forever(&ways(false, true));
        let p = moves[0];
        let walks = format!(
            "Stopping(processes: Identical(count: {count}, chain: Walk(levels: {levels}, up: {p}, down: {p}, edge: \
             Hold)), {cost}"
        );
        let lumped = format!("{walks}, partial_remaps: true)");
        let model = Model::read(&text(&lumped), Path::new("")).unwrap();
        let Model::Stopping(own) = &model else { panic!() };
        let of = |loads: &[i64]| h[chain.loads.iter().position(|other| other == loads).unwrap()];
        let all = own.space().unwrap().each(|_, loads| Ok([of(loads); 2])).unwrap();
        holds(average(&model.prove(&values(all)).unwrap()), right);
    }
    assert!(pays >= 1);
}

#[test]
fn remaps_of_some_units_go_with_what_goes_on() {
    let problem = |more: &str| {
        let walk = "Walk(levels: 3, up: 0.25, down: 0.25, edge: Hold)";
        format!(
            "Stopping(processes: Identical(count: 2, chain: {walk}), {more}, partial_remaps: true)"
        )
    };
    let read = |problem: &str| Model::read(&text(problem), Path::new("")).map(drop);
    let units = "remap_cost: (fixed: 1, per_unit_moved: 1)";
    assert_eq!(read(&problem(&format!("{units}, after_remap: Restart"))), Ok(()));
    for more in ["after_remap: Stop", "after_remap: Uniform", "after_remap: Restart, steps: 4"] {
        let found = read(&problem(&format!("{units}, {more}")));
        assert!(matches!(found, Err(Refusal::Model(_))), "{more}");
    }
    let listed = "Stopping(processes: Joint(loads: [[0, 1], [1, 0]], transition: Dense([[0.5, 0.5], [0.5, 0.5]])), \
                  remap_cost: PerState([1, 1]), after_remap: Restart, partial_remaps: true)";
    assert!(matches!(read(listed), Err(Refusal::Model(_))));
}

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

/// Both bounds on all pairs of levels up to the cut, as the checker lists them: the lower level first, by the higher one.
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
        // Beyond the cut nothing more is known: not that it is cheaper than a remap, nor that it costs anything.
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
    // What holds of the levels that are shown alone, the last of which walks would not leave: that the rest is a remap's.
    let region = (0..4).map(|level| (vec![level; 2], (1u64 << BITS) / 100 + 1, 2));
    let held = "Stopping(processes: Identical(count: 2, chain: BirthDeath(up: [0.5, 0.25, 0.25, 0], down: [0, 0.25, 0.25, \
                0.25])), remap_cost: 0.01, after_remap: Stop)";
    let region = Evidence::Region(BITS, region.collect());
    assert!(prove(held, &region).is_ok());
    let cheap = problem.replace("remap_cost: 2", "remap_cost: 0.01");
    assert_eq!(prove(&cheap, &region), Err(Refusal::Malformed));
    let read = |problem: &str| Model::read(&text(problem), Path::new("")).map(drop);
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
        let found = read(&problem.replace(from, to));
        assert!(matches!(found, Err(Refusal::Model(_))), "{to}");
    }
}
