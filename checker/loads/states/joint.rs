//! Processes that move jointly, and their transition matrices.

use crate::core::budget::{Refusal, model_error};
use crate::core::decimal::decimal;
use crate::loads::Transition;
use crate::loads::chains::dense::dense;
use crate::loads::chains::rows::{Row, laws};
use crate::loads::states::space::{Group, Space};
use num_rational::BigRational;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The most bytes of a file with a matrix, and the most joint states.
const MOST: [usize; 2] = [1 << 28, 1 << 20];

impl Space {
    /// The space of processes that have one of these load vectors. Paths are relative to `folder`.
    pub fn joint(
        loads: &[Vec<i64>],
        transition: &Transition,
        folder: &Path,
    ) -> Result<Space, Refusal> {
        let members = Vec::from_iter(0..loads.first().map_or(0, Vec::len));
        let rows = transition.rows(loads.len(), folder)?;
        if loads.iter().any(|l| l.len() != members.len()) {
            return model_error("joint states differ in size");
        }
        let mut order = Vec::from_iter(0..loads.len());
        // States with the same loads stay in the order of the list.
        order.sort_by_key(|state| &loads[*state]);
        let mut group = Group::new(members, loads.concat(), &rows)?;
        group.order = order;
        Space::of(vec![group])
    }

    /// The state with the loads of `to` that has the same rank among its equals as `state` has
    /// among its own.
    pub fn twin(&self, state: usize, to: usize) -> Result<usize, Refusal> {
        let [group] = &self.groups[..] else { return Ok(to) };
        let (order, width) = (&group.order, group.members.len());
        let key = |state: usize| (&group.loads[state * width..][..width], state);
        if order.is_empty() {
            return Ok(to);
        }
        let before = |own: (&[i64], usize)| order.partition_point(|other| key(*other) < own);
        let first = |state: usize| before((key(state).0, 0));
        let found = order.get(first(to) + before(key(state)) - first(state));
        match found.filter(|found| key(**found).0 == key(to).0) {
            Some(found) => Ok(*found),
            None => model_error("a remap leads to loads that are shared by fewer states"),
        }
    }
}

impl Transition {
    /// The row of each state.
    fn rows(&self, states: usize, folder: &Path) -> Result<Vec<Row>, Refusal> {
        let rows = match self {
            Transition::Dense(rows) => dense(rows)?,
            Transition::File(name) => {
                let text = read(&folder.join(name)).map_err(|error| match error.kind() {
                    std::io::ErrorKind::FileTooLarge => Refusal::TooLarge,
                    _ => Refusal::Model(format!("{name}: {error}")),
                })?;
                if states > MOST[1] {
                    return Err(Refusal::TooLarge);
                }
                let wrong = || model_error("only real coordinate matrices are checked");
                laws(matrix_market(&text, states).map_or_else(wrong, Ok)?)?
            }
        };
        if rows.len() == states { Ok(rows) } else { model_error("joint states differ in number") }
    }
}

/// The text of a regular file; devices and pipes are refused.
fn read(path: &Path) -> std::io::Result<String> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("this is not a regular file"));
    }
    let mut text = String::new();
    File::open(path)?.take(MOST[0] as u64 + 1).read_to_string(&mut text)?;
    let fits = text.len() <= MOST[0];
    if fits { Ok(text) } else { Err(std::io::ErrorKind::FileTooLarge.into()) }
}

/// Reads a real square matrix, general or symmetric, in the Matrix Market coordinate format; `None`
/// if the text is not one with `states` rows.
fn matrix_market(text: &str, states: usize) -> Option<Vec<Row>> {
    let mut lines = text.lines();
    let head = lines.next()?.to_lowercase();
    let symmetric = match head.split_whitespace().collect::<Vec<_>>()[..] {
        ["%%matrixmarket", "matrix", "coordinate", "real" | "integer", "general"] => false,
        ["%%matrixmarket", "matrix", "coordinate", "real" | "integer", "symmetric"] => true,
        _ => return None,
    };
    let mut lines = lines.filter(|line| !line.starts_with('%') && !line.trim().is_empty());
    let sizes = lines.next()?.split_whitespace().map(|size| size.parse().ok());
    let [rows, columns, count] = sizes.collect::<Option<Vec<usize>>>()?[..] else { return None };
    let mut all = vec![BTreeMap::<usize, BigRational>::new(); states];
    let mut entries = 0;
    for line in lines {
        let [row, column, value] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            return None;
        };
        let place = |word: &str| word.parse::<usize>().ok()?.checked_sub(1).filter(|i| *i < states);
        let (row, column) = (place(row)?, place(column)?);
        let value = decimal(value).filter(|_| !value.contains('_'))?;
        if symmetric && row != column {
            *all[column].entry(row).or_default() += &value;
        }
        // Entries at the same position add up.
        *all[row].entry(column).or_default() += value;
        entries += 1;
    }
    let whole = rows == states && columns == states && entries == count;
    whole.then(|| all.into_iter().map(|row| row.into_iter().collect()).collect())
}
