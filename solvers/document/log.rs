//! The facts about a log that a model fitted to it keeps, and so does its solution.

use serde::{Deserialize, Serialize};

/// The units and steps of a log, and how well the model fits it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Log {
    /// Seconds in a unit of load of the model.
    pub unit_seconds: f64,
    /// Steps of the program in a step of the model.
    pub stride: u64,
    /// Whether the model fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fits: Option<Fits>,
    /// The length of the job in steps of the program, where it was stated. Otherwise its rules are
    /// for any length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_steps: Option<u64>,
}

/// Whether a model fits its log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fits {
    /// The verdict.
    pub verdict: Verdict,
    /// The reason for it.
    pub why: String,
}

/// Yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Records simulated by the model look like the log.
    Yes,
    /// They do not.
    No,
}

impl Log {
    /// From optional fields; `None` if all are absent.
    pub fn of(
        unit_seconds: Option<f64>,
        stride: Option<u64>,
        fits: Option<Fits>,
        job_steps: Option<u64>,
    ) -> Option<Log> {
        let any = unit_seconds.is_some() || stride.is_some() || fits.is_some();
        (any || job_steps.is_some()).then(|| Log {
            unit_seconds: unit_seconds.unwrap_or(1.0),
            stride: stride.unwrap_or(1),
            fits,
            job_steps,
        })
    }

    /// Why the model should not be relied on, if so.
    pub fn misfit(&self) -> Option<String> {
        let fits = self.fits.as_ref().filter(|fits| fits.verdict == Verdict::No)?;
        Some(format!("the model does not fit its log: {}", fits.why))
    }

    /// Its units and steps, one sentence each. `of_the_program`: the rule's steps are those of the
    /// program.
    pub fn notes(&self, of_the_program: bool) -> Vec<String> {
        let mut notes = vec!["Times are in seconds.".to_owned()];
        if self.stride > 1 {
            let stride = self.stride;
            let steps = if of_the_program { "the program" } else { "the log" };
            notes.push(format!(
                "The log has one step for {stride} of the program: ask every {stride} steps, with the times of \
                 all of them. Steps below are those of {steps}."
            ));
        }
        if let Some(misfit) = self.misfit() {
            notes.push(format!("Beware: {misfit}."));
        }
        notes
    }
}
