//! `Periodic` models: tables and wrong models, then edges, then references made by other means.

mod commands;
mod edges;
mod references;
