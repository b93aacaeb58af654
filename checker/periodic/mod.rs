//! Remaps at fixed intervals: proves how long a bound on the imbalance is kept.

pub mod cheapest;
pub mod gammas;
pub mod keeping;
pub mod laws;
pub mod levels;
pub mod normals;
pub mod prices;
pub mod tails;
pub mod walks;
pub mod windows;

use crate::core::budget::{Budget, Refusal, model_error};
use crate::core::decimal::Number;
use crate::core::proof::Proof;
use crate::core::written;
use crate::loads::Chain;
use crate::loads::signed::Signed;
use crate::periodic::keeping::{Line, quadratic, search};
use crate::periodic::laws::{Law, SIZES, matters, moderate};
use crate::periodic::prices::Price;
use crate::periodic::walks::Walks;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed as _};

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
}

/// The most processors.
const LARGEST: u64 = 1_000_000;

/// The most periods.
const PERIODS: u64 = 1000;

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
        let fits = (2..=LARGEST).contains(&count)
            && laws.iter().all(|(count, _)| *count > 0)
            && sizes.iter().all(|x| moderate(&x.0, SIZES))
            && matters(&self.initial_load)
            && (self.bound.is_some() || self.remap_cost.is_some() && !chain)
            && self
                .periods
                .is_none_or(|n| (1..=PERIODS).contains(&n) && self.bound.is_some() && !chain);
        let capacities = self.capacities.as_ref().is_none_or(|list| {
            let fit = list.len() as u64 == count && list.iter().all(matters);
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
        match &self.changes {
            Changes::Chain { chain, .. } => levels::review(&self.initial_load.0, chain),
            _ => Ok(()),
        }
    }

    /// The number of processors.
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

    /// Groups equal processors, with their changes divided by their capacities.
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

    /// The mean change of the mean load in a step. It does not apply to chains.
    pub fn change(&self) -> BigRational {
        let classes = self.classes();
        let each = classes.iter().map(|(count, law)| &law.moments()[0] * BigInt::from(*count));
        each.sum::<BigRational>() / BigInt::from(self.count())
    }
}

/// Proves how long the bound is kept. Continuous distributions are replaced by ones on a lattice
/// with `grid` points per standard deviation.
pub fn prove(model: &Periodic, grid: u32, budget: &Budget) -> Result<Proof, Refusal> {
    if !(1..=1024).contains(&grid) {
        return Err(Refusal::Malformed);
    }
    if let Changes::Chain { count, chain } = &model.changes {
        return levels::of_chain(model, *count, chain, budget);
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

/// Proves how long the bound is kept from this mean load on; without a bound, which interval costs
/// least.
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
    match &model.bound {
        None => {
            let why = "there are proofs of least costs for steps only";
            let walks = Walks::of(classes).ok_or(Refusal::Unproved(why))?;
            let Price(Number(cost)) = model.remap_cost.as_ref().ok_or(Refusal::Malformed)?;
            cheapest::prove(&walks.classes, &walks.span, (cost, line.last_loaded()), budget)
        }
        Some(Bound::RmsDeviation(bound)) => Ok(quadratic([&spread, &drift], line, &bound.0, true)),
        Some(Bound::MaxDeviation(Number(bound))) => {
            if classes.iter().any(|(_, law)| matches!(law, Law::Moments { .. })) {
                // The largest deviation is at most the root of the sum of all squares.
                return Ok(quadratic([&spread, &drift], line, bound, false));
            }
            if let [(count, Law::Normal { deviation, .. })] = classes {
                return normals::of_normal((*count, &deviation.0), line, bound, grid, budget);
            }
            let walks = Walks::of(classes);
            search(line, bound, |time| match &walks {
                Some(walks) => walks.largest(time, budget),
                None => gammas::of_gamma(classes, time, grid, budget),
            })
        }
    }
}
