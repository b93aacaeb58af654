//! The step times of one simulated run, as a log would contain them.

use super::run::{Account, Runner};
use super::{Mapped, Workload, stream};
use crate::policy::{Policy, Step};
use std::ops::ControlFlow;

/// Receives the times of a step, and the cost of a remap just before it.
pub type Each<'a> = dyn FnMut(&[f64], Option<f64>) -> ControlFlow<()> + 'a;

struct Trace<'a, 'b> {
    each: &'a mut Each<'b>,
    times: Vec<f64>,
    /// Cost of the remap under way, and of the one that took effect since the last step.
    paid: Option<f64>,
    remap: Option<f64>,
    goes_on: ControlFlow<()>,
}

impl Account for Trace<'_, '_> {
    fn step<W: Workload>(&mut self, _workload: &W, step: &Step, slowdown: f64) {
        self.times.clear();
        self.times.extend(step.times().iter().map(|time| time * (1.0 + slowdown)));
        self.goes_on = (self.each)(&self.times, self.remap.take());
    }

    fn remap(&mut self, cost: f64, _after: u64) {
        self.paid = Some(cost);
    }

    fn in_force(&mut self) {
        self.remap = self.paid.take();
    }
}

/// Simulates the first path of `seed` under a policy. Steps during a remap have their slower times,
/// and a remap is reported before the first step on its mapping. The run ends with the workload, or
/// when `each` breaks.
pub fn trace<W: Workload>(workload: &W, policy: Box<dyn Policy>, seed: u64, each: &mut Each<'_>) {
    let (mut world, mut step) = (workload.start(stream(seed, 0)), Step::default());
    let mapped = Mapped::new(workload.initial(&mut world));
    let goes_on = ControlFlow::Continue(());
    let account = Trace { each, times: Vec::new(), paid: None, remap: None, goes_on };
    let mut runner = Runner { policy, mapped, account };
    for number in 1..=workload.steps() {
        if !workload.decides_before_step() || number > 1 {
            workload.advance(&mut world);
        }
        runner.step(workload, &world, number, &mut step);
        if runner.account.goes_on.is_break() {
            return;
        }
    }
}
