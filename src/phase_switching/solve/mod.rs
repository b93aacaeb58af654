//! Both thresholds: over finitely many cycles, in the long run, and where they are known exactly.

pub(crate) mod equal_gains;
pub(crate) mod finite;
pub(crate) mod long_run;
pub(crate) mod one_mapping;
