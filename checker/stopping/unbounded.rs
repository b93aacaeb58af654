//! Walks without a highest load: what bounds J where some levels are kept, and those beyond may cost anything up to a
//! remap. docs/certificates.md has the proof.

use crate::loads::unbounded::Unbounded;
use crate::model::Number;
use crate::state::{Shown, States};
use crate::stopping::values::{Run, Values};
use crate::stopping::{Stopping, Written, maps};
use crate::{Budget, Refusal};
use num_rational::BigRational;
use num_traits::Zero;
use std::path::Path;

impl Stopping {
    /// The same walks on so many levels, the last of which is never left.
    pub fn kept(&self, levels: u64) -> Result<Stopping, Refusal> {
        let walks = self.walks.as_ref().ok_or(Refusal::Malformed)?;
        let levels =
            usize::try_from(levels).ok().filter(|n| (walks.shown + 1..1 << 20).contains(n));
        let last = Number(BigRational::zero());
        let processes = walks.levels(levels.ok_or(Refusal::Malformed)?, &last);
        Stopping::new(Written { processes, ..self.model.clone() }, Path::new(""))
    }
}

/// What is shown of the states that are shown. The first of the runs says on how many levels the others are, the last of
/// which stands for all that is beyond.
pub(crate) fn prove(
    (own, walks): (&Stopping, &Unbounded),
    (bits, runs): (u32, &[Run]),
    budget: &Budget,
) -> Result<Shown, Refusal> {
    let Some((&(levels, 0, 0), runs)) = runs.split_first() else { return Err(Refusal::Malformed) };
    let kept = own.kept(levels)?;
    let (_, space) = kept.parts()?;
    let values = Values::read((bits, runs), space, budget)?;
    let ends = [walks.shown as i64, levels as i64 - 1].map(|level| walks.lowest + level);
    let (proof, decisions) = maps::enclosed(&kept, &values, [0; 2], ends)?;
    let values = Vec::from_iter(values.each());
    let shown = own.parts()?.1.each(|_, loads| space.place_of(loads))?;
    let bounds = shown.iter().map(|place| (1, values[*place])).collect();
    let decisions = shown.iter().map(|place| decisions[*place]).collect();
    Ok((proof, States::of_all(bits, decisions, bounds, Vec::new())))
}
