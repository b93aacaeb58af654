//! The repository: imports, dependencies, and pages with their commands, tables and words.

mod documents;
mod floors;
mod manifests;
mod modules;
mod papers;
mod words;
