//! Optimal stopping: two-sided bounds on the optimal cost from one application of the chain.
//!
//! For a function v >= 0 let A = R(v) and B = psi + P v. The Bellman operator is monotone, and scaling v
//! by 1 - t scales both branches up to t rho and t psi; so v / (1 + b) lies below the optimal cost if
//! b >= max over s of max((v - A) / rho, (v - B) / psi), and v / (1 - a) above it if
//! a >= max over s of min((A - v) / rho, (B - v) / psi), a < 1. docs/certificates.md has the proof.

use crate::fixed::{UNIT, ceil, floor, ratio_up, times_up};
use crate::imbalance::{Imbalance, Norm};
use crate::reader::Reader;
use crate::space::Space;
use crate::syntax::Tree;
use crate::{Proof, Refusal};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::collections::HashMap;
use std::path::Path;

/// A model of optimal stopping.
pub struct Stopping {
    space: Space,
    imbalance: Imbalance,
    remap_cost: BigRational,
    after: After,
}

#[derive(Clone, Copy, PartialEq)]
enum After {
    Stop,
    Uniform,
    Restart,
}

/// What one application of the chain to a function of the states shows.
pub struct Evidence {
    /// Fraction bits.
    pub bits: u32,
    /// The function, in units of 2^-bits.
    pub value: Vec<i128>,
    /// `b` above, in units of 2^-62; with `Restart` the lower bound on the average, of 2^-bits.
    pub below: i128,
    /// `a` above; with `Restart` the upper bound.
    pub above: i128,
    /// `B` balanced, `R` remap, `C` continue, `T` not decided by the bounds; empty with `Restart`.
    pub letters: Vec<u8>,
    remap: (i128, i128),
}

impl Stopping {
    pub(crate) fn read(tree: &Tree, folder: &Path) -> Result<Stopping, Refusal> {
        let known = ["processes", "capacities", "running_cost", "remap_cost", "after_remap"];
        let fields = tree.fields("Stopping", &known)?;
        let capacities = fields.find("capacities").map(Tree::numbers).transpose()?;
        let space = Space::read(fields.get("processes")?, capacities.as_deref(), folder)?;
        let processes = space.loads().first().map_or(0, Vec::len);
        let capacities = capacities.unwrap_or_else(|| vec![BigRational::one(); processes]);
        if capacities.len() != processes
            || space.loads().iter().any(|loads| loads.len() != processes)
        {
            return Err(Refusal::Model("load vectors and capacities differ in length".to_owned()));
        }
        let norm = match fields.find("running_cost").map_or("MaxMinusMean", Tree::name) {
            "MaxMinusMean" => Norm::MaxMinusMean,
            "MaxAbsDeviation" => Norm::MaxAbsDeviation,
            "EuclideanDeviation" => Norm::EuclideanDeviation,
            _ => return Err(Refusal::Model("an unknown running cost".to_owned())),
        };
        let after = match fields.get("after_remap")?.name() {
            "Stop" => After::Stop,
            "Uniform" => After::Uniform,
            "Restart" => After::Restart,
            _ => return Err(Refusal::Model("an unknown after_remap".to_owned())),
        };
        let remap_cost = fields.get("remap_cost")?.number()?;
        if !remap_cost.is_positive() {
            return Err(Refusal::Model(
                "only a positive remap cost needs a certificate".to_owned(),
            ));
        }
        Ok(Stopping { space, imbalance: Imbalance::new(norm, &capacities)?, remap_cost, after })
    }

    /// The loads of each state, in the order of [`Evidence::value`].
    pub fn states(&self) -> &[Vec<i64>] {
        self.space.loads()
    }

    /// What `value` shows.
    pub fn evidence(&self, bits: u32, value: Vec<i128>) -> Result<Evidence, Refusal> {
        if bits > 80 || value.iter().any(|v| v.unsigned_abs() >= 1 << 112) {
            return Err(Refusal::TooLarge);
        }
        if self.after == After::Restart {
            return self.average(bits, value);
        }
        if value.iter().any(|v| *v < 0) {
            return Err(Refusal::Unproved("a value is negative".to_owned()));
        }
        let costs = self.costs(bits)?;
        let rho = (floor(&self.remap_cost, bits)?, ceil(&self.remap_cost, bits)?);
        let mean = if self.after == After::Stop { (0, 0) } else { self.mean(&value)? };
        let remap = (rho.0 + mean.0, rho.1 + mean.1);
        let (image, deficit) = self.space.expect(&value);
        let (mut below, mut above) = (0, 0);
        for ((v, image), psi) in value.iter().zip(&image).zip(&costs) {
            if psi.1 == 0 {
                if *v != 0 {
                    return Err(Refusal::Unproved("a balanced state has a cost".to_owned()));
                }
                continue;
            }
            let go = (psi.0 + image, psi.1 + image + deficit);
            let psi = psi.0.max(1);
            let short = ratio_up(v - remap.0, rho.0).max(ratio_up(v - go.0, psi));
            let long = ratio_up(remap.1 - v, rho.0).min(ratio_up(go.1 - v, psi));
            (below, above) = (below.max(short), above.max(long));
        }
        if above >= i128::from(UNIT / 2) || below >= i128::from(UNIT) {
            return Err(Refusal::Unproved("the values are no solution".to_owned()));
        }
        // 1/(1+b) >= 1 - b, and 1/(1-a) = 1 + a/(1-a).
        let less = |x: i128| x - times_up(x, below as u64);
        let rise = ratio_up(above, i128::from(UNIT) - above) as u64;
        let more = |x: i128| x + times_up(x, rise);
        let remap_bounds = (rho.0 + less(mean.0), rho.1 + more(mean.1));
        let letter = |(image, psi): (&i128, &(i128, i128))| match () {
            () if psi.1 == 0 => b'B',
            () if psi.0 + less(*image) >= remap_bounds.1 => b'R',
            () if psi.1 + more(image + deficit) < remap_bounds.0 => b'C',
            () => b'T',
        };
        let letters = image.iter().zip(&costs).map(letter).collect();
        Ok(Evidence { bits, value, below, above, letters, remap: remap_bounds })
    }

    fn costs(&self, bits: u32) -> Result<Vec<(i128, i128)>, Refusal> {
        self.space.loads().iter().map(|loads| self.imbalance.cost(loads, bits)).collect()
    }

    /// Bounds on the mean of a function over all load vectors.
    fn mean(&self, value: &[i128]) -> Result<(i128, i128), Refusal> {
        let (mut sum, mut all) = (BigInt::zero(), BigInt::zero());
        for (v, ways) in value.iter().zip(&self.space.multiplicities) {
            sum += BigInt::from(*v) * ways;
            all += *ways;
        }
        let mean = sum.div_floor(&all).to_i128().ok_or(Refusal::TooLarge)?;
        Ok((mean, mean + 1))
    }

    /// For any relative costs h the least long-run average lies between the smallest and the largest
    /// T h - h [Odoni 1969].
    fn average(&self, bits: u32, mut value: Vec<i128>) -> Result<Evidence, Refusal> {
        // Only differences matter; the expectation is rounded as for nonnegative functions.
        let least = value.iter().copied().min().unwrap_or(0);
        value.iter_mut().for_each(|v| *v -= least);
        let costs = self.costs(bits)?;
        let (image, deficit) = self.space.expect(&value);
        let loads = self.space.loads();
        let places: HashMap<&[i64], usize> =
            loads.iter().enumerate().map(|(s, loads)| (loads.as_slice(), s)).collect();
        let mut back = HashMap::new();
        for loads in loads {
            let total: i64 = loads.iter().sum();
            let target = self.space.sorted(self.imbalance.split(total));
            let wrong = || Refusal::Model("a remap leads out of the levels".to_owned());
            back.insert(total, *places.get(target.as_slice()).ok_or_else(wrong)?);
        }
        let rho = (floor(&self.remap_cost, bits)?, ceil(&self.remap_cost, bits)?);
        let go = |s: usize| (costs[s].0 + image[s], costs[s].1 + image[s] + deficit);
        let (mut lower, mut upper) = (i128::MAX, i128::MIN);
        for (s, loads) in loads.iter().enumerate() {
            let (own, other) = (go(s), go(back[&loads.iter().sum::<i64>()]));
            lower = lower.min(own.0.min(rho.0 + other.0) - value[s]);
            upper = upper.max(own.1.min(rho.1 + other.1) - value[s]);
        }
        Ok(Evidence { bits, value, below: lower, above: upper, letters: Vec::new(), remap: rho })
    }

    /// Checks the payload of a certificate.
    pub(crate) fn check(&self, reader: &mut Reader<'_>) -> Result<Proof, Refusal> {
        let bits = reader.below(81)? as u32;
        let (below, above) = (reader.signed()?, reader.signed()?);
        let (mut value, mut last) = (Vec::new(), 0i128);
        for _ in self.states() {
            last = last.checked_add(reader.signed()?).ok_or(Refusal::Malformed)?;
            value.push(last);
        }
        let found = self.evidence(bits, value)?;
        let restart = self.after == After::Restart;
        if found.above > above || (if restart { found.below < below } else { found.below > below })
        {
            return Err(Refusal::Unproved(
                "the bounds claimed do not follow from the values".to_owned(),
            ));
        }
        for letters in found.letters.chunk_by(|a, b| a == b) {
            let (letter, run) = (reader.below(128)? as u8, reader.number()?);
            if letter != letters[0] || run != letters.len() as u128 {
                return Err(Refusal::Unproved(
                    "the decisions claimed do not follow from the values".to_owned(),
                ));
            }
        }
        Ok(found.proof())
    }
}

impl Evidence {
    /// What has been proved, in words and numbers.
    pub fn proof(&self) -> Proof {
        let real = |x: i128| x as f64 / 2f64.powi(self.bits as i32);
        if self.letters.is_empty() {
            let (low, high) = (real(self.below).next_down(), real(self.above).next_up());
            let line = format!("long-run average cost per step in [{low}, {high}]");
            return Proof { lines: vec![line], intervals: vec![("average".to_owned(), low, high)] };
        }
        let unit = UNIT as f64;
        let (low, high) =
            (1.0 - self.below as f64 / unit, 1.0 + self.above as f64 / (unit - self.above as f64));
        let largest = real(self.value.iter().copied().max().unwrap_or(0));
        let (remap_low, remap_high) =
            (real(self.remap.0).next_down(), real(self.remap.1).next_up());
        let gap = (high - low) * largest / remap_high.max(1.0);
        let count = |letter: u8| self.letters.iter().filter(|found| **found == letter).count();
        let lines = vec![
            format!(
                "J(s) in [{low:.17}, {high:.17}] times the value in the certificate, for all {} classes of states",
                self.value.len()
            ),
            format!(
                "that is within {gap:.2e} of max(1, R), where remapping costs R in [{remap_low}, {remap_high}] in all"
            ),
            format!(
                "decisions proved: {} remap, {} continue, {} balanced; {} may be either within these bounds",
                count(b'R'),
                count(b'C'),
                count(b'B'),
                count(b'T')
            ),
            format!("the map is optimal within {:.2e}", (high - low) * largest),
        ];
        let intervals = vec![
            ("remap_value".to_owned(), remap_low, remap_high),
            ("value_gap".to_owned(), 0.0, gap),
        ];
        Proof { lines, intervals }
    }
}
