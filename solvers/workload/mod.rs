//! Workloads with one change of phase: what their runs cost under two mappings, step by step, and
//! how remapping policies fare on them [NR90, section V].

pub mod compare;
pub mod envelope;
pub mod estimate;
pub mod expectation;
pub mod figure;
pub mod play;
pub mod solve;
pub mod speedup;
pub mod trace;
