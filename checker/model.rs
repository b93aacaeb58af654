//! Model files as they are written; decimals are read as exact fractions.

use crate::Refusal;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Pow, Signed, Zero};
use ron::extensions::Extensions;
use serde::{Deserialize, Deserializer, de::Error};
use std::collections::BTreeMap;

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
        pub hazard: Hazard, pub premature: Option<Premature>
    }
    pub enum Lifetime {
        Fixed(u64),
        Uniform { first: u64, last: u64 },
        Geometric { rate: Number, first: u64, last: u64 },
        Pmf(BTreeMap<u64, Number>)
    }
    pub struct Cycle { pub before: Number, pub after: Number, pub remapped: Number }
    pub struct Remap { pub test: Number, pub install: Number }
    pub struct Detector { pub false_alarm: Number, pub missed: Number }
    pub enum Hazard { Constant(Number), PerStep(Vec<Number>) }
    pub enum Premature { Revert, Keep { before_remapped: Number } }

    pub struct Stopping {
        pub processes: Processes, pub capacities: Option<Vec<Number>>,
        pub running_cost: Option<RunningCost>, pub remap_cost: Number, pub after_remap: After
    }
    pub enum Processes {
        Identical { count: usize, chain: Chain },
        Distinct(Vec<Chain>),
        Joint { loads: Vec<Vec<i64>>, transition: Transition }
    }
    pub enum Transition { Dense(Vec<Vec<Number>>), File(String) }
    pub enum RunningCost { MaxMinusMean, MaxAbsDeviation, EuclideanDeviation }
    pub enum After { Stop, Uniform, Restart }

    pub enum Chain {
        Walk { #[serde(default)] lowest: i64, levels: usize, up: Number, down: Number, edge: Edge },
        BirthDeath { #[serde(default)] lowest: i64, up: Vec<Number>, down: Vec<Number> },
        Matrix { #[serde(default)] lowest: i64, rows: Vec<Vec<Number>> }
    }
    pub enum Edge { Reflect, Hold }

    pub struct LoadDrift {
        pub processors: usize, pub chain: Chain, pub initial_load: i64, pub steps: u64,
        pub remap_cost: Number, pub rebalance: Option<Rebalance>, pub decide: Option<Decide>,
        pub objective: Option<Objective>
    }
    pub enum Rebalance { Split, Nearest, Stochastic }
    pub enum Decide { AfterStep, BeforeStep }
    pub enum Objective { Imbalance, Makespan }
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
        decimal(raw.trim().get_ron()).map(Number).ok_or_else(wrong)
    }
}

pub fn decimal(literal: &str) -> Option<BigRational> {
    let plain = literal.replace('_', "");
    let (mantissa, exponent) = plain.split_once(['e', 'E']).unwrap_or((&plain, "0"));
    let exponent = exponent.parse::<i32>().ok().filter(|e| e.unsigned_abs() <= 400)?;
    let unsigned = mantissa.strip_prefix('+').unwrap_or(mantissa);
    let (whole, part) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = format!("{whole}{part}");
    let plain = digits.len() <= 1000 && digits.bytes().all(|b| b.is_ascii_digit());
    let digits = digits.parse::<BigInt>().ok().filter(|_| plain)?;
    let ten = BigRational::from(BigInt::from(10));
    Some(BigRational::from(digits) * Pow::pow(ten, exponent - part.len() as i32))
}

impl Stopping {
    /// Those that are given.
    pub fn capacities(&self) -> Option<Vec<BigRational>> {
        self.capacities.as_ref().map(|list| list.iter().map(|c| c.0.clone()).collect())
    }
}

/// Where a state leads, and with what probability.
pub type Row = Vec<(usize, BigRational)>;

/// Processes, each a call within another, and levels of all together, which are listed.
const MOST: [usize; 2] = [1000, 1 << 20];

/// Processes with equal chains and equal capacities, which are exchangeable if they move by one level at
/// most; or one that moves in another way. The load of the lowest level, and a row for each.
pub type Equal = (Vec<usize>, (i64, Vec<Row>));

impl Processes {
    /// Those that move independently.
    pub fn equal(&self, capacities: &[BigRational]) -> Result<Vec<Equal>, Refusal> {
        let each: Vec<&Chain> = match self {
            Processes::Identical { count, chain } => vec![chain; *count.min(&(MOST[0] + 1))],
            Processes::Distinct(chains) => chains.iter().collect(),
            Processes::Joint { .. } => Vec::new(),
        };
        let levels = each.iter().fold(0, |all, chain| chain.levels().saturating_add(all));
        if each.len() > MOST[0] || levels > MOST[1] {
            return Err(Refusal::TooLarge);
        }
        let mut groups: Vec<Equal> = Vec::new();
        for (i, chain) in each.into_iter().map(Chain::rows).enumerate() {
            let lumps = by_one(&chain.1);
            let equal = |(members, other): &&mut Equal| {
                lumps && *other == chain && capacities.get(members[0]) == capacities.get(i)
            };
            match groups.iter_mut().find(equal) {
                Some((members, _)) => members.push(i),
                None => groups.push((vec![i], chain)),
            }
        }
        Ok(groups)
    }
}

impl Chain {
    pub fn levels(&self) -> usize {
        match self {
            Chain::Walk { levels, .. } => *levels,
            Chain::BirthDeath { up, down, .. } if up.len() == down.len() => up.len(),
            Chain::BirthDeath { .. } => 0, // Refused: the lists differ in length.
            Chain::Matrix { rows, .. } => rows.len(),
        }
    }

    /// The lowest load, and a row for each level.
    pub fn rows(&self) -> (i64, Vec<Row>) {
        let zero = BigRational::zero();
        let (lowest, moves): (_, Vec<[BigRational; 2]>) = match self {
            Chain::Matrix { lowest, rows } => return (*lowest, dense(rows)),
            Chain::BirthDeath { lowest, up, down } => {
                let at = |i: usize| {
                    [down, up].map(|list| list.get(i).map_or(zero.clone(), |p| p.0.clone()))
                };
                (lowest, (0..self.levels()).map(at).collect())
            }
            Chain::Walk { lowest, levels, up: Number(up), down: Number(down), edge } => {
                let back = |p: &BigRational| if *edge == Edge::Reflect { p } else { &zero }.clone();
                let at = |i: usize| match i {
                    0 => [zero.clone(), up + back(down)],
                    _ if i + 1 == *levels => [down + back(up), zero.clone()],
                    _ => [down.clone(), up.clone()],
                };
                (lowest, (0..*levels).map(at).collect())
            }
        };
        // What leaves the levels makes no row of them, and is refused.
        let row = |(i, [down, up]): (usize, [BigRational; 2])| {
            let stay = BigRational::one() - &down - &up;
            let row = [(i.wrapping_sub(1), down), (i, stay), (i + 1, up)];
            row.into_iter().filter(|(_, p)| !p.is_zero()).collect()
        };
        (*lowest, moves.into_iter().enumerate().map(row).collect())
    }
}

/// Whether one moves by at most one level, surely.
pub fn by_one(rows: &[Row]) -> bool {
    let near = |(from, row): (usize, &Row)| {
        let near = |to: usize| to < rows.len() && to.abs_diff(from) <= 1;
        row.iter().all(|(to, p)| near(*to) && !p.is_negative())
            && row.iter().map(|(_, p)| p).sum::<BigRational>().is_one()
    };
    rows.iter().enumerate().all(near)
}

pub fn dense(rows: &[Vec<Number>]) -> Vec<Row> {
    let exact = |row: &Vec<Number>| row.iter().map(|p| p.0.clone()).enumerate().collect();
    // What lies outside stays, to be refused.
    let needed = |(to, p): &(usize, BigRational)| *to >= rows.len() || !p.is_zero();
    let positive = |row: Row| row.into_iter().filter(needed).collect();
    rows.iter().map(exact).map(positive).collect()
}
