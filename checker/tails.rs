//! Laws by their tails, on no lattice: places among integers that enclose them in the convex order.

use crate::number::{UNIT, WEIGHT};
use crate::windows::{MOST, Place};
use crate::{Budget, Refusal};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Fraction bits of what is known of a law, each number to a unit.
const FINE: u32 = 128;

/// At multiples of a span from the first on: the probability to be above, and by how much on average, in spans.
pub struct Tails {
    pub first: i64,
    pub above: Vec<BigInt>,
    pub excess: Vec<BigInt>,
    /// The mean, in spans.
    pub mean: BigRational,
}

/// Laws above and below one that is on no lattice: the cells' masses moved to their ends with their means kept, and
/// to their middles; and for each cell the distance of its mean from the middle, at most, by its probability.
pub struct Enclosed {
    pub above: Place,
    pub below: Place,
    /// Distances in units of 2^-62 spans, and the probability of each in those of 2^-62.
    pub off: Vec<(BigInt, u64)>,
}

impl Tails {
    /// Both laws. Each number of tails is known to a unit of 2^-128.
    pub fn enclosed(&self) -> Result<Enclosed, Refusal> {
        let (len, unit) = (self.above.len(), BigInt::one() << FINE);
        if !(3..MOST).contains(&len) {
            return Err(Refusal::TooLarge);
        }
        let positive = |x: BigInt| -> BigInt { x.max(BigInt::zero()) };
        let weight = |x: BigInt| (positive(x) >> (FINE - WEIGHT)).to_u64().unwrap_or(0).min(UNIT);
        let excess = |k: usize| &self.excess[k];
        let upper = (0..len).map(|k| {
            let left =
                if k == 0 { &unit - excess(0) + excess(1) } else { excess(k - 1) - excess(k) };
            let falls = k > 0 && k + 1 < len;
            let right = if falls { excess(k) - excess(k + 1) } else { BigInt::zero() };
            if k == 0 { weight(left - 2) } else { weight(left - right - 4) }
        });
        // E (S - last)^+ and E (first - S)^+.
        let start = (BigRational::from(BigInt::from(self.first)) - &self.mean)
            * BigRational::from(unit.clone());
        let below = excess(0) + start.ceil().to_integer() + 2;
        let moved: BigInt = ((positive(below) + excess(len - 1) + 2) >> (FINE - WEIGHT)) + 1;
        let above = Place { first: self.first, weights: upper.collect(), moved: moved.clone() };
        let mass = |k: usize| -> BigInt { &self.above[k] - &self.above[k + 1] };
        // What is left out at both ends is moved by half a span more.
        let tails = positive(&unit - &self.above[0] + 1) + &self.above[len - 1] + 1;
        let moved = moved + (tails >> (FINE - WEIGHT)) + 1;
        let weights = (0..len - 1).map(|k| weight(mass(k) - 2)).collect();
        let below = Place { first: self.first, weights, moved };
        let half = BigInt::one() << (WEIGHT - 1);
        let off = (0..len - 1).map(|k| {
            let [least, most]: [BigInt; 2] = [mass(k) - 2, mass(k) + 2];
            let probability =
                (positive(most.clone()) >> (FINE - WEIGHT)).to_u64().unwrap_or(UNIT).min(UNIT - 1)
                    + 1;
            if !least.is_positive() {
                return (half.clone(), probability);
            }
            let moment = excess(k) - excess(k + 1) - &self.above[k + 1];
            let mean = |moment: BigInt, mass: &BigInt| (moment << WEIGHT).div_floor(mass);
            let [low, high] = [mean(moment.clone() - 3, &most), mean(moment + 3, &least) + 1];
            let off = (&half - low).max(high - &half);
            (positive(off).min(half.clone()), probability)
        });
        Ok(Enclosed { above, below, off: off.collect() })
    }
}

/// The most that any of these, so many of each list, is on average, in units of 2^-62: the chance that one
/// exceeds a number is at most the sum of the chances that each does.
pub fn largest_off(lists: &[(u64, &[(BigInt, u64)])]) -> BigInt {
    let each = lists.iter().flat_map(|(count, list)| {
        list.iter().map(move |(off, p)| (off, u128::from(*count) * u128::from(*p)))
    });
    let mut all: Vec<(&BigInt, u128)> = each.collect();
    all.sort_by(|a, b| b.cmp(a));
    let (mut sum, mut chance) = (BigInt::zero(), 0u128);
    for (i, (off, p)) in all.iter().enumerate() {
        chance = (chance + p).min(UNIT.into());
        let next = all.get(i + 1).map_or_else(BigInt::zero, |(off, _)| (*off).clone());
        sum += (*off - next) * chance;
    }
    (sum >> WEIGHT) + 1
}

/// e^-x in units of 2^-bits, to less than `bits` e^x of them.
fn exponential(x: &BigRational, bits: u32) -> BigInt {
    let (mut term, mut sum, mut j) = (BigInt::one() << bits, BigInt::zero(), 0u32);
    while !term.is_zero() {
        sum += &term;
        j += 1;
        term = -(&term * x.numer() / (x.denom() * j));
    }
    sum
}

/// Cells beside the mean on either side, in deviations.
const FAR: u32 = 9;

/// The sum of so many exponential numbers of mean `scale`, at multiples of a span.
pub fn gamma(
    shape: u32,
    scale: &BigRational,
    span: &BigRational,
    budget: &Budget,
) -> Result<Tails, Refusal> {
    let (n, step) = (BigInt::from(shape), span / scale);
    // x_k = k step; sqrt(shape) <= (shape + 1) / 2 is not needed: the root, rounded up.
    let root = n.sqrt() + 1u32;
    let far = |cells: BigRational| {
        cells.to_integer().to_i64().filter(|k| *k < MOST as i64).ok_or(Refusal::TooLarge)
    };
    let middle = |off: BigInt| BigRational::from(&n + off) / &step;
    let first = far(middle(-&root * FAR))?.max(0);
    let last = far(middle(&root * FAR + 40))? + 1;
    let most = (BigRational::from(BigInt::from(last)) * &step)
        .ceil()
        .to_integer()
        .to_u32()
        .ok_or(Refusal::TooLarge)?;
    let bits = 384 + 2 * most + 2 * shape;
    budget.spend((last - first) as u64 * u64::from(shape) * u64::from(bits / 64 + 4))?;
    let decay = exponential(&step, bits);
    let mut at = BigInt::one() << bits;
    for _ in 0..first {
        at = (at * &decay) >> bits;
    }
    let (mut above, mut excess) = (Vec::new(), Vec::new());
    for k in first..=last {
        let x = BigRational::from(BigInt::from(k)) * &step;
        // e^-x (1 + x + ... + x^(n-1)/(n-1)!), and with one more term.
        let (mut term, mut sum) = (at.clone(), BigInt::zero());
        for j in 1..=shape {
            sum += &term;
            term = term * x.numer() / (x.denom() * j);
        }
        let more = &sum + &term;
        let spans = |x: BigInt| (BigRational::from(x) / &step).to_integer();
        let own = spans(more * shape) - &sum * BigInt::from(k);
        above.push(sum >> (bits - FINE));
        excess.push(own >> (bits - FINE));
        at = (at * &decay) >> bits;
    }
    Ok(Tails { first, above, excess, mean: BigRational::from(n) / step })
}

/// A normal number of deviation 1 about 0, at multiples of 1/cells.
pub fn normal(cells: u32, budget: &Budget) -> Result<Tails, Refusal> {
    const BITS: u32 = 640;
    let last = i64::from(FAR * cells);
    budget.spend(last as u64 * 10_000)?;
    // sqrt(1 / (2 pi)), of which 60 digits will do.
    let pi = "314159265358979323846264338327950288419716939937510582097494459".parse::<BigInt>();
    let pi = pi.map_err(|_| Refusal::Malformed)?;
    let ten = BigInt::from(10).pow(62);
    let scale = ((ten << (2 * BITS - 1)) / pi).sqrt();
    let half = BigInt::one() << (BITS - 1);
    let side = (0..=last).map(|k| {
        let x = BigRational::new(k.into(), cells.into());
        let density = (&scale * exponential(&(&x * &x / BigInt::from(2)), BITS)) >> BITS;
        // x + x^3/3 + x^5/(3 5) + ...
        let (mut term, mut sum, mut j) = ((x.numer() << BITS) / x.denom(), BigInt::zero(), 1u32);
        while !term.is_zero() {
            sum += &term;
            j += 2;
            term = term * x.numer() * x.numer() / (x.denom() * x.denom() * j);
        }
        let above = &half - ((&density * sum) >> BITS);
        let excess = &density * cells - &above * k;
        (above, excess)
    });
    let side: Vec<(BigInt, BigInt)> = side.collect();
    let (mut above, mut excess) = (Vec::new(), Vec::new());
    for k in -last..=last {
        let (beyond, more) = &side[k.unsigned_abs() as usize];
        let reflected = k < 0;
        // P(Z > -x) = 1 - P(Z > x), E (Z + x)^+ = x + E (Z - x)^+.
        above.push(if reflected { (&half << 1) - beyond } else { beyond.clone() } >> (BITS - FINE));
        let shift = if reflected { (&half << 1) * -k } else { BigInt::zero() };
        excess.push((more + shift) >> (BITS - FINE));
    }
    Ok(Tails { first: -last, above, excess, mean: BigRational::zero() })
}
