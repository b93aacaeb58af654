//! What a rule saves, in words.

use super::contest::Percent;
use std::fmt::{Display, Formatter, Result};

/// What a rule saves of the job.
#[derive(Debug, Clone, Copy)]
pub(super) struct Saving {
    pub(super) of: Percent,
    /// Whether it rests on few stretches between remaps, whose intervals may be too narrow.
    pub(super) few: bool,
}

impl Saving {
    pub(super) const NOTHING: Saving =
        Saving { of: Percent { percent: 0.0, lower: 0.0, upper: 0.0 }, few: false };

    /// Whether it is what was done.
    pub(super) fn is_nothing(&self) -> bool {
        [self.of.lower, self.of.upper] == [0.0; 2]
    }

    /// `2.5 % (95 %: 1.1 to 3.6)`.
    pub(super) fn share(self) -> String {
        let Percent { percent, lower, upper } = self.of;
        let level = if self.few { "from few remaps" } else { "95 %" };
        format!("{percent:.2} % ({level}: {lower:.2} to {upper:.2})")
    }
}

/// As what the rule would do: `save 2.5 % (95 %: 1.1 to 3.6) of the job`.
impl Display for Saving {
    fn fmt(&self, text: &mut Formatter<'_>) -> Result {
        match self.of.percent < 0.0 {
            true => {
                let more = Saving { of: self.of.negated(), ..*self };
                write!(text, "cost {} of the job more", more.share())
            }
            false => write!(text, "save {} of the job", self.share()),
        }
    }
}
