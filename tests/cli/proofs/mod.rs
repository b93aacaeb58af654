//! What is said to be proved is proved.
//!
//! - `claims`: intervals that are called certified.
//! - `certificates`, `proved`, `proved_at_random`, `altered`: certificates and solutions, unchanged and changed.
//! - `verify`, `acceptance`: theorems on each kind of model; the models that solver and checker take.

mod acceptance;
mod altered;
pub mod certificates;
mod claims;
pub mod proved;
mod proved_at_random;
mod verify;
