//! Thresholds over long horizons in plain doubles: the odds form of the recursion with every atom
//! kept (atoms closer than a relative 1e-14 are one), no bounds, no shortcuts.

use crate::shared::double;
use remapping::phase_change::{PhaseChange, Premature};

/// pi_n for n = 0..=M and V_0(0), or `None` if more than `most` atoms are needed.
pub fn thresholds(problem: &PhaseChange, most: usize) -> Option<(Vec<f64>, f64)> {
    let (gain, test) = (double(&problem.gain()), double(&problem.test));
    let delay = double(&(&problem.test + &problem.install));
    let reports: Vec<(f64, f64)> = (problem.detector.levels().iter())
        .map(|level| (double(&level.before), double(&level.after)))
        .collect();
    let regret = match &problem.premature {
        Premature::Revert => None,
        Premature::Keep { before_remapped } => Some(double(&(before_remapped - &problem.before))),
    };
    let (mut constant, mut slope) = (0.0, 0.0);
    let mut atoms: Vec<(f64, f64)> = Vec::new();
    let (mut cycles, mut quiet_cycles) = (0.0, 0.0);
    let mut curve = Vec::new();
    for n in (0..=problem.last_step()).rev() {
        let survival = problem.lifetime.continuation(n);
        let hazard = double(&problem.hazard_exact(n + 1));
        let quiet = 1.0 - hazard;
        cycles = 1.0 + survival * cycles;
        quiet_cycles = 1.0 + survival * quiet * quiet_cycles;
        let mut inflow = quiet * constant + slope * hazard;
        slope = gain + survival * slope;
        let mut images = Vec::new();
        for &(no, yes) in &reports {
            for &(at, drop) in &atoms {
                inflow += drop * f64::min(yes * hazard, quiet * no * at);
                let image = quiet * at * no - hazard * yes;
                if image > 0.0 && survival * yes > 0.0 {
                    images.push((image / yes, survival * yes * drop));
                }
            }
        }
        constant = survival * inflow;
        images.sort_by(|a, b| a.0.total_cmp(&b.0));
        atoms.clear();
        for (at, drop) in images {
            match atoms.last_mut() {
                Some(last) if at - last.0 <= 1e-14 * at => last.1 += drop,
                _ => atoms.push((at, drop)),
            }
        }
        if atoms.len() > most {
            return None;
        }
        let offset = regret.map_or(test, |regret| delay + regret * quiet_cycles - constant);
        let threshold = root(offset, delay - slope, &atoms);
        curve.push(threshold / (1.0 + threshold));
        if threshold.is_infinite() {
            *curve.last_mut().unwrap() = 1.0;
        } else {
            let beyond: f64 = atoms.iter().filter(|a| a.0 > threshold).map(|a| a.1).sum();
            atoms.retain(|atom| atom.0 <= threshold);
            let drop = beyond + slope - delay;
            if drop > 0.0 && threshold > 0.0 {
                atoms.push((threshold, drop));
            }
            slope = delay;
            constant += if threshold == 0.0 { offset.min(0.0) } else { 0.0 };
        }
    }
    curve.reverse();
    let base = quiet_cycles * double(&problem.before);
    let changed = (cycles - quiet_cycles) * double(&problem.remapped);
    Some((curve, constant + base + changed))
}

/// Where offset + c o = sum drop min(o, at) turns negative; infinity if nowhere.
fn root(offset: f64, c: f64, atoms: &[(f64, f64)]) -> f64 {
    if c >= 0.0 {
        return f64::INFINITY;
    }
    if offset <= 0.0 {
        return 0.0;
    }
    let (mut prefix, mut rest) = (0.0, atoms.iter().map(|atom| atom.1).sum::<f64>());
    for &(at, drop) in atoms {
        let odds = (offset - prefix) / (rest - c);
        if odds <= at {
            return odds;
        }
        prefix += drop * at;
        rest -= drop;
    }
    (offset - prefix) / -c
}
