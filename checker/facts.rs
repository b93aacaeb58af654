//! What a model file says of itself, so that answers can be held against it.

use crate::core::budget::Refusal;
use crate::core::counts;
use crate::core::decimal::Number;
use crate::core::proof::Interval;
use crate::core::span::Span;
use crate::lifetime::Lifetime;
use crate::lifetime::remaining::Remaining;
use crate::load_drift::LoadDrift;
use crate::loads::{Cost, Processes};
use crate::many_phases::{Choice, ManyPhases};
use crate::periodic::{Bound, Periodic};
use crate::phase_change::horizon::{Hazard, Horizon, PhaseChange};
use crate::phase_switching::PhaseSwitching;
use crate::stopping::problem::Stopping;
use num_bigint::BigInt;
use num_traits::Zero;

/// One hazard, or one for each step.
pub type Hazards = Result<Interval, Vec<Interval>>;

/// What a model of a change of phase says.
#[derive(Debug, Clone, PartialEq)]
pub struct OfPhaseChange {
    /// M.
    pub last_step: u64,
    /// The false alarms and the missed changes of a detector that says yes or no, and the hazards: one, or one
    /// for each step.
    pub belief: Option<([Interval; 2], Hazards)>,
}

/// What a model of optimal stopping says.
#[derive(Debug, Clone, PartialEq)]
pub struct OfStopping {
    /// The levels of each process; or how many states are listed.
    pub shape: Vec<usize>,
    /// The lowest load of each process, unless states are listed.
    pub lowest: Vec<i64>,
    /// The listed states.
    pub loads: Vec<Vec<i64>>,
    /// What a remap costs by itself, at most.
    pub remap_cost: Interval,
    /// How that depends on the loads: a fixed part and one for each unit moved, or one for each listed state.
    pub cost_by_state: Option<Result<[Interval; 2], Vec<Interval>>>,
    /// After how many steps the computation ends.
    pub steps: Option<u64>,
    /// Whether a remap may move any number of units.
    pub partial: bool,
    /// Whether there are no highest loads: the levels are those that are shown.
    pub unbounded: bool,
}

/// What a model of drifting loads says.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct OfLoadDrift {
    pub processors: u64,
    pub lowest: i64,
    pub levels: u64,
    pub initial_load: i64,
    pub steps: u64,
    /// The most that a remap costs.
    pub remap_cost: Interval,
    /// Its fixed part and that of each unit moved, if it is made of these.
    pub cost_by_state: Option<[Interval; 2]>,
    /// Multisets of levels.
    pub states: Interval,
}

/// What a model of periodic remaps says.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct OfPeriodic {
    pub processors: u64,
    pub initial_load: Interval,
    pub bound: Option<Interval>,
    /// Whether the bound is one on the root of all squares.
    pub of_squares: bool,
    /// By how much the mean load changes in a step.
    pub change: Interval,
    pub remap_cost: Option<Interval>,
    pub periods: Option<u64>,
}

/// What a model of recurring phases says.
#[derive(Debug, Clone, PartialEq)]
pub struct OfPhaseSwitching {
    /// M, if there is an end.
    pub last_step: Option<u64>,
    /// The belief at the start.
    pub initial: Interval,
    /// The chances that the first phase ends, and the second.
    pub rates: [Interval; 2],
    /// Those of each report, in the first phase and in the second.
    pub reports: Vec<[Interval; 2]>,
}

/// What a model of any number of phases says.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct OfManyPhases {
    pub phases: usize,
    pub reports: usize,
    /// M, if there is an end; otherwise the discount is given.
    pub last_step: Option<u64>,
    pub discount: Option<Interval>,
    pub fitted: bool,
}

/// The last step of a program that ends.
fn last_of(lifetime: Option<&Lifetime>) -> Result<Option<u64>, Refusal> {
    lifetime.map(|law| Ok(Remaining::new(law)?.last)).transpose()
}

/// Doubles around a decimal number.
fn around(number: &Number) -> Interval {
    Span::from(&number.0).reals().into()
}

impl PhaseChange {
    /// What it says.
    pub fn facts(&self) -> Result<OfPhaseChange, Refusal> {
        let hazard = match &self.hazard {
            Hazard::Constant(hazard) => Ok(around(hazard)),
            Hazard::PerStep(list) => Err(list.iter().map(around).collect()),
        };
        let binary = self.detector.binary.as_ref();
        let belief = binary.map(|errors| (errors.each_ref().map(around), hazard));
        Ok(OfPhaseChange { last_step: Horizon::new(self)?.remaining.last, belief })
    }
}

impl Stopping {
    /// What it says.
    pub fn facts(&self) -> Result<OfStopping, Refusal> {
        let (steps, partial) = (self.model.steps, self.model.partial_remaps);
        let unbounded = self.walks.is_some();
        let cost_by_state = match &self.model.remap_cost {
            Cost::Constant(_) => None,
            Cost::Moved(parts) => Some(Ok(parts.each_ref().map(around))),
            Cost::Listed(list) => Some(Err(list.iter().map(around).collect())),
        };
        let dearest = self.costs()?.0.into_iter().max();
        let remap_cost = dearest.map_or((0.0, 0.0), |cost| Span::from(&cost).reals()).into();
        if let Processes::Joint { loads, .. } = &self.model.processes {
            let (shape, loads) = (vec![loads.len()], loads.clone());
            let lowest = Vec::new();
            return Ok(OfStopping {
                shape,
                lowest,
                loads,
                remap_cost,
                cost_by_state,
                steps,
                partial,
                unbounded,
            });
        }
        let equal = self.model.processes.equal(&self.model.capacities())?;
        let processes = equal.iter().map(|(members, _)| members.len()).sum();
        let (mut shape, mut lowest) = (vec![0; processes], vec![0; processes]);
        for (members, (low, rows)) in equal {
            for i in members {
                (shape[i], lowest[i]) = (rows.len(), low);
            }
        }
        Ok(OfStopping {
            shape,
            lowest,
            loads: Vec::new(),
            remap_cost,
            cost_by_state,
            steps,
            partial,
            unbounded,
        })
    }
}

impl LoadDrift {
    /// What it says.
    pub fn facts(&self) -> Result<OfLoadDrift, Refusal> {
        let levels = self.chain.levels() as u64;
        // C(processors + levels - 1, processors)
        let (more, fewer) = (levels.saturating_sub(1), self.processors as u64);
        let (more, fewer) = (more.max(fewer), more.min(fewer));
        let states = (1..=fewer).fold(BigInt::from(1), |all, i| all * (more + i) / i);
        let [fixed, each] = self.costs()?;
        let (dearest, parts) = match each.is_zero() {
            true => (fixed, None),
            false => {
                let most = self.states()?.1.into_iter().max().unwrap_or(0);
                let parts = [&fixed, &each].map(|part| Span::from(part).reals().into());
                (&fixed + &each * BigInt::from(most), Some(parts))
            }
        };
        Ok(OfLoadDrift {
            processors: self.processors as u64,
            lowest: self.chain.rows()?.0,
            levels,
            initial_load: self.initial_load,
            steps: self.steps,
            remap_cost: Span::from(&dearest).reals().into(),
            cost_by_state: parts,
            states: counts::around(&states),
        })
    }
}

impl Periodic {
    /// What it says.
    pub fn facts(&self) -> OfPeriodic {
        let bound =
            self.bound.as_ref().map(|(Bound::MaxDeviation(own) | Bound::RmsDeviation(own))| own);
        OfPeriodic {
            processors: self.count(),
            initial_load: around(&self.initial_load),
            bound: bound.map(around),
            of_squares: matches!(self.bound, Some(Bound::RmsDeviation(_))),
            change: Span::from(&self.change()).reals().into(),
            remap_cost: self.remap_cost.as_ref().map(|cost| around(&cost.0)),
            periods: self.periods,
        }
    }
}

impl PhaseSwitching {
    /// What it says.
    pub fn facts(&self) -> Result<OfPhaseSwitching, Refusal> {
        let reports = self.detector.reports.iter();
        Ok(OfPhaseSwitching {
            last_step: last_of(self.lifetime.as_ref())?,
            initial: self.initial.as_ref().map_or((0.0, 0.0).into(), around),
            rates: [around(&self.rates.to_second), around(&self.rates.to_first)],
            reports: reports
                .map(|both| both.each_ref().map(|chance| Span::from(chance).reals().into()))
                .collect(),
        })
    }
}

impl ManyPhases {
    /// What it says.
    pub fn facts(&self) -> Result<OfManyPhases, Refusal> {
        Ok(OfManyPhases {
            phases: self.cycle.len(),
            reports: self.reports_made(),
            last_step: last_of(self.lifetime.as_ref())?,
            discount: self.discount.as_ref().map(around),
            fitted: self.remap == Choice::Fitted,
        })
    }
}
