//! The joint move of all processors, on multisets of levels.

use crate::chain::{ChainError, Effort, Exchangeable, Operator, Wanted};
use crate::communicator::Shares;
use crate::load_drift::{Lifted, ProcessChain, States, Work};

/// The transition operator of r equal processors.
pub enum Transition {
    /// For birth–death chains: on multisets, one process after another.
    Exchangeable(Box<Exchangeable>),
    /// For chains with any transition matrix: through the full tensor.
    Lifted(Box<Lifted>),
}

impl Transition {
    /// The joint move of `processors` chains.
    ///
    /// # Errors
    /// No processor, or more states than can be counted.
    pub fn new(chain: &ProcessChain, processors: usize) -> Result<Transition, ChainError> {
        Ok(match chain {
            ProcessChain::BirthDeath(chain) => {
                Transition::Exchangeable(Box::new(Exchangeable::new(chain.clone(), processors)?))
            }
            ProcessChain::Dense(chain) => {
                Transition::Lifted(Box::new(Lifted::new(chain.clone(), processors)?))
            }
        })
    }

    /// Number of multisets.
    pub fn states(&self) -> usize {
        match self {
            Transition::Exchangeable(operator) => operator.states(),
            Transition::Lifted(operator) => operator.states(),
        }
    }

    /// See [`Operator::rounding`].
    pub fn rounding(&self) -> f64 {
        match self {
            Transition::Exchangeable(operator) => operator.rounding(),
            Transition::Lifted(operator) => operator.rounding(),
        }
    }

    /// How many ranks can [share](Self::shares) it at most; `None` where nobody can.
    pub fn most_ranks(&self) -> Option<usize> {
        let Transition::Exchangeable(operator) = self else { return None };
        let many = operator.multisets().items() >= FEWEST;
        Some(operator.states() / States::BLOCK).filter(|blocks| many && *blocks > 0)
    }

    /// Partition of the states among ranks with nearly equal work, if all states are computed.
    /// Parts consist of whole words of decisions and list the states reached from them. `None`
    /// where sharing does not pay: fewer than three processors, few states, or chains that move by
    /// more than one level.
    pub fn shares(&self, ranks: usize) -> Option<Shares> {
        let Transition::Exchangeable(operator) = self else { return None };
        self.most_ranks().filter(|most| ranks <= *most)?;
        Some(blocks_of(operator, Effort::new(operator).starts(ranks, States::BLOCK)))
    }

    /// The same for a known distribution of work. `None` as there.
    pub fn shares_of(&self, ranks: usize, work: &Work) -> Option<Shares> {
        let (Transition::Exchangeable(operator), Some(even)) = (self, self.shares(ranks)) else {
            return None;
        };
        let blocks = operator.states() / States::BLOCK;
        Some(work.starts(ranks, blocks).map_or(even, |starts| blocks_of(operator, starts)))
    }

    /// Expectation over the next state, from the wanted states, of the function `v`. `out` holds no
    /// particular value in other states.
    pub fn apply_where(&self, wanted: &Wanted, v: &[f64], out: &mut [f64]) {
        match self {
            Transition::Exchangeable(operator) => operator.apply_where(wanted, v, out),
            Transition::Lifted(operator) => operator.apply_into(v, out),
        }
    }
}

/// The parts that begin with these words of decisions.
fn blocks_of(operator: &Exchangeable, mut starts: Vec<usize>) -> Shares {
    let last = starts.len() - 1;
    starts.iter_mut().for_each(|start| *start *= States::BLOCK);
    starts[last] = operator.states();
    let windows = starts.windows(2).map(|own| operator.needed(&(own[0]..own[1]))).collect();
    Shares::new(starts, windows)
}

/// With fewer processors than this, sharing does not pay.
const FEWEST: usize = 3;

/// How far one processor moves in one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::load_drift) struct Reach {
    /// Largest number of levels it moves, up or down.
    pub levels: usize,
    /// Least and largest expected move, over the levels.
    pub drift: (f64, f64),
    /// Largest variance of a move, over the levels.
    variance: f64,
}

impl Reach {
    pub fn of(chain: &ProcessChain) -> Reach {
        let mut reach =
            Reach { levels: 0, drift: (f64::INFINITY, f64::NEG_INFINITY), variance: 0.0 };
        for (from, row) in chain.rows().iter().enumerate() {
            let (mut drift, mut square) = (0.0, 0.0);
            for (to, &p) in row.iter().enumerate().filter(|(_, p)| **p > 0.0) {
                reach.levels = reach.levels.max(from.abs_diff(to));
                let step = to as f64 - from as f64;
                drift += p * step;
                square += p * step * step;
            }
            reach.variance = reach.variance.max(square - drift * drift);
            reach.drift = (reach.drift.0.min(drift), reach.drift.1.max(drift));
        }
        reach
    }

    /// Upper bound of E |t' - t| for the sum t of the levels of `processors` processors: the root
    /// of its mean square.
    pub fn total_distance(&self, processors: usize) -> f64 {
        let r = processors as f64;
        let drift = r * self.drift.0.abs().max(self.drift.1.abs());
        (r * self.variance + drift * drift).sqrt()
    }
}
