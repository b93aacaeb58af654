//! Options that were given where they make no difference.

use crate::output::say;

/// A sentence on each option that was given: that it makes no difference, and why.
pub(super) fn told(options: &[(&str, bool)], why: &str) -> Vec<String> {
    let given = options.iter().filter(|(_, given)| *given);
    given.map(|(option, _)| format!("{option} makes no difference here: {why}")).collect()
}

/// Says that.
pub(super) fn tell(options: &[(&str, bool)], why: &str) {
    told(options, why).iter().for_each(|sentence| say(&format!("warning: {sentence}")));
}
