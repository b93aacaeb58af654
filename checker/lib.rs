//! Checks what `remap solve --certificate` has written.
//!
//! Nothing here is shared with the solvers: model files are read anew, decimals as exact fractions, and
//! all arithmetic is in integers, rounded in the safe direction. docs/certificates.md states the
//! mathematics. [`check`] takes a model file and a certificate and returns what they prove together.

mod chain;
mod fixed;
mod images;
mod imbalance;
pub mod load_drift;
mod multisets;
pub mod phase_change;
mod phase_model;
mod reader;
mod recursion;
mod space;
pub mod stopping;
mod syntax;

use reader::Reader;
use sha2::{Digest, Sha256};
use std::path::Path;
use syntax::Tree;

/// Why nothing has been proved.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// The model file cannot be read, or says what no certificate is about.
    #[error("the model: {0}")]
    Model(String),
    /// Not a certificate, or one of another version.
    #[error("this is not a certificate of this version")]
    NotACertificate,
    /// The digest at the end does not match.
    #[error("the certificate is damaged: its digest does not match")]
    Damaged,
    /// The certificate belongs to another model file.
    #[error("the certificate belongs to another model file")]
    Foreign,
    /// It ends too early.
    #[error("the certificate ends too early")]
    Truncated,
    /// A number is out of range, or something follows the last one.
    #[error("the certificate is malformed")]
    Malformed,
    /// Numbers beyond what the arithmetic holds.
    #[error("the model or the certificate is too large to be checked")]
    TooLarge,
    /// A claim does not follow.
    #[error("not proved: {0}")]
    Unproved(String),
}

/// What has been proved.
#[derive(Debug, Clone, PartialEq)]
pub struct Proof {
    /// In words.
    pub lines: Vec<String>,
    /// Named quantities between a lower and an upper bound.
    pub intervals: Vec<(String, f64, f64)>,
}

/// A model file.
pub enum Model {
    /// One change of phase, watched by a fallible detector.
    PhaseChange(Box<phase_change::PhaseChange>),
    /// Optimal stopping of a chain of loads.
    Stopping(stopping::Stopping),
    /// Drifting loads over a given number of steps.
    LoadDrift(load_drift::LoadDrift),
}

impl Model {
    /// Reads a model file; paths in it are relative to `folder`.
    ///
    /// # Errors
    /// [`Refusal::Model`] and [`Refusal::TooLarge`].
    pub fn read(text: &str, folder: &Path) -> Result<Model, Refusal> {
        let tree = Tree::read(text)?;
        let problem = tree.fields("Model", &["title", "source", "problem"])?.get("problem")?;
        Ok(match problem.name() {
            "PhaseChange" => {
                Model::PhaseChange(Box::new(phase_change::PhaseChange::read(problem)?))
            }
            "Stopping" => Model::Stopping(stopping::Stopping::read(problem, folder)?),
            "LoadDrift" => Model::LoadDrift(load_drift::LoadDrift::read(problem)?),
            other => return Err(Refusal::Model(format!("there are no certificates for {other}"))),
        })
    }
}

const MAGIC: &[u8] = b"remap certificate 1\n";
const DIGEST: usize = 32;

/// Puts a payload between the head that binds it to a model file and a digest of all of it.
pub fn seal(model: &str, payload: &[u8]) -> Vec<u8> {
    let mut bytes = [MAGIC, &Sha256::digest(model)[..], payload].concat();
    let digest = Sha256::digest(&bytes);
    bytes.extend_from_slice(&digest);
    bytes
}

/// Checks a certificate of the model file with this text.
///
/// # Errors
/// Any [`Refusal`]: then nothing is proved.
pub fn check(model: &str, folder: &Path, certificate: &[u8]) -> Result<Proof, Refusal> {
    let rest = certificate.strip_prefix(MAGIC).ok_or(Refusal::NotACertificate)?;
    let (body, digest) = certificate.split_at(certificate.len().saturating_sub(DIGEST));
    if rest.len() < 2 * DIGEST || Sha256::digest(body)[..] != *digest {
        return Err(Refusal::Damaged);
    }
    if Sha256::digest(model)[..] != rest[..DIGEST] {
        return Err(Refusal::Foreign);
    }
    let mut reader = Reader::new(&rest[DIGEST..rest.len() - DIGEST]);
    let proof = match Model::read(model, folder)? {
        Model::PhaseChange(model) => model.check(&mut reader),
        Model::Stopping(model) => model.check(&mut reader),
        Model::LoadDrift(model) => model.check(&mut reader),
    }?;
    reader.end()?;
    Ok(proof)
}
