//! A value of any type that is computed once and kept with the object it is computed from.

use std::any::Any;
use std::sync::{Arc, OnceLock};

/// Room for one value.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kept(OnceLock<Arc<dyn Any + Send + Sync>>);

impl Kept {
    /// The value, computed at the first call.
    ///
    /// # Panics
    /// If an earlier call was for another type.
    pub(crate) fn get<T: Any + Send + Sync>(&self, compute: impl FnOnce() -> T) -> &T {
        let value = self.0.get_or_init(|| Arc::new(compute()));
        value.downcast_ref().expect("one type of value for each room")
    }
}
