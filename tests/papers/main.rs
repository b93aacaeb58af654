//! The papers' tables and figures: one module each.

mod fluids;
mod land_battle;
mod periodic;
mod nrs86;
mod shapes;
mod workload;
mod yin_xu_wang;
