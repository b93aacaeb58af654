//! The expected cost of a threshold policy on a run whose detector errs at random. The distribution
//! of the belief is computed cycle by cycle, without sampling: premature remaps are too rare for
//! samples.
//!
//! Close beliefs are merged into clusters. Costs are then added up backward between bounds: a
//! cluster that contains a threshold may remap or continue, whichever costs less or more.

use super::figure::Setting;
use super::parts::Premature;
use super::trace::Cycles;
use ordered_float::OrderedFloat;

/// The result of a policy on a run: simulated once, or expected over the errors of the detector.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Expected {
    /// The time of the whole run.
    pub time: f64,
    /// The error of the expected time: rounding, and beliefs so close to a threshold that merging
    /// may have moved them across it.
    pub error: f64,
    /// The part of it spent on remapping.
    pub remap_time: f64,
    /// The number of remaps.
    pub remaps: f64,
    /// The number of those before the change of phase.
    pub premature: f64,
}

/// The beliefs between two numbers.
#[derive(Debug, Clone, Copy)]
struct Cluster {
    low: f64,
    high: f64,
    /// An upper bound on their probability, without a remap so far.
    weight: f64,
    /// The same if every cluster that contains a threshold is on the side of its middle.
    share: f64,
    /// The clusters of the next cycle after no observation of a change, and after one.
    next: [usize; 2],
}

impl Cluster {
    fn zero(weight: f64, share: f64) -> Cluster {
        Cluster { low: 0.0, high: 0.0, weight, share, next: [usize::MAX; 2] }
    }

    fn remaps_for_sure(&self, level: f64) -> bool {
        self.low > level
    }

    fn goes_on_for_sure(&self, level: f64) -> bool {
        self.high <= level
    }

    fn remaps_in_the_middle(&self, level: f64) -> bool {
        0.5 * (self.low + self.high) > level
    }
}

/// The clusters of a cycle.
struct Cycle {
    clusters: Vec<Cluster>,
    level: f64,
    /// The cluster that continues after a premature remap was undone, if there is one.
    undone: Option<usize>,
}

/// The most clusters, and the relative distance of beliefs that are always merged.
const MOST_CLUSTERS: usize = 2000;
const CLOSE: f64 = 1e-12;

/// Beyond `MOST_CLUSTERS`, clusters are merged while width times probability is below a bound that
/// starts here.
const FIRST_LOSS: f64 = 1e-16;

/// The relative rounding error of a time.
const ROUNDING: f64 = 1e-12;

/// The expected costs of the policy that remaps as soon as the belief exceeds the cycle's
/// threshold, like [`super::play::threshold`], with the flipped observations of `setting`. Work and
/// memory: at most about 2000 updates a cycle.
pub fn threshold(
    cycles: &Cycles,
    setting: &Setting,
    thresholds: &dyn Fn(usize) -> f64,
) -> Expected {
    let mut expected = Expected::default();
    let mut law: Vec<Cycle> = Vec::with_capacity(cycles.len());
    let mut clusters = vec![Cluster::zero(1.0, 1.0)];
    for n in 0..cycles.len() {
        let level = thresholds(n);
        let early = n < cycles.change().unwrap_or(cycles.len());
        let mut undone = (0.0, 0.0);
        for cluster in &clusters {
            if !cluster.goes_on_for_sure(level) {
                undone.0 += cluster.weight;
            }
            if cluster.remaps_in_the_middle(level) {
                expected.remaps += cluster.share;
                expected.remap_time += cluster.share * cycles.remap_cost[n];
                expected.premature += if early { cluster.share } else { 0.0 };
                undone.1 += cluster.share;
            }
        }
        let reverts = early && setting.premature == Premature::Revert && undone.0 > 0.0;
        let zero = reverts.then_some(clusters.len());
        if reverts {
            clusters.push(Cluster::zero(undone.0, undone.1));
        }
        let mut cycle = Cycle { clusters, level, undone: zero };
        clusters = match cycles.changed.get(n + 1) {
            Some(&changed) => cycle.updated(setting, changed),
            None => Vec::new(),
        };
        law.push(cycle);
    }
    let (least, most) = bounds(cycles, setting, &law);
    expected.time = 0.5 * (least + most);
    expected.error = 0.5 * (most - least) + ROUNDING * expected.time.abs();
    expected
}

/// Bounds on the expected time of the program, computed backward from its end.
fn bounds(cycles: &Cycles, setting: &Setting, law: &[Cycle]) -> (f64, f64) {
    let change = cycles.change().unwrap_or(cycles.len());
    // The time under the new mapping from the cycle on, and that of the next cycle's clusters.
    let mut rest = 0.0;
    let mut later: Vec<(f64, f64)> = Vec::new();
    for (n, cycle) in law.iter().enumerate().rev() {
        rest += cycles.new[n];
        let chances = match cycles.changed.get(n + 1) {
            Some(&changed) => chances(setting, changed),
            None => [0.0; 2],
        };
        let goes_on = |cluster: &Cluster| -> (f64, f64) {
            let ends = [0, 1].map(|report| match later.get(cluster.next[report]) {
                Some(&(least, most)) => (chances[report] * least, chances[report] * most),
                None => (0.0, 0.0),
            });
            (cycles.old[n] + ends[0].0 + ends[1].0, cycles.old[n] + ends[0].1 + ends[1].1)
        };
        let (least, most) = match cycle.undone {
            Some(zero) if n < change => goes_on(&cycle.clusters[zero]),
            _ => (rest, rest),
        };
        let remapped = (cycles.remap_cost[n] + least, cycles.remap_cost[n] + most);
        let cost = |(place, cluster): (usize, &Cluster)| {
            if cycle.undone == Some(place) || cluster.goes_on_for_sure(cycle.level) {
                goes_on(cluster)
            } else if cluster.remaps_for_sure(cycle.level) {
                remapped
            } else {
                let (least, most) = goes_on(cluster);
                (least.min(remapped.0), most.max(remapped.1))
            }
        };
        later = cycle.clusters.iter().enumerate().map(cost).collect();
    }
    later.first().copied().unwrap_or_default()
}

/// The probabilities of not observing and of observing a change in a cycle, which has changed or
/// not.
fn chances(setting: &Setting, changed: bool) -> [f64; 2] {
    let reported = if changed { 1.0 - setting.flip_changed } else { setting.flip_unchanged };
    [1.0 - reported, reported]
}

impl Cycle {
    /// The clusters after the observation of the next cycle, which has changed or not, in ascending
    /// order.
    fn updated(&mut self, setting: &Setting, changed: bool) -> Vec<Cluster> {
        let chances = chances(setting, changed);
        let mut images: Vec<(Cluster, usize, usize)> = Vec::new();
        for (place, cluster) in self.clusters.iter().enumerate() {
            let undone = self.undone == Some(place);
            if !undone && cluster.remaps_for_sure(self.level) {
                continue;
            }
            let remaps = !undone && cluster.remaps_in_the_middle(self.level);
            for (report, chance) in chances.into_iter().enumerate().filter(|(_, p)| *p > 0.0) {
                let ends = [cluster.low, cluster.high];
                let [one, other] = ends.map(|p| setting.belief.update(p, report == 1));
                let image = Cluster {
                    low: one.min(other),
                    high: one.max(other),
                    weight: chance * cluster.weight,
                    share: if remaps { 0.0 } else { chance * cluster.share },
                    next: [usize::MAX; 2],
                };
                images.push((image, place, report));
            }
        }
        images.sort_by_key(|(image, ..)| OrderedFloat(image.low));
        let (mut loss, (mut clusters, mut next)) = (0.0, merged(&images, 0.0));
        while clusters.len() > MOST_CLUSTERS {
            loss = if loss == 0.0 { FIRST_LOSS } else { 4.0 * loss };
            (clusters, next) = merged(&images, loss);
        }
        for ((_, place, report), next) in images.into_iter().zip(next) {
            self.clusters[place].next[report] = next;
        }
        clusters
    }
}

/// Whether a cluster is merged with the next one.
fn joins(last: &Cluster, image: &Cluster, loss: f64) -> bool {
    let high = last.high.max(image.high);
    let width = high - last.low;
    width <= CLOSE * high || width * (last.weight + image.weight) <= loss * high
}

/// What merging leaves of sorted clusters, and the index in it of each of them.
fn merged(images: &[(Cluster, usize, usize)], loss: f64) -> (Vec<Cluster>, Vec<usize>) {
    let mut clusters: Vec<Cluster> = Vec::new();
    let place = |(image, ..): &(Cluster, usize, usize)| {
        match clusters.last_mut() {
            Some(last) if joins(last, image, loss) => {
                last.high = last.high.max(image.high);
                last.weight += image.weight;
                last.share += image.share;
            }
            _ => clusters.push(*image),
        }
        clusters.len() - 1
    };
    let places = images.iter().map(place).collect();
    (clusters, places)
}
