//! Warns of options that make no difference.

use crate::output::say;

/// A sentence for each given option: it makes no difference, and why.
pub(super) fn told(options: &[(&str, bool)], why: &str) -> Vec<String> {
    let given = options.iter().filter(|(_, given)| *given);
    given.map(|(option, _)| format!("{option} makes no difference here: {why}")).collect()
}

/// Prints these sentences as warnings.
pub(super) fn tell(options: &[(&str, bool)], why: &str) {
    told(options, why).iter().for_each(|sentence| say(&format!("warning: {sentence}")));
}
