//! What a remap leads to, and which processes may exchange their loads.

pub mod exchange;
pub mod returns;
pub mod targets;
