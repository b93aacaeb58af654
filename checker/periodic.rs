//! Remaps at fixed intervals: how long a bound on the imbalance is kept.

use crate::cheapest::{self, Price};
use crate::model::{Chain, Number, decimal, is_one, written};
use crate::number::WEIGHT;
use crate::places::{Tails, gamma, largest_off, normal};
use crate::proof::Proof;
use crate::windows::{MOST, Place, largest};
use crate::{Budget, Refusal, model_error};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed as _, ToPrimitive, Zero};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

written! {
    pub struct Periodic {
        pub initial_load: Number, pub changes: Changes, pub capacities: Option<Vec<Number>>,
        pub covariance: Option<Vec<Vec<Signed>>>, pub bound: Option<Bound>, pub remap_cost: Option<Price>,
        pub periods: Option<u64>
    }
    pub enum Changes {
        Identical { count: u64, law: Law },
        Distinct(Vec<Law>),
        Classes(Vec<Class>),
        Chain { count: u64, chain: Chain }
    }
    pub struct Class { count: u64, law: Law }
    pub enum Bound { MaxDeviation(Number), RmsDeviation(Number) }
    pub enum Law {
        Steps(Points),
        Exponential { mean: Number },
        Gamma { shape: Number, mean: Number },
        Normal { mean: Signed, deviation: Number },
        Moments { mean: Signed, variance: Number }
    }
}

/// A decimal number that may be negative.
#[derive(Clone, PartialEq)]
pub struct Signed(pub BigRational);

impl<'de> Deserialize<'de> for Signed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Signed, D::Error> {
        let raw = Box::<ron::value::RawValue>::deserialize(deserializer)?;
        let wrong = || D::Error::custom(format!("{} is not a decimal number", raw.get_ron()));
        decimal(raw.trim().get_ron()).map(Signed).ok_or_else(wrong)
    }
}

/// Values and their probabilities, no value twice.
#[derive(Clone, PartialEq)]
pub struct Points(Vec<(BigRational, BigRational)>);

impl<'de> Deserialize<'de> for Points {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Points, D::Error> {
        deserializer.deserialize_map(Points(Vec::new()))
    }
}

impl<'de> Visitor<'de> for Points {
    type Value = Points;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of values to probabilities")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Points, A::Error> {
        while let Some((Signed(value), Number(probability))) = map.next_entry()? {
            if self.0.iter().any(|(other, _)| *other == value) {
                return Err(A::Error::custom("a value has two probabilities"));
            }
            self.0.push((value, probability));
        }
        Ok(self)
    }
}

/// Processors at most, and levels of a chain.
const LARGEST: [u64; 2] = [1_000_000, 10_000];

/// Periods at most.
const PERIODS: u64 = 1000;

/// Numbers are 0, or so many powers of ten from 1 at most.
const SIZES: u32 = 40;

fn moderate(x: &BigRational, power: u32) -> bool {
    let most = BigRational::from(BigInt::from(10).pow(power));
    is_nothing(x) || x.abs() <= most && x.abs() >= most.recip()
}

/// Whether the nearest double is 0.
fn is_nothing(x: &BigRational) -> bool {
    x.abs() <= BigRational::new(BigInt::one(), BigInt::one() << 1075)
}

fn is_some(x: &Number) -> bool {
    !is_nothing(&x.0)
}

impl Law {
    fn review(&self) -> Result<(), Refusal> {
        let size = |x: &BigRational| moderate(x, SIZES);
        let fits = match self {
            Law::Steps(Points(points)) => {
                let one = BigRational::one();
                is_one(&points.iter().map(|(_, p)| p).sum())
                    && points.iter().all(|(x, p)| size(x) && *p <= one)
            }
            Law::Exponential { mean } => is_some(mean) && size(&mean.0),
            Law::Gamma { shape, mean } => [shape, mean].iter().all(|x| is_some(x) && size(&x.0)),
            Law::Normal { mean, deviation } => size(&mean.0) && size(&deviation.0),
            Law::Moments { mean, variance } => size(&mean.0) && moderate(&variance.0, 2 * SIZES),
        };
        if fits { Ok(()) } else { model_error("a law of the changes is out of range") }
    }

    /// Mean and variance.
    fn moments(&self) -> [BigRational; 2] {
        match self {
            Law::Steps(Points(points)) => {
                let sum = |power: i32| -> BigRational {
                    points.iter().map(|(x, p)| num_traits::Pow::pow(x, power) * p).sum()
                };
                // What probabilities miss is shared among them.
                let (all, mean) = (sum(0), sum(1) / sum(0));
                let variance = sum(2) / all - &mean * &mean;
                [mean, variance]
            }
            Law::Exponential { mean } => [mean.0.clone(), &mean.0 * &mean.0],
            Law::Gamma { shape, mean } => [mean.0.clone(), &mean.0 * &mean.0 / &shape.0],
            Law::Normal { mean, deviation } => [mean.0.clone(), &deviation.0 * &deviation.0],
            Law::Moments { mean, variance } => [mean.0.clone(), variance.0.clone()],
        }
    }

    /// The law of the load divided by a capacity.
    fn per(&self, capacity: &BigRational) -> Law {
        let by = |x: &BigRational| Number(x / capacity);
        let signed = |x: &Signed| Signed(&x.0 / capacity);
        match self {
            Law::Steps(Points(points)) => {
                Law::Steps(Points(points.iter().map(|(x, p)| (x / capacity, p.clone())).collect()))
            }
            Law::Exponential { mean } => Law::Exponential { mean: by(&mean.0) },
            Law::Gamma { shape, mean } => Law::Gamma { shape: shape.clone(), mean: by(&mean.0) },
            Law::Normal { mean, deviation } => {
                Law::Normal { mean: signed(mean), deviation: by(&deviation.0) }
            }
            Law::Moments { mean, variance } => {
                let variance = by(&(&variance.0 / capacity));
                Law::Moments { mean: signed(mean), variance }
            }
        }
    }
}

impl Periodic {
    pub(crate) fn review(&self) -> Result<(), Refusal> {
        let (count, laws) = (self.count(), self.written());
        laws.iter().try_for_each(|(_, law)| law.review())?;
        let mut sizes = vec![&self.initial_load];
        sizes.extend(self.remap_cost.as_ref().map(|Price(cost)| cost));
        if let Some(Bound::MaxDeviation(bound) | Bound::RmsDeviation(bound)) = &self.bound {
            sizes.push(bound);
        }
        let chain = matches!(self.changes, Changes::Chain { .. });
        let fits = (2..=LARGEST[0]).contains(&count)
            && laws.iter().all(|(count, _)| *count > 0)
            && sizes.iter().all(|x| moderate(&x.0, SIZES))
            && is_some(&self.initial_load)
            && (self.bound.is_some() || self.remap_cost.is_some() && !chain)
            && self
                .periods
                .is_none_or(|n| (1..=PERIODS).contains(&n) && self.bound.is_some() && !chain);
        let capacities = self.capacities.as_ref().is_none_or(|list| {
            let fit = list.len() as u64 == count && list.iter().all(is_some);
            fit && self.covariance.is_none() && !chain
        });
        let covariance = self.covariance.as_ref().is_none_or(|rows| {
            let symmetric =
                |i: usize, j: usize| rows[j].get(i).map(|x| &x.0) == Some(&rows[i][j].0);
            let square =
                rows.len() as u64 == count && rows.iter().all(|row| row.len() == rows.len());
            let all =
                |i: usize| (0..rows.len()).all(|j| symmetric(i, j)) && !rows[i][i].0.is_negative();
            let rms = matches!(self.bound, Some(Bound::RmsDeviation(_)));
            square && rms && !chain && (0..rows.len()).all(all)
        });
        if !fits || !capacities || !covariance {
            return model_error("the processors, their capacities or the bound are out of range");
        }
        if let Changes::Chain { chain, .. } = &self.changes {
            let many = chain.levels() as u64 > LARGEST[1];
            if many || matches!(chain, Chain::Matrix { .. }) {
                return model_error("loads must move on a birth-death chain of few levels");
            }
            let (lowest, rows) = chain.rows()?;
            let load = &self.initial_load.0 - BigInt::from(lowest);
            let level = load.to_integer().to_usize().filter(|level| *level < rows.len());
            if lowest < 0 || !load.is_integer() || load.is_negative() || level.is_none() {
                return model_error("the initial load is none of the chain");
            }
        }
        Ok(())
    }

    /// How many processors there are.
    pub fn count(&self) -> u64 {
        match &self.changes {
            Changes::Chain { count, .. } => *count,
            _ => self.written().iter().fold(0, |all, (count, _)| all.saturating_add(*count)),
        }
    }

    fn written(&self) -> Vec<(u64, &Law)> {
        match &self.changes {
            Changes::Chain { .. } => Vec::new(),
            Changes::Identical { count, law } => vec![(*count, law)],
            Changes::Distinct(laws) => laws.iter().map(|law| (1, law)).collect(),
            Changes::Classes(classes) => classes.iter().map(|c| (c.count, &c.law)).collect(),
        }
    }

    /// Equal processors together, their changes divided by their capacities.
    fn classes(&self) -> Vec<(u64, Law)> {
        let mut classes: Vec<(u64, Law)> = Vec::new();
        let mut add = |count: u64, law: Law| match classes.iter_mut().find(|own| own.1 == law) {
            Some((all, _)) => *all += count,
            None => classes.push((count, law)),
        };
        match &self.capacities {
            None => self.written().iter().for_each(|(count, law)| add(*count, (*law).clone())),
            Some(list) => {
                let laws = self.written().into_iter();
                let each = laws.flat_map(|(count, law)| std::iter::repeat_n(law, count as usize));
                each.zip(list).for_each(|(law, capacity)| add(1, law.per(&capacity.0)));
            }
        }
        classes
    }

    /// By how much the mean load changes in a step; nothing is said of chains.
    pub fn change(&self) -> BigRational {
        let classes = self.classes();
        let each = classes.iter().map(|(count, law)| &law.moments()[0] * BigInt::from(*count));
        each.sum::<BigRational>() / BigInt::from(self.count())
    }
}

/// A mean load, and by what it changes in each step.
struct Line {
    load: BigRational,
    mean: BigRational,
}

impl Line {
    fn at(&self, time: u64) -> BigRational {
        &self.load + &self.mean * BigInt::from(time)
    }
}

/// How long the bound is kept. Laws that are on no lattice are put on one with so many points per deviation.
pub fn prove(model: &Periodic, grid: u32, budget: &Budget) -> Result<Proof, Refusal> {
    if !(1..=1024).contains(&grid) {
        return Err(Refusal::Malformed);
    }
    if let Changes::Chain { count, chain } = &model.changes {
        return of_chain(model, *count, chain, budget);
    }
    let classes = model.classes();
    let mut line = Line { load: model.initial_load.0.clone(), mean: model.change() };
    let Some(periods) = model.periods else {
        return longest(model, &classes, &line, grid, budget);
    };
    let mut all = Vec::new();
    while (all.len() as u64) < periods {
        let found = longest(model, &classes, &line, grid, budget)?;
        all.push(found.clone());
        match found {
            Proof::Longest { kept: Some(kept), broken: Some(broken) }
                if kept > 0 && broken == kept + 1 =>
            {
                line.load = line.at(kept);
            }
            _ => break,
        }
    }
    Ok(Proof::Periods(all))
}

/// How long the bound is kept from this mean load on; without one, which interval costs least.
fn longest(
    model: &Periodic,
    classes: &[(u64, Law)],
    line: &Line,
    grid: u32,
    budget: &Budget,
) -> Result<Proof, Refusal> {
    let each = |part: &dyn Fn(&Law) -> BigRational| -> BigRational {
        classes.iter().map(|(count, law)| part(law) * BigInt::from(*count)).sum()
    };
    let processors = BigRational::from(BigInt::from(model.count()));
    // E sum (S_i - mean)^2 = spread t + drift t^2.
    let drift = each(&|law| law.moments()[0].pow(2)) - line.mean.pow(2) * &processors;
    let spread = match &model.covariance {
        None => each(&|law| law.moments()[1].clone()) * (&processors - BigInt::one()) / &processors,
        Some(rows) => {
            let trace: BigRational = rows.iter().enumerate().map(|(i, row)| &row[i].0).sum();
            trace - rows.iter().flatten().map(|x| &x.0).sum::<BigRational>() / &processors
        }
    };
    let zero = BigRational::zero();
    match &model.bound {
        None => {
            let why = "there are proofs of least costs for steps only";
            let walks = Walks::of(classes).ok_or(Refusal::Unproved(why))?;
            let Price(Number(cost)) = model.remap_cost.as_ref().ok_or(Refusal::Malformed)?;
            cheapest::prove(&walks.classes, &walks.span, cost, budget)
        }
        Some(Bound::RmsDeviation(bound)) => Ok(quadratic([&spread, &drift], line, &bound.0, true)),
        Some(Bound::MaxDeviation(Number(bound))) => {
            if classes.iter().any(|(_, law)| matches!(law, Law::Moments { .. })) {
                // The largest deviation is no larger than the root of the sum of all squares.
                return Ok(quadratic([&spread, &drift], line, bound, false));
            }
            if let [(count, Law::Normal { deviation, .. })] = &classes[..] {
                // It grows as the root of the time.
                let tails = normal(grid, budget)?;
                let both = enclose(&[(*count, tails)], budget)?;
                let cells = BigRational::from(BigInt::from(grid));
                let [low, high] =
                    both.map(|x| (x.max(zero.clone()) * &deviation.0 / &cells).pow(2));
                let kept = quadratic([&high, &zero], line, bound, true);
                let Proof::Longest { broken, .. } = quadratic([&low, &zero], line, bound, true)
                else {
                    return Err(Refusal::Malformed);
                };
                let Proof::Longest { kept, .. } = kept else { return Err(Refusal::Malformed) };
                return Ok(Proof::Longest { kept, broken });
            }
            let walks = Walks::of(classes);
            search(line, bound, |time| match &walks {
                Some(walks) => walks.largest(time, budget),
                None => of_gamma(classes, time, grid, budget),
            })
        }
    }
}

/// The longest time for which spread t + drift t^2 is at most the square of bound times the mean load, and, if
/// that is all there is to it (`exact`), that it is not after one step more.
fn quadratic(
    [spread, drift]: [&BigRational; 2],
    line: &Line,
    bound: &BigRational,
    exact: bool,
) -> Proof {
    let excess = |t: u64| {
        let time = BigRational::from(BigInt::from(t));
        spread * &time + drift * &time * &time - (bound * line.at(t)).pow(2)
    };
    let fits = |t: u64| line.at(t).is_positive() && !excess(t).is_positive();
    let curve = drift - (bound * &line.mean).pow(2);
    let slope = spread - bound.pow(2) * &line.load * &line.mean * BigInt::from(2);
    const LAST: u64 = 1 << 52;
    let mut end = LAST;
    if curve.is_negative() {
        // It is largest here, and falls from here on.
        let top = (-&slope / (&curve * BigInt::from(2))).floor().to_integer();
        let top = top.to_u64().unwrap_or(if slope.is_positive() { LAST } else { 0 });
        match [top, top + 1].into_iter().find(|t| excess(*t).is_positive()) {
            Some(above) => end = above.min(LAST),
            None if top < LAST && !line.mean.is_negative() => {
                return Proof::Longest { kept: None, broken: None };
            }
            None => {}
        }
    } else if curve.is_zero() && !slope.is_positive() && !line.mean.is_negative() {
        return Proof::Longest { kept: None, broken: None };
    }
    // From 0, where it is kept, on it is kept for a while and then no more.
    let (mut kept, mut broken) = (0, end);
    if fits(end) {
        return Proof::Longest { kept: Some(end), broken: None };
    }
    while broken - kept > 1 {
        let middle = kept + (broken - kept) / 2;
        *(if fits(middle) { &mut kept } else { &mut broken }) = middle;
    }
    Proof::Longest { kept: Some(kept), broken: Some(broken).filter(|_| exact) }
}

/// Looks at the imbalance at times from 1 on: what `t` steps cause on average, divided by `t`, does not increase, so
/// that one time proves others after it.
fn search(
    line: &Line,
    bound: &BigRational,
    mut largest: impl FnMut(u64) -> Result<[BigRational; 2], Refusal>,
) -> Result<Proof, Refusal> {
    let mut kept = 0u64;
    loop {
        let time = kept + 1;
        if !line.at(time).is_positive() {
            return Ok(Proof::Longest { kept: Some(kept), broken: Some(time) });
        }
        let [low, high] = largest(time)?;
        let allowed = bound * line.at(time);
        if low > allowed {
            return Ok(Proof::Longest { kept: Some(kept), broken: Some(time) });
        }
        if high > allowed {
            return Ok(Proof::Longest { kept: Some(kept), broken: None });
        }
        // (u/t) high <= bound (load + u mean), and the mean load is above 0.
        let rate = high / BigInt::from(time) - bound * &line.mean;
        let ends = [
            rate.is_positive().then(|| (bound * &line.load / rate).floor()),
            line.mean.is_negative().then(|| (-&line.load / &line.mean).ceil() - BigInt::one()),
        ];
        let Some(end) = ends.into_iter().flatten().min() else {
            return Ok(Proof::Longest { kept: None, broken: None });
        };
        kept = end.to_integer().to_u64().ok_or(Refusal::TooLarge)?.max(time);
    }
}

/// Steps among the multiples of a number, for each class.
struct Walks {
    span: BigRational,
    classes: Vec<(u64, Vec<(i64, BigRational)>)>,
}

impl Walks {
    /// If all changes are steps.
    fn of(classes: &[(u64, Law)]) -> Option<Walks> {
        let points = |law: &'_ Law| match law {
            Law::Steps(Points(points)) => Some(points.clone()),
            _ => None,
        };
        let all: Vec<(u64, Vec<(BigRational, BigRational)>)> = classes
            .iter()
            .map(|(count, law)| Some((*count, points(law)?)))
            .collect::<Option<_>>()?;
        // What all places have in common does not matter.
        let start = all.first()?.1.first()?.0.clone();
        let steps = all.iter().flat_map(|(_, points)| points).map(|(x, _)| x - &start);
        let span = steps.fold(BigRational::zero(), |a, b| gcd(&a, &b));
        let span = if span.is_zero() { BigRational::one() } else { span };
        let place = |(x, p): &(BigRational, BigRational), all: &BigRational| {
            Some((((x - &start) / &span).to_integer().to_i64()?, p / all))
        };
        let class = |(count, points): &(u64, Vec<(BigRational, BigRational)>)| {
            let sum: BigRational = points.iter().map(|(_, p)| p).sum();
            Some((
                *count,
                points.iter().map(|point| place(point, &sum)).collect::<Option<Vec<_>>>()?,
            ))
        };
        Some(Walks { classes: all.iter().map(class).collect::<Option<_>>()?, span })
    }

    fn largest(&self, time: u64, budget: &Budget) -> Result<[BigRational; 2], Refusal> {
        let place = |(count, steps): &(u64, Vec<(i64, BigRational)>)| {
            Ok((*count, Place::walk(steps, time, budget)?))
        };
        let places: Result<Vec<(u64, Place)>, Refusal> = self.classes.iter().map(place).collect();
        Ok(largest(&places?, budget)?.map(|x| x * &self.span))
    }
}

/// The largest number of which both are multiples.
fn gcd(a: &BigRational, b: &BigRational) -> BigRational {
    let numerator = (a.numer() * b.denom()).gcd(&(b.numer() * a.denom()));
    BigRational::new(numerator, a.denom() * b.denom())
}

/// The same for sums of exponential numbers.
fn of_gamma(
    classes: &[(u64, Law)],
    time: u64,
    grid: u32,
    budget: &Budget,
) -> Result<[BigRational; 2], Refusal> {
    let why = "there are proofs for steps, exponential laws, gamma laws of whole shapes and one normal law, not for \
               other laws or both kinds together";
    let parts = classes.iter().map(|(count, law)| {
        let (shape, mean) = match law {
            Law::Exponential { mean } => (BigInt::one(), &mean.0),
            Law::Gamma { shape, mean } if shape.0.is_integer() => (shape.0.to_integer(), &mean.0),
            _ => return Err(Refusal::Unproved(why)),
        };
        let terms = (&shape * time).to_u32().filter(|n| *n <= 1 << 12).ok_or(Refusal::TooLarge)?;
        Ok((*count, terms, mean / shape))
    });
    let parts = parts.collect::<Result<Vec<_>, Refusal>>()?;
    // A part of the least deviation: of scale sqrt(n), to three digits.
    let deviation = |(_, terms, scale): &(u64, u32, BigRational)| {
        scale * BigRational::new(BigInt::from(u64::from(*terms) * 1_000_000).sqrt(), 1000.into())
    };
    let least = parts.iter().map(deviation).min().ok_or(Refusal::Malformed)?;
    let span = least / BigInt::from(grid);
    let tails = |(count, terms, scale): &(u64, u32, BigRational)| {
        Ok((*count, gamma(*terms, scale, &span, budget)?))
    };
    let tails: Result<Vec<(u64, Tails)>, Refusal> = parts.iter().map(tails).collect();
    Ok(enclose(&tails?, budget)?.map(|x| x * &span))
}

/// Bounds on the expected largest distance from the mean, in spans.
fn enclose(tails: &[(u64, Tails)], budget: &Budget) -> Result<[BigRational; 2], Refusal> {
    let each = tails.iter().map(|(count, tails)| Ok((*count, tails.enclosed()?)));
    let each = each.collect::<Result<Vec<_>, Refusal>>()?;
    let (mut above, mut below, mut off) = (Vec::new(), Vec::new(), Vec::new());
    for (count, both) in &each {
        above.push((*count, both.above.clone()));
        below.push((*count, both.below.clone()));
        off.push((*count, &both.off[..]));
    }
    let off = BigRational::new(largest_off(&off) * 2, BigInt::one() << WEIGHT);
    let ([_, high], [low, _]) = (largest(&above, budget)?, largest(&below, budget)?);
    Ok([low - off, high])
}

/// Loads on a chain: every step is looked at, until all starts have nearly the same law.
fn of_chain(
    model: &Periodic,
    count: u64,
    chain: &Chain,
    budget: &Budget,
) -> Result<Proof, Refusal> {
    let Some(Bound::MaxDeviation(Number(bound)) | Bound::RmsDeviation(Number(bound))) =
        &model.bound
    else {
        return Err(Refusal::Malformed);
    };
    let largest_of = matches!(model.bound, Some(Bound::MaxDeviation(_)));
    let (lowest, rows) = chain.rows()?;
    let levels = rows.len();
    if levels.saturating_mul(levels) > MOST {
        return Err(Refusal::TooLarge);
    }
    if !rows.iter().all(|row| row.iter().map(|(_, p)| p).sum::<BigRational>().is_one()) {
        return Err(Refusal::Unproved("the rows of the chain do not sum to 1"));
    }
    let weight = |p: &BigRational| ((p.numer() << WEIGHT) / p.denom()).to_u64().unwrap_or(0);
    let rows: Vec<Vec<(usize, u64)>> =
        rows.iter().map(|row| row.iter().map(|(to, p)| (*to, weight(p))).collect()).collect();
    let unit = BigInt::one() << WEIGHT;
    let (start, most) = (&model.initial_load.0 - BigInt::from(lowest), BigInt::from(levels - 1));
    let start =
        start.to_integer().to_usize().filter(|start| *start < levels).ok_or(Refusal::Malformed)?;
    // The law from each level, rounded down.
    let mut laws: Vec<Vec<u64>> = (0..levels)
        .map(|from| (0..levels).map(|to| u64::from(from == to) << WEIGHT).collect())
        .collect();
    let mut time = 0u64;
    loop {
        time += 1;
        budget.spend((levels * levels * 4) as u64 + 1000)?;
        for law in &mut laws {
            let mut next = vec![0u128; levels];
            for (p, row) in law.iter().zip(&rows) {
                row.iter()
                    .for_each(|(to, weight)| next[*to] += u128::from(*p) * u128::from(*weight));
            }
            *law = next.into_iter().map(|p| (p >> WEIGHT) as u64).collect();
        }
        let mass = |law: &[u64]| law.iter().map(|p| BigInt::from(*p)).sum::<BigInt>();
        // What rounding, and rows that miss 1, leave undecided, and what all laws surely have in common.
        let missing = &unit - mass(&laws[start]);
        let common: Vec<u64> =
            (0..levels).map(|to| laws.iter().map(|law| law[to]).min().unwrap_or(0)).collect();
        let apart = &unit - mass(&common);
        let moment = |law: &[u64], power: u32| -> BigInt {
            (0u64..).zip(law).map(|(level, p)| BigInt::from(level).pow(power) * *p).sum()
        };
        // Bounds if at least this much of the law is known.
        let bounds = |law: &[u64], missing: &BigInt| -> Result<[[BigRational; 2]; 2], Refusal> {
            let real = |x: BigInt| BigRational::new(x, unit.clone());
            let low = moment(law, 1);
            let high = &low + missing * &most;
            let load = [low.clone(), high.clone()].map(|x| real(x) + BigInt::from(lowest));
            if largest_of {
                let place = Place { first: 0, weights: law.to_vec(), moved: BigInt::zero() };
                return Ok([largest(&[(count, place)], budget)?, load]);
            }
            // (N-1) times the variance, of which the root is meant.
            let square = moment(law, 2);
            let most = &square + missing * &most * &most;
            let times = BigInt::from(count - 1);
            let least = (real(square) - real(high).pow(2)) * &times;
            Ok([[least, (real(most) - real(low).pow(2)) * &times], load])
        };
        let allowed = |load: &BigRational| {
            let allowed = bound * load;
            if largest_of { allowed } else { allowed.pow(2) }
        };
        let [[low, high], [least, most_load]] = bounds(&laws[start], &missing)?;
        if low > allowed(&most_load) || !most_load.is_positive() {
            return Ok(Proof::Longest { kept: Some(time - 1), broken: Some(time) });
        }
        if high > allowed(&least) || !least.is_positive() {
            return Ok(Proof::Longest { kept: Some(time - 1), broken: None });
        }
        // From now on every law is a mixture of these.
        if &apart << 8 < unit {
            let [[_, high], [least, _]] = bounds(&common, &apart)?;
            if high <= allowed(&least) && least.is_positive() {
                return Ok(Proof::Longest { kept: None, broken: None });
            }
        }
    }
}
