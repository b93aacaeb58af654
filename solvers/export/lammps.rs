//! LAMMPS: `fix balance`.

use super::knobs::Knobs;

/// A `fix ID group balance Nfreq thresh style` line: every Nfreq steps LAMMPS remaps if max/mean
/// exceeds thresh.
pub fn write(knobs: &Knobs) -> String {
    let mut text = knobs.comments("#");
    let Some(every) = knobs.every() else {
        return text + "# no fix balance\n";
    };
    let ratio = knobs.ratio();
    if knobs.interval.is_none() {
        text += "# Nfreq 1 looks at every step; a multiple of your reneighboring interval costs less.\n";
    } else {
        text += "# thresh 1.0 remaps at every multiple of Nfreq.\n";
    }
    text += "# The stop threshold of the shift style is how well a remap balances at least.\n";
    text + &format!("fix remap all balance {every} {ratio:?} shift xyz 10 1.0\n")
}
