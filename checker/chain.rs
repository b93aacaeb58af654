//! The chain of one process's load, read from a model file.

use crate::Refusal;
use crate::syntax::Tree;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// Transition probabilities between the levels of one process.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chain {
    pub lowest: i64,
    pub moves: Moves,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Moves {
    /// Down, stay and up at each level.
    Neighbours(Vec<[BigRational; 3]>),
    /// Any row for each level.
    Rows(Vec<Vec<BigRational>>),
}

fn refuse<T>(message: &str) -> Result<T, Refusal> {
    Err(Refusal::Model(message.to_owned()))
}

impl Chain {
    pub fn levels(&self) -> usize {
        match &self.moves {
            Moves::Neighbours(levels) => levels.len(),
            Moves::Rows(rows) => rows.len(),
        }
    }

    pub fn read(tree: &Tree) -> Result<Chain, Refusal> {
        let name = tree.name();
        let known: &[&str] = match name {
            "Walk" => &["lowest", "levels", "up", "down", "edge"],
            "BirthDeath" => &["lowest", "up", "down"],
            "Matrix" => &["lowest", "rows"],
            _ => return refuse("an unknown chain"),
        };
        let fields = tree.fields(name, known)?;
        let lowest = fields.find("lowest").map_or(Ok(0), Tree::integer)?;
        if name == "Matrix" {
            let rows: Vec<_> =
                fields.get("rows")?.list()?.iter().map(Tree::numbers).collect::<Result<_, _>>()?;
            if rows.iter().any(|row| row.len() != rows.len()) {
                return refuse("a transition matrix is not square");
            }
            rows.iter().try_for_each(|row| check_row(row))?;
            return Ok(Chain { lowest, moves: Moves::Rows(rows) });
        }
        let (up, down) = if name == "Walk" {
            let levels = fields.get("levels")?.count()?;
            if !(2..=1 << 20).contains(&levels) {
                return refuse("too few or too many levels");
            }
            let (rise, fall) = (fields.get("up")?.number()?, fields.get("down")?.number()?);
            let (mut up, mut down) = (vec![rise.clone(); levels], vec![fall.clone(); levels]);
            (up[levels - 1], down[0]) = (BigRational::zero(), BigRational::zero());
            match fields.get("edge")?.name() {
                "Hold" => {}
                "Reflect" => {
                    up[0] += fall;
                    down[levels - 1] += rise;
                }
                _ => return refuse("an unknown edge"),
            }
            (up, down)
        } else {
            (fields.get("up")?.numbers()?, fields.get("down")?.numbers()?)
        };
        let leaves = |edge: Option<&BigRational>| !edge.is_some_and(Zero::is_zero);
        if up.len() != down.len() || leaves(up.last()) || leaves(down.first()) {
            return refuse("a chain leaves its levels");
        }
        let level = |(u, d): (BigRational, BigRational)| {
            let stay = BigRational::one() - &u - &d;
            if u.is_negative() || d.is_negative() || stay.is_negative() {
                return refuse("a probability lies outside [0, 1]");
            }
            Ok([d, stay, u])
        };
        let moves = up.into_iter().zip(down).map(level).collect::<Result<_, _>>()?;
        Ok(Chain { lowest, moves: Moves::Neighbours(moves) })
    }
}

/// Rows are used as they are: one may miss 1 by what model files are allowed to.
pub(crate) fn check_row(row: &[BigRational]) -> Result<(), Refusal> {
    let slack = BigRational::new(1.into(), 1_000_000_000.into());
    let sum: BigRational = row.iter().sum();
    if row.iter().any(Signed::is_negative) || (sum - BigRational::one()).abs() > slack {
        return refuse("a row of a transition matrix is not a probability distribution");
    }
    Ok(())
}
