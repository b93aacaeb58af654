//! `Periodic` models: tables, models of all forms and wrong ones, then edges, then references made
//! by other means.

mod commands;
mod edges;
mod models;
mod references;
