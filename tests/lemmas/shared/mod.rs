//! What kinds of problems share: distributions of N, beliefs, piecewise-linear functions, chains.

mod affine;
mod belief;
mod chain;
mod concave;
mod lifetime;
