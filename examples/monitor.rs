//! A running program that watches its cycle times and remaps itself.

#![expect(clippy::print_stdout, reason = "an example shows what it finds")]

use remapping::belief::Levels;
use remapping::decimal::decimal;
use remapping::lifetime::Lifetime;
use remapping::monitor::{Clusters, Monitor};
use remapping::phase_change::{Accuracy, Hazard, PhaseChange, Premature, solve};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A decision for every cluster of 32 cycles; `remap calibrate` measures how often its test
    // errs.
    let problem = PhaseChange {
        lifetime: Lifetime::fixed(100),
        hazard: Hazard::Constant(decimal("0.01")?),
        before: decimal("32")?,
        after: decimal("64")?,
        remapped: decimal("32")?,
        test: decimal("100")?,
        install: decimal("0")?,
        detector: Levels::binary(decimal("0.05")?, decimal("0.05")?)?,
        premature: Premature::Revert,
    };
    let solution = solve(&problem, Accuracy { tolerance: 1e-9, segments: None }, &())?;
    let clusters = Clusters::new(4, 8).ok_or("clusters need measurements")?;
    let mut monitor = Monitor::new(&problem, solution.curve.clone(), clusters)
        .ok_or("the change test says yes or no")?;
    let mut slow = false;
    for cycle in 0..1600u32 {
        slow |= cycle == 800;
        let wobble = f64::from(cycle * 7919 % 101) / 500.0;
        let seconds = if slow { 2.0 } else { 1.0 } + wobble;
        if let Some(decision) = monitor.observe(seconds)?
            && decision.remap
        {
            println!("cycle {cycle}: p = {:.4}, remap", decision.belief);
            monitor.remapped();
            slow = false;
        }
    }
    Ok(())
}
