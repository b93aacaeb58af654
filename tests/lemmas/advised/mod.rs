//! The rule `advised`: computed from its definition, and its properties.

mod by_definition;
mod rule;
