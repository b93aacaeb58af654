//! Both thresholds: over finitely many cycles, in the long run, and where they are known exactly.

pub(in crate::phase_switching) mod equal_gains;
pub(in crate::phase_switching) mod finite;
pub(in crate::phase_switching) mod long_run;
pub(in crate::phase_switching) mod one_mapping;
