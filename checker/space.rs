//! The states of a stopping problem, equal processes lumped, and how they move.

use crate::Refusal;
use crate::chain::{Chain, Moves, check_row};
use crate::fixed::{times, weights};
use crate::multisets::Lumped;
use crate::syntax::Tree;
use num_rational::BigRational;
use num_traits::Zero;
use std::path::Path;

/// A sparse row of weights rounded down.
type Row = Vec<(usize, u64)>;

enum Group {
    /// Equal processes that move by at most one level.
    Lumped(Lumped),
    /// One process, row by row.
    Single(Vec<Row>),
}

impl Group {
    fn count(&self) -> usize {
        match self {
            Group::Lumped(lumped) => lumped.states.count(),
            Group::Single(rows) => rows.len(),
        }
    }
}

/// The states in the order of a certificate, and the expectation of a function of the next state.
pub(crate) struct Space {
    groups: Vec<Group>,
    /// The processes of each group.
    members: Vec<Vec<usize>>,
    /// The loads of each state, process by process.
    loads: Vec<Vec<i64>>,
    /// How many load vectors each state stands for.
    pub multiplicities: Vec<u128>,
}

/// States a certificate may speak of.
const MOST_STATES: usize = 1 << 26;

impl Space {
    /// Reads `processes`; those with equal chains and equal capacities are exchangeable.
    pub fn read(
        tree: &Tree,
        capacities: Option<&[BigRational]>,
        folder: &Path,
    ) -> Result<Space, Refusal> {
        let chains = match tree.name() {
            "Joint" => return Space::joint(tree, folder),
            "Identical" => {
                let fields = tree.fields("Identical", &["count", "chain"])?;
                let count = fields.get("count")?.count()?;
                if count > 100 {
                    return Err(Refusal::TooLarge);
                }
                vec![Chain::read(fields.get("chain")?)?; count]
            }
            _ => tree.only()?.list()?.iter().map(Chain::read).collect::<Result<_, _>>()?,
        };
        if chains.is_empty() || capacities.is_some_and(|c| c.len() != chains.len()) {
            return Err(Refusal::Model("processes and capacities differ in number".to_owned()));
        }
        let equal =
            |i: usize, j: usize| chains[i] == chains[j] && capacities.is_none_or(|c| c[i] == c[j]);
        let mut members: Vec<Vec<usize>> = Vec::new();
        for (i, chain) in chains.iter().enumerate() {
            let lumps = matches!(chain.moves, Moves::Neighbours(_));
            match members.iter_mut().find(|group| lumps && equal(group[0], i)) {
                Some(group) => group.push(i),
                None => members.push(vec![i]),
            }
        }
        let group = |group: &Vec<usize>| {
            let chain = &chains[group[0]];
            Ok(match &chain.moves {
                Moves::Neighbours(_) if group.len() > 1 => {
                    Group::Lumped(Lumped::new(chain, group.len())?)
                }
                Moves::Neighbours(moves) => Group::Single(neighbours(moves)?),
                Moves::Rows(rows) => {
                    Group::Single(rows.iter().map(|row| sparse(row)).collect::<Result<_, _>>()?)
                }
            })
        };
        let groups: Vec<Group> = members.iter().map(group).collect::<Result<_, Refusal>>()?;
        let states = groups.iter().try_fold(1usize, |n, group| n.checked_mul(group.count()));
        if states.is_none_or(|states| states > MOST_STATES) {
            return Err(Refusal::TooLarge);
        }
        let (mut loads, mut multiplicities) = (vec![vec![0; chains.len()]], vec![1u128]);
        for (group, members) in groups.iter().zip(&members) {
            let lowest = chains[members[0]].lowest;
            let mut options = Vec::new();
            match group {
                Group::Single(rows) => {
                    options.extend((0..rows.len()).map(|level| (vec![level], 1)))
                }
                Group::Lumped(lumped) => lumped
                    .states
                    .for_each(|items| options.push((items.to_vec(), arrangements(items)))),
            }
            let mut longer = Vec::with_capacity(loads.len() * options.len());
            let mut many = Vec::with_capacity(longer.capacity());
            for (vector, ways) in loads.iter().zip(&multiplicities) {
                for (items, orders) in &options {
                    let mut vector = vector.clone();
                    members
                        .iter()
                        .zip(items)
                        .for_each(|(i, level)| vector[*i] = lowest + *level as i64);
                    longer.push(vector);
                    many.push(ways.checked_mul(*orders).ok_or(Refusal::TooLarge)?);
                }
            }
            (loads, multiplicities) = (longer, many);
        }
        Ok(Space { groups, members, loads, multiplicities })
    }

    fn joint(tree: &Tree, folder: &Path) -> Result<Space, Refusal> {
        let fields = tree.fields("Joint", &["loads", "transition"])?;
        let vector =
            |tree: &Tree| tree.list()?.iter().map(Tree::integer).collect::<Result<Vec<_>, _>>();
        let loads: Vec<Vec<i64>> =
            fields.get("loads")?.list()?.iter().map(vector).collect::<Result<_, _>>()?;
        let transition = fields.get("transition")?;
        let rows = match (transition.name(), transition.only()?) {
            ("Dense", rows) => {
                rows.list()?.iter().map(Tree::numbers).collect::<Result<Vec<_>, _>>()?
            }
            ("File", Tree::Text(name)) => matrix_market(&folder.join(name), loads.len())?,
            _ => return Err(Refusal::Model("an unknown transition".to_owned())),
        };
        if rows.len() != loads.len() || rows.iter().any(|row| row.len() != rows.len()) {
            return Err(Refusal::Model("loads and transition matrix differ in size".to_owned()));
        }
        rows.iter().try_for_each(|row| check_row(row))?;
        let rows = rows.iter().map(|row| sparse(row)).collect::<Result<_, _>>()?;
        let multiplicities = vec![1; loads.len()];
        Ok(Space { groups: vec![Group::Single(rows)], members: Vec::new(), loads, multiplicities })
    }

    /// The loads of each state.
    pub fn loads(&self) -> &[Vec<i64>] {
        &self.loads
    }

    /// The state that stands for these loads.
    pub fn sorted(&self, mut loads: Vec<i64>) -> Vec<i64> {
        for members in &self.members {
            let mut own: Vec<i64> = members.iter().map(|i| loads[*i]).collect();
            own.sort_unstable();
            members.iter().zip(own).for_each(|(i, load)| loads[*i] = load);
        }
        loads
    }

    /// The expectation of a nonnegative function of the next state, rounded down, and by how much it may
    /// be too low.
    pub fn expect(&self, function: &[i128]) -> (Vec<i128>, i128) {
        let largest = function.iter().copied().max().unwrap_or(0);
        let mut values = function.to_vec();
        let mut deficit = 0;
        let mut right = values.len();
        for group in &self.groups {
            let size = group.count();
            right /= size;
            for block in values.chunks_mut(size * right) {
                match group {
                    Group::Lumped(lumped) => {
                        lumped.apply(block, right);
                    }
                    Group::Single(rows) => {
                        let old = block.to_vec();
                        for (row, out) in rows.iter().zip(block.chunks_mut(right)) {
                            out.fill(0);
                            for (to, p) in row {
                                let from = &old[to * right..][..right];
                                out.iter_mut().zip(from).for_each(|(out, v)| *out += times(*v, *p));
                            }
                        }
                    }
                }
            }
            deficit += match group {
                Group::Lumped(lumped) => lumped.deficit(largest),
                Group::Single(rows) => {
                    rows.iter().map(Vec::len).max().unwrap_or(0) as i128 * (2 + (largest >> 62))
                }
            };
        }
        (values, deficit)
    }
}

fn sparse(row: &[BigRational]) -> Result<Row, Refusal> {
    let entry = |(to, p): (usize, &BigRational)| Ok((to, weights(p)?.0));
    row.iter().enumerate().filter(|(_, p)| !p.is_zero()).map(entry).collect()
}

fn neighbours(moves: &[[BigRational; 3]]) -> Result<Vec<Row>, Refusal> {
    let row = |(level, moves): (usize, &[BigRational; 3])| {
        let some = moves.iter().enumerate().filter(|(_, p)| !p.is_zero());
        some.map(|(k, p)| Ok((level + k - 1, weights(p)?.0))).collect()
    };
    moves.iter().enumerate().map(row).collect()
}

/// In how many orders a multiset can stand.
fn arrangements(items: &[usize]) -> u128 {
    let (mut ways, mut equal) = (1u128, 0);
    for (at, item) in items.iter().enumerate() {
        equal = if at > 0 && items[at - 1] == *item { equal + 1 } else { 1 };
        ways = ways.saturating_mul(at as u128 + 1) / equal;
    }
    ways
}

/// A real general coordinate or array matrix.
fn matrix_market(path: &Path, size: usize) -> Result<Vec<Vec<BigRational>>, Refusal> {
    let wrong = |what: &str| Refusal::Model(format!("{}: {what}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(&error.to_string()))?;
    let mut lines = text.lines();
    let head = lines.next().unwrap_or("").to_ascii_lowercase();
    let head: Vec<&str> = head.split_whitespace().collect();
    let (["%%matrixmarket", "matrix", "coordinate", _, "general"], true) =
        (head.as_slice(), size <= 1 << 13)
    else {
        return Err(wrong("only general coordinate matrices of at most 8192 states are checked"));
    };
    let mut lines = lines.filter(|line| !line.starts_with('%') && !line.trim().is_empty());
    lines.next();
    let mut rows = vec![vec![BigRational::zero(); size]; size];
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        let place = |word: &str| word.parse::<usize>().ok().filter(|i| (1..=size).contains(i));
        let [i, j, value] = words.as_slice() else {
            return Err(wrong("an entry is not three numbers"));
        };
        let (Some(i), Some(j)) = (place(i), place(j)) else {
            return Err(wrong("an entry is out of range"));
        };
        rows[i - 1][j - 1] += Tree::Word((*value).to_owned()).number()?;
    }
    Ok(rows)
}
