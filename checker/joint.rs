//! Transition matrices of processes that move jointly.

use crate::model::{Row, Transition, decimal, dense};
use crate::{Refusal, model_error};
use std::path::Path;

impl Transition {
    /// A row for each state.
    pub fn rows(&self, folder: &Path) -> Result<Vec<Row>, Refusal> {
        match self {
            Transition::Dense(rows) => Ok(dense(rows)),
            Transition::File(name) => {
                let text = std::fs::read_to_string(folder.join(name));
                let text = text.map_err(|error| Refusal::Model(format!("{name}: {error}")))?;
                let wrong = || model_error("only real general coordinate matrices are checked");
                matrix_market(&text).map_or_else(wrong, Ok)
            }
        }
    }
}

/// A real general coordinate matrix in Matrix Market form.
fn matrix_market(text: &str) -> Option<Vec<Row>> {
    let (head, content) = text.split_once('\n')?;
    let head = head.to_ascii_lowercase();
    let kind = head.strip_prefix("%%matrixmarket matrix coordinate ")?.trim();
    let content = content.lines().filter(|line| !line.starts_with('%') && !line.trim().is_empty());
    let mut lines = content.map(str::split_whitespace);
    let size = lines.next()?.next()?.parse().ok().filter(|size| *size <= 1 << 20)?;
    let mut rows = vec![Vec::new(); size];
    for mut words in lines {
        let mut place = || words.next()?.parse::<usize>().ok()?.checked_sub(1);
        let (row, column) = (rows.get_mut(place()?)?, place()?);
        row.push((column, decimal(words.next()?)?));
    }
    matches!(kind, "real general" | "integer general").then_some(rows)
}
