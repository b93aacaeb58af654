//! The rows of an operator that belong to one of several ranks.

use super::kernel::Rows;
use super::{Effort, Exchangeable, Factor, Finish, JointRows, Operator, Product, WEIGHT_SPAN};
use crate::communicator::{Communicator, Shares};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// The own rows of a rank: the [`Operator`] on the own entries. Each application exchanges the
/// entries that ranks need from each other, so all ranks apply it together. Entries have the same
/// bits for any number of ranks.
pub struct Shared {
    rows: Own,
    shares: Shares,
    rank: usize,
    communicator: Arc<dyn Communicator>,
    room: Mutex<Room>,
}

enum Own {
    Divided(Divided),
    /// Some rows of a joint chain, and the largest number of entries of a row on any rank.
    Rows(JointRows, usize),
}

/// A joint chain of independent processes that ranks divide.
pub(crate) enum Divided {
    /// The levels of the first factor, a birth–death chain, in nearly equal slabs.
    Slabs(Product),
    /// The multisets of equal processes, in blocks of nearly equal work.
    Blocks(Exchangeable),
}

impl Divided {
    /// The most ranks that can share it. `None` where the first factor is of another kind, and for
    /// fewer than three equal processes.
    pub fn most(&self) -> Option<usize> {
        match self {
            Self::Slabs(product) => match product.factors() {
                [Factor::BirthDeath(first), _, ..] => Some(first.levels()),
                _ => None,
            },
            Self::Blocks(operator) => {
                let many = operator.multisets().items() >= FEWEST_ITEMS;
                many.then(|| operator.states())
            }
        }
    }

    /// The partition of the states; `None` if the chain cannot be divided among so many ranks.
    pub fn shares(&self, ranks: usize) -> Option<Shares> {
        self.most().filter(|most| ranks <= *most)?;
        Some(match self {
            Self::Slabs(product) => {
                let (levels, width) = product.slabs();
                let starts = Shares::evenly(levels, ranks);
                let windows = starts
                    .windows(2)
                    .map(|own| own[0].saturating_sub(1) * width..(own[1] + 1).min(levels) * width);
                let windows = windows.collect();
                Shares::new(starts.iter().map(|level| level * width).collect(), windows)
            }
            Self::Blocks(operator) => {
                let starts = Effort::new(operator).starts(ranks, 1);
                let needed = |own: &[usize]| operator.needed(&(own[0]..own[1]));
                let windows = starts.windows(2).map(needed).collect();
                Shares::new(starts, windows)
            }
        })
    }

    fn operator(&self) -> &dyn Operator {
        match self {
            Self::Slabs(product) => product,
            Self::Blocks(operator) => operator,
        }
    }
}

/// Entries below and above the own ones, and a contiguous copy where the rows need one.
struct Room {
    below: Vec<f64>,
    above: Vec<f64>,
    window: Vec<f64>,
}

/// With fewer equal processes sharing does not pay.
const FEWEST_ITEMS: usize = 3;

impl Shared {
    /// The own part of a chain that the ranks divide; `None` if so many cannot divide it.
    pub(crate) fn divided(parts: Divided, communicator: Arc<dyn Communicator>) -> Option<Self> {
        let shares = parts.shares(communicator.ranks())?;
        Some(Self::new(Own::Divided(parts), shares, communicator))
    }

    /// The own rows of a joint chain, partitioned by [`evenly`](Self::evenly).
    ///
    /// # Panics
    /// When the rows are those of another partition.
    pub fn rows(rows: JointRows, communicator: Arc<dyn Communicator>) -> Self {
        let (rank, ranks) = (communicator.rank(), communicator.ranks());
        let starts = Shares::evenly(rows.states(), ranks);
        assert_eq!(rows.own(), starts[rank]..starts[rank + 1]);
        let needed = rows.needed();
        // Each rank knows only its own needs.
        let windows = communicator.gather(&[needed.start as f64, needed.end as f64]);
        let windows = windows.as_chunks::<2>().0.iter();
        let windows = windows.map(|[start, end]| *start as usize..*end as usize).collect();
        let mut longest = [rows.longest() as f64];
        communicator.largest(&mut longest);
        let shares = Shares::new(starts, windows);
        Self::new(Own::Rows(rows, longest[0] as usize), shares, communicator)
    }

    /// The rows of one of `ranks` ranks in a joint chain of `states` states.
    pub fn evenly(states: usize, (rank, ranks): (usize, usize)) -> Range<usize> {
        let starts = Shares::evenly(states, ranks);
        starts[rank]..starts[rank + 1]
    }

    fn new(rows: Own, shares: Shares, communicator: Arc<dyn Communicator>) -> Self {
        let rank = communicator.rank();
        let (own, window) = (shares.own(rank), shares.window(rank));
        let room = Room {
            below: vec![0.0; own.start - window.start],
            above: vec![0.0; window.end - own.end],
            window: match rows {
                Own::Divided(Divided::Slabs(_)) => Vec::new(),
                _ => vec![0.0; window.len()],
            },
        };
        Self { rows, shares, rank, communicator, room: Mutex::new(room) }
    }

    /// The partition of the states.
    pub fn shares(&self) -> &Shares {
        &self.shares
    }

    /// The own states.
    pub fn own(&self) -> Range<usize> {
        self.shares.own(self.rank)
    }

    /// The communicator of the ranks.
    pub fn communicator(&self) -> &Arc<dyn Communicator> {
        &self.communicator
    }
}

impl Operator for Shared {
    fn states(&self) -> usize {
        self.own().len()
    }

    fn apply_into(&self, v: &[f64], out: &mut [f64]) {
        self.apply_then(v, out, Finish::Keep);
    }

    fn apply_then(&self, v: &[f64], out: &mut [f64], finish: Finish<'_>) {
        assert!(v.len() == self.states() && out.len() == self.states());
        let mut room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
        let Room { below, above, window } = &mut *room;
        self.communicator.exchange(&self.shares, v, below, above);
        if let Own::Divided(Divided::Slabs(product)) = &self.rows {
            let (_, width) = product.slabs();
            let own = self.own();
            let levels = own.start / width..own.end / width;
            let rows = Rows::some(levels.clone(), [below, v, above]);
            return product.apply_slabs(levels.start, rows, out, finish);
        }
        window[..below.len()].copy_from_slice(below);
        window[below.len()..][..v.len()].copy_from_slice(v);
        window[below.len() + v.len()..].copy_from_slice(above);
        let base = self.shares.window(self.rank).start;
        match &self.rows {
            Own::Divided(Divided::Blocks(operator)) => {
                operator.apply_own((window, base), self.own(), out);
            }
            Own::Rows(rows, _) => rows.apply_own((window, base), out),
            Own::Divided(Divided::Slabs(_)) => {}
        }
        finish.all(out);
    }

    fn rounding(&self) -> f64 {
        match &self.rows {
            Own::Divided(parts) => parts.operator().rounding(),
            // The bound must hold for all rows.
            Own::Rows(_, longest) => *longest as f64 + 1.0,
        }
    }

    fn conserves(&self) -> bool {
        match &self.rows {
            Own::Divided(parts) => parts.operator().conserves(),
            Own::Rows(..) => false,
        }
    }

    fn staying(&self) -> Option<Vec<f64>> {
        match &self.rows {
            Own::Rows(rows, _) => Some(rows.staying()),
            Own::Divided(Divided::Slabs(product)) => {
                product.product_of_slabs(self.own(), |factor| factor.staying())
            }
            Own::Divided(Divided::Blocks(operator)) => Some(operator.staying_of(self.own())),
        }
    }

    fn reversing_weights(&self) -> Option<Vec<f64>> {
        let own = match &self.rows {
            Own::Divided(Divided::Slabs(product)) => {
                product.product_of_slabs(self.own(), |factor| factor.reversing_weights())
            }
            Own::Divided(Divided::Blocks(operator)) => operator.weights_of(self.own()),
            // They would have to be computed along paths through the rows of all ranks.
            Own::Rows(..) => None,
        };
        // Either all ranks have weights or none.
        let bounds = |weights: &Vec<f64>| {
            let at_most = weights.iter().copied().fold(0.0, f64::max);
            [at_most, weights.iter().map(|w| 1.0 / w).fold(0.0, f64::max)]
        };
        let [largest, inverse] = own.as_ref().map_or([0.0, f64::INFINITY], bounds);
        let mut extremes = [largest, inverse];
        self.communicator.largest(&mut extremes);
        let [largest, inverse] = extremes;
        let fits = largest.is_finite() && largest * inverse <= WEIGHT_SPAN;
        own.filter(|_| fits).map(|own| own.into_iter().map(|w| w / largest).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BirthDeath, Dense, Edge};
    use super::*;
    use crate::communicator::Equations;
    use proptest::prelude::*;

    /// One rank of several, with the values of the others given.
    struct Alone {
        rank: usize,
        ranks: usize,
        all: Vec<f64>,
    }

    impl Communicator for Alone {
        fn rank(&self) -> usize {
            self.rank
        }

        fn ranks(&self) -> usize {
            self.ranks
        }

        fn exchange(&self, shares: &Shares, own: &[f64], below: &mut [f64], above: &mut [f64]) {
            let (range, window) = (shares.own(self.rank), shares.window(self.rank));
            assert_eq!(own, &self.all[range.clone()]);
            below.copy_from_slice(&self.all[window.start..range.start]);
            above.copy_from_slice(&self.all[range.end..window.end]);
        }

        fn largest(&self, _: &mut [f64]) {}

        fn gather(&self, _: &[f64]) -> Vec<f64> {
            unreachable!()
        }

        fn solve(&self, _: Equations<'_>, _: &mut [f64]) -> u64 {
            unreachable!()
        }
    }

    /// All rows, computed rank by rank.
    fn by_ranks(
        ranks: usize,
        v: &[f64],
        share: impl Fn(Arc<dyn Communicator>) -> Option<Shared>,
    ) -> Option<Vec<f64>> {
        let mut image = Vec::new();
        for rank in 0..ranks {
            let shared = share(Arc::new(Alone { rank, ranks, all: v.to_vec() }))?;
            let own = shared.own();
            let mut out = vec![f64::NAN; own.len()];
            shared.apply_into(&v[own], &mut out);
            image.extend(out);
        }
        Some(image)
    }

    fn values(states: usize, seed: u64) -> Vec<f64> {
        let mut x = seed;
        let mut draw = || {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (x >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..states).map(|_| draw()).collect()
    }

    proptest! {
        /// An entry has the same bits on any number of ranks.
        #[test]
        fn blocks_of_multisets_are_those_of_one_rank(
            items in 3usize..7, levels in 2usize..8, ranks in 1usize..6, up in 0.0..0.5, down in 0.0..0.5,
            seed: u64,
        ) {
            let chain = BirthDeath::walk(levels, up, down, Edge::Hold).unwrap();
            let whole = Exchangeable::new(chain.clone(), items).unwrap();
            let v = values(whole.states(), seed);
            let mut expected = vec![0.0; v.len()];
            whole.apply_into(&v, &mut expected);
            let share = |ranks| Shared::divided(Divided::Blocks(Exchangeable::new(chain.clone(), items).unwrap()), ranks);
            if let Some(found) = by_ranks(ranks, &v, share) {
                prop_assert_eq!(found, expected);
            } else {
                prop_assert!(ranks > v.len());
            }
        }

        /// What is divided by is the diagonal: what a state has of the function that is 1 there and
        /// 0 elsewhere.
        #[test]
        fn the_diagonal_is_that_of_the_rows(
            shape in proptest::collection::vec(2usize..5, 1..4), items in 3usize..5, levels in 2usize..5,
            ranks in 1usize..4, dense: bool, up in 0.0..0.5, down in 0.0..0.5,
        ) {
            let chain = BirthDeath::walk(levels, up, down, Edge::Reflect).unwrap();
            let product = || {
                let factors = shape.iter().enumerate().map(|(k, levels)| {
                    let chain = BirthDeath::walk(*levels, up, down, Edge::Hold).unwrap();
                    match k {
                        1 if dense => Factor::Dense(Dense::new(&chain.rows()).unwrap()),
                        2 => Factor::Exchangeable(Exchangeable::new(chain, 2).unwrap()),
                        _ => Factor::BirthDeath(chain),
                    }
                });
                Product::new(factors.collect()).unwrap()
            };
            let blocks = || Exchangeable::new(chain.clone(), items).unwrap();
            let wholes: [Box<dyn Operator>; 2] = [Box::new(product()), Box::new(blocks())];
            for (k, whole) in wholes.iter().enumerate() {
                let mut found = Vec::new();
                for rank in 0..ranks {
                    let alone = Arc::new(Alone { rank, ranks, all: vec![0.0; whole.states()] });
                    let shared = match k {
                        0 => Shared::divided(Divided::Slabs(product()), alone),
                        _ => Shared::divided(Divided::Blocks(blocks()), alone),
                    };
                    let Some(shared) = shared else { continue };
                    found.extend(shared.staying().unwrap());
                }
                for (s, stays) in found.iter().enumerate() {
                    let mut unit = vec![0.0; whole.states()];
                    unit[s] = 1.0;
                    let mut image = vec![0.0; whole.states()];
                    whole.apply_into(&unit, &mut image);
                    prop_assert!((stays - image[s]).abs() < 1e-14, "{} in {}", stays, image[s]);
                }
            }
        }

        #[test]
        fn slabs_of_products_are_those_of_one_rank(
            shape in proptest::collection::vec(2usize..9, 2..5), ranks in 1usize..6, dense: bool, equal: bool,
            seed: u64,
        ) {
            let product = || {
                let mut factors = Vec::new();
                for (k, levels) in shape.iter().enumerate() {
                    let chain = BirthDeath::walk(*levels, 0.1 + 0.05 * k as f64, 0.3, Edge::Reflect);
                    let chain = chain.unwrap();
                    factors.push(match k {
                        1 if dense => Factor::Dense(Dense::new(&chain.rows()).unwrap()),
                        1 if equal => Factor::Exchangeable(Exchangeable::new(chain, 2).unwrap()),
                        _ => Factor::BirthDeath(chain),
                    });
                }
                Product::new(factors).unwrap()
            };
            let whole = product();
            let v = values(whole.states(), seed);
            let mut expected = vec![0.0; v.len()];
            whole.apply_into(&v, &mut expected);
            match by_ranks(ranks, &v, |ranks| Shared::divided(Divided::Slabs(product()), ranks)) {
                Some(found) => prop_assert_eq!(found, expected),
                None => prop_assert!(ranks > shape[0]),
            }
        }
    }
}
