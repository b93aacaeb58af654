//! Drifting loads of the lemmas: random problems, those of figures, and the plain recursion over
//! all load vectors.

use crate::shared::{edges, walk};
use approx::abs_diff_eq;
use proptest::prelude::*;
use remapping::chain::{BirthDeath, Dense, Edge};
use remapping::load_drift::{
    Backward, Carry, Control, Intervals, LoadDrift, Objective, Outcome, ProcessChain, Ranks,
    Rebalance, States, Timing, Transition,
};
use remapping::overlap::Overlap;

/// Value, work and number of remaps still to come.
type Triple = [f64; 3];

/// Whether to remap: by the moment, the levels, the cost of going on and that of a remap.
pub type Decide<'d> = &'d dyn Fn(u64, &[usize], f64, f64) -> bool;

/// The same problem over all L^r ordered load vectors, with nothing clever. The decision at moment
/// k is in force from moment k + d on, on the split of the loads at moment k and what they moved
/// since; the next is made after that step at the earliest. Moment k is after step k, with
/// `BeforeStep` before step k + 1.
pub struct Plain<'a> {
    problem: &'a LoadDrift,
    overlap: Overlap,
    rows: Vec<Vec<f64>>,
    vectors: Vec<Vec<usize>>,
}

impl<'a> Plain<'a> {
    pub fn new(problem: &'a LoadDrift, overlap: Overlap) -> Self {
        let mut vectors = vec![vec![]];
        for _ in 0..problem.processors {
            let longer = |v: Vec<usize>| {
                (0..problem.chain.levels()).map(move |l| [v.clone(), vec![l]].concat())
            };
            vectors = vectors.into_iter().flat_map(longer).collect();
        }
        Plain { problem, overlap, rows: problem.chain.rows(), vectors }
    }

    pub fn loads(&self, levels: &[usize]) -> (f64, f64) {
        let load = |&level: &usize| self.problem.lowest + level as f64;
        let max = levels.iter().map(load).fold(0.0, f64::max);
        (max, levels.iter().map(load).sum::<f64>() / levels.len() as f64)
    }

    fn at(&self, ahead: &[Triple], levels: &[usize]) -> Triple {
        ahead[levels.iter().fold(0, |index, level| index * self.rows.len() + level)]
    }

    /// After a remap, by the words of the rule.
    fn rebalanced(&self, ahead: &[Triple], levels: &[usize]) -> Triple {
        let r = levels.len();
        let total: usize = levels.iter().sum();
        let average = total as f64 / r as f64;
        let all = |level: usize| self.at(ahead, &vec![level; r]);
        match self.problem.rebalance {
            Rebalance::Split => {
                let levels: Vec<usize> = (0..r).map(|i| (total + i) / r).collect();
                self.at(ahead, &levels)
            }
            Rebalance::Nearest => all((average + 0.5).floor() as usize),
            Rebalance::Stochastic => {
                let share = average - average.floor();
                let (low, high) = (all(average.floor() as usize), all(average.ceil() as usize));
                [0, 1, 2].map(|k| (1.0 - share) * low[k] + share * high[k])
            }
        }
    }

    /// The fewest units that change their processor, over all ways to say who gets the larger
    /// shares.
    fn units_moved(&self, levels: &[usize]) -> usize {
        let total: usize = levels.iter().sum();
        let (share, larger) = (total / levels.len(), total % levels.len());
        let ways = (0u32..1 << levels.len()).filter(|way| way.count_ones() as usize == larger);
        let moved = |way: u32| -> usize {
            let to = |i: usize| share + (way >> i & 1) as usize;
            levels.iter().enumerate().map(|(i, level)| level.saturating_sub(to(i))).sum()
        };
        ways.map(moved).min().unwrap()
    }

    /// The expectation over the next moves, rank by rank.
    fn transit(&self, mut ahead: Vec<Triple>) -> Vec<Triple> {
        let mut place = self.vectors.len();
        for rank in 0..self.problem.processors {
            place /= self.rows.len();
            let one = |(state, levels): (usize, &Vec<usize>)| {
                let base = state - levels[rank] * place;
                let near = self.rows[levels[rank]].iter().enumerate();
                near.fold([0.0; 3], |sum, (to, p)| {
                    [0, 1, 2].map(|k| sum[k] + p * ahead[base + to * place][k])
                })
            };
            ahead = self.vectors.iter().enumerate().map(one).collect();
        }
        ahead
    }

    fn pay(&self, ahead: Vec<Triple>, slowdown: f64) -> Vec<Triple> {
        let paid = |(levels, ahead): (&Vec<usize>, Triple)| {
            let (max, mean) = self.loads(levels);
            let cost = match self.problem.objective {
                Objective::Imbalance => max - mean,
                Objective::Makespan => max,
            };
            [ahead[0] + cost + slowdown * max, ahead[1] + mean, ahead[2]]
        };
        self.vectors.iter().zip(ahead).map(paid).collect()
    }

    /// A step, and what follows it.
    fn back(&self, ahead: Vec<Triple>, slowdown: f64) -> Vec<Triple> {
        match self.problem.timing {
            Timing::AfterStep => self.transit(self.pay(ahead, slowdown)),
            Timing::BeforeStep => self.pay(self.transit(ahead), slowdown),
        }
    }

    /// (value, work, remaps) from the initial state under these decisions.
    pub fn play(&self, decide: Decide<'_>) -> Triple {
        let problem = self.problem;
        let (steps, late) = (problem.steps as usize, self.overlap.steps as usize);
        let nothing = || vec![[0.0; 3]; self.vectors.len()];
        let beside = (0..late).fold(nothing(), |then, _| self.back(then, self.overlap.slowdown));
        let later = |on: &[Triple]| (0..late).fold(on.to_vec(), |on, _| self.transit(on));
        let (last, mut on) = match problem.timing {
            Timing::AfterStep => (steps, nothing()),
            Timing::BeforeStep => (steps - 1, self.pay(nothing(), 0.0)),
        };
        // What follows moment k on the loads of d steps earlier, by these.
        let mut force = vec![later(&on); last + 1];
        for moment in (1..=last).rev() {
            if moment + late < steps {
                let decided = |state: usize| {
                    let levels = &self.vectors[state];
                    let then = self.rebalanced(&force[moment + late], levels);
                    let mut remapped = [0, 1, 2].map(|k| beside[state][k] + then[k]);
                    remapped[0] += problem.remap_cost;
                    if problem.per_unit_moved > 0.0 {
                        remapped[0] += problem.per_unit_moved * self.units_moved(levels) as f64;
                    }
                    remapped[2] += 1.0;
                    match decide(moment as u64, levels, on[state][0], remapped[0]) {
                        true => remapped,
                        false => on[state],
                    }
                };
                on = (0..on.len()).map(decided).collect();
            }
            on = self.back(on, 0.0);
            force[moment - 1] = later(&on);
        }
        self.at(&on, &vec![problem.initial; problem.processors])
    }
}

/// By the cheaper branch. Ties within rounding may go either way; the cost is the same.
pub fn cheaper(_moment: u64, _levels: &[usize], on: f64, remapped: f64) -> bool {
    on - remapped > 1e-12 * on.abs().max(remapped.abs())
}

pub fn prepared(problem: &LoadDrift) -> (States, Transition) {
    let states = States::new(problem.processors, problem.chain.levels()).unwrap();
    (states, Transition::new(&problem.chain, problem.processors).unwrap())
}

/// All steps that are left.
pub fn finish<'a>(mut backward: Backward<'a>) -> Backward<'a> {
    while backward.remaining() > 0 {
        backward.advance();
    }
    backward
}

pub fn run(problem: &LoadDrift, control: Control) -> Outcome {
    let (states, transition) = prepared(problem);
    finish(Backward::new(problem, &states, &transition, control, Carry::Outcome)).outcome().unwrap()
}

pub fn close(a: f64, b: f64) -> bool {
    abs_diff_eq!(a, b, epsilon = 1e-10 * a.abs().max(b.abs()).max(1.0))
}

/// Whether the outcome is the plain one; near ties may be decided either way, which the value does
/// not notice.
pub fn same(outcome: &Outcome, plain: Triple, objective: Objective) -> bool {
    let time = match objective {
        Objective::Imbalance => plain[0] + plain[1],
        Objective::Makespan => plain[0],
    };
    close(outcome.value, plain[0])
        && close(outcome.work, plain[1])
        && close(outcome.remaps, plain[2])
        && close(outcome.time, time)
}

fn chains() -> impl Strategy<Value = ProcessChain> {
    let walks = (2usize..6, 0.02f64..0.5, 0.02f64..0.5, edges())
        .prop_map(|(levels, up, down, edge)| walk(levels, up, down, edge));
    let dense = (2usize..5).prop_flat_map(|levels| {
        prop::collection::vec(prop::collection::vec(0.0f64..1.0, levels), levels)
    });
    let dense = dense.prop_map(|mut rows| {
        for row in &mut rows {
            let sum: f64 = row.iter().sum::<f64>() + 1e-3;
            row.iter_mut().for_each(|p| *p /= sum);
            row[0] += 1.0 - row.iter().sum::<f64>();
        }
        ProcessChain::Dense(Dense::new(&rows).unwrap())
    });
    prop_oneof![3 => walks, 1 => dense, 1 => sparse_chains()]
}

/// With moves that are impossible, and levels that are never left.
fn sparse_chains() -> impl Strategy<Value = ProcessChain> {
    let rows = (2usize..5).prop_flat_map(|levels| {
        prop::collection::vec(prop::collection::vec(0u32..4, levels), levels)
    });
    rows.prop_map(|rows| {
        let row = |(level, mut row): (usize, Vec<u32>)| {
            row[level] += 1;
            let sum: u32 = row.iter().sum();
            row.into_iter().map(|weight| f64::from(weight) / f64::from(sum)).collect()
        };
        let rows: Vec<Vec<f64>> = rows.into_iter().enumerate().map(row).collect();
        ProcessChain::Dense(Dense::new(&rows).unwrap())
    })
}

/// How loads are evened out, when that is decided, and what a step costs.
pub fn rules() -> impl Strategy<Value = (Rebalance, Timing, Objective)> {
    (
        prop::sample::select(vec![Rebalance::Split, Rebalance::Nearest, Rebalance::Stochastic]),
        prop::sample::select(vec![Timing::AfterStep, Timing::BeforeStep]),
        prop::sample::select(vec![Objective::Imbalance, Objective::Makespan]),
    )
}

pub fn problems() -> impl Strategy<Value = LoadDrift> {
    let sizes = (1usize..4, chains(), 0u32..3, 0.0f64..1.0, 1u64..25, 0.05f64..4.0);
    (sizes, rules()).prop_map(|(sizes, (rebalance, timing, objective))| {
        let (processors, chain, lowest, place, steps, remap_cost) = sizes;
        LoadDrift {
            initial: (place * chain.levels() as f64) as usize,
            chain,
            lowest: f64::from(lowest),
            rebalance,
            timing,
            objective,
            ..figure(processors, steps, remap_cost)
        }
    })
}

/// The same, where units moved may be paid for.
pub fn charged_problems() -> impl Strategy<Value = LoadDrift> {
    let each = prop_oneof![Just(0.0), 1e-6f64..2.0, 5.0f64..50.0];
    (problems(), each, any::<bool>()).prop_map(|(problem, each, free)| match each {
        0.0 => problem,
        each => LoadDrift {
            per_unit_moved: each,
            remap_cost: if free { 0.0 } else { problem.remap_cost },
            rebalance: Rebalance::Split,
            ..problem
        },
    })
}

pub fn intervals(problem: &LoadDrift, longest: u64) -> Intervals {
    let (states, transition) = prepared(problem);
    let all = (&states, &Ranks::alone());
    Intervals::overlapping(problem, Overlap::NONE, all, &transition, longest, &())
}

/// With loads far enough apart that some remaps are certain, and any drift at each of them.
pub fn wide_problems() -> impl Strategy<Value = LoadDrift> {
    let moves = prop::collection::vec((0.0f64..0.5, 0.0f64..0.5), 8..22);
    let walk = (8usize..22, (0.02f64..0.5, 0.02f64..0.5));
    let moves = prop_oneof![moves, walk.prop_map(|(levels, same)| vec![same; levels])];
    let chain = moves.prop_map(|mut moves| {
        let last = moves.len() - 1;
        (moves[last].0, moves[0].1) = (0.0, 0.0);
        let (up, down) = moves.into_iter().unzip();
        ProcessChain::BirthDeath(BirthDeath::new(up, down).unwrap())
    });
    (2usize..4, chain, 0.05f64..6.0, problems()).prop_map(
        |(processors, chain, remap_cost, rest)| {
            let initial = rest.initial.min(chain.levels() - 1);
            LoadDrift { processors, chain, remap_cost, initial, steps: 40, ..rest }
        },
    )
}

/// The figure's walk on 1..=19 from load 10.
pub fn figure(processors: usize, steps: u64, remap_cost: f64) -> LoadDrift {
    LoadDrift {
        processors,
        chain: walk(19, 0.25, 0.25, Edge::Hold),
        lowest: 1.0,
        initial: 9,
        steps,
        remap_cost,
        per_unit_moved: 0.0,
        rebalance: Rebalance::Split,
        timing: Timing::AfterStep,
        objective: Objective::Imbalance,
    }
}
