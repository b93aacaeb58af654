//! `remap compare`: policies side by side on the same sample paths.

mod phase_change;
mod policies;
mod two_phase;

use super::{Exit, report};
use crate::cli::Compare;
use crate::land_battle::Assigned;
use crate::model::complaint::Complaint;
use crate::model::{Loaded, Problem};
use crate::output::check_free;
use crate::render;

/// What a policy costs, for a report.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its name.
    pub policy: String,
    /// Its expected cost, or the mean of sample paths.
    pub cost: f64,
    /// Half the width of the bounds on it, or of the 95 % confidence interval.
    pub half_width: f64,
    /// Expected number of remaps.
    pub remaps: Option<f64>,
}

/// The usual policies on a model, within `time_limit` seconds; none where policies cannot be played.
pub fn rows(loaded: &Loaded, time_limit: f64) -> Vec<Row> {
    match &loaded.model.problem {
        Problem::PhaseChange(model) => phase_change::rows(loaded, model, time_limit),
        Problem::LoadDrift(model) => {
            let arguments = Compare {
                model: loaded.path.clone(),
                policies: Vec::new(),
                runs: 100,
                seed: 1,
                json: false,
                out: None,
                plot: None,
                force: false,
                threads: None,
                time_limit: Some(time_limit),
            };
            policies::rows(&arguments, loaded, model)
        }
        _ => Vec::new(),
    }
}

pub(super) fn run(arguments: &Compare) -> Exit {
    if let Err(complaint) = check_outputs(arguments) {
        return report(&[complaint]);
    }
    let loaded = match Loaded::read(&arguments.model) {
        Ok(loaded) => loaded,
        Err(complaints) => return report(&complaints),
    };
    match &loaded.model.problem {
        Problem::PhaseChange(model) => phase_change::run(arguments, &loaded, model),
        Problem::LoadDrift(model) => policies::load_drift(arguments, &loaded, model),
        Problem::ActivityMesh(model) => policies::activity_mesh(arguments, &loaded, model),
        Problem::Fluids(model) => two_phase::run(arguments, &loaded, "fluids", model),
        Problem::LandBattle(model) => {
            two_phase::run(arguments, &loaded, "land_battle", &Assigned::new(model))
        }
        _ => {
            let message = "policies cannot be played on this problem";
            let help =
                "compare takes PhaseChange, LoadDrift, ActivityMesh, Fluids and LandBattle models";
            report(&[loaded.complain("problem", message, "a problem without sample paths", help)])
        }
    }
}

/// Says at once what could not be written at the end.
fn check_outputs(arguments: &Compare) -> Result<(), Complaint> {
    if let Some(plot) = &arguments.plot {
        render::plot::Format::of(plot)?;
        check_free(plot, arguments.force)?;
    }
    match &arguments.out {
        Some(folder) if folder.exists() && !folder.is_dir() => {
            let message = format!("{} is not a directory", folder.display());
            Err(Complaint::elsewhere(message, "give the path of a directory"))
        }
        _ => Ok(()),
    }
}
