//! Model files as they are written; decimals are read as exact fractions.

use crate::Refusal;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Pow, Signed};
use ron::extensions::Extensions;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;

/// What stands in a model file: every field must be known, and is given once.
macro_rules! written {
    ($($item:item)*) => { $(
        #[allow(dead_code, missing_docs)]
        #[derive(Clone, PartialEq, Deserialize)]
        #[serde(deny_unknown_fields)]
        $item
    )* };
}

written! {
    struct Model { title: String, source: Option<String>, problem: Problem }
    pub enum Problem { PhaseChange(Box<PhaseChange>), Stopping(Stopping), LoadDrift(LoadDrift) }

    pub struct PhaseChange {
        pub lifetime: Lifetime, pub cycle: Cycle, pub remap: Remap, pub detector: Detector,
        pub hazard: Hazard, #[serde(default)] pub premature: Premature
    }
    pub enum Lifetime {
        Fixed(u64),
        Uniform { first: u64, last: u64 },
        Geometric { rate: Number, first: u64, last: u64 },
        Pmf(Weights)
    }
    pub struct Cycle { pub before: Number, pub after: Number, pub remapped: Number }
    pub struct Remap { pub test: Number, pub install: Number }
    struct Binary { false_alarm: Number, missed: Number }
    struct Level { before: Number, after: Number }
    enum Lists { Levels(Vec<Level>), Several(Vec<Detector>) }
    pub enum Hazard { Constant(Number), PerStep(Vec<Number>) }
    #[derive(Default)]
    pub enum Premature { #[default] Revert, Keep { before_remapped: Number } }

    pub struct Stopping {
        pub processes: Processes, pub capacities: Option<Vec<Number>>,
        #[serde(default)] pub running_cost: RunningCost, pub remap_cost: Number, pub after_remap: After
    }
    pub enum Processes {
        Identical { count: usize, chain: Chain },
        Distinct(Vec<Chain>),
        Joint { loads: Vec<Vec<i64>>, transition: Transition }
    }
    pub enum Transition { Dense(Vec<Vec<Number>>), File(String) }
    #[derive(Default)]
    pub enum RunningCost { #[default] MaxMinusMean, MaxAbsDeviation, EuclideanDeviation }
    pub enum After { Stop, Uniform, Restart }

    pub enum Chain {
        Walk { #[serde(default)] lowest: i64, levels: usize, up: Number, down: Number, edge: Edge },
        BirthDeath { #[serde(default)] lowest: i64, up: Vec<Number>, down: Vec<Number> },
        Matrix { #[serde(default)] lowest: i64, rows: Vec<Vec<Number>> }
    }
    pub enum Edge { Reflect, Hold }

    pub struct LoadDrift {
        pub processors: usize, pub chain: Chain, pub initial_load: i64, pub steps: u64,
        pub remap_cost: Number, #[serde(default)] pub rebalance: Rebalance,
        #[serde(default)] pub decide: Decide, #[serde(default)] pub objective: Objective
    }
    #[derive(Default)]
    pub enum Rebalance { #[default] Split, Nearest, Stochastic }
    #[derive(Default)]
    pub enum Decide { #[default] AfterStep, BeforeStep }
    #[derive(Default)]
    pub enum Objective { #[default] Imbalance, Makespan }
}

/// Reads the problem of a model file.
pub fn read(text: &str) -> Result<Problem, Refusal> {
    let extensions = Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES;
    let options = ron::Options::default().with_default_extension(extensions);
    let model: Result<Model, _> = options.from_str(text);
    model.map(|model| model.problem).map_err(|error| Refusal::Model(error.to_string()))
}

/// A decimal number, exactly; none of a model may be negative.
#[derive(Clone, PartialEq)]
pub struct Number(pub BigRational);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        let raw = Box::<ron::value::RawValue>::deserialize(deserializer)?;
        let wrong =
            || D::Error::custom(format!("{} is not a decimal number from 0 up", raw.get_ron()));
        let number = decimal(raw.trim().get_ron()).filter(|number| !number.is_negative());
        number.map(Number).ok_or_else(wrong)
    }
}

/// The number that a literal stands for, if doubles reach as far.
pub fn decimal(literal: &str) -> Option<BigRational> {
    let plain = literal.replace('_', "");
    let (mantissa, exponent) = plain.split_once(['e', 'E']).unwrap_or((&plain, "0"));
    let exponent = exponent.parse::<i32>().ok().filter(|e| e.unsigned_abs() <= 400)?;
    let unsigned = mantissa.strip_prefix(['+', '-']).unwrap_or(mantissa);
    let (whole, part) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = format!("{whole}{part}");
    let plain = digits.len() <= 1000 && digits.bytes().all(|b| b.is_ascii_digit());
    let digits = digits.parse::<BigInt>().ok().filter(|_| plain)?;
    let ten = BigRational::from(BigInt::from(10));
    let number = BigRational::from(digits) * Pow::pow(ten, exponent - part.len() as i32);
    // What is nearer to 2^1024 than to the largest double is infinite.
    let finite = number < BigRational::from(((BigInt::from(1) << 54) - 1) << 970);
    let signed = if mantissa.starts_with('-') { -number } else { number };
    Some(signed).filter(|_| finite)
}

/// Whether probabilities with this sum miss 1 by no more than those of a model file may.
pub fn is_one(sum: &BigRational) -> bool {
    (sum - BigInt::from(1)).abs() <= BigRational::new(1.into(), 1_000_000_000.into())
}

/// Values and their probabilities, no value twice.
#[derive(Clone, PartialEq)]
pub struct Weights(pub BTreeMap<u64, Number>);

impl<'de> Deserialize<'de> for Weights {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Weights, D::Error> {
        deserializer.deserialize_map(Weights(BTreeMap::new()))
    }
}

impl<'de> Visitor<'de> for Weights {
    type Value = Weights;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of values to probabilities")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Weights, A::Error> {
        while let Some((value, probability)) = map.next_entry()? {
            if self.0.insert(value, probability).is_some() {
                return Err(A::Error::custom("a value has two probabilities"));
            }
        }
        Ok(self)
    }
}

/// What a detector may report: the probability of each report before the change and after it. Both
/// lists sum to 1.
#[derive(Clone, PartialEq)]
pub struct Detector(pub Vec<[BigRational; 2]>);

/// Most reports of a detector.
const MOST_REPORTS: usize = 1000;

impl<'de> Deserialize<'de> for Detector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Detector, D::Error> {
        let raw = Box::<ron::value::RawValue>::deserialize(deserializer)?;
        let raw = raw.trim();
        // What holds a list is known by its name.
        let name = raw.get_ron().split(|c: char| !c.is_alphanumeric() && c != '_').next();
        let detector = match name {
            Some("Levels" | "Several") => raw.into_rust().map(Detector::listed),
            _ => raw.into_rust().map(Detector::binary),
        };
        let detector = detector.map_err(|error| D::Error::custom(error.to_string()))?;
        detector.ok_or_else(|| D::Error::custom("the reports of a detector have no law"))
    }
}

impl Detector {
    fn binary(
        Binary { false_alarm: Number(alarm), missed: Number(missed) }: Binary,
    ) -> Option<Self> {
        let one = BigRational::from(BigInt::from(1));
        let reports = vec![[alarm.clone(), &one - &missed], [&one - &alarm, missed.clone()]];
        Some(Detector(reports)).filter(|_| alarm <= one && missed <= one)
    }

    fn listed(lists: Lists) -> Option<Detector> {
        let reports = match lists {
            Lists::Levels(levels) => {
                let one = BigRational::from(BigInt::from(1));
                let levels = levels.into_iter().map(|level| [level.before.0, level.after.0]);
                let levels: Vec<[BigRational; 2]> = levels.collect();
                let sum = |phase: usize| levels.iter().map(|p| &p[phase]).sum::<BigRational>();
                let sums = [sum(0), sum(1)];
                if !sums.iter().all(is_one) || levels.iter().flatten().any(|p| *p > one) {
                    return None;
                }
                // What they miss is shared among them.
                levels.iter().map(|[before, after]| [before / &sums[0], after / &sums[1]]).collect()
            }
            Lists::Several(detectors) => {
                let all = |all: Vec<[BigRational; 2]>, one: &Detector| {
                    let fits = all.len().checked_mul(one.0.len())? <= MOST_REPORTS;
                    let both =
                        |a: &[BigRational; 2], b: &[BigRational; 2]| [&a[0] * &b[0], &a[1] * &b[1]];
                    let pairs = all.iter().flat_map(|a| one.0.iter().map(move |b| both(a, b)));
                    fits.then(|| pairs.collect())
                };
                let (first, others) = detectors.split_first()?;
                others.iter().try_fold(first.0.clone(), all)?
            }
        };
        Some(Detector(reports)).filter(|detector| detector.0.len() <= MOST_REPORTS)
    }
}

impl Stopping {
    /// Those that are given.
    pub fn capacities(&self) -> Option<Vec<BigRational>> {
        self.capacities.as_ref().map(|list| list.iter().map(|c| c.0.clone()).collect())
    }
}
