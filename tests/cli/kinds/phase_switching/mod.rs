//! `PhaseSwitching` models: what commands say of them, then models in which much is 0, equal or certain.

mod commands;
mod degenerate;
mod degenerate_sweep;
