//! Property-based verification: one property per lemma, named for it.

mod belief;
mod chain;
mod concave;
mod drift;
mod lifetime;
mod monitor;
mod periodic;
mod phase_change;
mod replay;
mod stopping;
mod switching;
mod two_sided_deviation;
