//! Property-based verification: one property per lemma, named for it.

mod belief;
mod concave;
mod lifetime;
mod phase_change;
