//! Property-based verification: one property per lemma, named for it.

mod advised;
mod advised_by_definition;
mod affine;
mod belief;
mod chain;
mod concave;
mod courses;
mod coverage;
mod drift;
mod drift_continuous;
mod drift_many;
mod drift_rounding;
mod drift_unremapped;
mod lifetime;
mod monitor;
mod overlap;
mod periodic;
mod phase_change;
mod phases;
mod replay;
mod slopes;
mod stopping;
mod switching;
mod switching_bounds;
mod switching_policies;
mod two_sided_deviation;
