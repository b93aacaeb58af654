//! Cost model of an application of the operator, by which states are divided into blocks of equal
//! work.

use super::Exchangeable;

/// Cost of a run of [`Exchangeable::by_run`] and of a state, in entries of such runs. Fitted to the
/// seconds of 2, 4 and 6 ranks in recursions of 8 processes on 19 levels, 12 on 10 and 6 on 25.
const OF_RUN: f64 = 12.0;
const OF_STATE: f64 = 8.0;

/// The work on the states of an operator, in order of rank.
pub(crate) struct Effort<'o> {
    operator: &'o Exchangeable,
    /// `below[k][z]`: work on the multisets of k items on the levels below z.
    below: Vec<Vec<f64>>,
}

impl<'o> Effort<'o> {
    /// The cost model of this operator. Takes r L operations, for r items on L levels.
    pub fn new(operator: &'o Exchangeable) -> Self {
        let levels = operator.chain.levels();
        let few = |items: usize| {
            let states = |below: usize| OF_STATE * operator.count(items, below) as f64;
            (0..=levels).map(states).collect()
        };
        let items = operator.sets.items();
        let mut below: Vec<Vec<f64>> = (0..=items.min(2)).map(few).collect();
        for items in 3..=items {
            let mut sums = vec![0.0];
            for z in 0..levels {
                let rest: f64 = below[items - 1][z + 1];
                sums.push(sums[z] + move_of_highest(operator, items, z) + rest);
            }
            below.push(sums);
        }
        Self { operator, below }
    }

    /// The work on the states of lower rank.
    pub fn before(&self, rank: usize) -> f64 {
        let (mut sum, mut rank, mut items) = (0.0, rank, self.operator.sets.items());
        while rank > 0 {
            if items <= 2 {
                return sum + OF_STATE * rank as f64;
            }
            let lower = self.operator.sets.highest(items, rank);
            sum += self.below[items][lower];
            rank -= self.operator.count(items, lower);
            if rank > 0 {
                let share = rank as f64 / self.operator.count(items - 1, lower + 1) as f64;
                sum += share * move_of_highest(self.operator, items, lower);
            }
            items -= 1;
        }
        sum
    }

    /// Partition into `parts` parts of equal work: the first block of each part, and the number of
    /// blocks. Blocks have `block` states, and each part has at least one block.
    pub fn starts(&self, parts: usize, block: usize) -> Vec<usize> {
        let blocks = self.operator.sets.states() / block;
        assert!(parts <= blocks, "each part has a block");
        let all = self.before(blocks * block);
        let mut starts = vec![0];
        for part in 1..parts {
            let goal = all * part as f64 / parts as f64;
            let (mut low, mut high) = (starts[part - 1] + 1, blocks - (parts - part));
            // The first block with that much work before it.
            while low < high {
                let middle = usize::midpoint(low, high);
                match self.before(middle * block) < goal {
                    true => low = middle + 1,
                    false => high = middle,
                }
            }
            starts.push(low);
        }
        starts.push(blocks);
        starts
    }
}

/// The work of moving the highest of `items` >= 3 items from level `z`.
fn move_of_highest(operator: &Exchangeable, items: usize, z: usize) -> f64 {
    let entries = operator.count(items - 1, operator.levels_after(z));
    let runs = match z {
        0 => 1,
        z if z + 1 == operator.chain.levels() => items,
        _ => items * (items + 1) / 2,
    };
    entries as f64 + OF_RUN * runs as f64
}

#[cfg(test)]
mod tests {
    use super::super::super::{BirthDeath, Edge, Operator};
    use super::super::ALL;
    use super::*;

    /// The work counted run by run, for the first of `parts` items with at most `highest`.
    fn counted(operator: &Exchangeable, items: usize, highest: usize) -> f64 {
        if items == 2 {
            return OF_STATE * operator.count(2, highest + 1) as f64;
        }
        let of = |z: usize| {
            let room = operator.count(items - 1, operator.levels_after(z));
            let f = vec![0.0; operator.states() + room];
            let (mut out, mut sum) = (vec![0.0; room], 0.0);
            match z {
                0 => sum += room as f64 + OF_RUN,
                z => {
                    let runs = (z, items - 1, ALL);
                    operator.by_run(runs, (&f, 0), &mut out, 1, |_, _, _, _, run| {
                        sum += run.len() as f64 + OF_RUN;
                    });
                }
            }
            sum + counted(operator, items - 1, z)
        };
        (0..=highest).map(of).sum()
    }

    #[test]
    fn effort_is_what_is_counted_on_the_way() {
        for (items, levels) in [(2, 5), (3, 7), (4, 2), (5, 6), (6, 4)] {
            let chain = BirthDeath::walk(levels, 0.2, 0.3, Edge::Hold).unwrap();
            let operator = Exchangeable::new(chain, items).unwrap();
            let effort = Effort::new(&operator);
            let all = effort.before(operator.states());
            let expected = counted(&operator, items, levels - 1);
            // Runs without entries do not count.
            assert!(expected <= all && all <= 1.5 * expected, "{all} {expected}");
            // Each state takes some work.
            for rank in 0..operator.states() {
                let more = effort.before(rank + 1) - effort.before(rank);
                assert!(more >= 0.999 * OF_STATE, "{items} on {levels}, state {rank}: {more}");
            }
        }
    }

    #[test]
    fn parts_have_equal_work_in_whole_blocks() {
        let chain = BirthDeath::walk(19, 0.25, 0.25, Edge::Hold).unwrap();
        let operator = Exchangeable::new(chain, 8).unwrap();
        let effort = Effort::new(&operator);
        for parts in [2, 4, 7] {
            let starts = effort.starts(parts, 64);
            let work = |ends: &[usize]| effort.before(64 * ends[1]) - effort.before(64 * ends[0]);
            let largest = |starts: &[usize]| starts.windows(2).map(work).fold(0.0, f64::max);
            let mean = effort.before(64 * starts[parts]) / parts as f64;
            assert!(largest(&starts) < 1.002 * mean);
            let blocks = starts[parts];
            let even: Vec<usize> = (0..=parts).map(|part| blocks * part / parts).collect();
            assert!(largest(&even) > 1.08 * mean, "equally many states are not equal work");
        }
        // As many parts as blocks.
        let few = Exchangeable::new(BirthDeath::walk(3, 0.25, 0.25, Edge::Hold).unwrap(), 3);
        let few = few.unwrap();
        let starts = Effort::new(&few).starts(few.states(), 1);
        assert_eq!(starts, (0..=few.states()).collect::<Vec<_>>());
    }
}
