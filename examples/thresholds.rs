//! The thresholds of a program that a fallible detector watches: when is it sure enough to remap?

#![expect(clippy::print_stdout, reason = "an example shows what it finds")]

use remapping::Bounds;
use remapping::belief::Levels;
use remapping::decimal::decimal;
use remapping::lifetime::Lifetime;
use remapping::phase_change::{Accuracy, Hazard, PhaseChange, Premature, solve};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let problem = PhaseChange {
        lifetime: Lifetime::fixed(80),
        hazard: Hazard::Constant(decimal("0.005")?),
        before: decimal("1")?,
        after: decimal("2")?,
        remapped: decimal("1")?,
        test: decimal("0.5")?,
        install: decimal("0")?,
        detector: Levels::binary(decimal("0.1")?, decimal("0.1")?)?,
        premature: Premature::Revert,
    };
    let accuracy = Accuracy { tolerance: 1e-9, segments: None };
    let solution = solve(&problem, accuracy, &())?;
    for run in solution.curve.runs().rev() {
        let (first, last) = (run.first, run.last);
        println!("steps {first} to {last}: remap when p exceeds {:.9}", run.bounds.middle());
    }
    if let Some(Bounds { lower, upper }) = solution.value {
        println!("expected time between {lower:.12} and {upper:.12}");
    }
    Ok(())
}
