//! What tests share: folders to work in, languages to compile in, logs made for tests, damaged
//! inputs.

pub mod languages;
pub mod made_logs;
pub mod mutants;
pub mod workplace;
