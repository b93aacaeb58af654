//! A row of a table, whatever the format, and what becomes of it: one place for what the seconds of
//! a rank are.

use super::formats::table::names::Column;
use super::gather::Raw;
use super::{Cell, RawRemap, waiting};

/// What stands in a row.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    pub step: Option<u32>,
    pub rank: Option<u32>,
    /// The name of the rank, where it has no number.
    pub name: Option<String>,
    pub seconds: Option<f64>,
    pub wait: Option<f64>,
    pub begin: Option<f64>,
    pub end: Option<f64>,
    pub remapped: bool,
    pub cost: Option<f64>,
    pub most: Option<f64>,
    pub mean: Option<f64>,
    /// The times of ranks that have a column each; of a table with a row for each rank those of the
    /// steps.
    pub times: Vec<(u32, f64)>,
}

/// A field as a format holds it: text, a number, a value of JSON.
pub(super) trait Field {
    /// The number of a step or rank.
    fn whole(&self, what: &str) -> Result<u32, String>;
    /// A time; NaN if it is missing.
    fn time(&self) -> Result<f64, String>;
    /// The name of a rank that has no number.
    fn name(&self) -> Option<&str>;
    /// Whether a remap is marked.
    fn flag(&self) -> Result<bool, String>;
}

impl Row {
    /// Forgets what stands in it, and keeps the memory of its times.
    pub fn clear(&mut self) {
        self.times.clear();
        *self = Row { times: std::mem::take(&mut self.times), ..Row::default() };
    }

    /// Puts in what stands in a column, whose times are in a unit of so many seconds.
    pub fn put(&mut self, column: Column, unit: f64, field: &impl Field) -> Result<(), String> {
        let time = || Ok::<f64, String>(unit * field.time()?);
        match column {
            Column::Step => self.step = Some(field.whole("step")?),
            Column::Rank => match (field.whole("rank"), field.name()) {
                (Err(_), Some(name)) => self.name = Some(name.to_owned()),
                (number, _) => self.rank = Some(number?),
            },
            Column::Seconds | Column::Work => self.seconds = Some(time()?),
            Column::Wait => self.wait = Some(time()?),
            Column::Begin => self.begin = Some(time()?),
            Column::End => self.end = Some(time()?),
            Column::Most => self.most = Some(time()?),
            Column::Mean => self.mean = Some(time()?),
            Column::Remapped => self.remapped = field.flag()?,
            Column::RemapSeconds => self.cost = Some(time()?).filter(|cost| !cost.is_nan()),
            Column::OfRank(rank) => self.times.push((rank, time()?)),
        }
        Ok(())
    }

    /// The seconds of its rank: as they stand there, or from its begin to its end.
    pub fn seconds(&self) -> Option<f64> {
        self.seconds.or_else(|| Some(self.end? - self.begin?))
    }
}

/// Whether the seconds of a table include waiting.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Waiting {
    /// They do not, or nothing is said of waiting.
    #[default]
    Apart,
    /// There is a column of waiting, and the first rows decide.
    Unknown,
    /// They do.
    Included,
}

/// The most ranks that have names.
const MOST_NAMES: u32 = 1 << 16;

/// Rows by which it is decided whether waiting is part of the seconds.
const LOOKED_AT: usize = 4096;

impl Raw<'_> {
    /// Takes in a row.
    #[inline]
    pub fn take(&mut self, row: &Row) -> Result<(), String> {
        let step = row.step.unwrap_or(self.rows);
        self.rows = self.rows.saturating_add(1);
        if let Some(name) = &row.name {
            let rank = Some(self.number(name)?);
            return self.take_numbered(step, &Row { rank, name: None, ..row.clone() });
        }
        if !self.names.is_empty() && row.rank.is_some() {
            return Err("rank: a number, and the ranks before it have names".to_owned());
        }
        self.take_numbered(step, row)
    }

    /// The number of a rank that has a name: they are numbered as they first appear. Where numbers
    /// came before, a name is a mistake.
    fn number(&mut self, name: &str) -> Result<u32, String> {
        if let Some(number) = self.names.get(name) {
            return Ok(*number);
        }
        if self.names.is_empty() && self.rows > 1 {
            return Err(format!("rank: {name:?} is not the number of a rank"));
        }
        let number = self.names.len() as u32;
        if number >= MOST_NAMES {
            return Err(format!("rank: {name:?} is one more than {MOST_NAMES} names"));
        }
        self.names.insert(name.to_owned(), number);
        Ok(number)
    }

    #[inline]
    fn take_numbered(&mut self, step: u32, row: &Row) -> Result<(), String> {
        if self.waiting == Waiting::Unknown && !self.is_seeking() {
            self.held.push(Row { step: Some(step), ..row.clone() });
            return if self.held.len() < LOOKED_AT { Ok(()) } else { self.decide() };
        }
        self.taken(step, row)
    }

    #[inline]
    fn taken(&mut self, step: u32, row: &Row) -> Result<(), String> {
        let costs = row.cost.is_some_and(|cost| cost > 0.0);
        if row.remapped || costs && !self.marked {
            self.remap(RawRemap { step, seconds: row.cost })?;
        }
        self.costs_alone |= costs && !row.remapped && self.marked;
        if let (Some(rank), Some(seconds)) = (row.rank, row.seconds()) {
            if seconds < 0.0 {
                return Err(format!("it ends {} seconds before it begins", -seconds));
            }
            let seconds = match self.waiting {
                Waiting::Included => waiting::worked(seconds, row.wait.unwrap_or(f64::NAN)),
                _ => seconds,
            };
            self.push(Cell { step, rank, seconds })?;
        }
        if let (Some(most), Some(mean)) = (row.most, row.mean) {
            self.summary.push((step, most, mean));
        }
        for (number, seconds) in &row.times {
            let (step, rank) = match row.rank.filter(|_| self.by_rank) {
                Some(rank) => (*number, rank),
                None => (step, *number),
            };
            self.push(Cell { step, rank, seconds: *seconds })?;
        }
        Ok(())
    }

    /// Decides by the rows so far whether waiting is part of the seconds, and takes them in. What
    /// was decided is part of the account.
    pub fn decide(&mut self) -> Result<(), String> {
        let rows = std::mem::take(&mut self.held);
        if rows.is_empty() {
            return Ok(());
        }
        let name = |holds| self.account.columns.get(holds).map_or("?", |names| names[0].as_str());
        let (times, waits) = (name("seconds").to_owned(), name("wait").to_owned());
        let said = self.how.columns.says(Column::Wait);
        self.waiting = match waiting::is_in(&rows) {
            Some(false) if said => {
                return Err(format!(
                    "--columns says that `{times}` includes `{waits}`, and the rows that it does not: ranks agree better in \
                     the sum of both, or wait longer than they take. Leave it out with --columns wait=-"
                ));
            }
            found if said || found == Some(true) => {
                let why = match said {
                    true => ", as --columns says",
                    false => "; ranks agree much better in it than in the sum of both",
                };
                self.repairs.push(format!(
                    "`{times}` includes `{waits}`: the difference is what a rank worked, and is read{why}"
                ));
                Waiting::Included
            }
            Some(_) => {
                self.account.columns.remove("wait");
                self.account.left_out.push(format!("`{waits}` (not part of `{times}`)"));
                Waiting::Apart
            }
            None => {
                return Err(format!(
                    "does `{times}` include `{waits}`? Their ranks do not tell: say so with --columns wait={waits}, or \
                     leave it out with --columns wait=-"
                ));
            }
        };
        rows.iter().try_for_each(|row| self.taken(row.step.unwrap_or(0), row))
    }
}
