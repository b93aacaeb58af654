//! What is said to be proved is proved.
//!
//! - `claims`: intervals that are called certified.
//! - `certificates`, `certificate_files`, `tampered`: certificates, unchanged and changed.
//! - `proved`, `altered`: solutions, unchanged and changed.
//! - `verify`, `acceptance`: theorems on each kind of model; the models that solver and checker
//!   take.

mod acceptance;
mod altered;
mod certificate_files;
pub mod certificates;
mod claims;
pub mod proved;
mod tampered;
mod verify;
