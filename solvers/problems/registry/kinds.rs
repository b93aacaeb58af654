//! All kinds of problem: a line for each, its name in model files and its folder in `problems/`.

use super::read::Part;
use crate::complaint::Complaint;
use crate::model::explain::Shape;
use crate::model::review::Review;
use crate::problems::kind::{Answer, Kind};
use crate::problems::shared::two_phase::TwoPhases;
use serde::{Deserialize, Serialize};

/// Defines what knows all kinds. In the folder of a kind, `model` has `SHAPES` and a type of its
/// name that implements `Kind` and has a method `review`; `answer` has a type `Answer`.
macro_rules! kinds {
    (solved { $($(#[$doc:meta])* $Name:ident: $folder:ident,)* }
     only_compared { $($(#[$only_doc:meta])* $Only:ident: $only:ident,)* }) => {
        /// The problem of a model.
        #[derive(Debug, Clone, Deserialize)]
        pub enum Problem {
            $($(#[$doc])* $Name(Box<crate::problems::$folder::model::$Name>),)*
            $($(#[$only_doc])* $Only(Box<crate::problems::$only::model::$Only>),)*
        }

        impl Problem {
            /// The operations on models of its kind.
            pub fn kind(&self) -> &dyn Kind {
                match self {
                    $(Problem::$Name(model) => model.as_ref(),)*
                    $(Problem::$Only(model) => model.as_ref(),)*
                }
            }

            /// Hands the faults of the model to `review`.
            pub(super) fn review(&self, review: &mut Review<'_>) {
                match self {
                    $(Problem::$Name(model) => model.review(review),)*
                    $(Problem::$Only(model) => model.review(review),)*
                }
            }

            /// Examples of the parts of the problem of this name in model files.
            pub(super) fn shapes(name: &str) -> &'static [Shape] {
                match name {
                    $(stringify!($Name) => crate::problems::$folder::model::SHAPES,)*
                    $(stringify!($Only) => crate::problems::$only::model::SHAPES,)*
                    _ => &[],
                }
            }
        }

        /// The answer, by problem.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(tag = "problem", rename_all = "snake_case")]
        pub enum Body {
            $($(#[$doc])* $Name(Box<crate::problems::$folder::answer::Answer>),)*
        }

        impl Body {
            /// The interface that all answers have.
            pub fn answer(&self) -> &dyn Answer {
                match self {
                    $(Body::$Name(answer) => answer.as_ref(),)*
                }
            }

            /// The problem's name in documents.
            pub fn problem(&self) -> &'static str {
                match self {
                    $(Body::$Name(_) => stringify!($folder),)*
                }
            }

            /// Reads the answer to the problem of this name in documents.
            pub(super) fn read(name: &str, part: &Part<'_>) -> Result<Body, Complaint> {
                match name {
                    $(stringify!($folder) => part.answer().map(Body::$Name),)*
                    _ => Err(part.wrong(&format!("`{name}` is not one of the problems"))),
                }
            }
        }
    };
}

kinds! {
    solved {
        /// One change of phase, watched by a fallible detector [NR86, NR90].
        PhaseChange: phase_change,
        /// Two recurring phases, with a mapping for each.
        PhaseSwitching: phase_switching,
        /// Any number of recurring phases, with a mapping for each.
        ManyPhases: many_phases,
        /// Drifting loads of equal processors [NRS86, section 3].
        LoadDrift: load_drift,
        /// Drifting loads with continuous increments, as logs record them.
        ContinuousDrift: continuous_drift,
        /// Optimal stopping of a Markov chain of loads \[YXW03\].
        Stopping: stopping,
        /// An adaptive fluids code whose load shifts when a wave enters \[NR90\].
        Fluids: fluids,
        /// Two sides that move toward each other and fight \[NR90\].
        LandBattle: land_battle,
        /// Remapping at fixed intervals \[FXW03\].
        Periodic: periodic,
    }
    only_compared {
        /// Work units that move over a mesh [NRS86, section 4].
        ActivityMesh: activity_mesh,
    }
}
