//! Walks on all loads from a lowest one up: countably many states `\[YXW03\]`, by truncation with
//! certified bounds.
//!
//! Once a process reaches the truncation level, the remaining cost lies between 0 and rho, since
//! the program may remap. With cost 0 there the solution bounds J from below, with cost rho from
//! above, on all remaining states. Levels are doubled until the bounds are close enough on the
//! requested states. Cost: two stopping problems per truncation level.

use super::state_dependent_costs::{Limits, Varying};
use crate::chain::ProcessChain;
use crate::chain::{BirthDeath, ChainError};
use crate::imbalance::Imbalance;
use crate::stopping::Decision;
use crate::stopping::state_space::states::{Process, States};
use crate::{Observer, Status};
use std::ops::ControlFlow;

/// Equal walks without a highest load.
#[derive(Debug, Clone, PartialEq)]
pub struct Unbounded {
    /// Number of processes.
    pub count: usize,
    /// The lowest load.
    pub lowest: i64,
    /// Probability of a unit more.
    pub up: f64,
    /// Probability of a unit less.
    pub down: f64,
    /// At the lowest load: whether a move down becomes a move up (reflection); otherwise the load
    /// stays.
    pub reflect: bool,
}

/// J on the lowest levels.
#[derive(Debug, Clone)]
pub struct Countable {
    /// The requested states.
    pub states: States,
    /// Lower bounds on J.
    pub lower: Vec<f64>,
    /// Upper bounds on J.
    pub upper: Vec<f64>,
    /// The decision in each state.
    pub decision: Vec<Decision>,
    /// Whether the bounds leave the decision open.
    pub ties: Vec<bool>,
    /// Levels kept of each process.
    pub levels: usize,
    /// All states kept.
    pub kept: States,
    /// Lower bounds on J in those.
    pub kept_lower: Vec<f64>,
    /// Upper bounds on J in those.
    pub kept_upper: Vec<f64>,
    /// Applications of the transition operator.
    pub applications: u64,
    /// How the computation ended.
    pub status: Status,
}

impl Unbounded {
    /// The states of the first levels, and of a last one that is absorbing.
    fn states(&self, levels: usize, imbalance: &Imbalance) -> Result<Cut, ChainError> {
        let (mut up, mut down) = (vec![self.up; levels + 1], vec![self.down; levels + 1]);
        (down[0], up[levels], down[levels]) = (0.0, 0.0, 0.0);
        if self.reflect {
            up[0] += self.down;
        }
        let chain = ProcessChain::BirthDeath(BirthDeath::new(up, down)?);
        let process = Process { lowest: self.lowest, chain };
        let same = |i, j| imbalance.same_capacity(i, j);
        States::independent(&vec![process; self.count], same)
    }

    /// J where every process is on its first `shown` levels, if a remap costs rho and ends the
    /// cost. Levels are added until the bounds are within `tolerance` of max(1, rho), or more than
    /// `most` states would be kept.
    ///
    /// # Errors
    /// Invalid probabilities, or too many states to count.
    pub fn solve(
        &self,
        imbalance: &Imbalance,
        rho: f64,
        shown: usize,
        (tolerance, most): (f64, usize),
        observer: &dyn Observer,
    ) -> Result<Countable, ChainError> {
        let (listed, _) = self.states(shown - 1, imbalance)?;
        let limits = Limits { tolerance: tolerance / 4.0, sweeps: 10_000_000 };
        let (mut levels, mut applications) = (2 * shown, 0);
        loop {
            let (states, _) = self.states(levels, imbalance)?;
            let cut_at = self.lowest + levels as i64;
            let cut = states.tabulate(|loads| f64::from(u8::from(loads.contains(&cut_at))));
            let side = |above: bool| -> Result<_, ChainError> {
                let (states, operator) = self.states(levels, imbalance)?;
                let costs = vec![rho; states.count()];
                let mut posed = Varying::new(&states, operator, imbalance, costs, None);
                // States at the truncation level are balanced, or cost a remap.
                posed.ends_at(&cut, if above { rho } else { 0.0 });
                Ok(posed.solve(&limits, observer))
            };
            let (below, above) = (side(false)?, side(true)?);
            applications += below.applications + above.applications;
            let place: Vec<usize> =
                (0..listed.count()).map(|s| states.find(&listed.loads(s)).expect("kept")).collect();
            let (lower, upper): (Vec<f64>, Vec<f64>) =
                place.iter().map(|&s| (below.lower[s], above.upper[s])).unzip();
            let width = lower.iter().zip(&upper).map(|(low, high)| high - low).fold(0.0, f64::max);
            let close = width <= tolerance * rho.max(1.0);
            let more = states.count().saturating_mul(1 << self.count.min(60)) > most;
            let status = match (close, observer.check()) {
                (true, _) => Status::Converged,
                (_, ControlFlow::Break(halt)) => halt.into(),
                _ if more => Status::IterationLimit,
                _ => {
                    levels *= 2;
                    continue;
                }
            };
            let sure = |s: usize| match (below.decision[s], above.decision[s]) {
                (Decision::Remap, _) if !below.ties[s] => Some(Decision::Remap),
                (_, Decision::Continue) if !above.ties[s] => Some(Decision::Continue),
                (Decision::Balanced, _) => Some(Decision::Balanced),
                _ => None,
            };
            return Ok(Countable {
                decision: place.iter().map(|&s| sure(s).unwrap_or(above.decision[s])).collect(),
                ties: place.iter().map(|&s| sure(s).is_none()).collect(),
                states: listed,
                lower,
                upper,
                levels,
                kept: states,
                kept_lower: below.lower,
                kept_upper: above.upper,
                applications,
                status,
            });
        }
    }
}

type Cut = (States, Box<dyn crate::chain::Operator>);
