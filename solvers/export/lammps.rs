//! LAMMPS: `fix balance`.

use super::knobs::{Knobs, Setting, Watcher};
use crate::complaint::Complaint;
use remapping::simulate::{Statistic, Trigger};

/// A `fix ID group balance Nfreq thresh style` line.
pub fn write(mut knobs: Knobs<'_>) -> Result<String, Complaint> {
    let looks = Trigger::above(Statistic::MaxOverMean, 1.0);
    let setting = knobs.setting(Watcher { code: "LAMMPS", looks, limit: f64::INFINITY })?;
    let (frequency, level) = match setting {
        Setting::Never => return Ok(knobs.comments("#") + "# no fix balance\n"),
        Setting::Every(every) => {
            knobs.say("A thresh of 1.0 remaps at every multiple of Nfreq, in steps.");
            (every, 1.0)
        }
        Setting::Above(level) => {
            knobs.say(
                "Nfreq 0 looks whenever neighbour lists are rebuilt; any other number would force that at every \
                 multiple of it.",
            );
            (0, level)
        }
    };
    knobs.say(
        "fix balance compares max/mean. weight time: of the wall time in Pair, Neigh, Bond and Kspace since its last \
         look, spread over the particles; it adds .1 s to the first measurement and leaves weights alone until .1 s \
         has gathered, so the first looks count particles. Other parts of a step are not seen.",
    );
    knobs.say("rcb takes comm_style tiled; where a style refuses that: shift xyz 10 1.0 (xy in two dimensions).");
    let fix = format!("fix remap all balance {frequency} {level:?} rcb weight time 1.0\n");
    Ok(knobs.comments("#") + "comm_style tiled\n" + &fix)
}
