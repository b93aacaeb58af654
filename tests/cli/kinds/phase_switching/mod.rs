//! `PhaseSwitching` models: what commands say of them, of detectors and of policies, then models in
//! which much is 0, equal or certain.

mod commands;
mod degenerate;
mod degenerate_sweep;
mod detectors;
mod policies;
