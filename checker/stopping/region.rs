//! Optimal stopping where one remaps in all but a few states: visits only these states and their
//! predecessors. docs/certificates.md has the proof.

use crate::core::counts::{Decision, Tally};
use crate::loads::Cost;
use crate::loads::chains::rows::{Row, by_one};

use crate::core::budget::{Budget, Refusal};
use crate::core::decimal::Number;
use crate::core::proof::Proof;
use crate::core::span::{Span, UNIT, WEIGHT, down, up};
use crate::loads::imbalance::Imbalance;
use crate::loads::states::equal::{Equal, orders};
use crate::stopping::problem::{After, Stopping};
use crate::stopping::states::{Shown, States};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Pow, ToPrimitive, Zero};
use std::collections::{BTreeSet, HashMap};
use std::iter::repeat_n;

/// The loads of a state, ascending among equal processes; the largest saving there relative to an
/// immediate remap; and how much lower it may be.
pub type Entry = (Vec<i64>, u64, u64);

/// The most loads of all visited states and of all predecessors.
const MOST: usize = 1 << 25;

/// The most probabilities that are stored.
const KEPT: usize = 1 << 20;

/// The work of trying one predecessor, in products.
const TRY: u64 = 64;

/// The largest and the least saving in a state.
#[derive(Default)]
struct State {
    saved: [u64; 2],
    /// The expected saving from the next state on.
    ahead: [u128; 2],
}

/// Proves the map from the savings in some states, in units of 2^-bits.
pub(crate) fn prove(
    own: &Stopping,
    bits: u32,
    entries: &[Entry],
    budget: &Budget,
) -> Result<Shown, Refusal> {
    let model = &own.model;
    // Loads without an upper limit have more states than the levels that are shown.
    if own.walks.is_some() {
        return Err(Refusal::Malformed);
    }
    let equal = model.processes.equal(&model.capacities())?;
    let mut groups = equal.into_iter().map(Group::new).collect::<Result<Vec<_>, _>>()?;
    let processes = groups.iter().map(|group| group.members.len()).sum();
    let (Cost::Constant(Number(constant)), None) = (&model.remap_cost, model.steps) else {
        return Err(Refusal::Malformed);
    };
    if bits > 60 || model.after_remap != After::Stop || processes == 0 {
        return Err(Refusal::Malformed);
    }
    let imbalance = model.imbalance(processes)?;
    let rho = Span::from(constant).units(bits)?;
    let (mut states, mut apart) = (HashMap::<Vec<i64>, State>::new(), 0);
    for (loads, most, less) in entries {
        let least = most.checked_sub(*less).filter(|least| *least <= rho[0] && *most <= UNIT);
        let least = least.filter(|_| *most > 0 && loads.len() == processes);
        let least = least.ok_or(Refusal::Malformed)?;
        for (before, [low, high]) in before(&mut groups, loads, budget)? {
            let ahead = &mut states.entry(before).or_default().ahead;
            *ahead =
                [ahead[0] + u128::from(up(*most, high)), ahead[1] + u128::from(down(least, low))];
        }
        let saved = &mut states.entry(loads.clone()).or_default().saved;
        if std::mem::replace(saved, [*most, least])[0] > 0 {
            return Err(Refusal::Malformed);
        }
        apart = apart.max(*less);
        if states.len() > MOST / processes {
            return Err(Refusal::TooLarge);
        }
    }
    // In all other states one remaps.
    let mut tally = Tally::new();
    let (mut listed, mut largest) = (HashMap::new(), [0; 2]);
    for (loads, State { saved, ahead }) in states {
        let cost = imbalance.cost(&loads, bits)?.map(u128::from);
        let [most, least] = saved.map(u128::from);
        let balanced = cost[1] == 0;
        let below = if balanced { saved[0] >= rho[1] } else { most + cost[0] >= ahead[0] };
        if !below || !balanced && least > 0 && least + cost[1] > ahead[1] {
            return Err(Refusal::Unproved("the values do not enclose the optimal cost"));
        }
        // Continuing costs more than remapping by the running cost less the expected saving.
        let decision = Decision::of(balanced, cost, [ahead[1], ahead[0]]);
        let own = groups.iter().map(|group| orders(&group.members, &loads));
        tally.add(decision, own.reduce(|all, own| all?.checked_mul(own?)).flatten());
        let value = [rho[0].saturating_sub(saved[0]), rho[1] - saved[1].min(rho[1])];
        largest = [0, 1].map(|side| value[side].max(largest[side]));
        // A state in which one remaps at once, as in all others, need not be kept.
        if decision != Decision::Remap || value != rho {
            listed.insert(loads, (decision, value));
        }
    }
    let levels = groups[0].lowest..groups[0].lowest + groups[0].rows.len() as i64;
    let balanced = |first: &i64| {
        let loads = imbalance.balanced(*first);
        loads.is_some_and(|loads| groups.iter().all(|group| group.levels(&loads).is_some()))
    };
    if levels.filter(balanced).count() as u64 != tally.classes[0] {
        return Err(Refusal::Unproved("a balanced state is missing"));
    }
    let all = groups.iter().map(Group::count).product::<BigInt>();
    let mut classes = tally.classes.map(BigInt::from);
    classes[1] += &all - tally.classes.iter().sum::<u64>();
    if all > BigInt::from(listed.len()) {
        largest = rho;
    }
    let whole = groups.iter().map(|g| Pow::pow(BigInt::from(g.rows.len()), g.members.len()));
    let whole = whole.product::<BigInt>();
    let vectors = tally.vectors.map(|vectors| {
        let mut vectors = vectors.map(BigInt::from);
        vectors[1] = &whole - &vectors[0] - &vectors[2] - &vectors[3];
        vectors
    });
    let proof = Proof::map(bits, [rho, largest], apart, (classes, vectors));
    Ok((proof, States::of_region(bits, listed, rho, model)?))
}

impl Imbalance {
    /// The balanced loads with this load of the first process, if they exist.
    fn balanced(&self, first: i64) -> Option<Vec<i64>> {
        // Capacities have no common factor.
        let (share, rest) = (first / self.capacities[0], first % self.capacities[0]);
        let loads = self.capacities.iter().map(|c| c.checked_mul(share));
        if rest == 0 { loads.collect() } else { None }
    }
}

/// Equal processes that move by at most one level.
struct Group {
    members: Vec<usize>,
    lowest: i64,
    rows: Vec<Row>,
    /// The probability that given numbers of members at a level go down, stay and go up.
    known: HashMap<(usize, [usize; 3]), [u64; 2]>,
}

impl Group {
    fn new((members, (lowest, rows)): Equal) -> Result<Group, Refusal> {
        let small = lowest.unsigned_abs() < 1 << 39;
        let group = Group { members, lowest, rows, known: HashMap::new() };
        let fit = small && !group.rows.is_empty() && by_one(&group.rows);
        if fit { Ok(group) } else { Err(Refusal::Malformed) }
    }

    /// The number of multisets of levels.
    fn count(&self) -> BigInt {
        choose(self.members.len() + self.rows.len() - 1, self.members.len())
    }

    /// The levels of its members, if they ascend.
    fn levels(&self, loads: &[i64]) -> Option<Vec<usize>> {
        let level = |i: &usize| {
            let level = loads.get(*i)?.checked_sub(self.lowest)?.to_usize()?;
            Some(level).filter(|level| *level < self.rows.len())
        };
        let levels = self.members.iter().map(level).collect::<Option<Vec<_>>>()?;
        Some(levels).filter(|levels| levels.is_sorted())
    }

    fn chance(&mut self, level: usize, [down, stay, up]: [usize; 3]) -> Result<[u64; 2], Refusal> {
        let of = |to: usize| {
            let found = self.rows[level].iter().find(|(other, _)| *other == to);
            found.map_or_else(BigRational::default, |(_, p)| p.clone())
        };
        let each = [(level.wrapping_sub(1), down), (level, stay), (level + 1, up)];
        if let Some(known) = self.known.get(&(level, [down, stay, up])) {
            return Ok(*known);
        }
        let moves = each.map(|(to, n)| if n > 0 { of(to) } else { BigRational::one() });
        if moves.iter().any(Zero::is_zero) {
            return Ok([0; 2]);
        }
        let orders = choose(down + stay + up, down) * choose(stay + up, up);
        let moves = moves.iter().zip(each).map(|(p, (_, n))| Pow::pow(p, n));
        let chance = Span::from(&(moves.product::<BigRational>() * orders)).units(WEIGHT)?;
        if self.known.len() == KEPT {
            self.known.clear();
        }
        self.known.insert((level, [down, stay, up]), chance);
        Ok(chance)
    }
}

/// Loads, and bounds on the probability of moving from there to given loads, in units of 2^-62.
type Way = (Vec<i64>, [u64; 2]);

/// The states that lead in one step to the state with these loads, with their probabilities.
fn before(groups: &mut [Group], loads: &[i64], budget: &Budget) -> Result<Vec<Way>, Refusal> {
    let mut ways: Vec<Way> = vec![(vec![0; loads.len()], [UNIT; 2])];
    for group in groups {
        let levels = group.levels(loads).ok_or(Refusal::Malformed)?;
        let at = |z: usize| levels.iter().filter(|level| **level == z).count();
        let near = levels.iter().flat_map(|z| z.saturating_sub(1)..(z + 2).min(group.rows.len()));
        let near = Vec::from_iter(BTreeSet::from_iter(near));
        // From the lowest level up. The counts are of processes at the level below and at this one
        // that have no origin yet.
        let start = |way: Way| (way, [0, at(near[0])], 0);
        let mut open: Vec<_> = ways.into_iter().map(start).collect();
        for (i, &z) in near.iter().enumerate() {
            let follows = near.get(i + 1) == Some(&(z + 1));
            let next = near.get(i + 1).map_or(0, |z| at(*z));
            let mut further = Vec::new();
            for ((loads, chance), [below, here], placed) in open {
                // All processes at this level stayed, unless some come from the next level.
                for stay in if follows { 0 } else { here }..=here {
                    for up in 0..=if follows { next } else { 0 } {
                        budget.spend(TRY)?;
                        if further.len() >= MOST / loads.len() {
                            return Err(Refusal::TooLarge);
                        }
                        let [low, high] = group.chance(z, [below, stay, up])?;
                        if high > 0 {
                            let after = placed + below + stay + up;
                            let mut loads = loads.clone();
                            let own = repeat_n(group.lowest + z as i64, after - placed);
                            let members = &group.members[placed..after];
                            members.iter().zip(own).for_each(|(i, load)| loads[*i] = load);
                            let chance = [down(chance[0], low), self::up(chance[1], high)];
                            further.push(((loads, chance), [here - stay, next - up], after));
                        }
                    }
                }
            }
            open = further;
        }
        ways = open.into_iter().map(|(way, ..)| way).collect();
    }
    Ok(ways)
}

fn choose(n: usize, k: usize) -> BigInt {
    (0..k).fold(BigInt::one(), |all, i| all * (n - i) / (i + 1))
}
