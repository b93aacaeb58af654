//! Walks without a highest load: bounds on J that keep some levels; loads beyond may cost between 0
//! and a remap. docs/certificates.md has the proof.

use crate::core::budget::{Budget, Refusal, model_error};
use crate::core::decimal::Number;
use crate::loads::chains::unbounded::Unbounded;
use crate::loads::{Cost, Processes};
use crate::stopping::maps;
use crate::stopping::problem::{After, Stopping, Written};
use crate::stopping::states::{Shown, States};
use crate::stopping::values::{Run, Values};
use num_rational::BigRational;
use num_traits::Zero;
use std::path::Path;

/// The most processes, and the most levels of each that are shown.
const MOST: [usize; 2] = [100, 1000];

/// The walks, if there is no highest load. The levels that are shown replace them in the model.
pub(crate) fn walks(model: &mut Written) -> Result<Option<Unbounded>, Refusal> {
    let Processes::Unbounded(walks) = &model.processes else { return Ok(None) };
    let walks = walks.clone();
    let once = model.steps.is_none() && matches!(model.remap_cost, Cost::Constant(_));
    let few = (1..=MOST[0]).contains(&walks.count) && (2..=MOST[1]).contains(&walks.shown);
    if !few || !once || model.after_remap != After::Stop {
        return model_error("walks without a highest load are too many, or of another form");
    }
    model.processes = walks.levels(walks.shown, &walks.down);
    Ok(Some(walks))
}

impl Stopping {
    /// The same walks on `levels` levels, the last of which is never left.
    pub fn kept(&self, levels: u64) -> Result<Stopping, Refusal> {
        let walks = self.walks.as_ref().ok_or(Refusal::Malformed)?;
        let some = usize::try_from(levels).ok().filter(|n| (walks.shown + 1..1 << 20).contains(n));
        let last = Number(BigRational::zero());
        let processes = walks.levels(some.ok_or(Refusal::Malformed)?, &last);
        Stopping::new(Written { processes, ..self.model.clone() }, Path::new(""))
    }
}

/// Proves bounds for the states that are shown. The first run states on how many levels the others
/// are; the last level stands for all loads beyond.
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
