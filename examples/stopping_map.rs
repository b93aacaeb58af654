//! In which states of two processes does a remap pay? A decision map, of a chain of one's own.

#![expect(clippy::print_stdout, reason = "an example shows what it finds")]

use remapping::chain::BirthDeath;
use remapping::imbalance::RunningCost;
use remapping::stopping::{Decision, Model, Process, ProcessChain, Settings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Six levels; the busier a process is, the more likely it is to become busier.
    let up = (0..6).map(|level| if level < 5 { 0.1 + 0.05 * level as f64 } else { 0.0 }).collect();
    let down = (0..6).map(|level| if level > 0 { 0.2 } else { 0.0 }).collect();
    let chain = ProcessChain::BirthDeath(BirthDeath::new(up, down)?);
    let processes = vec![Process { lowest: 0, chain }; 2];
    let model = Model::independent(&processes, RunningCost::MaxMinusMean)?.remap_cost(4.0);
    let solved = model.solve(&Settings::default(), &())?;
    for first in 0..6 {
        let letter = |second| match solved.decision(&[first, second]) {
            Some(Decision::Balanced) => '=',
            Some(Decision::Remap) => 'R',
            Some(Decision::Continue) => '.',
            None => ' ',
        };
        println!("{}", (0..6).map(letter).collect::<String>());
    }
    println!("certified to {:.1e}", solved.solution.gap);
    Ok(())
}
