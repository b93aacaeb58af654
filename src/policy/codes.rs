//! Rules of production codes: when a code looks, what it compares, and with what.
//!
//! After step k (from 1) a code remaps iff k is one of `first`, `first + every`, ...; at least
//! `rest` steps have passed since its last remap; and its statistic of the times of step k exceeds
//! its level. [`Code::trigger`] is the only place that says so for a code:
//! [`Trials`](crate::simulate::Trials) and recorded runs simulate the same [`Trigger`].
//!
//! ```
//! use remapping::policy::{Policy, Rule, Step};
//! // DARMA/vt looks after phases 1, 4, 7, ... of 0, 1, ..., and leaves max/mean up to 1.03 alone.
//! let mut policy = "vt:3".parse::<Rule>()?.start(2.0);
//! let mut wants = |times: [f64; 2]| {
//!     policy.observe(&Step::new(1, times.to_vec()));
//!     policy.wants_remap()
//! };
//! assert_eq!([wants([1.0, 2.0]), wants([1.0, 2.0]), wants([1.0, 2.0])], [false, true, false]);
//! assert_eq!([wants([1.0, 2.0]), wants([1.0, 1.05])], [false, false]);
//! # Ok::<(), remapping::policy::RuleError>(())
//! ```

use super::{Policy, Step, exceeds, reaches};
use serde::{Deserialize, Serialize};

/// A statistic of the times of a step, as codes define imbalance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Statistic {
    /// Largest over mean; 1 for a step without work.
    MaxOverMean,
    /// Largest over least; infinite if the least is 0, 1 for a step without work.
    MaxOverMin,
    /// Largest less least, over the mean; 0 for a step without work.
    RangeOverMean,
}

impl Statistic {
    /// Its value; NaN if it takes the least time and that is not known.
    pub fn of(self, step: &Step) -> f64 {
        match self {
            Statistic::MaxOverMean if step.mean() > 0.0 => step.max() / step.mean(),
            Statistic::MaxOverMean if step.max() > 0.0 => f64::INFINITY,
            Statistic::MaxOverMean => 1.0,
            Statistic::MaxOverMin => step.ratio(),
            Statistic::RangeOverMean => step.range(),
        }
    }

    /// The same of the times themselves, one at least.
    pub fn of_times(self, times: &[f64]) -> f64 {
        let max = times.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let min = times.iter().copied().fold(f64::INFINITY, f64::min);
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        self.of(&Step::summary(0, max, mean, Some(min)))
    }
}

/// Looks at the steps `first`, `first + every`, ... that are no sooner than `rest` steps after the
/// last remap, and remaps if the statistic exceeds the level.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trigger {
    /// The first step looked at.
    pub first: u64,
    /// Steps between two looks, at least 1.
    pub every: u64,
    /// Steps that must have passed since the last remap; before the first one, none need have.
    pub rest: u64,
    /// What is looked at.
    pub statistic: Statistic,
    /// The level; without one every look remaps.
    pub level: Option<f64>,
    /// Whether the level itself remaps.
    pub inclusive: bool,
}

impl Trigger {
    /// No remap at all.
    pub const NEVER: Trigger = Trigger {
        first: u64::MAX,
        every: u64::MAX,
        rest: 0,
        statistic: Statistic::MaxOverMean,
        level: None,
        inclusive: false,
    };

    /// A look at every step.
    pub fn above(statistic: Statistic, level: f64) -> Trigger {
        Trigger { first: 1, every: 1, statistic, level: Some(level), ..Trigger::NEVER }
    }

    /// A remap every so many steps, whatever the loads.
    pub fn periodic(every: u64) -> Trigger {
        Trigger { first: every, every, ..Trigger::NEVER }
    }

    /// SWIFT's: nothing is looked at in the step after a remap, nor in the first.
    pub fn range(level: f64) -> Trigger {
        Trigger { first: 2, rest: 2, ..Trigger::above(Statistic::RangeOverMean, level) }
    }

    /// That of 4C's contact interfaces: the level itself remaps.
    pub fn ratio(level: f64) -> Trigger {
        Trigger { inclusive: true, ..Trigger::above(Statistic::MaxOverMin, level) }
    }

    /// Whether it remaps after step `step`, of which the statistic has this value, when the last
    /// remap was after step `last`, 0 if there was none. A value that is not a number is above no
    /// level.
    pub fn remaps(&self, step: u64, last: u64, value: impl FnOnce() -> f64) -> bool {
        let looks = step >= self.first
            && (step - self.first).is_multiple_of(self.every)
            && (last == 0 || step.saturating_sub(last) >= self.rest);
        looks
            && self.level.is_none_or(|level| match value() {
                value if value.is_nan() => false,
                f64::INFINITY => true,
                value if self.inclusive => reaches(value, level),
                value => exceeds(value, level),
            })
    }
}

/// A run of a [`Trigger`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Watching {
    trigger: Trigger,
    step: u64,
    last: u64,
    wants: bool,
}

impl Watching {
    /// From the start of a program.
    pub fn new(trigger: Trigger) -> Watching {
        Watching { trigger, step: 0, last: 0, wants: false }
    }

    /// Whether it takes the least time of a step.
    pub fn takes_least(&self) -> bool {
        self.trigger.level.is_some() && self.trigger.statistic != Statistic::MaxOverMean
    }
}

impl Policy for Watching {
    fn observe(&mut self, step: &Step) {
        self.step = self.step.saturating_add(1);
        let Trigger { statistic, .. } = self.trigger;
        self.wants = self.trigger.remaps(self.step, self.last, || statistic.of(step));
    }

    fn wants_remap(&self) -> bool {
        self.wants
    }

    fn remapped(&mut self) {
        (self.last, self.wants) = (self.step, false);
    }
}

/// A code whose own rule can be simulated, by the name of its export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// LAMMPS, `fix balance`.
    Lammps,
    /// WarpX, `algo.load_balance_intervals`.
    Warpx,
    /// Smilei, `LoadBalancing`.
    Smilei,
    /// Charm++, `AtSync`.
    Charm,
    /// SWIFT, `DomainDecomposition`.
    Swift,
    /// vLLM, expert parallel load balancer.
    Eplb,
    /// SGLang, expert parallel load balancer.
    Sglang,
    /// ROCm ATOM, expert parallel load balancer.
    Atom,
    /// DARMA/vt, `--vt_lb_interval`.
    Vt,
    /// OpenFOAM, `loadBalancer`.
    Openfoam,
    /// 4C, contact interfaces.
    Fourc,
    /// 4C, structures.
    FourcStructure,
    /// AMReX, a single level.
    Amrex,
}

/// max/mean up to which vt's balancers leave loads alone: `run_temperedlb_tolerance`, compiled in.
const VT_TOLERATED: f64 = 1.03;

impl Code {
    /// All of them by name.
    pub const ALL: [(Code, &'static str); 13] = [
        (Code::Lammps, "lammps"),
        (Code::Warpx, "warpx"),
        (Code::Smilei, "smilei"),
        (Code::Charm, "charm"),
        (Code::Swift, "swift"),
        (Code::Eplb, "eplb"),
        (Code::Sglang, "sglang"),
        (Code::Atom, "atom"),
        (Code::Vt, "vt"),
        (Code::Openfoam, "openfoam"),
        (Code::Fourc, "fourc"),
        (Code::FourcStructure, "fourc_structure"),
        (Code::Amrex, "amrex"),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Code::ALL.into_iter().find(|(code, _)| *code == self).map_or("", |(_, name)| name)
    }

    /// The code of this name.
    pub fn named(name: &str) -> Option<Code> {
        Code::ALL.into_iter().find(|(_, known)| *known == name).map(|(code, _)| code)
    }

    /// The statistic of which a level can be set, and the level from which on a setting means
    /// something else.
    pub fn level(self) -> Option<(Statistic, f64)> {
        match self {
            Code::Smilei | Code::Charm | Code::Eplb | Code::Vt | Code::Amrex => None,
            Code::Swift => Some((Statistic::RangeOverMean, 1.0)),
            Code::Fourc => Some((Statistic::MaxOverMin, f64::INFINITY)),
            _ => Some((Statistic::MaxOverMean, f64::INFINITY)),
        }
    }

    /// Its rule when it is told to look every so many steps, at least 1, and to remap above this
    /// level of its statistic; without a level, whenever it looks. None where it has no such
    /// setting.
    pub fn trigger(self, every: u64, level: Option<f64>) -> Option<Trigger> {
        let (statistic, limit) =
            self.level().unwrap_or((Statistic::MaxOverMean, f64::NEG_INFINITY));
        if every == 0 || level.is_some_and(|level| level.is_nan() || level >= limit) {
            return None;
        }
        let (plain, any) = (Trigger { statistic, level, ..Trigger::periodic(every) }, Some(1.0));
        Some(match (self, level) {
            (Code::Swift, Some(level)) if every == 1 => Trigger::range(level),
            (Code::Fourc, Some(level)) if every == 1 => Trigger::ratio(level),
            (Code::Swift | Code::Fourc, _) => return None,
            (Code::Smilei | Code::Charm, _) => plain,
            // An imbalance above 1 is asked for where no other is.
            (Code::Lammps, _) => Trigger { level: level.or(any), ..plain },
            // It looks before the steps that are multiples of the interval, but not before the
            // first.
            (Code::Warpx, _) => {
                Trigger { first: (every - 1).max(1), level: level.or(any), ..plain }
            }
            (Code::Openfoam, _) => Trigger { first: every.max(2), level: level.or(any), ..plain },
            // The counter starts at three quarters of the interval.
            (Code::Eplb, _) => Trigger { first: (every / 4).max(1), ..plain },
            // So many passes are waited for, and the next one looks.
            (Code::Sglang, _) => Trigger { first: every + 1, ..plain },
            // The same after a quarter of the interval; moving the layers takes one pass more.
            (Code::Atom, _) => Trigger {
                first: (every / 4).max(1) + 1,
                every: every + u64::from(level.is_none()),
                ..plain
            },
            (Code::Vt, _) => Trigger { first: 2, level: Some(VT_TOLERATED), ..plain },
            // The interval is a cool-down.
            (Code::FourcStructure, _) => {
                Trigger { first: 1, every: 1, rest: every, level: level.or(any), ..plain }
            }
            (Code::Amrex, _) => Trigger { first: 1, ..plain },
        })
    }
}
