//! The phase-change problem: one change of phase, a fallible detector, one remap that pays [NR86,
//! NR90].

use crate::Rational;
use crate::belief::{Level, Levels, LevelsError};
use crate::lifetime::Lifetime;
use crate::rounding::{nearest, scaled};
use dashu_base::BitTest;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Hazard of the change: its probability between one step and the next, given that it has not
/// occurred. Exact in a problem, in doubles in a running program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hazard<Chance = Rational> {
    /// The same at every step: a geometric time of change.
    Constant(Chance),
    /// `h[n-1]` acts between step n-1 and step n, n = 1..=M.
    PerStep(Vec<Chance>),
}

impl<Chance> Hazard<Chance> {
    /// The same hazards in another number type.
    pub(crate) fn map<Other>(&self, mut of: impl FnMut(&Chance) -> Other) -> Hazard<Other> {
        match self {
            Hazard::Constant(h) => Hazard::Constant(of(h)),
            Hazard::PerStep(list) => Hazard::PerStep(list.iter().map(of).collect()),
        }
    }

    /// All distinct entries: a constant hazard once.
    pub(crate) fn all(&self) -> &[Chance] {
        match self {
            Hazard::Constant(h) => std::slice::from_ref(h),
            Hazard::PerStep(list) => list,
        }
    }

    /// The hazard between step `n - 1` and step `n`, n >= 1; `None` beyond the end of a list.
    pub fn at(&self, n: u64) -> Option<&Chance> {
        match self {
            Hazard::Constant(h) => Some(h),
            Hazard::PerStep(list) => list.get(n as usize - 1),
        }
    }
}

/// What happens when the program is remapped before the phase has changed.
#[derive(Debug, Clone, PartialEq)]
pub enum Premature {
    /// The remap is detected and reverted; decisions continue with p = 0.
    Revert,
    /// The new mapping stays, and no further decision is taken [NR90, footnote 2].
    Keep {
        /// Mean cycle time of the new mapping before the change, e_P >= e_F.
        before_remapped: Rational,
    },
}

/// The parameters, as exact rationals. All times share one unit.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseChange {
    /// Distribution of the number of cycles N; M is its greatest value.
    pub lifetime: Lifetime,
    /// Hazard of the change.
    pub hazard: Hazard,
    /// Mean cycle time before the change, old mapping: e_F.
    pub before: Rational,
    /// Mean cycle time after the change, old mapping: e_B.
    pub after: Rational,
    /// Mean cycle time after the change, new mapping: e_R.
    pub remapped: Rational,
    /// Cost of finding a new mapping, paid at every attempt: D_d >= 0.
    pub test: Rational,
    /// Cost of installing it, paid if the change has occurred: D_r >= 0.
    pub install: Rational,
    /// Distribution of the detector's observation before and after the change.
    pub detector: Levels,
    /// Consequence of a premature remap.
    pub premature: Premature,
}

/// Why a problem is rejected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// A probability lies outside \[0, 1\].
    #[error("the {0} lies outside [0, 1]")]
    NotAProbability(&'static str),
    /// The observations have no valid distribution.
    #[error(transparent)]
    Detector(#[from] LevelsError),
    /// A delay is negative.
    #[error("the {0} delay is negative")]
    NegativeDelay(&'static str),
    /// e_P < e_F: the new mapping is better even before the change, and thresholds need not exist.
    #[error("the new mapping is faster than the old one before the change (e_P < e_F)")]
    ReversedPremature,
    /// The hazard list must have one entry per step 1..=M.
    #[error("{found} hazards are given for {expected} steps")]
    HazardLength {
        /// Entries given.
        found: usize,
        /// Entries needed, M.
        expected: u64,
    },
}

impl PhaseChange {
    /// Checks the assumptions of the theory: probabilities in range, nonnegative costs, e_P >= e_F.
    pub fn validate(&self) -> Result<(), ProblemError> {
        let probability = |value: &Rational| *value >= Rational::ZERO && *value <= Rational::ONE;
        if let Hazard::PerStep(list) = &self.hazard
            && list.len() as u64 != self.lifetime.last()
        {
            let expected = self.lifetime.last();
            return Err(ProblemError::HazardLength { found: list.len(), expected });
        }
        if !self.hazard.all().iter().all(probability) {
            return Err(ProblemError::NotAProbability("hazard"));
        }
        if self.test < Rational::ZERO {
            return Err(ProblemError::NegativeDelay("test"));
        }
        if self.install < Rational::ZERO {
            return Err(ProblemError::NegativeDelay("install"));
        }
        match &self.premature {
            Premature::Keep { before_remapped } if *before_remapped < self.before => {
                Err(ProblemError::ReversedPremature)
            }
            _ => Ok(()),
        }
    }

    /// M, the last decision step.
    pub fn last_step(&self) -> u64 {
        self.lifetime.last()
    }

    /// G = e_B - e_R: time that a remap after the change saves per cycle.
    pub fn gain(&self) -> Rational {
        &self.after - &self.remapped
    }

    /// e_P - e_F, if a premature remap lasts.
    pub(crate) fn regret(&self) -> Option<Rational> {
        match &self.premature {
            Premature::Revert => None,
            Premature::Keep { before_remapped } => Some(before_remapped - &self.before),
        }
    }

    /// h_n, the hazard between step n-1 and step n; 0 outside 1..=M.
    pub fn hazard_exact(&self, n: u64) -> Rational {
        let within = (1..=self.last_step()).contains(&n);
        let hazard = within.then(|| self.hazard.at(n)).flatten();
        hazard.cloned().unwrap_or(Rational::ZERO)
    }
}

/// Range of costs (relative to the gain) and of probabilities within which intermediate results
/// neither overflow nor underflow.
const COMFORTABLE: [f64; 2] = [1e-90, 1e90];

/// Costs above this many gains act as infinite: no horizon is that long, unless they depend on the
/// belief.
const DEAREST: f64 = 1e300;

fn is_comfortable(value: f64) -> bool {
    let [least, most] = COMFORTABLE;
    value == 0.0 || (least..=most).contains(&value.abs())
}

/// A power of two that serves as the unit of cost: the gain to within a factor of 2. It keeps the
/// costs that determine the thresholds near 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unit {
    exponent: i32,
}

impl Unit {
    /// One, unless some cost is very large or very small.
    pub(crate) fn of(problem: &PhaseChange) -> Unit {
        let gain = problem.gain();
        let costs = [nearest(&gain), nearest(&problem.test), nearest(&problem.install)];
        let regret = problem.regret().map_or(0.0, |regret| nearest(&regret));
        if gain == Rational::ZERO || costs.iter().chain([&regret]).all(|c| is_comfortable(*c)) {
            return Unit { exponent: 0 };
        }
        let bits = |length: usize| length as i32;
        let exponent = bits(gain.numerator().bit_len()) - bits(gain.denominator().bit_len());
        Unit { exponent }
    }

    /// The problem with its costs in this unit.
    fn measure<'a>(self, problem: &'a PhaseChange) -> Cow<'a, PhaseChange> {
        if self.exponent == 0 {
            return Cow::Borrowed(problem);
        }
        let factor = Rational::from(2).pow(-self.exponent as isize);
        let mut measured = problem.clone();
        if let Premature::Keep { before_remapped } = &mut measured.premature {
            *before_remapped *= &factor;
        }
        let PhaseChange { before, after, remapped, test, install, .. } = &mut measured;
        for cost in [before, after, remapped, test, install] {
            *cost *= &factor;
        }
        Cow::Owned(measured)
    }

    /// A number of these units as a double. In two factors, since the unit itself may be out of
    /// range.
    pub(crate) fn times(self, number: f64) -> f64 {
        let half = self.exponent / 2;
        number * 2f64.powi(half) * 2f64.powi(self.exponent - half)
    }
}

/// The factors of one backward step, in doubles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cycle {
    /// s_n.
    pub survival: f64,
    /// 1 - s_n.
    pub failure: f64,
    /// h_{n+1}.
    pub hazard: f64,
    /// 1 - h_{n+1}.
    pub quiet: f64,
}

impl Cycle {
    /// s (1 - h): the factor of a constant in one step.
    pub(crate) fn discount(&self) -> f64 {
        self.survival * self.quiet
    }

    /// 1 - s (1 - h), without the cancellation.
    pub(crate) fn killed(&self) -> f64 {
        self.failure + self.survival * self.hazard
    }
}

/// The probabilities of an observation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Report {
    /// Before the change.
    pub before: f64,
    /// After it.
    pub after: f64,
    /// The former over the latter, at most the greatest double; 0 if both are 0.
    pub ratio: f64,
}

impl Report {
    fn new(level: &Level) -> Report {
        let (before, after) = (nearest(&level.before), nearest(&level.after));
        let ratio = match level.after == Rational::ZERO {
            true if level.before == Rational::ZERO => 0.0,
            true => f64::MAX,
            // The ratio must not show underflow of either probability.
            false if is_comfortable(before) && is_comfortable(after) => before / after,
            false => nearest(&(&level.before / &level.after)).min(f64::MAX),
        };
        Report { before, after, ratio }
    }
}

/// The parameters in doubles, each the nearest to its exact value.
#[derive(Debug, Clone)]
pub(crate) struct InDoubles {
    pub gain: f64,
    pub test: f64,
    pub delay: f64,
    /// The observations, the strongest sign of a change first.
    pub reports: Vec<Report>,
    /// e_P - e_F for `Keep`.
    pub regret: Option<f64>,
    /// Bound on the excess of the true regret over `regret`, which is limited to [`DEAREST`].
    pub dearer: f64,
    pub before: f64,
    pub remapped: f64,
    /// Bound on the effect of underflow on a value in one step, in units of cost or of cost per
    /// odds. 0 if no probability or cost is outside the comfortable range.
    pub underflow: f64,
    /// h_n and 1 - h_n.
    hazard: Hazard<(f64, f64)>,
    /// For each entry of a list of hazards the first index of its run of equal entries; empty for a
    /// constant hazard.
    runs: Vec<u64>,
}

/// Covers sums of at most 1e20 gains times odds of at most 1e150, and the underflow of their
/// factors.
const UNDERFLOW: f64 = 1e-130;

impl InDoubles {
    pub(crate) fn new(problem: &PhaseChange) -> InDoubles {
        let complement = |p: &Rational| nearest(&(Rational::ONE - p));
        let pair = |p: &Rational| (nearest(p), complement(p));
        let hazard = problem.hazard.map(pair);
        let mut runs: Vec<u64> = Vec::new();
        if let Hazard::PerStep(list) = &problem.hazard {
            for (at, h) in list.iter().enumerate() {
                let run_goes_on = at > 0 && *h == list[at - 1];
                runs.push(if run_goes_on { runs[at - 1] } else { at as u64 });
            }
        }
        let gain = nearest(&problem.gain());
        let (test, delay) = (nearest(&problem.test), nearest(&(&problem.test + &problem.install)));
        let regret = problem.regret().map(|regret| nearest(&regret));
        let reports: Vec<Report> = problem.detector.distinct().iter().map(Report::new).collect();
        let chances = reports.iter().flat_map(|report| [report.before, report.after]);
        let chances = chances
            .chain(hazard.all().iter().flat_map(|(h, quiet)| [*h, *quiet]))
            .chain([problem.lifetime.least_chance()]);
        let costs = [gain, test, delay, regret.unwrap_or(0.0)];
        let underflow = match chances.chain(costs).all(is_comfortable) {
            true => 0.0,
            false => UNDERFLOW,
        };
        InDoubles {
            gain,
            test,
            delay,
            reports,
            regret,
            dearer: 0.0,
            underflow,
            before: nearest(&problem.before),
            remapped: nearest(&problem.remapped),
            hazard,
            runs,
        }
    }

    /// The parameters with costs in `unit`, except the cycle times before the change and after a
    /// remap. Those are not part of the recursion.
    pub(crate) fn measured(problem: &PhaseChange, unit: Unit) -> InDoubles {
        let measured = InDoubles::new(&unit.measure(problem));
        let (before, remapped) = (nearest(&problem.before), nearest(&problem.remapped));
        let (test, delay) = (measured.test.min(DEAREST), measured.delay.min(DEAREST));
        let regret = measured.regret.map(|regret| regret.min(DEAREST));
        // Close to p = 1 even a cost beyond the limit may be worth its probability.
        let beyond = measured.regret.map_or(0.0, |regret| regret - regret.min(DEAREST));
        let dearer = if beyond > 0.0 { scaled::<true>(beyond) } else { 0.0 };
        InDoubles { test, delay, regret, dearer, before, remapped, ..measured }
    }

    /// The factors of the backward step from n+1 to n.
    pub(crate) fn cycle(&self, lifetime: &Lifetime, n: u64) -> Cycle {
        let (survival, failure) = (lifetime.continuation(n), lifetime.failure_rate(n));
        let (hazard, quiet) = match n < lifetime.last() {
            true => *self.hazard.at(n + 1).expect("a hazard for each step"),
            false => (0.0, 1.0),
        };
        Cycle { survival, failure, hazard, quiet }
    }

    /// The least m such that the backward steps into m, ..., n have equal factors.
    pub(crate) fn constant_from(&self, lifetime: &Lifetime, n: u64) -> u64 {
        let by_lifetime = lifetime.constant_from(n);
        match self.runs.get(n as usize) {
            _ if n >= lifetime.last() => n,
            None => by_lifetime,
            Some(start) => by_lifetime.max(*start),
        }
    }
}
