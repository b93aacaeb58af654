//! Closed classes of states: with several of them, the average cost depends on the initial state.

use remapping::Status;
use remapping::stopping::Problem;

/// The most states whose transitions are listed.
const MOST_STATES: usize = 2000;

/// Why bounds of an average stay apart: neither moves nor remaps lead from one class of states to
/// another.
pub(super) fn apart(problem: &Problem, back: &[usize], status: Status) -> Option<String> {
    if status != Status::IterationLimit || problem.states() > MOST_STATES {
        return None;
    }
    let moves = |row: &Vec<f64>| (0..row.len()).filter(|&to| row[to] > 0.0).collect();
    let mut next: Vec<Vec<usize>> = problem.transition_rows().iter().map(moves).collect();
    next.iter_mut().zip(back).for_each(|(next, to)| next.push(*to));
    let classes = closed(&next);
    (classes > 1).then(|| {
        format!(
            "neither moves nor remaps lead from one of {classes} closed classes of states to another, so the average \
             cost depends on where the run begins: its bounds hold from every start, and no tolerance brings them \
             closer; solve each class as a model of its own"
        )
    })
}

/// The number of closed classes: sets of states that lead to each other and nowhere else.
fn closed(next: &[Vec<usize>]) -> usize {
    let mut before = vec![Vec::new(); next.len()];
    for (from, next) in next.iter().enumerate() {
        next.iter().for_each(|to| before[*to].push(from));
    }
    let (mut known, mut classes) = (vec![false; next.len()], 0);
    for start in 0..next.len() {
        if known[start] {
            continue;
        }
        // Descends until every state that is reached leads back.
        let mut state = start;
        let back = loop {
            let (reached, back) = (from(next, state), from(&before, state));
            match (0..next.len()).find(|&other| reached[other] && !back[other]) {
                Some(other) => state = other,
                None => break back,
            }
        };
        classes += 1;
        // No state of another closed class leads here.
        known.iter_mut().zip(back).for_each(|(known, back)| *known |= back);
    }
    classes
}

/// The states that can be reached from one.
fn from(next: &[Vec<usize>], state: usize) -> Vec<bool> {
    let (mut reached, mut open) = (vec![false; next.len()], vec![state]);
    reached[state] = true;
    while let Some(at) = open.pop() {
        for &to in &next[at] {
            if !std::mem::replace(&mut reached[to], true) {
                open.push(to);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_classes_are_counted() {
        // 0 leads to both {1, 2} and {3}; 4 leads only to itself, and 5 leads to 4 and itself.
        let next =
            [vec![1, 3], vec![2], vec![1], vec![3], vec![4], vec![4, 5]].map(|next| next.to_vec());
        assert_eq!(closed(&next), 3);
        assert_eq!(closed(&[vec![1], vec![0]]), 1);
        assert_eq!(closed(&[vec![1], vec![1]]), 1);
        assert_eq!(closed(&[]), 0);
    }
}
