//! The thresholds of a program that a fallible detector watches: when is it sure enough to remap?

#![expect(clippy::print_stdout, reason = "an example shows what it finds")]

use remapping::Rational;
use remapping::belief::Levels;
use remapping::lifetime::Lifetime;
use remapping::threshold::{Accuracy, Hazard, PhaseChange, Premature, solve};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ratio = |numerator: i64, denominator: u64| {
        Rational::from_parts(numerator.into(), denominator.into())
    };
    let problem = PhaseChange {
        lifetime: Lifetime::fixed(80),
        hazard: Hazard::Constant(ratio(1, 200)),
        before: ratio(1, 1),
        after: ratio(2, 1),
        remapped: ratio(1, 1),
        test: ratio(1, 2),
        install: ratio(0, 1),
        detector: Levels::binary(ratio(1, 10), ratio(1, 10))?,
        premature: Premature::Revert,
    };
    let accuracy = Accuracy { tolerance: 1e-9, segments: None };
    let solution = solve(&problem, accuracy, &())?;
    for run in solution.curve.runs().rev() {
        let (first, last) = (run.first, run.last);
        println!("steps {first} to {last}: remap when p exceeds {:.9}", run.bounds.middle());
    }
    if let Some((lower, upper)) = solution.value {
        println!("expected time between {lower:.12} and {upper:.12}");
    }
    Ok(())
}
