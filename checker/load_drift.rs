//! Drifting loads: the backward recursion over the whole horizon, in integers rounded down. What the
//! rounding takes away in all is bounded, so the value lies between what is found and that much more.

use crate::chain::Chain;
use crate::fixed::{floor, times, weights};
use crate::multisets::Lumped;
use crate::reader::Reader;
use crate::syntax::Tree;
use crate::{Proof, Refusal};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed};

/// A model of drifting loads.
pub struct LoadDrift {
    lumped: Lumped,
    lowest: i64,
    initial: usize,
    steps: u64,
    remap_cost: BigRational,
    rebalance: Rebalance,
    before_step: bool,
    makespan: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Rebalance {
    Split,
    Nearest,
    Stochastic,
}

/// Fraction bits of the values.
const BITS: u32 = 60;

impl LoadDrift {
    pub(crate) fn read(tree: &Tree) -> Result<LoadDrift, Refusal> {
        let known = [
            "processors",
            "chain",
            "initial_load",
            "steps",
            "remap_cost",
            "rebalance",
            "decide",
            "objective",
        ];
        let fields = tree.fields("LoadDrift", &known)?;
        let wrong = |what: &str| Refusal::Model(format!("{what} is out of range or unknown"));
        let one_of = |name: &str, options: &[&str]| {
            let found = fields.find(name).map_or(options[0], Tree::name);
            options.iter().position(|option| *option == found).ok_or_else(|| wrong(name))
        };
        let rebalance = one_of("rebalance", &["Split", "Nearest", "Stochastic"])?;
        let chain = Chain::read(fields.get("chain")?)?;
        let processors = fields.get("processors")?.count()?;
        let initial = fields.get("initial_load")?.integer()?.checked_sub(chain.lowest);
        let initial = initial
            .and_then(|level| usize::try_from(level).ok())
            .filter(|level| *level < chain.levels());
        let steps = fields.get("steps")?.count()? as u64;
        let remap_cost = fields.get("remap_cost")?.number()?;
        if !(1..=100).contains(&processors) || !(1..=1_000_000).contains(&steps) || chain.lowest < 0
        {
            return Err(wrong("a number"));
        }
        if remap_cost.is_negative() {
            return Err(wrong("remap_cost"));
        }
        Ok(LoadDrift {
            lumped: Lumped::new(&chain, processors)?,
            lowest: chain.lowest,
            initial: initial.ok_or_else(|| wrong("initial_load"))?,
            steps,
            remap_cost,
            rebalance: [Rebalance::Split, Rebalance::Nearest, Rebalance::Stochastic][rebalance],
            before_step: one_of("decide", &["AfterStep", "BeforeStep"])? == 1,
            makespan: one_of("objective", &["Imbalance", "Makespan"])? == 1,
        })
    }

    /// Bounds on the least expected objective, in units of 2^-60. `progress` is told how many steps are
    /// done, and may end the computation by returning `false`.
    ///
    /// # Errors
    /// [`Refusal::TooLarge`]; [`Refusal::Truncated`] if `progress` ended it.
    pub fn value(&self, mut progress: impl FnMut(u64) -> bool) -> Result<(i128, i128), Refusal> {
        let sets = &self.lumped.states;
        let r = sets.size;
        let (mut costs, mut totals) = (Vec::new(), Vec::new());
        sets.for_each(|items| {
            let (total, max) = (items.iter().sum::<usize>(), items[r - 1]);
            costs.push(if self.makespan {
                (i128::from(self.lowest) + max as i128) << BITS
            } else {
                ((max * r - total) as i128 * (1 << BITS)).div_euclid(r as i128)
            });
            totals.push(total);
        });
        let rank = |levels: &dyn Fn(usize) -> usize| sets.rank((0..r).map(levels));
        // What a total becomes: two places and the weight of the second.
        let targets: Vec<(usize, usize, u64)> = (0..=r * (sets.levels - 1))
            .map(|total| {
                let (low, extra) = (total / r, total % r);
                let even = |level: usize| rank(&|_| level);
                Ok(match self.rebalance {
                    Rebalance::Split => {
                        let place = rank(&|i| low + usize::from(i >= r - extra));
                        (place, place, 0)
                    }
                    Rebalance::Nearest => {
                        let place = even(low + usize::from(2 * extra >= r));
                        (place, place, 0)
                    }
                    Rebalance::Stochastic if extra == 0 => (even(low), even(low), 0),
                    Rebalance::Stochastic => {
                        let up = BigRational::new(BigInt::from(extra), BigInt::from(r));
                        (even(low), even(low + 1), weights(&up)?.0)
                    }
                })
            })
            .collect::<Result<_, Refusal>>()?;
        let remap = floor(&self.remap_cost, BITS)?;
        // What is rounded away, in all.
        let mut lost = 1;
        let mut value = if self.before_step { costs.clone() } else { vec![0; costs.len()] };
        for step in u64::from(self.before_step)..self.steps {
            let to = |&(one, other, weight): &(usize, usize, u64)| {
                let apart = value[other] - value[one];
                // The weight is rounded too.
                let rise = times(apart, weight) - (apart.abs() >> 62) - 1;
                remap + value[one] + if weight == 0 { 0 } else { rise }
            };
            let remapped: Vec<i128> = targets.iter().map(to).collect();
            let largest = value.iter().copied().max().unwrap_or(0);
            for ((value, cost), total) in value.iter_mut().zip(&costs).zip(&totals) {
                let own = if self.before_step { 0 } else { *cost };
                *value = own + (*value).min(remapped[*total]);
            }
            // A unit for the cost of the step, one for the remap's, the rest for a random split.
            lost +=
                6 + (largest >> 60) + self.lumped.deficit(value.iter().copied().max().unwrap_or(0));
            self.lumped.apply(&mut value, 1);
            if self.before_step {
                value.iter_mut().zip(&costs).for_each(|(value, cost)| *value += cost);
            }
            if value.iter().any(|v| *v >= 1 << 118) {
                return Err(Refusal::TooLarge);
            }
            if !progress(step + 1) {
                return Err(Refusal::Truncated);
            }
        }
        let found = value[rank(&|_| self.initial)];
        Ok((found, found + lost))
    }

    /// Checks the payload of a certificate.
    pub(crate) fn check(&self, reader: &mut Reader<'_>) -> Result<Proof, Refusal> {
        let (low, high) = (reader.signed()?, reader.signed()?);
        let found = self.value(|_| true)?;
        if low > found.0 || high < found.1 {
            return Err(Refusal::Unproved(
                "the value claimed is narrower than what the recursion shows".to_owned(),
            ));
        }
        Ok(Self::proof(found))
    }

    /// A proof of these bounds.
    pub fn proof((low, high): (i128, i128)) -> Proof {
        let real = |x: i128| BigRational::new(BigInt::from(x), BigInt::one() << BITS);
        let near = |x: &BigRational| num_traits::ToPrimitive::to_f64(x).unwrap_or(f64::NAN);
        let (low, high) = (near(&real(low)).next_down(), near(&real(high)).next_up());
        let line = format!("the least expected objective is in [{low}, {high}]");
        Proof { lines: vec![line], intervals: vec![("value".to_owned(), low, high)] }
    }
}
