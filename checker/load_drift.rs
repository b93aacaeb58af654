//! Drifting loads: the backward recursion over the whole horizon, in integers rounded down. The
//! total rounding error is bounded, so the value lies between the result and the result plus that
//! bound.

use crate::core::budget::{Budget, Refusal, model_error};
use crate::core::proof::Proof;
use crate::core::span::{Span, UNIT, WEIGHT, down, up};
use crate::core::written;
use crate::loads::chains::rows::by_one;
use crate::loads::imbalance::{Imbalance, RunningCost};
use crate::loads::states::space::Space;
use crate::loads::{Chain, Cost, Processes};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};
use std::collections::HashMap;
use std::iter::repeat_n;

written! {
    pub struct LoadDrift {
        pub processors: usize, pub chain: Chain, pub initial_load: i64, pub steps: u64,
        pub remap_cost: Cost, #[serde(default)] pub rebalance: Rebalance,
        #[serde(default)] pub decide: Decide, #[serde(default)] pub objective: Objective
    }
    #[derive(Default)]
    pub enum Rebalance { #[default] Split, Nearest, Stochastic }
    #[derive(Default)]
    pub enum Decide { #[default] AfterStep, BeforeStep }
    #[derive(Default)]
    pub enum Objective { #[default] Imbalance, Makespan }
}

impl LoadDrift {
    /// Checks the parameters against each other; each number alone was checked when it was read.
    pub fn review(&self) -> Result<(), Refusal> {
        let levels = self.chain.levels();
        let (lowest, rows) = match levels {
            0..=LONGEST => self.chain.rows()?,
            _ => return Err(Refusal::TooLarge),
        };
        let highest = lowest.saturating_add(rows.len() as i64 - 1);
        let [fixed, each] = self.costs()?;
        if fixed.max(each) > BigRational::from(BigInt::from(10).pow(DEAREST)) {
            return model_error("the cost of a remap is too large");
        }
        let within = lowest >= 0 && (lowest..=highest).contains(&self.initial_load);
        if within && self.steps > 0 && self.processors > 0 {
            return Ok(());
        }
        model_error(
            "a load lies outside the levels or below 0, or there are no steps or processors",
        )
    }
}

impl LoadDrift {
    /// The fixed part of the cost of a remap, and its cost for each unit moved by an even split.
    pub fn costs(&self) -> Result<[BigRational; 2], Refusal> {
        match (&self.remap_cost, &self.rebalance) {
            (Cost::Constant(cost), _) => Ok([cost.0.clone(), BigRational::zero()]),
            (Cost::Moved([fixed, each]), Rebalance::Split) => Ok([fixed.0.clone(), each.0.clone()]),
            _ => model_error("the cost of a remap does not go with the rest"),
        }
    }

    /// All states, and how many units a remap moves in each. The second list is empty if moved
    /// units cost nothing.
    pub fn states(&self) -> Result<(Space, Vec<i64>), Refusal> {
        let (count, chain) = (self.processors, self.chain.clone());
        let space = Space::independent(&Processes::Identical { count, chain }, &[])?;
        if self.costs()?[1].is_zero() {
            return Ok((space, Vec::new()));
        }
        // The processors with the highest loads keep the larger shares.
        let moved = |loads: &[i64]| {
            let (mut sorted, total) = (loads.to_vec(), loads.iter().sum::<i64>());
            sorted.sort_unstable();
            let shares = (0..count as i64).map(|place| (total + place) / count as i64);
            sorted.iter().zip(shares).map(|(load, share)| (load - share).max(0)).sum()
        };
        let moved = space.each(|_, loads| Ok(moved(loads)))?;
        Ok((space, moved))
    }
}

/// The largest cost of a remap, as a power of ten.
const DEAREST: u32 = 100;

/// The most levels whose rows are listed.
const LONGEST: usize = 1 << 20;

/// Proves bounds on the least expected objective.
pub fn prove(model: &LoadDrift, budget: &Budget) -> Result<Proof, Refusal> {
    // Loads that change slowly may differ for many steps, and a remap keeps their total.
    match with_room(model, 1, budget) {
        Err(Refusal::TooLarge) => with_room(model, model.steps, budget),
        found => found,
    }
}

/// The recursion in a number format with room for values that differ by a remap and `steps` steps.
fn with_room(model: &LoadDrift, steps: u64, budget: &Budget) -> Result<Proof, Refusal> {
    let (count, r) = (model.processors, model.processors as i64);
    let (space, moved) = model.states()?;
    let [fixed, each] = model.costs()?;
    let price = |units: i64| &fixed + &each * BigInt::from(units);
    let dearest = price(moved.iter().copied().max().unwrap_or(0));
    let even = Imbalance::new(RunningCost::MaxMinusMean, &vec![BigRational::one(); count])?;
    let (totals, own) = space.totals()?;
    budget.spend(space.work().saturating_mul(model.steps))?;
    // Where rows sum to 1, the smallest value is subtracted from all: they differ by little more
    // than a remap. Otherwise values are at most the cost of all steps.
    let conserves = space.conserves();
    let steps = if conserves { steps } else { model.steps };
    let span = dearest + BigInt::from(totals[totals.len() - 1] + 1) * steps;
    let whole = (span * BigInt::from(8)).to_integer().bits() as u32;
    let bits = 60u32.checked_sub(whole).ok_or(Refusal::TooLarge)?;
    let makespan = model.objective == Objective::Makespan;
    let cost = |_, loads: &[i64]| match loads.iter().max() {
        Some(max) if makespan => Ok((*max as u64) << bits),
        _ => even.cost(loads, bits).map(|[low, _]| low),
    };
    let costs: Vec<u64> = space.each(cost)?;
    // The one or two states to which a remap leads from a total.
    let target = |total: &i64| {
        let (level, rest) = (total / r, total % r);
        let all = |more: bool| vec![level + i64::from(more); count];
        let [one, other] = match model.rebalance {
            Rebalance::Split => [even.shares(*total), even.shares(*total)],
            Rebalance::Nearest => [all(2 * rest >= r), all(2 * rest >= r)],
            Rebalance::Stochastic => [all(false), all(rest > 0)],
        };
        let chance =
            |units: i64| Span::from(&BigRational::new(units.into(), r.into())).units(WEIGHT);
        Ok([
            (space.place_of(&one)?, chance(r - rest)?[0]),
            (space.place_of(&other)?, chance(rest)?[0]),
        ])
    };
    let targets = totals.iter().map(target).collect::<Result<Vec<_>, Refusal>>()?;
    // The cost of a remap everywhere, or in each state.
    let low = |cost: &BigRational| Ok::<u64, Refusal>(Span::from(cost).units(bits)?[0]);
    let remap = if moved.is_empty() { low(&fixed)? } else { 0 };
    let own_costs =
        moved.iter().map(|units| low(&price(*units))).collect::<Result<Vec<u64>, Refusal>>()?;
    let early = model.decide == Decide::BeforeStep;
    // The costs of the next step, unless it is paid before the move.
    let mut ahead = costs.clone();
    let short = if early { 0 } else { space.expect(&mut ahead) };
    let savings = conserves && moved.is_empty();
    let moves = if savings { Moves::new(model, &space, &own)? } else { None };
    let (mut common, mut lost) = (0i128, 1u64);
    let mut value = if early { costs.clone() } else { vec![0; costs.len()] };
    for _ in u64::from(early)..model.steps {
        let to = |&(state, chance): &(usize, u64)| down(value[state], chance);
        let remapped = |targets: &[_; 2]| remap + targets.iter().map(to).sum::<u64>();
        let remapped: Vec<u64> = targets.iter().map(remapped).collect();
        match &moves {
            Some(moves) => {
                // The saving of continuing relative to a remap.
                for (value, total) in value.iter_mut().zip(&own) {
                    *value = remapped[*total].saturating_sub(*value);
                }
                let more = space.expect(&mut value);
                let (means, less) = moves.means(&remapped);
                for (i, value) in value.iter_mut().enumerate() {
                    let most = ahead[i] + means[moves.class[i] as usize];
                    *value = most.saturating_sub(*value + more);
                }
                lost += short + more + less;
            }
            None => {
                for (i, value) in value.iter_mut().enumerate() {
                    let more = own_costs.get(i).copied().unwrap_or(0);
                    *value =
                        (*value).min(remapped[own[i]] + more) + if early { 0 } else { costs[i] };
                }
                lost += space.expect(&mut value);
                if early {
                    value.iter_mut().zip(&costs).for_each(|(value, cost)| *value += cost);
                }
            }
        }
        // One unit is for the cost of the step, one for the remap's, four for a random split. Rows
        // with a sum above 1 enlarge earlier errors.
        lost += space.missed(lost)?[0] + 6;
        let least = if conserves { value.iter().copied().min().unwrap_or(0) } else { 0 };
        value.iter_mut().for_each(|value| *value -= least);
        common += i128::from(least);
        if value.iter().any(|value| *value >= 1 << 60) {
            return Err(Refusal::TooLarge);
        }
    }
    let found = common + i128::from(value[space.place_of(&vec![model.initial_load; count])?]);
    Ok(Proof::Value(Span::between(found, found + i128::from(lost), bits).reals().into()))
}

/// The distribution of the change of the total. Few distinct ones exist where levels move in few
/// ways.
struct Moves {
    /// The distribution and the total of each state, as an index into the result of
    /// [`means`](Self::means).
    class: Vec<u32>,
    totals: usize,
    /// The probabilities of all changes of the total, from the largest decrease on, rounded down.
    laws: Vec<Vec<u64>>,
}

/// Distinct rows of the levels: those of the lowest, of the highest and of all between them.
const WAYS: usize = 3;

impl Moves {
    /// `None` if this would take as long as visiting each state.
    fn new(model: &LoadDrift, space: &Space, own: &[usize]) -> Result<Option<Moves>, Refusal> {
        let ((lowest, rows), count) = (model.chain.rows()?, model.processors);
        let totals = own.iter().max().map_or(0, |most| most + 1);
        if !by_one(&rows) {
            return Ok(None);
        }
        let mut ways: Vec<[u64; 3]> = Vec::new();
        let mut of_level = Vec::new();
        for (level, row) in rows.iter().enumerate() {
            let mut way = [0; 3];
            for (to, p) in row {
                way[to + 1 - level] = Span::from(p).units(WEIGHT)?[0];
            }
            let known = ways.iter().position(|other| *other == way);
            of_level.push(known.unwrap_or(ways.len()));
            ways.extend(known.is_none().then_some(way));
        }
        if ways.len() > WAYS {
            return Ok(None);
        }
        ways.resize(WAYS, [0; 3]);
        let (mut laws, mut known) = (Vec::new(), HashMap::new());
        let class = space.each(|state, loads| {
            let mut many = [0; WAYS];
            loads.iter().for_each(|load| many[of_level[(load - lowest) as usize]] += 1);
            let law = *known.entry(many).or_insert_with(|| {
                laws.push(many);
                laws.len() - 1
            });
            Ok((law * totals + own[state]) as u32)
        })?;
        let width = 2 * count + 1;
        if laws.len() * totals * width > class.len() {
            return Ok(None);
        }
        let law = |many: [usize; WAYS]| {
            let mut law = vec![0; width];
            law[count] = UNIT;
            for way in many.iter().zip(&ways).flat_map(|(many, way)| repeat_n(way, *many)) {
                let from = |place: usize, by: usize| {
                    (place + 1)
                        .checked_sub(by)
                        .map_or(0, |from| down(*law.get(from).unwrap_or(&0), way[by]))
                };
                law = (0..width).map(|place| (0..3).map(|by| from(place, by)).sum()).collect();
            }
            law
        };
        Ok(Some(Moves { class, totals, laws: laws.into_iter().map(law).collect() }))
    }

    /// The mean of a function of the total after the move, rounded down, and the largest rounding
    /// error.
    fn means(&self, function: &[u64]) -> (Vec<u64>, u64) {
        let mut missing = 0;
        let each = self.laws.iter().flat_map(|law| {
            missing = (UNIT - law.iter().sum::<u64>()).max(missing);
            let reach = law.len() / 2;
            (0..self.totals).map(move |total| {
                let at = |i: usize| (total + i).checked_sub(reach).and_then(|to| function.get(to));
                law.iter().enumerate().map(|(i, p)| at(i).map_or(0, |x| down(*x, *p))).sum()
            })
        });
        let means = each.collect();
        let most = function.iter().copied().max().unwrap_or(0);
        (means, up(most, missing) + self.laws.first().map_or(0, Vec::len) as u64)
    }
}
