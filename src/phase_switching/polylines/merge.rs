//! Step-size control for the reduction of the difference function.

/// Load from which the reduction no longer grows.
pub(crate) const ENOUGH: f64 = 0.5;

/// The allowed reduction per step, adapted to the load: the width of the bounds divided by the
/// width allowed.
pub(crate) struct Merge {
    pub(crate) now: f64,
    least: f64,
    most: f64,
    /// The load of the previous step.
    before: f64,
}

impl Merge {
    /// `unit` is the width aimed at times the least slope of the difference.
    pub(crate) fn new(unit: f64) -> Merge {
        Merge { now: 0.05 * unit, least: 1e-5 * unit, most: 10.0 * unit, before: 0.0 }
    }

    /// Adapts to `load`, the ratio of the width of the bounds to the width allowed. A falling load
    /// stems from earlier steps, so a smaller reduction would not help it.
    pub(crate) fn follow(&mut self, load: f64) {
        let falls = load < self.before;
        self.before = load;
        let times = match load {
            load if load < ENOUGH => 1.1,
            load if load <= 0.7 => 1.0,
            _ if falls => 1.0,
            load if load <= 0.85 => 0.9,
            _ => 0.6,
        };
        self.now = (self.now * times).clamp(self.least, self.most);
    }
}
