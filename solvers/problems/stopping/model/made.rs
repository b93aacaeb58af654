//! The states and the chain that a review has made, so that long files are read once.

use remapping::chain::Operator;
use remapping::stopping::States;
use std::fmt;
use std::sync::{Mutex, PoisonError};

type StatesAndChain = (States, Box<dyn Operator>);

/// The result that nobody has taken yet. A copy of the model makes its own.
#[derive(Default)]
pub(crate) struct Made(Mutex<Option<StatesAndChain>>);

impl Made {
    pub(crate) fn keep(&self, made: StatesAndChain) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
    }

    pub(crate) fn take(&self) -> Option<StatesAndChain> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The states, unless they have been taken.
    pub(crate) fn states(&self) -> Option<States> {
        let made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        made.as_ref().map(|(states, _)| states.clone())
    }
}

impl Clone for Made {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Made")
    }
}
