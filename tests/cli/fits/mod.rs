//! Models fitted to logs: changes of phase and drifts, chains, mean loads; traces made by a model.

mod chains;
mod made;
mod mean_loads;
mod notes;
mod traces;
pub mod truth;
