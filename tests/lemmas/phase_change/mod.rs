//! The phase-change problem [NR86, NR90]: what its recursion must satisfy, for any law of N, any
//! hazards, both kinds of premature remapping, and detectors of every quality.

mod bracket;
mod counterexamples;
mod enumeration;
mod evaluation;
mod extremes;
mod invariance;
pub mod problems;
mod reference;
mod stationarity;
mod structure;
