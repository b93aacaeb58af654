//! The perfect-information problem: nodes (states after a remap), each with the branch that
//! continues without another remap, and the cheapest path through them.
//!
//! Branches that reach the same state after the same step are merged. What follows depends only on
//! the state and on random numbers of later steps, so each branch keeps its distribution.

/// Result of one sample path.
#[derive(Debug, Clone, Copy)]
pub struct Path {
    /// The least charge with perfect information.
    pub lower: f64,
    /// The charge of the policy.
    pub upper: f64,
    /// The cost of the policy.
    pub cost: f64,
    /// Sum of the mean levels under the policy.
    pub work: f64,
    /// Number of remaps under the policy.
    pub remaps: u64,
    /// The charge of the curve policy, and its number of remaps.
    pub ruled: (f64, u64),
}

/// A state after a remap, and the branch that continues without another.
#[derive(Default)]
pub(crate) struct Node {
    pub step: u64,
    pub total: u64,
    /// The least charge of a path to it.
    pub arrival: f64,
    /// Whether the policy and the curve policy visit it.
    pub visited: [bool; 2],
    /// By number of steps: charge so far, including the units that a remap then moves, and the node
    /// that a remap leads to.
    pub ends: Vec<(f64, u32)>,
    /// Numbers of steps after which the policy and the curve policy remap.
    pub policy: Option<usize>,
    pub ruled: Option<usize>,
    /// Cost without penalties, and work, up to the remap of the policy or to the end.
    pub paid: f64,
    pub work: f64,
    /// State from which the branch continues after its last remap.
    pub joins: Option<Join>,
}

/// The node of an end after which nothing follows.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Another branch as which a branch continues.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Join {
    /// Its node.
    pub branch: u32,
    /// Number of its ends before that state.
    pub ends: u32,
    /// Additional charge of the branch that continues as this one.
    pub more: f64,
}

/// A branch that has reached a state after some step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Met {
    /// Its node.
    pub branch: u32,
    /// Number of its ends before that state.
    pub ends: u32,
    /// Charge on it so far.
    pub charge: f64,
    /// Its loss by not remapping so far.
    pub lost: f64,
}

/// Shortest path by backward induction: for each node the least charge from there to the end.
fn cheapest(nodes: &[Node], cost: f64, steps: usize) -> Vec<f64> {
    let mut last: Vec<Vec<u32>> = vec![Vec::new(); steps + 2];
    for (at, node) in nodes.iter().enumerate() {
        last[node.step as usize + node.ends.len()].push(at as u32);
    }
    let mut best = vec![f64::INFINITY; nodes.len()];
    // Least charge that follows on each branch, by number of ends passed.
    let mut after: Vec<Vec<f64>> =
        nodes.iter().map(|node| vec![0.0; node.ends.len() + 1]).collect();
    let mut under_way: Vec<u32> = Vec::new();
    for step in (1..steps + 2).rev() {
        under_way.append(&mut last[step]);
        under_way.retain(|&at| {
            let node = &nodes[at as usize];
            let i = step - node.step as usize;
            if i == node.ends.len() {
                after[at as usize][i] = match node.joins {
                    Some(join) => after[join.branch as usize][join.ends as usize] + join.more,
                    None => f64::INFINITY,
                };
            }
            let (charge, to) = node.ends[i - 1];
            let here = match to {
                NOWHERE => charge,
                to => charge + cost + best[to as usize],
            };
            let least = here.min(after[at as usize][i]);
            after[at as usize][i - 1] = least;
            if i == 1 {
                best[at as usize] = least;
            }
            i > 1
        });
    }
    best
}

/// The path from the first node: the cheapest, that of the policy and that of the curve policy. A
/// remap costs `cost`.
pub(crate) fn through(nodes: &[Node], cost: f64, steps: usize) -> Path {
    let (mut paid, mut work) = (0.0, 0.0);
    let (upper, remaps) = follow(nodes, cost, |node| {
        paid += if node.policy.is_some() { node.paid + cost } else { node.paid };
        work += node.work;
        node.policy
    });
    let ruled = follow(nodes, cost, |node| node.ruled);
    Path { lower: cheapest(nodes, cost, steps)[0], upper, cost: paid, work, remaps, ruled }
}

/// The charge of a policy and its number of remaps; `after` gives the steps from a node to its next
/// remap.
fn follow(nodes: &[Node], cost: f64, mut after: impl FnMut(&Node) -> Option<usize>) -> (f64, u64) {
    let (mut sum, mut remaps, mut at) = (0.0, 0, 0);
    loop {
        let node = &nodes[at as usize];
        let Some(since) = after(node) else {
            return (sum + node.ends[node.ends.len() - 1].0, remaps);
        };
        let (charge, to) = node.ends[since - 1];
        sum += charge + cost;
        remaps += 1;
        at = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use rand::RngExt;

    /// By recursion over all paths from a position on a branch.
    fn by_definition(nodes: &[Node], cost: f64, at: usize, passed: usize) -> f64 {
        let node = &nodes[at];
        let mut least = match node.joins {
            None => f64::INFINITY,
            Some(join) => {
                let on = by_definition(nodes, cost, join.branch as usize, join.ends as usize);
                on + join.more
            }
        };
        for &(charge, to) in &node.ends[passed.min(node.ends.len())..] {
            least = least.min(match to {
                NOWHERE => charge,
                to => charge + cost + by_definition(nodes, cost, to as usize, 0),
            });
        }
        least
    }

    /// Seven steps, two states after each, and branches that join an earlier one at random.
    #[test]
    fn the_cheapest_way_is_that_of_all_ways() {
        let steps = 7;
        let mut joined = 0;
        for run in 0..200 {
            let mut draws = stream(4, run);
            let node = |at| Node { step: at / 2, total: at, ..Node::default() };
            let mut nodes: Vec<Node> = (0..2 * steps).map(node).collect();
            for at in 0..nodes.len() {
                let first = nodes[at].step;
                for step in first + 1..=steps {
                    let to = 2 * step + u64::from(draws.random::<bool>());
                    let to = if step < steps { to as u32 } else { NOWHERE };
                    nodes[at].ends.push((draws.random(), to));
                    let other = draws.random_range(0..nodes.len());
                    let goes_on = |join: &Join| {
                        let there = &nodes[join.branch as usize];
                        other < at && there.step + (there.ends.len() as u64) > step
                    };
                    let join = |_| Join {
                        branch: other as u32,
                        ends: (step - nodes[other].step.min(step)) as u32,
                        more: 0.3,
                    };
                    let found = (draws.random::<f64>() < 0.2).then_some(()).map(join);
                    nodes[at].joins = found.filter(goes_on);
                    if nodes[at].joins.is_some() {
                        joined += 1;
                        break;
                    }
                }
            }
            let best = cheapest(&nodes, 0.4, steps as usize);
            for (at, best) in best.iter().enumerate() {
                let all = by_definition(&nodes, 0.4, at, 0);
                assert!((best - all).abs() < 1e-12, "{run} {at}: {best} {all}");
            }
        }
        assert!(joined > 200, "{joined}");
    }
}
