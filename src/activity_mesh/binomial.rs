//! Multinomial split of the units of a point among its neighbors.

use crate::simulate::Stream;
use rand::RngExt;
use rand::distr::Distribution;
use rand_distr::Binomial;

/// Draws how many of n units go in each of four directions: a multinomial, as successive binomials,
/// each with its conditional probability given the earlier directions.
#[derive(Debug, Clone)]
pub(super) struct Splitter {
    ways: [Way; 4],
}

/// One direction.
#[derive(Debug, Clone)]
struct Way {
    /// Probability given that no earlier direction was taken.
    probability: f64,
    /// `tables[n][k]`: probability that at most k of n go.
    tables: Vec<Vec<f64>>,
}

/// Numbers up to this are drawn from a table.
const TABULATED: usize = 32;

impl Splitter {
    /// With these probabilities, whose sum is at most 1 up to rounding.
    pub fn new(probabilities: [f64; 4]) -> Splitter {
        let mut left = 1.0;
        let ways = probabilities.map(|p| {
            let given: f64 = if left > 0.0 { (p / left).clamp(0.0, 1.0) } else { 0.0 };
            left -= p;
            Way {
                probability: given,
                tables: (0..=TABULATED).map(|n| cumulative(n, given)).collect(),
            }
        });
        Splitter { ways }
    }

    /// Number of `units` that go in each direction.
    pub fn split(&self, units: u32, stream: &mut Stream) -> [u32; 4] {
        let mut left = units;
        let mut moved = [0; 4];
        for (way, moved) in self.ways.iter().zip(&mut moved) {
            if left == 0 {
                break;
            }
            *moved = way.draw(left, stream);
            left -= *moved;
        }
        moved
    }
}

impl Way {
    fn draw(&self, n: u32, stream: &mut Stream) -> u32 {
        if self.probability <= 0.0 {
            return 0;
        }
        if self.probability >= 1.0 {
            return n;
        }
        match self.tables.get(n as usize) {
            Some(table) => {
                let draw: f64 = stream.random();
                table.iter().take_while(|&&below| below <= draw).count().min(n as usize) as u32
            }
            None => match Binomial::new(u64::from(n), self.probability) {
                Ok(law) => law.sample(stream) as u32,
                Err(_) => unreachable!("the probability is in (0, 1)"),
            },
        }
    }
}

/// The distribution function of a binomial distribution.
fn cumulative(n: usize, p: f64) -> Vec<f64> {
    let mut law = vec![1.0];
    for _ in 0..n {
        let mut next = vec![0.0; law.len() + 1];
        for (k, &mass) in law.iter().enumerate() {
            next[k] += (1.0 - p) * mass;
            next[k + 1] += p * mass;
        }
        law = next;
    }
    let mut sum = 0.0;
    law.into_iter()
        .map(|mass| {
            sum += mass;
            sum
        })
        .collect()
}
