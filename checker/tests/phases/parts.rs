//! Parts by themselves: the smaller of two functions of a belief, and the grid points around one.

use crate::shared::Random;
use crate::thorough::few_or_all;
use num_rational::BigRational;
use remap_checker::Refusal;
use remap_checker::parts::{Points, Upper};

/// Beliefs are integers in parts of this.
const UNIT: u64 = 1 << 62;

fn exact(function: &Upper<i64>, p: u64) -> BigRational {
    let end = function.at.partition_point(|node| *node < p).max(1);
    let [from, to] = [end - 1, end].map(|k| BigRational::from_integer(function.at[k].into()));
    let [start, stop] = [end - 1, end].map(|k| BigRational::from_integer(function.value[k].into()));
    let share = (BigRational::from_integer(p.into()) - &from) / (to - from);
    &start + (stop - &start) * share
}

/// Short cells, and crossings within one unit of belief, are among these.
#[test]
fn the_smaller_of_a_function_and_a_line_is_bounded_closely() {
    let mut random = Random(7);
    let mut number = |end: u64| random.below(end);
    let cases = few_or_all(400, 2000);
    for _ in 0..cases {
        let mut at = vec![0, UNIT];
        for _ in 0..number(5) {
            let node = number(1 << 40) << 20;
            at.extend([node, node + number(4)]);
        }
        at.sort_unstable();
        at.dedup();
        let size = [10, 1 << 50][number(2) as usize];
        let mut value: Vec<i64> = at.iter().map(|_| number(size) as i64).collect();
        value.sort_unstable();
        let function = Upper { at, value };
        let low = number(size) as i64;
        let line = Upper { at: vec![0, UNIT], value: vec![low, low + number(size) as i64] };
        let found = function.least([line.value[0], line.value[1]]);
        assert!(found.at.windows(2).all(|pair| pair[0] < pair[1]) && found.value.is_sorted());
        let near = found.at.iter().flat_map(|p| [p.saturating_sub(1), *p, (p + 1).min(UNIT)]);
        for p in near.chain((0..20).map(|_| number(1 << 42) << 20)) {
            let right = |p: u64| exact(&function, p).min(exact(&line, p));
            assert!(exact(&found, p) >= right(p), "{p}: {:?} {:?}", function.at, function.value);
            // At a node: one unit of belief to the right at most, and rounded up.
            let most = right((p + 1).min(UNIT)).ceil();
            assert!(!found.at.contains(&p) || exact(&found, p) <= most, "{p}");
        }
    }
}

#[test]
fn points_around_sum_to_what_they_stand_for() {
    for (phases, resolution) in [(1, 4), (2, 7), (3, 5), (4, 3), (6, 4)] {
        let all = Points::new(phases, resolution, 1 << 20).unwrap();
        assert!(all.list.iter().all(|point| point.iter().sum::<u32>() == resolution));
        for seed in 0..500u64 {
            let raw = |k: usize| (seed * 7919 + k as u64 * 104_729 + seed * seed) % 97;
            let few = |k: usize| if seed % 3 == 0 { raw(k) % 4 } else { raw(k) << (seed % 50) };
            let masses: Vec<u64> = (0..phases).map(few).collect();
            let around = all.around(&masses).unwrap();
            assert!(around.len() <= phases);
            for (z, mass) in masses.iter().enumerate() {
                let sum = around
                    .iter()
                    .map(|(at, weight)| u128::from(*weight) * u128::from(all.list[*at][z]));
                assert_eq!(sum.sum::<u128>(), u128::from(*mass) * u128::from(resolution));
            }
        }
    }
    assert_eq!(Points::new(6, 1 << 12, 1 << 20).err(), Some(Refusal::TooLarge));
}
