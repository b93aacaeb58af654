//! Functions that make certificates, for the command line and for tests.

use crate::core::budget::{Budget, Refusal};
use crate::{Evidence, MAGIC, Model, Proof, check_within};
use sha2::{Digest, Sha256};
use std::path::Path;

impl Default for Budget {
    /// The usual budget: some minutes of work.
    fn default() -> Budget {
        Budget::new(1 << 36)
    }
}

impl Model {
    /// Reads a model file. Paths in it are relative to `folder`.
    pub fn read(text: &str, folder: &Path) -> Result<Model, Refusal> {
        Model::titled(text, folder).map(|(_, model)| model)
    }

    /// Derives from the evidence what it proves, within the usual budget.
    pub fn prove(&self, evidence: &Evidence) -> Result<Proof, Refusal> {
        self.prove_within(evidence, &Budget::default())
    }

    /// Derives from the evidence what it proves.
    pub fn prove_within(&self, evidence: &Evidence, budget: &Budget) -> Result<Proof, Refusal> {
        self.find(evidence, budget).map(|(proof, _)| proof)
    }
}

/// A certificate for the model file with this text: the evidence and what it proves.
pub fn certificate(model: &str, evidence: &Evidence, proof: &Proof) -> Vec<u8> {
    seal(model, &postcard::to_allocvec(&(evidence, proof)).unwrap_or_default())
}

/// Puts a payload between the header that binds it to a model file and a digest of the whole.
pub fn seal(model: &str, payload: &[u8]) -> Vec<u8> {
    let body = [MAGIC, &Sha256::digest(model)[..], payload].concat();
    [&body[..], &Sha256::digest(&body)[..]].concat()
}

/// What a certificate of the model file with this text proves, within the usual budget.
pub fn check(model: &str, folder: &Path, certificate: &[u8]) -> Result<Proof, Refusal> {
    check_within(model, folder, certificate, &Budget::default()).map(|checked| checked.proof)
}
