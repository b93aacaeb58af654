//! Approximate cost of a remap, and an upper bound on the cost without remaps, before a policy is
//! known.

use super::{Class, ContinuousDrift, fit, kept};

impl ContinuousDrift {
    /// Upper bound on the cost without remaps. The largest of P numbers exceeds their mean by at
    /// most the root of (P - 1) / P times their sum of squares around it. Persistent slopes
    /// separate the loads the most.
    pub fn never_at_most(&self) -> f64 {
        let ranks = self.ranks() as f64;
        let slopes = self.slopes.hypot(self.kept_slopes.map_or(0.0, |kept| kept.deviation));
        let all = |of: &dyn Fn(&Class) -> f64| -> f64 {
            self.classes.iter().map(|class| class.count as f64 * of(class)).sum()
        };
        let mean = all(&Class::mean) / ranks;
        let highest = self.classes.iter().map(Class::mean).fold(f64::NEG_INFINITY, f64::max);
        let at = |steps: u64| {
            let steps = steps as f64;
            let variances = all(&|class| class.variance(steps, slopes, self.noise));
            (highest - mean).max(0.0) * steps + (variances * (ranks - 1.0) / ranks).sqrt()
        };
        let sum: f64 = (1..=self.steps).map(at).sum();
        sum * (1.0 + 1e-12)
    }

    /// Approximate cost of a remap where it pays.
    pub fn typical_remap_cost(&self) -> f64 {
        let costs = self.intervals().filter(|_| self.per_unit_moved > 0.0);
        let best = costs.and_then(|all| (0..all.len()).min_by(|a, b| all[*a].total_cmp(&all[*b])));
        match best.and_then(|best| Some(self.expected_moves(best as u64 + 1)?[best])) {
            Some(moved) => self.remap_cost + self.per_unit_moved * moved,
            None if self.per_unit_moved == 0.0 => self.remap_cost,
            // Without a closed form it is estimated from a few paths.
            None if self.kept_slopes.is_some() => kept::usual_price(self),
            None => fit::usual_price(self),
        }
    }
}
