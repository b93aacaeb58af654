//! Markov operators against the dense matrices they stand for.

use crate::thorough::few_or_all;
use approx::abs_diff_eq;
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use remapping::chain::{
    BirthDeath, Dense, Edge, Exchangeable, Factor, Finish, Joint, Multisets, Operator, Product,
};

/// Any birth–death chain with this many levels, some of its moves impossible.
pub fn birth_death(levels: std::ops::Range<usize>) -> impl Strategy<Value = BirthDeath> {
    let share = || prop_oneof![4 => 0.0..1.0f64, 1 => Just(0.0), 1 => Just(1.0)];
    let moves = prop::collection::vec((share(), share()), levels);
    moves.prop_map(|moves| {
        let last = moves.len() - 1;
        let up = |&(move_at_all, up): &(f64, f64)| move_at_all * up;
        let mut ups: Vec<f64> = moves.iter().map(up).collect();
        let mut downs: Vec<f64> = moves.iter().zip(&ups).map(|(m, up)| m.0 - up).collect();
        (ups[last], downs[0]) = (0.0, 0.0);
        downs.iter_mut().for_each(|d| *d = d.max(0.0));
        BirthDeath::new(ups, downs).unwrap()
    })
}

fn walk(levels: std::ops::Range<usize>) -> impl Strategy<Value = BirthDeath> {
    (levels, 0.0..0.5f64, 0.0..0.5f64)
        .prop_map(|(levels, up, down)| BirthDeath::walk(levels, up, down, Edge::Hold).unwrap())
}

fn matrix(rows: &[Vec<f64>]) -> DMatrix<f64> {
    DMatrix::from_fn(rows.len(), rows.len(), |i, j| rows[i][j])
}

fn values(n: usize, seed: u64) -> Vec<f64> {
    let mut state = seed | 1;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..n).map(|_| next()).collect()
}

fn apply(operator: &dyn Operator, v: &[f64]) -> Vec<f64> {
    let mut out = vec![f64::NAN; v.len()];
    operator.apply_into(v, &mut out);
    out
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// All vectors of loads with these numbers of levels, last process fastest.
fn vectors(levels: &[usize]) -> Vec<Vec<usize>> {
    levels.iter().fold(vec![vec![]], |all, &n| {
        all.iter().flat_map(|v| (0..n).map(move |x| [v.as_slice(), &[x]].concat())).collect()
    })
}

fn factor() -> impl Strategy<Value = Factor> {
    prop_oneof![
        birth_death(2..6).prop_map(Factor::BirthDeath),
        birth_death(2..5).prop_map(|c| Factor::Dense(Dense::new(&c.rows()).unwrap())),
        (birth_death(2..5), 1..4usize)
            .prop_map(|(c, r)| Factor::Exchangeable(Exchangeable::new(c, r).unwrap())),
    ]
}

/// The matrix of an operator, column by column.
fn columns(operator: &dyn Operator) -> DMatrix<f64> {
    let n = operator.states();
    let mut all = DMatrix::zeros(n, n);
    for j in 0..n {
        let unit: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i == j))).collect();
        all.set_column(j, &DVector::from_vec(apply(operator, &unit)));
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(few_or_all(32, 96)))]

    #[test]
    fn multiset_ranks_count_in_colexicographic_order(items in 1..6usize, levels in 1..7usize) {
        let sets = Multisets::new(items, levels).unwrap();
        let mut all = vectors(&vec![levels; items]);
        all.retain(|v| v.is_sorted());
        all.sort_by_key(|v| v.iter().rev().copied().collect::<Vec<_>>());
        prop_assert_eq!(sets.states(), all.len());
        let mut walk = sets.from(0);
        let mut vectors_stood_for = 0.0;
        for (rank, sorted) in all.iter().enumerate() {
            prop_assert_eq!(sets.rank(sorted), rank);
            prop_assert_eq!(&sets.unrank(rank), sorted);
            prop_assert_eq!(walk.get(), Some(sorted.as_slice()));
            let counts: Vec<usize> =
                (0..levels).map(|l| sorted.iter().filter(|&&x| x == l).count()).collect();
            prop_assert_eq!(sets.rank_of_counts((0..).zip(counts)), rank);
            vectors_stood_for += sets.orderings(sorted);
            walk.advance();
        }
        prop_assert_eq!(walk.get(), None);
        prop_assert_eq!(vectors_stood_for, (levels as f64).powi(items as i32));
    }

    #[test]
    fn birth_death_applies_its_rows(chain in birth_death(2..12), seed: u64) {
        let v = values(chain.levels(), seed);
        let expected = matrix(&chain.rows()) * DVector::from_vec(v.clone());
        prop_assert!(distance(&apply(&chain, &v), expected.as_slice()) <= 1e-15);
    }

    #[test]
    fn lumped_operator_equals_full_on_symmetric_functions(
        chain in birth_death(2..6), r in 1..5usize, seed: u64,
    ) {
        let lumped = Exchangeable::new(chain.clone(), r).unwrap();
        let v = values(lumped.states(), seed);
        let sets = lumped.multisets();
        let full = vectors(&vec![chain.levels(); r]);
        let rank = |x: &Vec<usize>| {
            let mut sorted = x.clone();
            sorted.sort_unstable();
            sets.rank(&sorted)
        };
        let symmetric: Vec<f64> = full.iter().map(|x| v[rank(x)]).collect();
        let joint = Product::new((0..r).map(|_| Factor::BirthDeath(chain.clone())).collect());
        let expected = apply(&joint.unwrap(), &symmetric);
        let found = apply(&lumped, &v);
        for (x, expected) in full.iter().zip(expected) {
            prop_assert!(abs_diff_eq!(found[rank(x)], expected, epsilon = 1e-13));
        }
    }

    /// Independence: the expectation of a product over the processes is the product of
    /// expectations. Sizes beyond any full tensor, shared among threads, with rows of several
    /// values.
    #[test]
    fn lumped_operator_preserves_constants_and_multiplicative_functions(
        (chain, r) in prop_oneof![(birth_death(2..40), 1..4usize), (birth_death(2..14), 4..9usize)],
        rows in 1..4usize,
        seed: u64,
    ) {
        let one = Exchangeable::new(chain.clone(), r).unwrap();
        let sets = one.multisets().clone();
        let factor = values(chain.levels(), seed);
        let after = apply(&chain, &factor);
        let product = |g: &[f64], rank| -> f64 { sets.unrank(rank).iter().map(|&x| g[x]).product() };
        let mut v: Vec<f64> = (0..one.states()).map(|rank| product(&factor, rank)).collect();
        let bound = one.rounding() * 2.0 * f64::EPSILON + (r + 2) as f64 * f64::EPSILON;
        let found = apply(&one, &v);
        for (rank, found) in found.iter().enumerate() {
            let expected = product(&after, rank);
            prop_assert!(abs_diff_eq!(*found, expected, epsilon = bound * expected), "{found} {expected}");
        }
        prop_assert!(apply(&one, &vec![1.0; v.len()]).iter().all(|x| abs_diff_eq!(*x, 1.0, epsilon = bound)));
        // As the outer factor of a product it acts on rows.
        let inner = BirthDeath::walk(rows + 1, 0.0, 0.0, Edge::Hold).unwrap();
        let both = Product::new(vec![Factor::Exchangeable(one), Factor::BirthDeath(inner)]).unwrap();
        v = v.iter().flat_map(|&x| (0..=rows).map(move |row| x * (row + 1) as f64)).collect();
        for (index, twice) in apply(&both, &v).into_iter().enumerate() {
            let expected = found[index / (rows + 1)] * (index % (rows + 1) + 1) as f64;
            prop_assert!(abs_diff_eq!(twice, expected, epsilon = 2.0 * bound * expected));
        }
    }

    #[test]
    fn mode_by_mode_equals_the_kronecker_product(
        factors in prop::collection::vec(factor(), 1..4), seed: u64,
    ) {
        let product = Product::new(factors).unwrap();
        prop_assume!(product.states() <= 400);
        let one = DMatrix::from_element(1, 1, 1.0);
        let kronecker = product.factors().iter().fold(one, |all, factor| {
            all.kronecker(&match factor {
                Factor::BirthDeath(chain) => columns(chain),
                Factor::Dense(chain) => columns(chain),
                Factor::Exchangeable(chain) => columns(chain),
            })
        });
        let v = values(product.states(), seed);
        let expected = kronecker * DVector::from_vec(v.clone());
        prop_assert!(distance(&apply(&product, &v), expected.as_slice()) <= 1e-14);
    }

    #[test]
    fn rows_longer_than_the_cache_equal_one_mode_after_another(
        chains in (birth_death(2..5), birth_death(3..7), walk(30..50), birth_death(35..50)),
        seed: u64,
    ) {
        let chains = [chains.0, chains.1, chains.2, chains.3];
        let product =
            Product::new(chains.iter().cloned().map(Factor::BirthDeath).collect()).unwrap();
        let n = product.states();
        let v = values(n, seed);
        let mut slow = v.clone();
        let mut width = n;
        for chain in &chains {
            let (rows, levels) = (chain.rows(), chain.levels());
            width /= levels;
            let step = |s: usize| {
                let (level, first) = (s / width % levels, s - s / width % levels * width);
                (0..levels).map(|j| rows[level][j] * slow[first + j * width]).sum::<f64>()
            };
            slow = (0..n).map(step).collect();
        }
        prop_assert!(distance(&apply(&product, &v), &slow) <= 1e-13);
        let costs: Vec<f64> = values(n, seed ^ 9).iter().map(|x| (x - 0.2).max(0.0)).collect();
        let mut out = vec![f64::NAN; n];
        product.apply_then(&v, &mut out, Finish::Less(&costs));
        let less: Vec<f64> = slow.iter().zip(&costs).map(|(v, c)| v - c).collect();
        prop_assert!(distance(&out, &less) <= 1e-13);
        product.apply_then(&v, &mut out, Finish::Least { costs: &costs, bound: 0.9 });
        let least = |(v, c): (&f64, &f64)| if *c == 0.0 { 0.0 } else { (v + c).min(0.9) };
        let least: Vec<f64> = slow.iter().zip(&costs).map(least).collect();
        prop_assert!(distance(&out, &least) <= 1e-13);
    }

    #[test]
    fn sparse_joint_chain_equals_dense(chain in birth_death(2..5), seed: u64) {
        let pair = Exchangeable::new(chain, 2).unwrap();
        let dense = columns(&pair);
        let n = pair.states();
        let entries: Vec<_> = (0..n)
            .flat_map(|i| (0..n).map(move |j| (i, j)))
            .map(|(i, j)| (i, j, dense[(i, j)]))
            .filter(|entry| entry.2 > 0.0)
            .collect();
        let joint = Joint::from_entries(n, &entries).unwrap();
        let v = values(n, seed);
        prop_assert!(distance(&apply(&joint, &v), &apply(&pair, &v)) <= 1e-15);
    }

    #[test]
    fn reversing_weights_satisfy_detailed_balance(
        factors in prop::collection::vec(factor(), 1..3),
    ) {
        let product = Product::new(factors).unwrap();
        prop_assume!(product.states() <= 200);
        let weights = product.reversing_weights();
        prop_assert!(weights.is_none() || product.is_reversible());
        if let Some(w) = weights {
            let p = columns(&product);
            for i in 0..w.len() {
                for j in 0..w.len() {
                    let (a, b) = (w[i] * p[(i, j)], w[j] * p[(j, i)]);
                    prop_assert!(abs_diff_eq!(a, b, epsilon = 1e-12 * a.max(b).max(1e-300)));
                }
            }
        }
    }
}

/// Whatever weights span, a birth–death chain is reversible if and only if every step has a way
/// back.
#[test]
fn reversible_chains_need_no_weights_in_doubles() {
    let steep = BirthDeath::walk(400, 0.6, 0.1, Edge::Hold).unwrap();
    let trap = BirthDeath::new(vec![0.5, 0.5, 0.0], vec![0.0, 0.25, 0.0]).unwrap();
    let pair = |chain: &BirthDeath| Exchangeable::new(chain.clone(), 2).unwrap();
    for (chain, reversible) in [(steep, true), (trap, false)] {
        assert!(chain.reversing_weights().is_none());
        assert_eq!(chain.is_reversible(), reversible);
        assert_eq!(pair(&chain).is_reversible(), reversible);
        let both = vec![Factor::BirthDeath(chain.clone()), Factor::Exchangeable(pair(&chain))];
        assert_eq!(Product::new(both).unwrap().is_reversible(), reversible);
    }
}

#[test]
fn walks_treat_their_edges_as_named() {
    let reflect = BirthDeath::walk(3, 0.25, 0.5, Edge::Reflect).unwrap();
    assert_eq!(reflect.rows(), [[0.25, 0.75, 0.0], [0.5, 0.25, 0.25], [0.0, 0.75, 0.25]]);
    let hold = BirthDeath::walk(3, 0.25, 0.5, Edge::Hold).unwrap();
    assert_eq!(hold.rows(), [[0.75, 0.25, 0.0], [0.5, 0.25, 0.25], [0.0, 0.5, 0.5]]);
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let walk = |levels| BirthDeath::walk(levels, 0.23, 0.31, Edge::Reflect).unwrap();
    let lumped = Exchangeable::new(walk(17), 6).unwrap();
    let mixed = Product::new(vec![
        Factor::BirthDeath(walk(9)),
        Factor::Exchangeable(Exchangeable::new(walk(7), 4).unwrap()),
        Factor::Exchangeable(Exchangeable::new(walk(5), 3).unwrap()),
        Factor::Dense(Dense::new(&walk(4).rows()).unwrap()),
    ])
    .unwrap();
    for operator in [&lumped as &dyn Operator, &mixed] {
        let v = values(operator.states(), 7);
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| apply(operator, &v))
        };
        let one = run(1);
        assert!(one.iter().all(|x| (0.0..=1.0).contains(x)));
        for threads in [2, 3, 8] {
            assert!(run(threads).iter().zip(&one).all(|(a, b)| a.to_bits() == b.to_bits()));
        }
    }
}

#[test]
fn counts_that_overflow_are_refused() {
    assert!(Multisets::new(64, 64).is_err());
    let walk = BirthDeath::walk(1000, 0.25, 0.25, Edge::Hold).unwrap();
    let factors = (0..8).map(|_| Factor::BirthDeath(walk.clone())).collect();
    let error = Product::new(factors).unwrap_err().to_string();
    assert!(error.contains("1000 x 1000"), "{error}");
}
