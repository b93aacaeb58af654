//! The chain of one process: its forms in model files, and the rows of its transition matrix.

pub mod affine;
pub mod chain;
pub mod dense;
pub mod rows;
pub mod unbounded;
