//! Loads with continuous increments: bounds of one distribution, then of a distribution for each
//! class of ranks.

mod bounds;
mod classes;
mod rules;
