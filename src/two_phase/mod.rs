//! Workloads with one change of phase: the cost of their runs under two mappings, step by step, and
//! the results of remapping policies on them [NR90, section V].
//!
//! [`workload::compare`] runs a [`Workload`](workload::Workload) in all its scenarios. Each run is
//! reduced to the times of its cycles under either mapping. The fixed and the optimal threshold
//! policies are evaluated on them exactly, over the errors of the detector: O(cycles x 2000) time a
//! run and policy.

pub mod envelope;
pub mod estimate;
pub mod expectation;
pub mod figure;
mod parts;
pub mod play;
pub mod speedup;
pub mod trace;
pub mod workload;

pub use parts::{Belief, Parameters, Premature, Remap};
