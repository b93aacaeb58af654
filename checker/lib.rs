//! Checks what `remap solve --certificate` has written.
//!
//! Nothing here is shared with the solvers: decimals of model files are exact fractions, and all that is
//! computed is computed in integers, rounded in the safe direction. docs/certificates.md states the
//! mathematics. [`check`] takes a model file and a certificate and returns what they prove together.

mod affine;
mod chain;
mod cheapest;
mod costs;
mod counts;
mod ending;
pub mod facts;
mod filter;
mod grids;
mod horizon;
mod imbalance;
mod joint;
mod keeping;
mod laws;
mod levels;
mod load_drift;
mod loads;
mod maps;
mod model;
mod multisets;
mod number;
mod periodic;
mod phases;
mod places;
mod proof;
pub mod recursion;
mod region;
mod remaining;
mod resting;
mod space;
mod squares;
mod state;
mod stopping;
pub mod switching;
mod tails;
mod targets;
mod walks;
mod windows;

pub use counts::Counts;
pub use maps::Run;
pub use periodic::Periodic;
pub use phases::PhaseChange;
pub use proof::{Decision, Interval, Proof, Steps};
pub use region::Entry;
pub use space::Space;
pub use stopping::Stopping;
pub use switching::{PhaseSwitching, Switches};

use model::Problem;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use state::States;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Why nothing has been proved.
#[allow(missing_docs, reason = "the messages say it")]
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    #[error("the model: {0}")]
    Model(String),
    #[error(
        "this is not a certificate of this version: make it again with `remap solve --certificate`"
    )]
    NotACertificate,
    #[error("the certificate is damaged: its digest does not match")]
    Damaged,
    #[error("the certificate belongs to another model file")]
    Foreign,
    #[error("the certificate is malformed")]
    Malformed,
    #[error("the model or the certificate is too large to be checked")]
    TooLarge,
    #[error("checking this takes more work than it was given")]
    OverBudget,
    #[error("not proved: {0}")]
    Unproved(&'static str),
}

/// The work that checks may still take, in products of two numbers, about: some nanoseconds each.
pub struct Budget(AtomicU64);

impl Budget {
    /// So much.
    pub fn new(work: u64) -> Budget {
        Budget(AtomicU64::new(work))
    }

    fn spend(&self, work: u64) -> Result<(), Refusal> {
        let less = |left: u64| left.checked_sub(work);
        let spent = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        spent.map(drop).map_err(|_| Refusal::OverBudget)
    }
}

impl Default for Budget {
    /// Some minutes.
    fn default() -> Budget {
        Budget::new(1 << 36)
    }
}

fn model_error<T>(what: &str) -> Result<T, Refusal> {
    Err(Refusal::Model(what.to_owned()))
}

/// What a certificate holds.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Evidence {
    /// Fraction bits, and steps back through the horizon.
    PhaseChange(u32, Vec<recursion::Steps>),
    /// Fraction bits, and the values of the states; nothing of a computation with an end.
    Stopping(u32, Vec<Run>),
    /// Nothing: the recursion is run again.
    LoadDrift,
    /// Fraction bits, and what is saved in some states: in all others one remaps.
    Region(u32, Vec<Entry>),
    /// Points per deviation, where laws that are on no lattice are put on one.
    Periodic(u32),
    /// Fraction bits, and steps back through the horizon, or without an end until all is at rest.
    PhaseSwitching(u32, Vec<switching::Steps>),
}

/// A model that certificates are about.
pub enum Model {
    /// One change of phase, watched by a fallible detector.
    PhaseChange(Box<PhaseChange>),
    /// Optimal stopping of a chain of loads.
    Stopping(Box<Stopping>),
    /// Drifting loads over a given number of steps.
    LoadDrift(Box<loads::LoadDrift>),
    /// Remaps at fixed intervals.
    Periodic(Box<Periodic>),
    /// Phases that come back.
    PhaseSwitching(Box<PhaseSwitching>),
}

impl Model {
    /// Reads a model file; paths in it are relative to `folder`.
    pub fn read(text: &str, folder: &Path) -> Result<Model, Refusal> {
        Model::titled(text, folder).map(|(_, model)| model)
    }

    fn titled(text: &str, folder: &Path) -> Result<(String, Model), Refusal> {
        let (title, problem) = model::read(text)?;
        let model = match problem {
            Problem::PhaseChange(model) => model.review().map(|()| Model::PhaseChange(model))?,
            Problem::Stopping(model) => Model::Stopping(Box::new(Stopping::new(model, folder)?)),
            Problem::LoadDrift(own) => own.review().map(|()| Model::LoadDrift(Box::new(own)))?,
            Problem::Periodic(model) => model.review().map(|()| Model::Periodic(model))?,
            Problem::PhaseSwitching(own) => own.review().map(|()| Model::PhaseSwitching(own))?,
        };
        Ok((title, model))
    }

    /// What follows from evidence, with the usual budget.
    pub fn prove(&self, evidence: &Evidence) -> Result<Proof, Refusal> {
        self.prove_within(evidence, &Budget::default())
    }

    /// What follows from evidence.
    pub fn prove_within(&self, evidence: &Evidence, budget: &Budget) -> Result<Proof, Refusal> {
        self.find(evidence, budget).map(|(proof, _)| proof)
    }

    fn find(&self, evidence: &Evidence, budget: &Budget) -> Result<(Proof, States), Refusal> {
        Ok(match (self, evidence) {
            (Model::PhaseChange(model), Evidence::PhaseChange(bits, steps)) => {
                (recursion::prove(model, *bits, steps, budget)?, States::None)
            }
            (Model::Stopping(model), Evidence::Stopping(bits, runs)) => {
                if let Some(steps) = model.steps() {
                    // Nothing: the recursion is run again.
                    let unneeded = runs.is_empty().then_some((*bits, steps));
                    let (proof, decisions, values, from) =
                        ending::prove(model, unneeded.ok_or(Refusal::Malformed)?, budget)?;
                    let values = values.into_iter().map(|value| (1, value)).collect();
                    return Ok((proof, States::of_all(*bits, decisions, values, from)));
                }
                let (proof, decisions, runs) = model.prove(*bits, runs, budget)?;
                (proof, States::of_all(*bits, decisions, runs, Vec::new()))
            }
            (Model::Stopping(model), Evidence::Region(bits, entries)) => {
                let (proof, (listed, rho)) = region::prove(&model.model, *bits, entries, budget)?;
                (proof, States::of_region(*bits, listed, rho, &model.model)?)
            }
            (Model::LoadDrift(model), Evidence::LoadDrift) => {
                (load_drift::prove(model, budget)?, States::None)
            }
            (Model::Periodic(model), Evidence::Periodic(grid)) => {
                (periodic::prove(model, *grid, budget)?, States::None)
            }
            (Model::PhaseSwitching(model), Evidence::PhaseSwitching(bits, steps)) => {
                (switching::prove(model, *bits, steps, budget)?, States::None)
            }
            _ => return Err(Refusal::Malformed),
        })
    }
}

/// A certificate that holds.
pub struct Checked {
    /// The title of the model file.
    pub title: String,
    /// The model.
    pub model: Model,
    /// What is proved of it.
    pub proof: Proof,
    states: States,
}

const MAGIC: &[u8] = b"remap certificate 7\n";
const DIGEST: usize = 32;

/// A certificate: evidence and what it proves, for the model file with this text.
pub fn certificate(model: &str, evidence: &Evidence, proof: &Proof) -> Vec<u8> {
    seal(model, &postcard::to_allocvec(&(evidence, proof)).unwrap_or_default())
}

/// Puts a payload between the head that binds it to a model file and a digest of all of it.
pub fn seal(model: &str, payload: &[u8]) -> Vec<u8> {
    let body = [MAGIC, &Sha256::digest(model)[..], payload].concat();
    [&body[..], &Sha256::digest(&body)[..]].concat()
}

/// What a certificate of the model file with this text proves, with the usual budget.
pub fn check(model: &str, folder: &Path, certificate: &[u8]) -> Result<Proof, Refusal> {
    check_within(model, folder, certificate, &Budget::default()).map(|checked| checked.proof)
}

/// Checks a certificate of the model file with this text.
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
    let ((title, model), claims): (_, Proof) = (Model::titled(model, folder)?, claims);
    let (proof, states) = model.find(&evidence, budget)?;
    let follows = Some(Checked { title, model, proof, states });
    let follows = follows.filter(|checked| checked.proof == claims);
    follows.ok_or(Refusal::Unproved("what is claimed is not what follows"))
}
