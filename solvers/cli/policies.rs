//! Names of policies, for shell completion. The user adds what follows a colon.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, Error};
use remapping::replay::OURS;
use std::ffi::OsStr;

/// Rules for any loads.
pub(super) const RULES: [&str; 13] = [
    "never",
    "fixed:",
    "stop_at_rise",
    "threshold:",
    "utilization:",
    "range:",
    "ratio:",
    "menon",
    "menon_offline",
    "metabalancer",
    "zhai",
    "procassini",
    "marquez:",
];

/// The policies of `compare`: rules, and those for a change of phase.
pub(super) const COMPARED: [&[&str]; 2] =
    [&RULES, &["optimal", "guarded:", "heuristic_1986", "threshold_curve"]];

/// The policies of `replay`.
pub(super) const PLAYED: [&[&str]; 3] = [&OURS, &RULES, &["solution"]];

/// Accepts any text; shells complete these names.
#[derive(Debug, Clone)]
pub(super) struct Named(pub &'static [&'static [&'static str]]);

impl TypedValueParser for Named {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        _: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        let text = value.to_str().map(str::to_owned);
        text.ok_or_else(|| Error::new(ErrorKind::InvalidUtf8).with_cmd(command))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().copied().flatten().map(|name| PossibleValue::new(*name))))
    }
}
