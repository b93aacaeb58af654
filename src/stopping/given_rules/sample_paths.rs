//! Simulation of a long computation that continues after every remap, for joint chains and any
//! policy.
//!
//! Also evaluates the optimal policy and given ones by backward induction: O(steps x applications
//! of P).

use crate::chain::{Operator, Successors};
use crate::policy::{Policy, Step};
use crate::simulate::{Stream, Workload, simulated};
use crate::stopping::States;
use rand::RngExt;
use std::collections::HashSet;
use std::sync::Arc;

/// Sample paths of a chain of load vectors. A remap is possible before each step but the first, as
/// in [`long_run`](crate::stopping::long_run()): a remapped step is made with the loads that the
/// remap leads to.
pub struct Course {
    successors: Vec<Successors>,
    loads: Vec<Vec<f64>>,
    back: Vec<usize>,
    remap_cost: f64,
    start: usize,
    steps: u64,
}

/// The random number of the current step of a path.
pub struct Draw {
    stream: Stream,
    number: f64,
}

impl Course {
    /// A computation of `steps` steps from state `start`; `back` is as in
    /// [`rebalanced`](crate::stopping::rebalanced).
    ///
    /// # Panics
    /// Unless `rows` and `back` have one entry for each state.
    pub fn new(
        states: &States,
        rows: &[Vec<f64>],
        back: Vec<usize>,
        (remap_cost, start, steps): (f64, usize, u64),
    ) -> Course {
        assert!(rows.len() == states.count() && back.len() == rows.len());
        let successors = |row: &Vec<f64>| Successors::new(row.iter().copied().enumerate());
        let loads = |s: usize| states.loads(s).iter().map(|load| *load as f64).collect();
        Course {
            successors: rows.iter().map(successors).collect(),
            loads: (0..rows.len()).map(loads).collect(),
            back,
            remap_cost,
            start,
            steps,
        }
    }

    /// By step: the states in which the optimal policy remaps before it. Exact up to rounding.
    pub fn optimal(&self, operator: &dyn Operator) -> Vec<Arc<Vec<bool>>> {
        let mut maps: Vec<Arc<Vec<bool>>> = Vec::new();
        let pays = |_, _, [go, remap]: [f64; 2]| remap < go;
        self.backward(operator, pays, |map| {
            let same = maps.last().filter(|last| ***last == map).cloned();
            maps.push(same.unwrap_or_else(|| Arc::new(map)));
        });
        maps.reverse();
        maps
    }

    /// The expected cost of a policy that remaps in these states whenever it may. Exact up to
    /// rounding.
    pub fn cost(&self, operator: &dyn Operator, remaps: &dyn Fn(u64, usize) -> bool) -> f64 {
        self.backward(operator, |step, s, _| remaps(step, s), |_| ())
    }

    /// Backward induction. `remaps` decides before a step in a state, from the costs of continuing
    /// and of remapping; `visit` receives its decisions, those of the last step first. Returns the
    /// cost from the start.
    fn backward(
        &self,
        operator: &dyn Operator,
        remaps: impl Fn(u64, usize, [f64; 2]) -> bool,
        mut visit: impl FnMut(Vec<bool>),
    ) -> f64 {
        let n = self.loads.len();
        let cost = |loads: &Vec<f64>| Step::new(1, loads.clone()).imbalance();
        let psi: Vec<f64> = self.loads.iter().map(cost).collect();
        let (mut v, mut go) = (vec![0.0; n], vec![0.0; n]);
        for step in (1..=self.steps).rev() {
            operator.apply_into(&v, &mut go);
            go.iter_mut().zip(&psi).for_each(|(go, psi)| *go += psi);
            let remap = |s: usize| self.remap_cost + go[self.back[s]];
            let decide = |s: usize| step > 1 && remaps(step, s, [go[s], remap(s)]);
            let map: Vec<bool> = (0..n).map(decide).collect();
            for s in 0..n {
                v[s] = if map[s] { remap(s) } else { go[s] };
            }
            visit(map);
        }
        v[self.start]
    }
}

simulated!(Course);

impl Workload for Course {
    type World = Draw;
    type Mapping = usize;

    fn steps(&self) -> u64 {
        self.steps
    }

    fn remap_cost(&self) -> f64 {
        self.remap_cost
    }

    fn decides_before_step(&self) -> bool {
        true
    }

    fn start(&self, stream: Stream) -> Draw {
        Draw { stream, number: 0.0 }
    }

    fn initial(&self, _world: &mut Draw) -> usize {
        self.start
    }

    fn advance(&self, world: &mut Draw) {
        world.number = world.stream.random();
    }

    fn follow(&self, world: &Draw, state: &mut usize) {
        *state = self.successors[*state].at(world.number);
    }

    fn loads(&self, _world: &Draw, state: &usize, loads: &mut Vec<f64>) {
        loads.clear();
        loads.extend(&self.loads[*state]);
    }

    fn remap(&self, _world: &Draw, state: &mut usize) {
        *state = self.back[*state];
    }
}

/// Load vectors.
type List = HashSet<Vec<i64>>;

/// A decision map as a rule: it remaps in the load vectors of a list, one list for all steps or one
/// per step.
#[derive(Debug, Clone)]
pub struct MapRule {
    /// The last list applies to all later steps.
    remaps: Arc<Vec<Arc<List>>>,
    now: bool,
}

impl MapRule {
    /// The load vectors in which to remap.
    pub fn new(remaps: impl IntoIterator<Item = Vec<i64>>) -> MapRule {
        MapRule::by_step(vec![Arc::new(remaps.into_iter().collect())])
    }

    /// By step, from the first on: the load vectors in which to remap before it. The last list
    /// applies to all later steps.
    ///
    /// # Panics
    /// If `remaps` is empty.
    pub fn by_step(remaps: Vec<Arc<HashSet<Vec<i64>>>>) -> MapRule {
        assert!(!remaps.is_empty());
        MapRule { remaps: Arc::new(remaps), now: false }
    }
}

impl Policy for MapRule {
    fn observe(&mut self, step: &Step) {
        let loads: Vec<i64> = step.times().iter().map(|time| time.round() as i64).collect();
        let step = (step.number() as usize).clamp(1, self.remaps.len());
        self.now = self.remaps[step - 1].contains(&loads);
    }

    fn wants_remap(&self) -> bool {
        self.now
    }

    fn remapped(&mut self) {
        self.now = false;
    }
}
