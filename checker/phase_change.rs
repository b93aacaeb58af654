//! The phase-change problem: what the steps of a certificate show of thresholds and value.

use crate::fixed::UNIT;
use crate::phase_model::PhaseChange as Problem;
use crate::reader::Reader;
use crate::syntax::Tree;
use crate::{Proof, Refusal};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive};

pub use crate::recursion::{Grid, Recursion, Threshold};

/// A model with one change of phase.
pub struct PhaseChange {
    pub(crate) problem: Problem,
    /// M.
    pub(crate) last: u64,
}

impl PhaseChange {
    pub(crate) fn read(tree: &Tree) -> Result<PhaseChange, Refusal> {
        let (problem, last) = Problem::read(tree)?;
        Ok(PhaseChange { problem, last })
    }

    /// M, the last step.
    pub fn last_step(&self) -> u64 {
        self.last
    }

    /// Whether a cycle is no shorter for a remapping: then there is none, whatever the belief.
    pub fn never_gains(&self) -> bool {
        !self.problem.gain.is_positive()
    }

    /// Checks the payload of a certificate: steps, and then the thresholds they are said to show.
    pub(crate) fn check(&self, reader: &mut Reader<'_>) -> Result<Proof, Refusal> {
        let mut recursion = Recursion::new(self)?;
        loop {
            match reader.below(4)? {
                0 => {
                    let grid = Grid { tangents: ascending(reader)?, nodes: ascending(reader)? };
                    recursion.step(Some(grid))?;
                }
                1 => {
                    for _ in 0..reader.number()? {
                        recursion.step(None)?;
                    }
                }
                2 => {
                    recursion.rest(reader.number()?.try_into().map_err(|_| Refusal::Malformed)?)?
                }
                _ => break,
            }
        }
        let unproved =
            |what: &str| Err(Refusal::Unproved(format!("the {what} claimed does not follow")));
        for found in recursion.thresholds() {
            let claim = (reader.number()?, reader.number()?, reader.number()?);
            if claim.0 != u128::from(found.first) {
                return Err(Refusal::Malformed);
            }
            if claim.1 > u128::from(found.low) || claim.2 < u128::from(found.high) {
                return unproved(&format!("threshold of step {}", found.first));
            }
        }
        recursion.proof()
    }
}

/// Ascending numbers as differences, their count first.
fn ascending(reader: &mut Reader<'_>) -> Result<Vec<u64>, Refusal> {
    let count = reader.below(1 << 28)?;
    let mut last = 0u64;
    let mut list = Vec::new();
    for _ in 0..count {
        last = u64::try_from(reader.number()?)
            .ok()
            .and_then(|step| last.checked_add(step))
            .ok_or(Refusal::Malformed)?;
        list.push(last);
    }
    Ok(list)
}

impl Recursion<'_> {
    /// What the steps have shown, once step 0 is done.
    ///
    /// # Errors
    /// [`Refusal::Truncated`] if it is not.
    pub fn proof(&self) -> Result<Proof, Refusal> {
        if self.horizon.next.is_some() {
            return Err(Refusal::Truncated);
        }
        let real = |n: i128| BigRational::new(BigInt::from(n), BigInt::one() << self.bits);
        let (m, cycles, quiet) = (self.model, &self.horizon.cycles, &self.horizon.quiet);
        let later = if m.gain.is_positive() { &m.remapped } else { &m.after };
        let free = |quiet: &BigRational, cycles: &BigRational| {
            quiet * &m.before + (cycles - quiet) * later
        };
        let ends = [
            (&quiet.low, &cycles.low),
            (&quiet.low, &cycles.high),
            (&quiet.high, &cycles.low),
            (&quiet.high, &cycles.high),
        ];
        let ends = ends.map(|(quiet, cycles)| free(quiet, cycles));
        let (least, most) = (ends.iter().min().expect("four"), ends.iter().max().expect("four"));
        let (mut low, mut high) = (least.clone(), most.clone());
        if m.gain.is_positive() {
            low += real(self.base + i128::from(self.values[0]));
            high += real(self.base + i128::from(self.lines[0].0));
        }
        let near = |x: &BigRational| x.to_f64().unwrap_or(f64::NAN);
        let (low, high) = (near(&low).next_down(), near(&high).next_up());
        let probability = |p: u64| p as f64 / UNIT as f64;
        let (mut intervals, mut last, mut widest) =
            (vec![("value".to_owned(), low, high)], self.last, 0.0f64);
        for Threshold { first, low, high } in &self.thresholds {
            let steps =
                if *first == last { format!("pi_{first}") } else { format!("pi_{first}..{last}") };
            let (low, high) =
                (probability(*low).next_down().max(0.0), probability(*high).next_up().min(1.0));
            widest = widest.max(high - low);
            intervals.push((steps, low, high));
            last = first.wrapping_sub(1);
        }
        let n0 = self.horizon.never_from;
        let lines = vec![
            format!(
                "every threshold to within {widest:.2e}: pi_0 in [{}, {}]",
                intervals.last().expect("step 0").1,
                intervals.last().expect("step 0").2
            ),
            format!("remapping never pays from step {n0} on"),
            format!("the least expected completion time is in [{low}, {high}]"),
        ];
        Ok(Proof { lines, intervals })
    }
}
