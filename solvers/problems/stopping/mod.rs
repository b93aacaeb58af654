//! Optimal stopping of a Markov chain of loads \[YXW03\].

pub mod answer;
pub(super) mod certificate;
pub mod claims;
mod classes;
mod compare;
mod compare_once;
pub mod lemmas;
mod maps;
pub mod model;
pub(super) mod proved;
mod sharing;
mod solve;
mod variants;
pub mod view;

pub(super) use self::solve::dynamics;

use self::model::Stopping;
use super::{Asked, Contest, Facts, Files, Found, Kind, Method, Outcome, Policies, Settings};
use crate::model::file::ModelFile;
use crate::output::check_free;
pub use maps::{map, table};
use remapping::Status;
pub use sharing::{ranks, shared};
pub use variants::varying;

impl Kind for Stopping {
    fn name(&self) -> &'static str {
        "stopping"
    }

    fn check(&self, loaded: &ModelFile) -> Outcome<()> {
        solve::check(loaded, self)
    }

    fn facts(&self, loaded: &ModelFile) -> Facts {
        solve::facts(loaded, self)
    }

    fn methods(&self) -> &'static [Method] {
        if self.is_varied() || self.unbounded().is_some() {
            &[]
        } else {
            &[Method::Value, Method::Policy]
        }
    }

    fn has_no_methods(&self) -> Option<&'static str> {
        let reason = "value and policy are for models with a highest load and one remap cost, without `steps` and without \
                      `partial_remaps`";
        self.methods().is_empty().then_some(reason)
    }

    fn solve(&self, asked: &Asked<'_, Settings>) -> Outcome<Found> {
        let Asked { loaded, files, .. } = *asked;
        if let Some((walks, shown)) = self.unbounded() {
            return variants::countable::solve(asked, self, (&walks, shown));
        }
        if self.is_partial() {
            return variants::partial::solve(asked, self);
        }
        if self.is_varied() {
            return variants::varying::solve(asked, self);
        }
        if let Some(folder) = files.folder.filter(|_| solve::is_archived(self)) {
            let archive = Files::document(folder, &loaded.path).with_extension("npz");
            let may = files.force || Files::is_begun(folder, loaded, self.name());
            if archive.symlink_metadata().is_ok() {
                check_free(&archive, may)?;
            }
        }
        solve::solve(asked, self)
    }

    fn usual_policies(&self) -> Option<Vec<String>> {
        // With an end, the motion is that of drifting loads.
        (self.restarts() && self.steps().is_some()).then(Vec::new)
    }

    fn compare(&self, asked: &Asked<'_, Contest>) -> Outcome<(Policies, Status)> {
        let (report, status) = compare::compare(asked, self)?;
        Ok((Policies::Sampled(report), status))
    }
}
