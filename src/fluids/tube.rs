//! The adaptive tube: a coarse grid, and fine patches wherever the density changes rapidly.
//!
//! Refinement after Berger and Oliger (1984) in one dimension: a patch covers whole coarse cells,
//! its cells are `ratio` times smaller and its steps `ratio` times shorter. Patch edges see the
//! coarse solution interpolated in space and time. Afterwards the coarse cells under a patch take
//! the means of their fine cells. The coarse cells next to it are corrected by the difference of
//! the two fluxes, so that the total mass stays exact.

use super::problem::{Fluids, Refinement, TransportScheme};
use super::transport::Transport;

/// The inflow at the left end: a constant density plus a sine wave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inflow {
    /// Density before and after the wave.
    pub density: f64,
    /// Height of the wave above it.
    pub amplitude: f64,
    /// When the wave begins.
    pub from: f64,
    /// How long it lasts.
    pub lasting: f64,
    /// Full periods in that time.
    pub periods: f64,
}

impl Inflow {
    /// The density that enters at `time`.
    pub fn at(&self, time: f64) -> f64 {
        let phase = (time - self.from) / self.lasting;
        if (0.0..=1.0).contains(&phase) {
            self.density + self.amplitude * (std::f64::consts::TAU * self.periods * phase).sin()
        } else {
            self.density
        }
    }
}

/// A stretch of coarse cells covered with fine ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Patch {
    /// First coarse cell covered.
    pub first: usize,
    /// Density of the fine cells, `ratio` per coarse cell.
    pub density: Vec<f64>,
}

/// The state of the computation.
#[derive(Debug, Clone)]
pub struct Tube {
    spacing: f64,
    time_step: f64,
    scheme: TransportScheme,
    refinement: Refinement,
    inflow: Inflow,
    time: f64,
    coarse: Vec<f64>,
    patches: Vec<Patch>,
    entered: f64,
    left: f64,
    scratch: Scratch,
}

#[derive(Debug, Clone, Default)]
struct Scratch {
    transport: Transport,
    padded: Vec<f64>,
    after: Vec<f64>,
    before: Vec<f64>,
    flux: Vec<f64>,
    edges: Vec<(f64, f64)>,
}

impl Tube {
    /// A tube of `density`, all coarse, at time 0, discretized as the model states.
    pub fn new(model: &Fluids, inflow: Inflow, density: Vec<f64>) -> Self {
        let Fluids { spacing, time_step, transport: scheme, refinement, .. } = *model;
        assert!(density.len() >= 2 && refinement.ratio >= 2 && scheme.sub_cycles >= 1);
        Tube {
            spacing,
            time_step,
            scheme,
            refinement,
            inflow,
            time: 0.0,
            coarse: density,
            patches: Vec::new(),
            entered: 0.0,
            left: 0.0,
            scratch: Scratch::default(),
        }
    }

    /// Density of the coarse cells (means of the fine ones where there are any).
    pub fn density(&self) -> &[f64] {
        &self.coarse
    }

    /// The patches, from left to right; there is at least one unrefined cell between two of them.
    pub fn patches(&self) -> &[Patch] {
        &self.patches
    }

    /// The time reached.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Number of fine cells.
    pub fn fine_points(&self) -> usize {
        self.patches.iter().map(|patch| patch.density.len()).sum()
    }

    /// Mass (density times length) in the tube.
    pub fn mass(&self) -> f64 {
        self.coarse.iter().sum::<f64>() * self.spacing
    }

    /// Mass that has entered at the left and left at the right since time 0.
    pub fn passed(&self) -> (f64, f64) {
        (self.entered, self.left)
    }

    /// Examines the solution: refines where the density changes rapidly, coarsens elsewhere.
    pub fn regrid(&mut self) {
        let (n, Refinement { ratio, threshold, buffer }) = (self.coarse.len(), self.refinement);
        let mut stretches: Vec<(usize, usize)> = Vec::new();
        for k in 0..n - 1 {
            if (self.coarse[k + 1] - self.coarse[k]).abs() <= threshold {
                continue;
            }
            let first = k.saturating_sub(buffer);
            let end = (k + 2 + buffer).min(n);
            match stretches.last_mut() {
                Some(last) if first <= last.1 => last.1 = end,
                _ => stretches.push((first, end)),
            }
        }
        let old = std::mem::take(&mut self.patches);
        for (first, end) in stretches {
            let mut density = Vec::with_capacity((end - first) * ratio);
            for cell in first..end {
                let kept = old.iter().find_map(|patch| {
                    let at = cell.checked_sub(patch.first)? * ratio;
                    patch.density.get(at..at + ratio)
                });
                match kept {
                    Some(fine) => density.extend_from_slice(fine),
                    None => density.extend(
                        (0..ratio).map(|i| interpolate(&self.coarse, cell as isize, i, ratio)),
                    ),
                }
            }
            self.patches.push(Patch { first, density });
        }
    }

    /// One basic step in time.
    pub fn step(&mut self) {
        let TransportScheme { calls, sub_cycles } = self.scheme;
        let (spacing, step, ratio) = (self.spacing, self.time_step, self.refinement.ratio);
        let (n, ghosts) = (self.coarse.len(), calls.reach());
        let Scratch { transport, padded, after, before, flux, edges } = &mut self.scratch;
        before.clone_from(&self.coarse);
        flux.clear();
        flux.resize(n + 1, 0.0);
        let part = step / sub_cycles as f64;
        for cycle in 0..sub_cycles {
            let entering = self.inflow.at(self.time + (cycle as f64 + 0.5) * part);
            padded.clear();
            padded.resize(ghosts, entering);
            padded.extend_from_slice(&self.coarse);
            padded.resize(n + 2 * ghosts, self.coarse[n - 1]);
            let passed = transport.sub_cycle(calls, padded, part / spacing, after);
            flux.iter_mut().zip(passed).for_each(|(sum, f)| *sum += f);
            std::mem::swap(&mut self.coarse, after);
        }
        let parts = sub_cycles * ratio;
        let fine_part = part / ratio as f64;
        let courant = fine_part / (spacing / ratio as f64);
        edges.clear();
        for patch in &mut self.patches {
            let first = patch.first as isize;
            let (mut lower, mut upper) = (0.0, 0.0);
            for index in 0..parts {
                let share = (index as f64 + 0.5) / parts as f64;
                let entering = self.inflow.at(self.time + (index as f64 + 0.5) * fine_part);
                let outside = |fine: isize| -> f64 {
                    let cell = first + fine.div_euclid(ratio as isize);
                    if cell < 0 {
                        return entering;
                    }
                    let (cell, i) = (cell.min(n as isize - 1), fine.rem_euclid(ratio as isize));
                    let old = interpolate(before, cell, i as usize, ratio);
                    let new = interpolate(&self.coarse, cell, i as usize, ratio);
                    old + share * (new - old)
                };
                let (fine, ghosts) = (patch.density.len() as isize, ghosts as isize);
                padded.clear();
                padded.extend((-ghosts..0).map(outside));
                padded.extend_from_slice(&patch.density);
                padded.extend((fine..fine + ghosts).map(outside));
                let passed = transport.sub_cycle(calls, padded, courant, after);
                lower += passed[0];
                upper += passed[passed.len() - 1];
                std::mem::swap(&mut patch.density, after);
            }
            edges.push((lower / ratio as f64, upper / ratio as f64));
        }
        // The fine fluxes replace the coarse ones at the edges of a patch.
        for (patch, &(lower, upper)) in self.patches.iter().zip(edges.iter()) {
            let (first, end) = (patch.first, patch.first + patch.density.len() / ratio);
            if first > 0 {
                self.coarse[first - 1] += flux[first] - lower;
            }
            if end < n {
                self.coarse[end] += upper - flux[end];
            }
            flux[first] = lower;
            flux[end] = upper;
            for (mean, fine) in self.coarse[first..end].iter_mut().zip(patch.density.chunks(ratio))
            {
                *mean = fine.iter().sum::<f64>() / ratio as f64;
            }
        }
        self.entered += flux[0] * spacing;
        self.left += flux[n] * spacing;
        self.time += step;
    }
}

/// Mean of the `i`-th of `ratio` equal parts of a coarse cell under a limited linear profile. The
/// mean of the profile over the whole cell is that cell's density.
fn interpolate(coarse: &[f64], cell: isize, i: usize, ratio: usize) -> f64 {
    let n = coarse.len() as isize;
    let value = |k: isize| coarse[k.clamp(0, n - 1) as usize];
    let (behind, here, ahead) = (value(cell - 1), value(cell), value(cell + 1));
    let (down, up) = (here - behind, ahead - here);
    let slope = if down * up > 0.0 {
        let central = 0.5 * (down + up);
        central.signum() * central.abs().min(2.0 * down.abs()).min(2.0 * up.abs())
    } else {
        0.0
    };
    here + slope * ((i as f64 + 0.5) / ratio as f64 - 0.5)
}
