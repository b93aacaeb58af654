//! Texts that the library hands over.

use crate::error::{Failure, Outcome, Place, words};
use serde::{Serialize, de::DeserializeOwned};
use std::ffi::{CString, c_char};

/// Gives back a text that the library made. NULL is allowed.
///
/// # Safety
/// `text` is NULL or was made by the library and not given back yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_text_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: made by `hand_over`, as the caller promises, and given back once.
        drop(unsafe { CString::from_raw(text) });
    }
}

pub(crate) fn hand_over(text: String, to: &Place<*mut c_char>) -> Outcome<()> {
    let text = CString::new(text).map_err(|_| Failure::argument("a text with a NUL in it"))?;
    to.set(text.into_raw());
    Ok(())
}

/// A document as text.
pub(crate) fn written(value: &impl Serialize) -> Outcome<String> {
    serde_json::to_string(value)
        .map_err(|error| Failure::argument(format!("it cannot be stored: {error}")))
}

/// A document from the caller's text.
///
/// # Safety
/// As [`words`].
pub(crate) unsafe fn read<T: DeserializeOwned>(text: *const c_char, what: &str) -> Outcome<T> {
    // SAFETY: promised by the caller.
    let text = unsafe { words(text, "text") }?;
    serde_json::from_str(text)
        .map_err(|error| Failure::argument(format!("not a stored {what}: {error}")))
}
