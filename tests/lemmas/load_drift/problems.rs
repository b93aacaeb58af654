//! Drifting loads of the lemmas: random problems, those of figures, and the plain recursion over
//! all load vectors.

use approx::abs_diff_eq;
use proptest::prelude::*;
use remapping::chain::{BirthDeath, Dense, Edge};
use remapping::load_drift::{
    Backward, Carry, Control, Intervals, LoadDrift, Objective, Outcome, ProcessChain, Ranks,
    Rebalance, States, Timing, Transition,
};
use remapping::overlap::Overlap;

/// The same problem over all L^r ordered load vectors, with nothing clever: per vector the expected
/// value, work and number of remaps still to come.
pub struct Plain<'a> {
    problem: &'a LoadDrift,
    rows: Vec<Vec<f64>>,
    pub vectors: Vec<Vec<usize>>,
}

type Triple = [f64; 3];

impl<'a> Plain<'a> {
    pub fn new(problem: &'a LoadDrift) -> Self {
        let mut vectors = vec![vec![]];
        for _ in 0..problem.processors {
            let longer = |v: Vec<usize>| {
                (0..problem.chain.levels()).map(move |l| [v.clone(), vec![l]].concat())
            };
            vectors = vectors.into_iter().flat_map(longer).collect();
        }
        Plain { problem, rows: problem.chain.rows(), vectors }
    }

    pub fn loads(&self, levels: &[usize]) -> (f64, f64) {
        let load = |&level: &usize| self.problem.lowest + level as f64;
        let max = levels.iter().map(load).fold(0.0, f64::max);
        (max, levels.iter().map(load).sum::<f64>() / levels.len() as f64)
    }

    fn step(&self, levels: &[usize]) -> Triple {
        let (max, mean) = self.loads(levels);
        let cost = match self.problem.objective {
            Objective::Imbalance => max - mean,
            Objective::Makespan => max,
        };
        [cost, mean, 0.0]
    }

    pub fn at(&self, ahead: &[Triple], levels: &[usize]) -> Triple {
        ahead[levels.iter().fold(0, |index, level| index * self.rows.len() + level)]
    }

    /// After a remap, by the words of the rule.
    fn remapped(&self, ahead: &[Triple], levels: &[usize]) -> Triple {
        let r = levels.len();
        let total: usize = levels.iter().sum();
        let average = total as f64 / r as f64;
        let all = |level: usize| self.at(ahead, &vec![level; r]);
        let mut to = match self.problem.rebalance {
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
        };
        to[0] += self.problem.remap_cost;
        if self.problem.per_unit_moved > 0.0 {
            to[0] += self.problem.per_unit_moved * self.units_moved(levels) as f64;
        }
        to[2] += 1.0;
        to
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

    pub fn decide(
        &self,
        ahead: &[Triple],
        remap: &dyn Fn(&[usize], f64, f64) -> bool,
    ) -> Vec<Triple> {
        let branch = |levels: &Vec<usize>| {
            let (on, remapped) = (self.at(ahead, levels), self.remapped(ahead, levels));
            if remap(levels, on[0], remapped[0]) { remapped } else { on }
        };
        self.vectors.iter().map(branch).collect()
    }

    pub fn transit(&self, ahead: &[Triple]) -> Vec<Triple> {
        let expectation = |from: &Vec<usize>| {
            let mut sum = [0.0; 3];
            for (to, ahead) in self.vectors.iter().zip(ahead) {
                let moves = from.iter().zip(to).map(|(&i, &j)| self.rows[i][j]);
                let p: f64 = moves.product();
                (0..3).for_each(|k| sum[k] += p * ahead[k]);
            }
            sum
        };
        self.vectors.iter().map(expectation).collect()
    }

    pub fn pay(&self, ahead: &[Triple]) -> Vec<Triple> {
        let paid = |(levels, ahead): (&Vec<usize>, &Triple)| {
            let step = self.step(levels);
            [0, 1, 2].map(|k| step[k] + ahead[k])
        };
        self.vectors.iter().zip(ahead).map(paid).collect()
    }

    /// (value, work, remaps) from the initial state when `remap(k, levels)` decides between steps k
    /// and k + 1.
    pub fn play(&self, remap: &dyn Fn(u64, &[usize]) -> bool) -> Triple {
        self.backward(&|ahead, k| self.decide(ahead, &|levels, _, _| remap(k, levels)))
    }

    /// The same when `remap(levels, on, remapped)` decides.
    pub fn solve(&self, remap: &dyn Fn(&[usize], f64, f64) -> bool) -> Triple {
        self.backward(&|ahead, _| self.decide(ahead, remap))
    }

    fn backward(&self, decide: &dyn Fn(&[Triple], u64) -> Vec<Triple>) -> Triple {
        let mut ahead = vec![[0.0; 3]; self.vectors.len()];
        for step in (1..=self.problem.steps).rev() {
            match self.problem.timing {
                Timing::AfterStep => {
                    if step < self.problem.steps {
                        ahead = decide(&ahead, step);
                    }
                    ahead = self.transit(&self.pay(&ahead));
                }
                Timing::BeforeStep => {
                    ahead = self.pay(&ahead);
                    if step > 1 {
                        ahead = self.transit(&decide(&ahead, step - 1));
                    }
                }
            }
        }
        self.at(&ahead, &vec![self.problem.initial; self.problem.processors])
    }
}

pub fn prepared(problem: &LoadDrift) -> (States, Transition) {
    let states = States::new(problem.processors, problem.chain.levels()).unwrap();
    (states, Transition::new(&problem.chain, problem.processors).unwrap())
}

pub fn run(problem: &LoadDrift, control: Control) -> Outcome {
    let (states, transition) = prepared(problem);
    let mut backward = Backward::new(problem, &states, &transition, control, Carry::Outcome);
    while backward.remaining() > 0 {
        backward.advance();
    }
    backward.outcome().unwrap()
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
    let walk = (2usize..6, 0.02f64..0.5, 0.02f64..0.5, any::<bool>()).prop_map(
        |(levels, up, down, hold)| {
            let edge = if hold { Edge::Hold } else { Edge::Reflect };
            ProcessChain::BirthDeath(BirthDeath::walk(levels, up, down, edge).unwrap())
        },
    );
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
    prop_oneof![3 => walk, 1 => dense]
}

pub fn problems() -> impl Strategy<Value = LoadDrift> {
    let rules =
        prop_oneof![Just(Rebalance::Split), Just(Rebalance::Nearest), Just(Rebalance::Stochastic)];
    let timings = prop_oneof![Just(Timing::AfterStep), Just(Timing::BeforeStep)];
    let objectives = prop_oneof![Just(Objective::Imbalance), Just(Objective::Makespan)];
    let sizes = (1usize..4, chains(), 0u32..3, 0.0f64..1.0, 1u64..25, 0.05f64..4.0);
    (sizes, rules, timings, objectives).prop_map(|(sizes, rebalance, timing, objective)| {
        let (processors, chain, lowest, place, steps, remap_cost) = sizes;
        let initial = (place * chain.levels() as f64) as usize;
        let lowest = f64::from(lowest);
        LoadDrift {
            processors,
            chain,
            lowest,
            initial,
            steps,
            remap_cost,
            per_unit_moved: 0.0,
            rebalance,
            timing,
            objective,
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
    Intervals::overlapping(
        problem,
        Overlap::NONE,
        (&states, &Ranks::alone()),
        &transition,
        longest,
        &(),
    )
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
        chain: ProcessChain::BirthDeath(BirthDeath::walk(19, 0.25, 0.25, Edge::Hold).unwrap()),
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
