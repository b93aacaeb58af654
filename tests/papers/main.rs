//! The papers' tables and figures: one module each.

mod fluids;
mod land_battle;
mod nrs86;
mod periodic;
mod shapes;
mod workload;
mod yin_xu_wang;
