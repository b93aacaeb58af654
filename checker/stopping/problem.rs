//! An optimal-stopping model, its states and their costs.

use super::moved;
use crate::core::budget::{Refusal, model_error};
use crate::core::decimal::Number;
use crate::core::span::Span;
use crate::core::written;
use crate::loads::chains::unbounded::Unbounded;
use crate::loads::imbalance::{Imbalance, RunningCost};
use crate::loads::states::space::Space;
use crate::loads::{Cost, Processes};
use num_rational::BigRational;
use num_traits::One;

written! {
    pub struct Written {
        pub processes: Processes, pub capacities: Option<Vec<Number>>,
        #[serde(default)] pub running_cost: RunningCost, pub remap_cost: Cost, pub after_remap: After,
        pub steps: Option<u64>, #[serde(default)] pub partial_remaps: bool
    }
    pub enum After { Stop, Uniform, Restart }
}

/// A model of optimal stopping.
pub struct Stopping {
    pub(crate) model: Written,
    /// Present if loads have no upper limit; `model` is then that of the levels that are shown.
    pub(crate) walks: Option<Unbounded>,
    /// `None` if there are too many states to visit each.
    pub(super) all: Option<(Imbalance, Space)>,
}

impl Written {
    /// The capacities that the model states.
    pub fn capacities(&self) -> Vec<BigRational> {
        self.capacities.iter().flatten().map(|c| c.0.clone()).collect()
    }

    /// The running cost for this number of processes.
    pub fn imbalance(&self, processes: usize) -> Result<Imbalance, Refusal> {
        let given = self.capacities.is_some().then(|| self.capacities());
        let capacities = given.unwrap_or_else(|| vec![BigRational::one(); processes]);
        if capacities.len() != processes {
            return model_error("a capacity is missing");
        }
        Imbalance::new(self.running_cost.clone(), &capacities)
    }

    /// Checks the remap cost and the number of steps against the other fields.
    pub(super) fn review(&self) -> Result<(), Refusal> {
        let listed = match (&self.remap_cost, &self.processes) {
            (Cost::Listed(list), Processes::Joint { loads, .. }) => list.len() == loads.len(),
            (Cost::Listed(_), _) => false,
            _ => true,
        };
        let varied = self.steps.is_some() || !matches!(self.remap_cost, Cost::Constant(_));
        let steps = self.steps.is_none_or(|steps| (1..=10_000_000).contains(&steps));
        let whole = !self.partial_remaps || self.goes_on_in_part();
        if listed && steps && whole && !(varied && self.after_remap == After::Uniform) {
            return Ok(());
        }
        model_error("the cost of a remap, or the number of steps, does not go with the rest")
    }
}

impl Stopping {
    /// The costs of states, and the states.
    pub(crate) fn parts(&self) -> Result<&(Imbalance, Space), Refusal> {
        self.all.as_ref().ok_or(Refusal::TooLarge)
    }

    /// All states, in the order of a certificate.
    pub fn space(&self) -> Result<&Space, Refusal> {
        self.parts().map(|(_, space)| space)
    }

    /// The distinct costs of a remap, and the index of the cost of each state; the second list is
    /// empty for a single cost.
    pub(crate) fn costs(&self) -> Result<(Vec<BigRational>, Vec<usize>), Refusal> {
        match &self.model.remap_cost {
            Cost::Constant(cost) => Ok((vec![cost.0.clone()], Vec::new())),
            Cost::Listed(list) => {
                Ok((list.iter().map(|cost| cost.0.clone()).collect(), (0..list.len()).collect()))
            }
            Cost::Moved([fixed, each]) => moved::costs(self, [&fixed.0, &each.0]),
        }
    }

    /// Bounds on the cost of a remap in each state, in units of 2^-bits.
    pub(crate) fn rho(&self, bits: u32) -> Result<impl Fn(usize) -> [u64; 2], Refusal> {
        let (costs, of) = self.costs()?;
        let units = costs.iter().map(|cost| Span::from(cost).units(bits));
        let rho = units.collect::<Result<Vec<[u64; 2]>, Refusal>>()?;
        Ok(move |s: usize| rho[of.get(s).map_or(0, |of| *of)])
    }
}
