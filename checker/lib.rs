//! Checks what `remap solve --certificate` has written.
//!
//! Nothing here is shared with the solvers. Decimals of model files are exact fractions, and all
//! computations use integers, rounded in the safe direction. docs/certificates.md states the
//! mathematics. [`check`] takes a model file and a certificate, and returns what they prove
//! together.

mod core;
mod detector;
pub mod facts;
mod lifetime;
mod load_drift;
mod loads;
mod making;
mod many_phases;
mod model;
mod periodic;
pub mod phase_change;
pub mod phase_switching;
mod shown;
mod stopping;

pub use crate::core::budget::{Budget, Refusal};
pub use crate::core::counts::{Counts, Decision};
pub use crate::core::proof::{Interval, Proof, Steps, Switches};
pub use loads::states::space::Space;
pub use making::{certificate, check, seal};
pub use many_phases::{Grid, ManyPhases};
pub use periodic::Periodic;
pub use phase_change::horizon::PhaseChange;
pub use phase_switching::PhaseSwitching;
pub use stopping::{problem::Stopping, region::Entry, values::Run};

/// What tests check by itself; no part of the interface.
#[doc(hidden)]
pub mod parts {
    pub use crate::many_phases::points::Points;
    pub use crate::phase_switching::filter::Upper;
}

use model::Problem;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::Path;
use stopping::states::{Shown, States};

/// The content of a certificate, from which the proof follows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Evidence {
    /// Fraction bits, and the steps of the backward recursion.
    PhaseChange(u32, Vec<phase_change::Steps>),
    /// Fraction bits, and the values of the states. The values are empty for a computation that
    /// ends.
    Stopping(u32, Vec<Run>),
    /// Empty: the check repeats the recursion.
    LoadDrift,
    /// Fraction bits, and the savings in some states. In all other states one remaps.
    Region(u32, Vec<Entry>),
    /// Points per standard deviation of the lattice that replaces a continuous distribution.
    Periodic(u32),
    /// Fraction bits, and the steps of the backward recursion; for a program without an end, until
    /// convergence.
    PhaseSwitching(u32, Vec<phase_switching::Steps>),
    /// The grid on which the recursion runs.
    ManyPhases(Grid),
}

/// A model of a kind that certificates exist for.
#[allow(missing_docs, reason = "the names are those of model files")]
pub enum Model {
    PhaseChange(Box<PhaseChange>),
    Stopping(Box<Stopping>),
    LoadDrift(Box<load_drift::LoadDrift>),
    Periodic(Box<Periodic>),
    PhaseSwitching(Box<PhaseSwitching>),
    ManyPhases(Box<ManyPhases>),
}

impl Model {
    /// Reads the title and the model of a model file. Paths in it are relative to `folder`.
    fn titled(text: &str, folder: &Path) -> Result<(String, Model), Refusal> {
        let (title, problem) = model::read(text)?;
        let model = match problem {
            Problem::PhaseChange(model) => model.review().map(|()| Model::PhaseChange(model))?,
            Problem::Stopping(model) => Model::Stopping(Box::new(Stopping::new(model, folder)?)),
            Problem::LoadDrift(own) => own.review().map(|()| Model::LoadDrift(Box::new(own)))?,
            Problem::Periodic(model) => model.review().map(|()| Model::Periodic(model))?,
            Problem::PhaseSwitching(own) => own.review().map(|()| Model::PhaseSwitching(own))?,
            Problem::ManyPhases(own) => own.review().map(|()| Model::ManyPhases(own))?,
        };
        Ok((title, model))
    }

    /// Derives from the evidence what it proves.
    fn find(&self, evidence: &Evidence, budget: &Budget) -> Result<Shown, Refusal> {
        let proof = match (self, evidence) {
            (Model::PhaseChange(own), Evidence::PhaseChange(bits, steps)) => {
                phase_change::prove(own, *bits, steps, budget)
            }
            (Model::Stopping(own), Evidence::Stopping(bits, runs)) => {
                return own.prove(*bits, runs, budget);
            }
            (Model::Stopping(own), Evidence::Region(bits, entries)) => {
                return stopping::region::prove(own, *bits, entries, budget);
            }
            (Model::LoadDrift(own), Evidence::LoadDrift) => load_drift::prove(own, budget),
            (Model::Periodic(own), Evidence::Periodic(grid)) => periodic::prove(own, *grid, budget),
            (Model::PhaseSwitching(own), Evidence::PhaseSwitching(bits, steps)) => {
                phase_switching::prove(own, *bits, steps, budget)
            }
            (Model::ManyPhases(own), Evidence::ManyPhases(how)) => own.prove(how, budget),
            _ => Err(Refusal::Malformed),
        };
        proof.map(|proof| (proof, States::None))
    }
}

/// A certificate that has been checked and holds.
pub struct Checked {
    /// The title of the model file.
    pub title: String,
    /// The model.
    pub model: Model,
    /// The statement that is proved of it.
    pub proof: Proof,
    states: States,
}

const MAGIC: &[u8] = b"remap certificate 7\n";
const DIGEST: usize = 32;

/// Checks a certificate against the text of its model file.
pub fn check_within(
    model: &str,
    folder: &Path,
    certificate: &[u8],
    budget: &Budget,
) -> Result<Checked, Refusal> {
    let rest = certificate.strip_prefix(MAGIC).ok_or(Refusal::NotACertificate)?;
    let (body, digest) = certificate.split_at(certificate.len().saturating_sub(DIGEST));
    if rest.len() < 2 * DIGEST || Sha256::digest(body)[..] != *digest {
        return Err(Refusal::Damaged);
    }
    if Sha256::digest(model)[..] != rest[..DIGEST] {
        return Err(Refusal::Foreign);
    }
    let payload = postcard::take_from_bytes(&rest[DIGEST..rest.len() - DIGEST]);
    let Ok(((evidence, claims), [])) = payload else { return Err(Refusal::Malformed) };
    let (title, model) = Model::titled(model, folder)?;
    let (proof, states) = model.find(&evidence, budget)?;
    if proof != claims {
        return Err(Refusal::Unproved("what is claimed is not what follows"));
    }
    Ok(Checked { title, model, proof, states })
}
