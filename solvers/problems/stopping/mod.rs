//! Optimal stopping of a Markov chain of loads \[YXW03\].

pub(super) mod certificate;
mod decision_map;
mod solve;
pub mod table;

use super::{Files, Found, Problem, Settings};
use crate::complaint::Complaint;
use crate::model::{Loaded, stopping::Stopping};
use crate::output::check_free;
use crate::run::Watch;
use serde_json::Value;

impl Problem for Stopping {
    fn name(&self) -> &'static str {
        "stopping"
    }

    fn facts(&self, loaded: &Loaded) -> Vec<(&'static str, Value)> {
        solve::facts(loaded, self)
    }

    fn solve(
        &self,
        loaded: &Loaded,
        settings: &Settings,
        files: Files<'_>,
        watch: &Watch,
    ) -> Result<Found, Vec<Complaint>> {
        if let Some(folder) = files.folder.filter(|_| solve::is_archived(loaded, self)) {
            let archive = Files::document(folder, &loaded.path).with_extension("npz");
            if archive.symlink_metadata().is_ok() {
                check_free(&archive, files.force).map_err(|complaint| vec![complaint])?;
            }
        }
        solve::solve(loaded, self, settings, watch)
    }
}
