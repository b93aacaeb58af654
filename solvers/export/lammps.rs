//! LAMMPS: `fix balance`.

use super::knobs::Knobs;

/// A `fix ID group balance Nfreq thresh style` line: every Nfreq steps LAMMPS remaps if max/mean
/// exceeds thresh. Loads are particle counts there unless particles are weighted by measured time.
pub fn write(knobs: &Knobs) -> String {
    let mut text = knobs.comments("#");
    let Some(every) = knobs.every() else {
        return text + "# no fix balance\n";
    };
    let ratio = knobs.ratio();
    if knobs.interval.is_none() {
        text += &format!("# Nfreq {every} looks ");
        text += match every {
            1 => "at every step; a multiple of your reneighboring interval costs less.\n",
            _ => "as often as the log has steps.\n",
        };
    } else {
        text += "# thresh 1.0 remaps at every multiple of Nfreq.\n";
    }
    text += "# fix ID group balance Nfreq thresh shift dimensions iterations stop: Nfreq in steps, thresh and\n";
    text += "# stop as max/mean; stop 1.0 balances as well as it can. xy in two dimensions.\n";
    text += "# weight time: loads are measured times, as in the model, not numbers of particles.\n";
    text + &format!("fix remap all balance {every} {ratio:?} shift xyz 10 1.0 weight time 1.0\n")
}
