//! `ContinuousDrift` models: answers, classes of ranks, models fitted to logs.

mod answers;
mod classes;
mod fitted;

pub use answers::WALKS;
pub use classes::CLASSES;
