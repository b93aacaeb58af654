//! Flux-corrected transport of Boris and Book: one call of ETBFCT on a uniform grid.
//!
//! Solves the continuity equation d rho/dt + d(rho v)/dr = 0 for cell densities. A call transports
//! the density with centered fluxes and diffuses the result. It then takes back as much of the
//! diffusion as creates no new extremum. With the Courant number u = v dt/h at an interface, the
//! diffusion is nu = 1/6 + u^2/3 and the antidiffusion mu = 1/6 - u^2/6. The scheme is bounded for
//! |u| <= 1/2, where the diffused profile is a convex combination of old densities.
//!
//! Reference: Boris and Book, "Solution of continuity equations by the method of flux-corrected
//! transport", Methods in Computational Physics 16, 1976.

use super::problem::Calls;

/// The number of cells that a call reads on each side of the result.
pub const REACH: usize = 3;

/// Scratch space of the scheme, reused from call to call.
#[derive(Debug, Clone, Default)]
pub struct Transport {
    flux: Vec<f64>,
    moved: Vec<f64>,
    diffused: Vec<f64>,
    half: Vec<f64>,
}

/// The density of each cell after the fluxes through its two edges.
fn carried(density: &[f64], flux: &[f64]) -> impl Iterator<Item = f64> {
    density.iter().zip(flux.windows(2)).map(|(rho, f)| rho - (f[1] - f[0]))
}

impl Calls {
    /// The number of cells that a sub-cycle reads on each side of the result.
    pub fn reach(self) -> usize {
        match self {
            Calls::One => REACH,
            Calls::Two => 2 * REACH,
        }
    }
}

impl Transport {
    /// One call: moves `density` with the given `velocity` for the time of `courant` = dt/h cells
    /// per unit of velocity. The first and last [`REACH`] cells of the two slices are only read:
    /// the result has `density.len() - 2 * REACH` cells and goes to `after`.
    ///
    /// Returns the flux through the lower edge of each of those cells and the upper edge of the
    /// last one. Its unit is density times cell width: `after[i] - density[REACH + i]` is exactly
    /// `flux[i] - flux[i + 1]` up to the rounding of that subtraction.
    pub fn call(
        &mut self,
        density: &[f64],
        velocity: &[f64],
        courant: f64,
        after: &mut Vec<f64>,
    ) -> &[f64] {
        let n = density.len();
        debug_assert!(n > 2 * REACH && velocity.len() == n);
        // Edge k lies between cells k and k + 1.
        self.flux.clear();
        self.flux.extend(density.windows(2).zip(velocity.windows(2)).map(|(rho, v)| {
            let u = 0.5 * courant * (v[0] + v[1]);
            0.5 * u * (rho[0] + rho[1])
        }));
        self.moved.clear();
        self.moved.push(density[0]);
        self.moved.extend(carried(&density[1..], &self.flux));
        for ((f, rho), v) in self.flux.iter_mut().zip(density.windows(2)).zip(velocity.windows(2)) {
            let u = 0.5 * courant * (v[0] + v[1]);
            *f -= (1.0 / 6.0 + u * u / 3.0) * (rho[1] - rho[0]);
        }
        self.diffused.clear();
        self.diffused.push(density[0]);
        self.diffused.extend(carried(&density[1..], &self.flux));
        self.diffused.push(density[n - 1]);
        let inner = REACH - 1..n - REACH;
        let seen = velocity[REACH - 1..].windows(2).zip(self.moved[REACH - 1..].windows(2));
        for ((flux, (v, moved)), diffused) in
            self.flux[inner.clone()].iter_mut().zip(seen).zip(self.diffused[REACH - 2..].windows(4))
        {
            let u = 0.5 * courant * (v[0] + v[1]);
            let wanted = (1.0 / 6.0 - u * u / 6.0) * (moved[1] - moved[0]);
            let (behind, ahead) = (diffused[1] - diffused[0], diffused[3] - diffused[2]);
            let sign = 1f64.copysign(wanted);
            *flux += sign * wanted.abs().min(sign * behind).min(sign * ahead).max(0.0);
        }
        let flux = &self.flux[inner];
        after.clear();
        after.extend(carried(&density[REACH..n - REACH], flux));
        flux
    }

    /// One sub-cycle of a fluid whose velocity is its density. The first and last
    /// [`Calls::reach`] cells of `density` are only read; result and fluxes as in
    /// [`call`](Self::call).
    pub fn sub_cycle(
        &mut self,
        calls: Calls,
        density: &[f64],
        courant: f64,
        after: &mut Vec<f64>,
    ) -> &[f64] {
        match calls {
            Calls::One => self.call(density, density, courant, after),
            Calls::Two => {
                let mut half = std::mem::take(&mut self.half);
                self.call(density, density, 0.5 * courant, &mut half);
                let inner = &density[REACH..density.len() - REACH];
                self.call(inner, &half, courant, after);
                self.half = half;
                &self.flux[REACH - 1..=inner.len() - 1 - REACH]
            }
        }
    }
}
