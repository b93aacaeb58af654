//! When should a running program remap its work? The C interface of the `remapping` engine.
//!
//! Handles are opaque and belong to whoever made them; different handles may be used by different
//! threads at the same time, one handle by one thread at a time. There is no global state but the text of the
//! last error, which every thread has for itself. No panic crosses the boundary.

#![expect(non_camel_case_types, reason = "variants have the names they have in C")]

mod alone;
mod controller;
mod error;
mod fit;
mod monitor;
mod problems;
mod text;

pub use controller::*;
pub use error::*;
pub use fit::*;
pub use monitor::*;
pub use problems::{RemapPhaseChange, RemapPhaseSwitching};
pub use text::*;

/// What the header says of threads.
const fn shared<T: Send + Sync>() {}
const _: () = shared::<(RemapController, RemapMonitor, RemapFit)>();
