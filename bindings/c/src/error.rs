//! What went wrong: a code for programs, a sentence for people.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a call came to. Anything but REMAP_OK leaves outputs and handles as they were, and remap_last_error says
/// what is wrong.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemapStatus {
    /// All is well.
    REMAP_OK = 0,
    /// A pointer is NULL that must not be.
    REMAP_NULL = 1,
    /// A number, a name or a text is not what it should be.
    REMAP_ARGUMENT = 2,
    /// There are more or fewer numbers than there should be.
    REMAP_SIZE = 3,
    /// The policy or the monitor needs to be told something else of a step.
    REMAP_NEEDS_OTHER = 4,
    /// The caller's reduction failed.
    REMAP_REDUCTION = 5,
    /// A bug of the library.
    REMAP_BUG = 6,
}

pub use RemapStatus::{
    REMAP_ARGUMENT, REMAP_BUG, REMAP_NEEDS_OTHER, REMAP_NULL, REMAP_OK, REMAP_REDUCTION, REMAP_SIZE,
};

/// A failure before it is handed over.
pub(crate) struct Failure {
    pub(crate) status: RemapStatus,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(status: RemapStatus, message: impl ToString) -> Failure {
        Failure { status, message: message.to_string() }
    }

    pub(crate) fn argument(message: impl ToString) -> Failure {
        Failure::new(REMAP_ARGUMENT, message)
    }

    pub(crate) fn null(what: &str) -> Failure {
        Failure::new(REMAP_NULL, format!("`{what}` is NULL"))
    }
}

pub(crate) type Outcome<T> = Result<T, Failure>;

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// What was wrong with the last call of this thread that failed; empty before any has. Valid until the next
/// call of this thread that fails.
#[unsafe(no_mangle)]
pub extern "C" fn remap_last_error() -> *const c_char {
    LAST.with(|last| last.borrow().as_ptr())
}

/// Version of the library, such as 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn remap_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => panic!("a version has no NUL"),
        };
    VERSION.as_ptr()
}

fn remember(failure: Failure) -> RemapStatus {
    let text = CString::new(failure.message.replace('\0', " ")).unwrap_or_default();
    LAST.with(|last| *last.borrow_mut() = text);
    failure.status
}

/// Runs the body of a call: what goes wrong, panics included, becomes a code.
pub(crate) fn guarded(body: impl FnOnce() -> Outcome<()>) -> RemapStatus {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => REMAP_OK,
        Ok(Err(failure)) => remember(failure),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
            remember(Failure::new(REMAP_BUG, format!("a bug of the library: {text}")))
        }
    }
}

/// What a pointer of the caller points to.
///
/// # Safety
/// It is NULL, or points to a valid `T` that nothing else changes during the call.
pub(crate) unsafe fn shared<'a, T>(pointer: *const T, what: &str) -> Outcome<&'a T> {
    // SAFETY: promised by the caller.
    unsafe { pointer.as_ref() }.ok_or_else(|| Failure::null(what))
}

/// The same to be changed.
///
/// # Safety
/// It is NULL, or points to a valid `T` that nothing else uses during the call.
pub(crate) unsafe fn unique<'a, T>(pointer: *mut T, what: &str) -> Outcome<&'a mut T> {
    // SAFETY: promised by the caller.
    unsafe { pointer.as_mut() }.ok_or_else(|| Failure::null(what))
}

/// A place of the caller's that need not hold anything yet.
pub(crate) struct Place<T>(*mut T);

impl<T> Place<T> {
    /// # Safety
    /// The pointer is NULL, or may be written through during the call.
    pub(crate) unsafe fn new(pointer: *mut T, what: &str) -> Outcome<Place<T>> {
        if pointer.is_null() { Err(Failure::null(what)) } else { Ok(Place(pointer)) }
    }

    pub(crate) fn set(&self, value: T) {
        // SAFETY: it may be written through, as promised where it was made.
        unsafe { self.0.write(value) }
    }
}

/// So many numbers of the caller's.
///
/// # Safety
/// `values` is NULL, or points to `count` valid numbers that nothing changes during the call.
pub(crate) unsafe fn slice<'a>(values: *const f64, count: usize, what: &str) -> Outcome<&'a [f64]> {
    if values.is_null() {
        return if count == 0 { Ok(&[]) } else { Err(Failure::null(what)) };
    }
    if count > isize::MAX as usize / size_of::<f64>() {
        return Err(Failure::new(REMAP_SIZE, format!("`{what}`: {count} numbers are too many")));
    }
    // SAFETY: not NULL, not too long, and valid as promised by the caller.
    Ok(unsafe { std::slice::from_raw_parts(values, count) })
}

/// A text of the caller's.
///
/// # Safety
/// It is NULL, or ends with a NUL and is not changed during the call.
pub(crate) unsafe fn words<'a>(text: *const c_char, what: &str) -> Outcome<&'a str> {
    if text.is_null() {
        return Err(Failure::null(what));
    }
    // SAFETY: not NULL, and ends with a NUL as promised by the caller.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|_| Failure::argument(format!("`{what}` is not UTF-8")))
}
