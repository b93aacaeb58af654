//! How far functions of the difference may be reduced.

/// What a load of bounds is from which on nothing is reduced more.
pub(super) const ENOUGH: f64 = 0.5;

/// How far reducing may move a function of the difference, following what that does.
pub(super) struct Merge {
    pub(super) now: f64,
    least: f64,
    most: f64,
    /// The load before.
    before: f64,
}

impl Merge {
    /// `unit` is what the width aimed at is worth where the difference is flattest.
    pub(super) fn new(unit: f64) -> Merge {
        Merge { now: 0.05 * unit, least: 1e-5 * unit, most: 10.0 * unit, before: 0.0 }
    }

    /// `load` is how wide the bounds have become, as a multiple of what they may. One that falls comes from what steps before have
    /// left: less reducing does not help it.
    pub(super) fn follow(&mut self, load: f64) {
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
