//! Charm++: `+LBPeriod`.

use super::knobs::Knobs;
use crate::complaint::Complaint;
use remapping::simulate::Trigger;

/// Arguments of the command line. The period is in seconds.
pub fn write(mut knobs: Knobs<'_>) -> Result<String, Complaint> {
    let Some(every) = knobs.interval("Charm++", Trigger::periodic)? else {
        knobs.say(
            "Never: no +balancer on the command line, and no -balancer or -module of one when the program is linked; \
             there is no balancer that does nothing by the name of NullLB.",
        );
        return Ok(knobs.comments("#"));
    };
    let Some((period, waiting)) = knobs.seconds(every) else {
        let message = "the length of a step is not known: the interval has none in seconds";
        let help = "call AtSync every so many steps; steps have a length in Periodic and LoadDrift models with loads above 0";
        return Err(Complaint::elsewhere(message, help));
    };
    knobs.say(
        "+LBPeriod: wall seconds from the end of one balancing to the next, for chares that do not use AtSync \
         (usesAtSync = false). No imbalance is tested. Loads are wall times of chares by default.",
    );
    let unit = match knobs.unit_seconds() {
        1.0 => "a second".to_owned(),
        unit => format!("{unit} seconds"),
    };
    let length = match waiting {
        true => "and the waiting together.",
        false => ": the waiting is not known, so that this is the least the period should be.",
    };
    let space = if waiting { " " } else { "" };
    knobs.say(&format!(
        "A unit of load is taken to be {unit}, and steps as long as their mean load{space}{length}"
    ));
    knobs.say(&format!(
        "A program that uses AtSync calls it every {every} steps and needs no +LBPeriod."
    ));
    knobs.say("+MetaLB instead decides by itself: its tolerance, 1.1, is compiled in.");
    Ok(knobs.comments("#") + &format!("+balancer GreedyRefineLB +LBPeriod {period:?}\n"))
}
