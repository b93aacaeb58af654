//! What a rule saves, in words.

use super::contest::Percent;
use std::fmt::{Display, Formatter, Result};

/// What a rule saves of the time of the run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Saving {
    pub(super) of: Percent,
    /// Whether it rests on few stretches between remaps, whose intervals may be too narrow.
    pub(super) few: bool,
    /// Whether the rule made no remap.
    pub(super) never: bool,
}

impl Saving {
    pub(super) const NOTHING: Saving =
        Saving { of: Percent { percent: 0.0, lower: 0.0, upper: 0.0 }, few: false, never: false };

    /// Where either may be so: this one's saving, within both intervals.
    pub(super) fn or(self, other: Saving) -> Saving {
        let (lower, upper) = (self.of.lower.min(other.of.lower), self.of.upper.max(other.of.upper));
        let (few, never) = (self.few || other.few, self.never && other.never);
        Saving { of: Percent { lower, upper, ..self.of }, few, never }
    }

    /// `2.5 % (95 %: 1.1 to 3.6)`.
    pub(super) fn share(self) -> String {
        let Percent { percent, lower, upper } = self.of;
        let level = if self.few { "from few remaps" } else { "95 %" };
        format!("{percent:.2} % ({level}: {lower:.2} to {upper:.2})")
    }
}

/// As what the rule would do: `save 2.5 % (95 %: 1.1 to 3.6)`.
impl Display for Saving {
    fn fmt(&self, text: &mut Formatter<'_>) -> Result {
        match self.of.percent < 0.0 {
            true => {
                let more = Saving { of: self.of.negated(), ..*self };
                write!(text, "cost {} more", more.share())
            }
            false => write!(text, "save {}", self.share()),
        }
    }
}
