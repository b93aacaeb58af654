//! DARMA/vt: `--vt_lb_interval`.

use super::knobs::Knobs;
use crate::complaint::Complaint;
use remapping::simulate::{Statistic, Trigger};

/// max/mean up to which its balancers leave loads alone.
const TOLERATED: f64 = 1.03;

/// Arguments of the command line.
pub fn write(mut knobs: Knobs<'_>) -> Result<String, Complaint> {
    let found = knobs.interval("vt", shape)?;
    let Some(every) = found else {
        knobs.say("Never: without --vt_lb nothing is moved.");
        return Ok(knobs.comments("#"));
    };
    knobs.say(
        "A balancer runs after the phases (numbered from 0) that leave 1 when divided by the interval, after every one \
         but the first for an interval of 1. It leaves loads alone while max/mean - 1 of the measured times of ranks is \
         .03 or less, a number compiled in: a larger tolerance cannot be set.",
    );
    Ok(knobs.comments("#") + &format!("--vt_lb --vt_lb_name=TemperedLB --vt_lb_interval={every}\n"))
}

/// Phase p ends with step p + 1.
fn shape(every: u64) -> Trigger {
    Trigger { first: 2, every, rest: 0, statistic: Statistic::MaxOverMean, level: TOLERATED }
}
