//! In which states of two processes does a remap pay? A decision map, of a chain of one's own.

#![expect(clippy::print_stdout, reason = "an example shows what it finds")]

use remapping::Rational;
use remapping::chain::BirthDeath;
use remapping::imbalance::{Imbalance, RunningCost};
use remapping::stopping::{
    AfterRemap, Decision, Problem, Process, ProcessChain, Settings, States, solve,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Six levels; the busier a process is, the more likely it is to become busier.
    let up = (0..6).map(|level| if level < 5 { 0.1 + 0.05 * level as f64 } else { 0.0 }).collect();
    let down = (0..6).map(|level| if level > 0 { 0.2 } else { 0.0 }).collect();
    let chain = ProcessChain::BirthDeath(BirthDeath::new(up, down)?);
    let processes = vec![Process { lowest: 0, chain }; 2];
    let (states, operator) = States::independent(&processes, |_, _| true)?;
    let imbalance = Imbalance::new(RunningCost::MaxMinusMean, &[Rational::ONE, Rational::ONE], 5)?;
    let problem = Problem::new(&states, operator, &imbalance, 4.0, AfterRemap::Stop)?;
    let solution = solve(&problem, &Settings::default(), &());
    for first in 0..6 {
        let letter = |second| {
            let state = states.find(&[first, second]).expect("a load vector of the chain");
            match solution.decision(&problem, state) {
                Decision::Balanced => '=',
                Decision::Remap => 'R',
                Decision::Continue => '.',
            }
        };
        println!("{}", (0..6).map(letter).collect::<String>());
    }
    println!("certified to {:.1e}", solution.gap);
    Ok(())
}
