//! Expected cost of remapping at fixed intervals, where it has a closed form.

use super::{Class, ContinuousDrift, Increments, KeptSlopes};
use crate::distribution::extremes::{Marginal, extremes};
use crate::distribution::gamma::normal_tails;
use crate::overlap::Overlap;

impl ContinuousDrift {
    /// Standard deviation of the slopes, if they are constant between remaps.
    fn steady_slopes(&self) -> Option<f64> {
        match self.kept_slopes {
            Some(KeptSlopes { deviation, change }) => Some(deviation).filter(|_| change == 0.0),
            None => Some(self.slopes),
        }
    }

    /// The expected imbalance 1 to `steps` steps after a remap, where it has a closed form: for
    /// normal and gamma increments, with slopes that are constant between remaps.
    pub fn expected(&self, steps: u64) -> Option<Vec<f64>> {
        let slopes = self.steady_slopes()?;
        if let [class @ Class { count, law: Increments::Normal { .. }, .. }] = self.classes[..] {
            let unit = Marginal::Normal { mean: 0.0, deviation: 1.0 };
            let unit = extremes(&[(count, unit)], &()).above;
            let at = |j: u64| unit * class.variance(j as f64, slopes, self.noise).sqrt();
            return Some((1..=steps).map(at).collect());
        }
        // Gamma distributions must have the same origin.
        let gamma = |class: &&Class| matches!(class.law, Increments::Gamma { .. });
        let reference = self.classes.iter().find(gamma).or(self.classes.first())?.drift;
        let at = |j: u64| {
            let law = |class: &Class| {
                let law = class.marginal(j as f64, reference, slopes, self.noise)?;
                Some((class.count, law))
            };
            let laws: Option<Vec<(usize, Marginal)>> = self.classes.iter().map(law).collect();
            Some(extremes(&laws?, &()).above)
        };
        (1..=steps).map(at).collect()
    }

    /// The expected units that a remap moves, 1 to `steps` steps after the last; for normal
    /// increments.
    pub(super) fn expected_moves(&self, steps: u64) -> Option<Vec<f64>> {
        let slopes = self.steady_slopes()?;
        if !self.classes.iter().all(|class| matches!(class.law, Increments::Normal { .. })) {
            return None;
        }
        let ranks = self.ranks() as f64;
        let all = |of: &dyn Fn(&Class) -> f64| -> f64 {
            self.classes.iter().map(|class| class.count as f64 * of(class)).sum()
        };
        let mean = all(&|class| class.drift) / ranks;
        let at = |j: u64| {
            let variance = |class: &Class| class.variance(j as f64, slopes, self.noise);
            let of_mean = all(&variance) / ranks.powi(2);
            all(&|class| {
                // The difference of a load and the mean of all is normal.
                let by = (class.drift - mean) * j as f64;
                let deviation = ((1.0 - 2.0 / ranks) * variance(class) + of_mean).max(0.0).sqrt();
                if deviation == 0.0 {
                    return by.max(0.0);
                }
                let z = by / deviation;
                let density = (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
                by * normal_tails(z).below + deviation * density
            })
        };
        Some((1..=steps).map(at).collect())
    }

    /// The expected cost with a remap decided every 1, 2, ... steps, up to all steps (never), where
    /// it has a closed form. Infinite where the previous remap is not in effect by then.
    pub fn intervals(&self) -> Option<Vec<f64>> {
        let expected = self.expected(self.steps)?;
        let moves = match self.per_unit_moved > 0.0 {
            true => self.expected_moves(self.steps)?,
            false => vec![0.0; self.steps as usize],
        };
        let mut sums = vec![0.0];
        expected.iter().for_each(|cost| sums.push(sums[sums.len() - 1] + cost));
        let Overlap { steps: late, slowdown } = self.overlap;
        let late = late as usize;
        let steps = self.steps as usize;
        let cost = |interval: usize| {
            if interval <= late && interval < steps {
                return f64::INFINITY;
            }
            // After the last of these, too few steps remain for another to take effect.
            let cycles = (steps - 1).saturating_sub(late) / interval;
            let price = self.remap_cost + self.per_unit_moved * moves[interval - 1];
            let ends = interval + late;
            let slower = |ends: usize| {
                slowdown * (sums[ends] - sums[ends - late] + late as f64 * self.mean_load)
            };
            let last = steps - cycles * interval;
            match cycles {
                0 => sums[steps],
                _ => {
                    sums[ends]
                        + (cycles - 1) as f64 * (sums[ends] - sums[late])
                        + cycles as f64 * (price + slower(ends))
                        + (sums[last] - sums[late])
                }
            }
        };
        Some((1..=steps).map(cost).collect())
    }

    /// Whether the problem is deterministic: no increment, slope or noise varies.
    pub fn is_certain(&self) -> bool {
        let deviates = |class: &Class| class.law.deviation() > 0.0;
        self.slopes == 0.0
            && self.noise == 0.0
            && self.kept_slopes.is_none()
            && !self.classes.iter().any(deviates)
    }
}
