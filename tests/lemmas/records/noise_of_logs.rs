//! Noise on top of random walks: none is told where there is none, and what there is comes out.

use super::coverage::Walks;

const SEEDS: u64 = 200;

#[test]
fn none_is_told_where_there_is_none() {
    for (size, drift) in [
        ([2, 40], 0.3),
        ([4, 20], 0.3),
        ([8, 100], 0.0),
        ([8, 100], 0.3),
        ([16, 400], 0.3),
        ([64, 60], 0.3),
    ] {
        for heavy in [false, true] {
            let walks = Walks { drift, ..Walks::of(size, heavy, 0.0) };
            let told = (0..SEEDS).filter(|seed| walks.increments(*seed).noise > 0.0).count();
            // One in 20 at most, on average; by chance of the seeds 21 are enough in one of a
            // thousand such tests.
            assert!(told <= 21, "{walks:?}: {told} of {SEEDS}");
        }
    }
}

#[test]
fn what_there_is_comes_out() {
    for (deviation, lasts, size) in
        [(0.5, 0.0, [16, 400]), (1.0, 0.0, [8, 100]), (10.0, 0.0, [8, 100]), (3.0, 0.5, [16, 400])]
    {
        let walks = Walks { lasts, ..Walks::of(size, false, deviation) };
        let mut all: Vec<f64> = (0..50).map(|seed| walks.increments(seed).noise).collect();
        all.sort_by(f64::total_cmp);
        // A tenth of the records may tell less or more.
        for part in [all[5], all[45]] {
            assert!((part / deviation - 1.0).abs() < 0.2, "{walks:?}: {all:?}");
        }
    }
}
