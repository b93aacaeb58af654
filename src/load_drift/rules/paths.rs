//! Drifting loads as a workload to simulate, and an optimal decision map as a policy.

use crate::chain::{Inversion, Multisets};
use crate::load_drift::{
    Backward, Carry, Control, Decisions, LoadDrift, Objective, States, Timing, Transition,
};
use crate::observer::{Halt, Observer};
use crate::overlap::Overlap;
use crate::policy::{Policy, Step};
use crate::simulate::{Stream, Workload, simulated};
use rand::{Rng, RngExt};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Sample paths of [`LoadDrift`]. Each processor moves by inversion of its distribution function,
/// at a random number that is the same for every policy (common random numbers).
#[derive(Debug, Clone)]
pub struct Loads {
    problem: LoadDrift,
    overlap: Overlap,
    moves: Inversion,
    /// Average cost of a remap, where it depends on the loads.
    typical: Option<f64>,
}

/// The random numbers of the present step of a path.
#[derive(Debug)]
pub struct Draws {
    stream: Stream,
    moves: Vec<f64>,
    rounding: f64,
}

impl Loads {
    /// The workload of this problem.
    pub fn new(problem: LoadDrift) -> Loads {
        let moves = Inversion::new(&problem.chain.rows());
        Loads { problem, overlap: Overlap::NONE, moves, typical: None }
    }

    /// With delayed remaps.
    pub fn overlapping(self, overlap: Overlap) -> Loads {
        Loads { overlap, ..self }
    }

    /// With a typical remap cost, for policies that need one number.
    pub fn typically(self, remap_cost: f64) -> Loads {
        Loads { typical: Some(remap_cost), ..self }
    }
}

fn uniform(stream: &mut impl Rng) -> f64 {
    stream.random()
}

simulated!(Loads);

impl Workload for Loads {
    type World = Draws;
    type Mapping = Vec<u16>;

    fn steps(&self) -> u64 {
        self.problem.steps
    }

    fn remap_cost(&self) -> f64 {
        self.problem.remap_cost
    }

    fn surcharge(&self, _world: &Draws, levels: &Vec<u16>) -> f64 {
        if self.problem.per_unit_moved == 0.0 {
            return 0.0;
        }
        let levels: Vec<usize> = levels.iter().map(|level| usize::from(*level)).collect();
        self.problem.per_unit_moved * self.problem.units_moved(&levels) as f64
    }

    fn typical_remap_cost(&self) -> f64 {
        self.typical.unwrap_or(self.problem.remap_cost)
    }

    fn decides_before_step(&self) -> bool {
        self.problem.timing == Timing::BeforeStep
    }

    fn overlap(&self) -> Overlap {
        self.overlap
    }

    fn minimises_time(&self) -> bool {
        self.problem.objective == Objective::Makespan
    }

    fn start(&self, stream: Stream) -> Draws {
        Draws { stream, moves: vec![0.0; self.problem.processors], rounding: 0.0 }
    }

    fn initial(&self, _world: &mut Draws) -> Vec<u16> {
        vec![self.problem.initial as u16; self.problem.processors]
    }

    fn advance(&self, world: &mut Draws) {
        for draw in &mut world.moves {
            *draw = uniform(&mut world.stream);
        }
        world.rounding = uniform(&mut world.stream);
    }

    fn follow(&self, world: &Draws, levels: &mut Vec<u16>) {
        for (level, draw) in levels.iter_mut().zip(&world.moves) {
            *level = self.moves.step(usize::from(*level), *draw) as u16;
        }
    }

    fn loads(&self, _world: &Draws, levels: &Vec<u16>, loads: &mut Vec<f64>) {
        loads.clear();
        loads.extend(levels.iter().map(|&level| self.problem.lowest + f64::from(level)));
    }

    fn remap(&self, world: &Draws, levels: &mut Vec<u16>) {
        let total = levels.iter().map(|&level| usize::from(level)).sum();
        let outcomes = self.problem.balanced(total);
        let first = outcomes[0].0 > world.rounding || outcomes.len() == 1;
        let chosen = &outcomes[usize::from(!first)].1;
        levels.iter_mut().zip(chosen).for_each(|(level, &to)| *level = to as u16);
    }
}

/// The optimal decisions of a whole horizon. Consecutive equal maps are stored once: far from the
/// end the decision no longer depends on the step.
#[derive(Debug, Clone)]
pub struct MapPolicy {
    multisets: Arc<Multisets>,
    /// `maps[k - 1]`: between steps k and k + 1.
    maps: Arc<Vec<Arc<Decisions>>>,
    value: f64,
    lowest: f64,
    before_step: bool,
    remap: bool,
    is_under_way: bool,
}

impl MapPolicy {
    /// Solves the problem and stores every decision made while no remap is in progress.
    ///
    /// # Errors
    /// The halt that the observer requested.
    pub fn solve(
        problem: &LoadDrift,
        overlap: Overlap,
        (states, transition): (&States, &Transition),
        observer: &dyn Observer,
    ) -> Result<MapPolicy, Halt> {
        let (all, control) = ((states, transition), Control::Optimal);
        let mut backward = Backward::overlapping(problem, overlap, all, control, Carry::Value);
        let mut maps: Vec<Arc<Decisions>> = Vec::new();
        while backward.remaining() > 0 {
            backward.look_ahead(observer)?;
            backward.advance();
            let moment = backward.remaining() + 1;
            if moment < problem.steps {
                maps.push(match maps.last() {
                    Some(later) if **later == *backward.decisions() => later.clone(),
                    _ => Arc::new(backward.decisions().clone()),
                });
            }
            let done = problem.steps - backward.remaining();
            if let ControlFlow::Break(halt) = observer.progress(done, problem.steps) {
                return Err(halt);
            }
        }
        maps.reverse();
        Ok(MapPolicy {
            multisets: Arc::new(states.multisets().clone()),
            maps: Arc::new(maps),
            value: backward.value(),
            lowest: problem.lowest,
            before_step: problem.timing == Timing::BeforeStep,
            remap: false,
            is_under_way: false,
        })
    }

    /// The decisions between steps k and k + 1; `None` before the first step and after the last
    /// decision.
    pub fn at(&self, k: u64) -> Option<&Decisions> {
        self.maps.get((k as usize).wrapping_sub(1)).map(|map| &**map)
    }

    /// The exact value of the optimal policy.
    pub fn value(&self) -> f64 {
        self.value
    }
}

impl Policy for MapPolicy {
    fn observe(&mut self, step: &Step) {
        if self.is_under_way {
            return;
        }
        let moment = step.number() - u64::from(self.before_step);
        self.remap = self.at(moment).is_some_and(|map| {
            let level = |time: &f64| (time - self.lowest).round() as usize;
            let mut levels: Vec<usize> = step.times().iter().map(level).collect();
            levels.sort_unstable();
            map.remaps(self.multisets.rank(&levels))
        });
    }

    fn wants_remap(&self) -> bool {
        self.remap
    }

    fn begun(&mut self) {
        (self.remap, self.is_under_way) = (false, true);
    }

    fn remapped(&mut self) {
        (self.remap, self.is_under_way) = (false, false);
    }
}
