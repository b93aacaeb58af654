//! Ranks of which each has its own states: whoever has a state, it has the same bits.

use super::problems::figure;
use crate::shared::walk;
use crate::thorough::{few_or_all, some};
use remapping::Bounds;
use remapping::chain::Edge;
use remapping::communicator::{Communicator, Equations, Shares};
use remapping::load_drift::{
    Backward, Carry, Control, Intervals, LoadDrift, Objective, Outcome, Ranks, Rebalance, Snapshot,
    States, Timing, Transition, Work,
};
use remapping::overlap::Overlap;
use std::sync::{Arc, Barrier, Mutex};

/// Threads that tell each other what they have.
struct Threads {
    rank: usize,
    board: Arc<(Mutex<Vec<Vec<f64>>>, Barrier)>,
}

impl Threads {
    fn all(ranks: usize) -> Vec<Threads> {
        let board = Arc::new((Mutex::new(vec![Vec::new(); ranks]), Barrier::new(ranks)));
        (0..ranks).map(|rank| Threads { rank, board: board.clone() }).collect()
    }

    fn show<T>(&self, own: &[f64], look: impl FnOnce(&[Vec<f64>]) -> T) -> T {
        self.board.0.lock().unwrap()[self.rank] = own.to_vec();
        self.board.1.wait();
        let seen = look(&self.board.0.lock().unwrap());
        self.board.1.wait();
        seen
    }
}

impl Communicator for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.board.0.lock().unwrap().len()
    }

    fn exchange(&self, shares: &Shares, own: &[f64], below: &mut [f64], above: &mut [f64]) {
        let (mine, window) = (shares.own(self.rank), shares.window(self.rank));
        self.show(own, |all| {
            let all = all.concat();
            below.copy_from_slice(&all[window.start..mine.start]);
            above.copy_from_slice(&all[mine.end..window.end]);
        });
    }

    fn largest(&self, numbers: &mut [f64]) {
        let own = numbers.to_vec();
        self.show(&own, |all| {
            for (place, number) in numbers.iter_mut().enumerate() {
                *number = all.iter().map(|own| own[place]).fold(f64::NEG_INFINITY, f64::max);
            }
        });
    }

    fn gather(&self, own: &[f64]) -> Vec<f64> {
        self.show(own, <[Vec<f64>]>::concat)
    }

    fn solve(&self, _: Equations<'_>, _: &mut [f64]) -> u64 {
        unreachable!("recursions solve no equations")
    }
}

/// What is seen of a recursion after a step.
#[derive(Debug, Clone, PartialEq)]
struct Seen {
    costs: Vec<Option<f64>>,
    words: Vec<u64>,
    region: Vec<u64>,
    outcome: Option<Outcome>,
    bounds: Bounds,
    closest: (f64, f64),
    active: usize,
}

impl Seen {
    fn of(backward: &Backward<'_>) -> Seen {
        let closest = backward.closest_threshold();
        Seen {
            costs: backward.cost_to_go(),
            words: backward.decisions().words().to_vec(),
            region: backward.snapshot().region,
            outcome: backward.outcome(),
            bounds: backward.value_bounds(),
            closest: (closest.threshold, closest.disagreement),
            active: backward.active_states(),
        }
    }
}

/// The states of a rank.
fn states(problem: &LoadDrift, ranks: &Ranks) -> States {
    let (processors, levels) = (problem.processors, problem.chain.levels());
    let states = match ranks.others() {
        None => States::new(processors, levels),
        Some((others, shares)) => States::part(processors, levels, shares.own(others.rank())),
    };
    states.unwrap()
}

/// All steps of one rank, from a snapshot if there is one, and the snapshot at `stop` steps to go.
fn go(
    problem: &LoadDrift,
    ranks: &Ranks,
    least: usize,
    begin: Option<Snapshot>,
    stop: u64,
) -> (Vec<Seen>, Option<Snapshot>) {
    let transition = Transition::new(&problem.chain, problem.processors).unwrap();
    let states = states(problem, ranks);
    let backward = Backward::new(problem, &states, &transition, Control::Optimal, Carry::Outcome);
    let mut backward = backward.shared(ranks.clone()).regions_from(least);
    if let Some(mut snapshot) = begin {
        let own = states.first()..states.first() + states.count();
        snapshot.vectors.iter_mut().for_each(|vector| *vector = vector[own.clone()].to_vec());
        backward.resume(snapshot).unwrap();
    }
    let (mut all, mut kept) = (Vec::new(), None);
    while backward.remaining() > 0 {
        if backward.remaining() == stop {
            kept = Some(backward.show(Snapshot::clone));
        }
        backward.advance();
        all.push(Seen::of(&backward));
    }
    (all, kept)
}

/// What ranks have seen, as one.
fn joined(parts: Vec<Vec<Seen>>) -> Vec<Seen> {
    let mut parts = parts.into_iter();
    let mut all = parts.next().unwrap();
    for part in parts {
        for (all, more) in all.iter_mut().zip(part) {
            all.costs.extend(&more.costs);
            all.words.extend(&more.words);
            let (costs, words) = (all.costs.clone(), all.words.clone());
            // The rest is the same everywhere.
            assert_eq!(*all, Seen { costs, words, ..more });
        }
    }
    all
}

fn on_ranks<T: Send>(
    problem: &LoadDrift,
    count: usize,
    work: impl Fn(&Ranks) -> T + Sync,
) -> Vec<T> {
    let transition = Transition::new(&problem.chain, problem.processors).unwrap();
    let shares = transition.shares(count).expect("there are enough states");
    std::thread::scope(|scope| {
        let ranks = Threads::all(count).into_iter().map(|thread| {
            let (shares, work) = (shares.clone(), &work);
            scope.spawn(move || work(&Ranks::new(Arc::new(thread), shares)))
        });
        let ranks: Vec<_> = ranks.collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}

fn problems() -> Vec<(LoadDrift, usize)> {
    let chain = |levels| walk(levels, 0.25, 0.25, Edge::Hold);
    let plain = LoadDrift { chain: chain(9), initial: 4, ..figure(4, 40, 3.0) };
    let makespan = LoadDrift {
        timing: Timing::BeforeStep,
        objective: Objective::Makespan,
        rebalance: Rebalance::Stochastic,
        ..plain.clone()
    };
    let moved = LoadDrift { per_unit_moved: 0.3, steps: 15, ..plain.clone() };
    let drifting =
        LoadDrift { processors: 8, chain: chain(10), steps: 60, remap_cost: 1.0, ..plain.clone() };
    let later = LoadDrift { timing: Timing::BeforeStep, processors: 5, ..drifting.clone() };
    vec![(plain, usize::MAX), (moved, 1), (makespan, usize::MAX), (drifting, 1), (later, 1)]
}

#[test]
fn states_of_ranks_have_the_bits_of_one_rank() {
    let mut regions = 0;
    for (problem, least) in some(3, problems()) {
        let stop = problem.steps / 3;
        let (expected, kept) = go(&problem, &Ranks::alone(), least, None, stop);
        let plain = expected.iter().map(|seen| seen.region.len()).min().unwrap();
        regions += expected.iter().filter(|seen| seen.region.len() > plain).count();
        for count in some(1, [3, 2, 5]) {
            let found = on_ranks(&problem, count, |ranks| go(&problem, ranks, least, None, stop));
            let (seen, snapshots): (Vec<_>, Vec<_>) = found.into_iter().unzip();
            assert!(joined(seen) == expected, "{problem:?} on {count} ranks");
            // Any other number of ranks goes on from there.
            let mut all = snapshots[0].clone().unwrap();
            for part in snapshots[1..].iter().flatten() {
                all.vectors.iter_mut().zip(&part.vectors).for_each(|(all, part)| all.extend(part));
            }
            let rest = &expected[expected.len() - stop as usize..];
            let begin = || Some(all.clone());
            let found = on_ranks(&problem, 4, |ranks| go(&problem, ranks, least, begin(), 0).0);
            assert!(joined(found) == rest, "{problem:?} on 4 ranks after {count}");
            let (alone, _) = go(&problem, &Ranks::alone(), least, begin(), 0);
            assert!(alone == rest, "{problem:?} alone after {count}");
        }
        let begin = || kept.clone();
        let found = on_ranks(&problem, 2, |ranks| go(&problem, ranks, least, begin(), 0).0);
        assert!(joined(found) == expected[expected.len() - stop as usize..], "{problem:?}");
    }
    assert!(regions > 0, "some steps go over regions");
}

/// All steps of one rank; the states are shared anew whenever `moves` says so, by what it says of
/// the seconds of the rank.
fn go_moving(
    problem: &LoadDrift,
    ranks: &Ranks,
    least: usize,
    moves: &dyn Fn(u64, usize) -> Option<f64>,
) -> (Vec<Seen>, u64) {
    let transition = Transition::new(&problem.chain, problem.processors).unwrap();
    let (mut ranks, mut begin, mut seen, mut moved) = (ranks.clone(), None, Vec::new(), 0);
    loop {
        let (others, shares) = ranks.others().unwrap();
        let states = states(problem, &ranks);
        let control = Control::Optimal;
        let backward = Backward::new(problem, &states, &transition, control, Carry::Outcome);
        let mut backward = backward.shared(ranks.clone()).regions_from(least);
        if let Some(snapshot) = begin.take() {
            backward.resume(snapshot).unwrap();
        }
        let next = loop {
            if backward.remaining() == 0 {
                return (seen, moved);
            }
            backward.advance();
            seen.push(Seen::of(&backward));
            if let Some(seconds) = moves(backward.remaining(), others.rank()) {
                let work = backward.work(seconds);
                break transition.shares_of(others.ranks(), &work).unwrap();
            }
        };
        moved += u64::from(&next != shares);
        begin = Some(backward.into_snapshot().moved(&ranks, &next));
        ranks = ranks.with(next);
    }
}

/// Whoever has a state at whichever step, all that is seen of the recursion has the same bits.
#[test]
fn blocks_that_move_change_no_bit() {
    let mut all_moved = 0;
    for (problem, least) in some(3, problems()) {
        let (expected, _) = go(&problem, &Ranks::alone(), least, None, 0);
        for count in some(1, [3, 2, 5]) {
            // Times that no machine has: one rank a hundred times as slow as others, another at
            // every move.
            let odd = |left: u64, rank: usize| {
                let slow = (left / 3) as usize % count == rank;
                (left.is_multiple_of(3) || left % 7 == 1).then_some(if slow { 5.0 } else { 0.05 })
            };
            let unmeasured = |left: u64, _: usize| left.is_multiple_of(4).then_some(0.0);
            for moves in [&odd as &(dyn Fn(u64, usize) -> Option<f64> + Sync), &unmeasured] {
                let found = on_ranks(&problem, count, |ranks| {
                    go_moving(&problem, ranks, least, &|left, rank| moves(left, rank))
                });
                all_moved += found.iter().map(|(_, moved)| moved).sum::<u64>();
                let found = found.into_iter().map(|(seen, _)| seen).collect();
                assert!(joined(found) == expected, "{problem:?} on {count} ranks");
            }
        }
    }
    assert!(all_moved > few_or_all(30, 100), "blocks have moved {all_moved} times");
}

/// Stretches with no work, and work in few of them: each rank has something, and as much work as
/// can be.
#[test]
fn parts_have_equal_work_and_are_never_empty() {
    let chain = walk(9, 0.25, 0.25, Edge::Hold);
    let transition = Transition::new(&chain, 4).unwrap();
    let states = transition.states();
    let cut = 256;
    let low = Work::new(vec![(cut, 3.0), (states - cut, 1.0)]);
    let starts = |work: &Work, ranks: usize| -> Vec<usize> {
        let shares = transition.shares_of(ranks, work).unwrap();
        (0..ranks).map(|rank| shares.own(rank).start).collect()
    };
    // Half of all work is two thirds of the first stretch, in whole words.
    assert_eq!(starts(&low, 2), [0, 192]);
    assert_eq!(starts(&low, 4), [0, 64, 192, 256]);
    let none = Work::new(vec![(states, 0.0)]);
    assert_eq!(transition.shares_of(3, &none), transition.shares(3));
    for stretch in [
        Work::new(vec![(64, 1.0), (states - 64, 0.0)]),
        Work::new(vec![(states - 3, 0.0), (3, 1.0)]),
    ] {
        for ranks in 1..=7 {
            let starts = starts(&stretch, ranks);
            assert!(starts.windows(2).all(|pair| pair[0] < pair[1]), "{starts:?}");
            assert!(starts.iter().all(|start| start % 64 == 0 && *start < states), "{starts:?}");
            // What a rank needs of memory is bounded: by twice as many words as in equal parts, and
            // the rest.
            let most = 64 * 2 * (states / 64).div_ceil(ranks) + 63;
            let ends = starts[1..].iter().chain([&states]);
            assert!(starts.iter().zip(ends).all(|(start, end)| end - start <= most), "{starts:?}");
        }
    }
}

#[test]
fn intervals_of_ranks_have_the_bits_of_one_rank() {
    let (problem, _) = problems().swap_remove(2);
    let transition = || Transition::new(&problem.chain, problem.processors).unwrap();
    let evaluate = |ranks: &Ranks| {
        let all = (&states(&problem, ranks), ranks);
        Intervals::overlapping(&problem, Overlap::NONE, all, &transition(), 10, &())
    };
    let expected = evaluate(&Ranks::alone());
    for count in [2, 4] {
        let found = on_ranks(&problem, count, evaluate);
        assert!(found.iter().all(|found| *found == expected), "{count} ranks");
    }
}

/// Of two ranks each has half of the states, and needs less than all of what is applied.
#[test]
fn two_ranks_need_half_of_the_memory() {
    let chain = walk(19, 0.25, 0.25, Edge::Hold);
    let shares = Transition::new(&chain, 8).unwrap().shares(2).unwrap();
    // Value, work, remaps, scratch and what is applied; total and largest level.
    let alone = shares.total() as f64 * (8.0 * 5.0 + 6.0);
    for rank in 0..2 {
        let (own, window) = (shares.own(rank).len() as f64, shares.window(rank).len() as f64);
        let needed = own * (8.0 * 3.0 + 6.0) + 8.0 * window;
        assert!(needed < 0.5 * alone, "rank {rank}: {}", needed / alone);
    }
}
