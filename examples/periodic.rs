//! Every how many steps must 64 processors be remapped to stay within a tolerance of imbalance?

#![expect(clippy::print_stdout, reason = "an example shows what it finds")]

use remapping::distribution::{Class, Law, Steps};
use remapping::periodic::{Bound, Processors, methods};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let steps = Steps::new(vec![(-1.0, 0.25), (0.0, 0.5), (1.0, 0.25)])?;
    let class = Class { count: 64, law: Law::Steps(steps) };
    let processors = Processors::new(100.0, vec![class])?;
    for percent in [5, 10, 14] {
        let bound = Bound::MaxDeviation(f64::from(percent) / 100.0);
        let found = methods(&processors, bound, &());
        match found[0].interval.steps {
            Some(steps) => println!("{percent} %: every {steps} steps"),
            None => println!("{percent} %: never"),
        }
    }
    Ok(())
}
