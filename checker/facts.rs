//! The parameters that a model file states, so that answers can be compared with them.

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

/// One hazard for all steps, or one for each step.
pub type Hazards = Result<Interval, Vec<Interval>>;

/// The parameters of a phase-change model.
#[derive(Debug, Clone, PartialEq)]
pub struct OfPhaseChange {
    /// M, the last step.
    pub last_step: u64,
    /// The false-alarm and missed-change probabilities of a detector that says yes or no, and the
    /// hazards.
    pub belief: Option<([Interval; 2], Hazards)>,
}

/// The parameters of an optimal-stopping model.
#[derive(Debug, Clone, PartialEq)]
pub struct OfStopping {
    /// The number of levels of each process; or the number of states where they are listed.
    pub shape: Vec<usize>,
    /// The lowest load of each process, unless states are listed.
    pub lowest: Vec<i64>,
    /// The loads of each listed state.
    pub loads: Vec<Vec<i64>>,
    /// The largest cost of a remap.
    pub remap_cost: Interval,
    /// The cost of a remap by load: a fixed part and a part for each unit moved, or a cost for each
    /// listed state.
    pub cost_by_state: Option<Result<[Interval; 2], Vec<Interval>>>,
    /// The number of steps of a computation that ends.
    pub steps: Option<u64>,
    /// Whether a remap may move any number of units.
    pub partial: bool,
    /// Whether loads have no upper limit; then `shape` counts only the levels that are shown.
    pub unbounded: bool,
}

/// The parameters of a load-drift model.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct OfLoadDrift {
    pub processors: u64,
    pub lowest: i64,
    pub levels: u64,
    pub initial_load: i64,
    pub steps: u64,
    /// The largest cost of a remap.
    pub remap_cost: Interval,
    /// The fixed part of that cost and the part for each unit moved, if the model states these.
    pub cost_by_state: Option<[Interval; 2]>,
    /// The number of states, which are multisets of levels.
    pub states: Interval,
}

/// The parameters of a model of periodic remaps.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct OfPeriodic {
    pub processors: u64,
    pub initial_load: Interval,
    pub bound: Option<Interval>,
    /// Whether the bound is on the root mean square of the deviations.
    pub of_squares: bool,
    /// The mean change of the mean load in a step.
    pub change: Interval,
    pub remap_cost: Option<Interval>,
    pub periods: Option<u64>,
}

/// The parameters of a model of recurring phases.
#[derive(Debug, Clone, PartialEq)]
pub struct OfPhaseSwitching {
    /// M, the last step, for a program that ends.
    pub last_step: Option<u64>,
    /// The belief at the start.
    pub initial: Interval,
    /// The probabilities per step that the first phase ends, and that the second does.
    pub rates: [Interval; 2],
    /// The probability of each observation in the first phase and in the second.
    pub reports: Vec<[Interval; 2]>,
}

/// The parameters of a model with any number of phases.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct OfManyPhases {
    pub phases: usize,
    pub reports: usize,
    /// M, the last step, for a program that ends; other programs have a discount instead.
    pub last_step: Option<u64>,
    pub discount: Option<Interval>,
    pub fitted: bool,
}

/// The last step of a program that ends.
fn last_of(lifetime: Option<&Lifetime>) -> Result<Option<u64>, Refusal> {
    lifetime.map(|law| Ok(Remaining::new(law)?.last)).transpose()
}

/// Doubles that enclose a decimal number.
fn around(number: &Number) -> Interval {
    Span::from(&number.0).reals().into()
}

impl PhaseChange {
    /// The parameters of the model.
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
    /// The parameters of the model.
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
        let equal = self.model.processes.equal(&self.model.capacities())?;
        let processes = equal.iter().map(|(members, _)| members.len()).sum();
        let (mut shape, mut lowest, mut states) =
            (vec![0; processes], vec![0; processes], Vec::new());
        for (members, (low, rows)) in equal {
            for i in members {
                (shape[i], lowest[i]) = (rows.len(), low);
            }
        }
        if let Processes::Joint { loads, .. } = &self.model.processes {
            (shape, states) = (vec![loads.len()], loads.clone());
        }
        Ok(OfStopping {
            shape,
            lowest,
            loads: states,
            remap_cost,
            cost_by_state,
            steps,
            partial,
            unbounded,
        })
    }
}

impl LoadDrift {
    /// The parameters of the model.
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
    /// The parameters of the model.
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
    /// The parameters of the model.
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
    /// The parameters of the model.
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
