//! The work that a check may do, and the reasons why it proves nothing.

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

/// The work that checks may still do. The unit is about one product of two numbers, which takes
/// some nanoseconds.
pub struct Budget(AtomicU64);

impl Budget {
    /// A budget of `work` products.
    pub fn new(work: u64) -> Budget {
        Budget(AtomicU64::new(work))
    }

    pub(crate) fn spend(&self, work: u64) -> Result<(), Refusal> {
        let less = |left: u64| left.checked_sub(work);
        let spent = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        spent.map(drop).map_err(|_| Refusal::OverBudget)
    }
}

pub(crate) fn model_error<T>(what: &str) -> Result<T, Refusal> {
    Err(Refusal::Model(what.to_owned()))
}
