//! Property-based verification: one property per lemma, named for it.

mod periodic;
