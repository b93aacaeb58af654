//! The papers' tables and figures: one module each.

mod fluids;
mod land_battle;
mod nrs86;
mod periodic;
mod phase_change;
mod shapes;
#[path = "../thorough.rs"]
mod thorough;
mod workload;
mod yin_xu_wang;
