//! What a recorded run says about the parameters of a model, and how surely.

pub mod level;
