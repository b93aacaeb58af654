//! The trace that the rows make together, and the account of how they were understood.

use super::super::formats::table::names::listed;
use super::super::window::To;
use super::super::{After, Cell, Trace, assemble};
use super::{Long, Raw};
use crate::complaint::Complaint;

impl Raw<'_> {
    /// All of it in order, or its beginning. `second` says where the second time of a step and rank
    /// stands, if that can be found out.
    pub fn trace(
        self,
        name: &str,
        second: &dyn Fn(Cell) -> Option<Complaint>,
    ) -> Result<Trace, Complaint> {
        let (mut repairs, mut account) = (self.repairs, self.account);
        let stated = self.forced_unit.or(self.unit_seconds);
        if let (Some(counted), None) = (self.counted, stated) {
            let message = format!(
                "{name}: its loads are {counted}, and how many seconds one takes is not in the log"
            );
            return Err(Complaint::elsewhere(
                message,
                "give the seconds of one: --seconds-per-load SECONDS",
            ));
        }
        let unit_seconds = stated.unwrap_or(1.0);
        let (record, stride, after) = match self.long {
            Some(Long { running: Some((window, mut out)), then, .. }) => {
                let stride = window.stride;
                repairs.extend(assemble::apart(stride).filter(|_| self.how.every.is_none()));
                repairs.extend(window.end(name, &mut To(&mut out, then))?);
                (out.beginning, stride, out.after)
            }
            _ => {
                let found = assemble::assemble(
                    self.cells,
                    self.remaps,
                    self.how.every,
                    name,
                    second,
                    &mut repairs,
                )?;
                (Some(found.0), found.1, After::default())
            }
        };
        if !self.names.is_empty() {
            let mut names: Vec<(u32, String)> =
                self.names.into_iter().map(|(name, number)| (number, name)).collect();
            names.sort_unstable();
            let names = names.into_iter().map(|(number, name)| format!("{number} is `{name}`"));
            let names = listed(names);
            repairs
                .push(format!("ranks have names, and are numbered as these first appear: {names}"));
        }
        if self.costs_alone {
            let said = "there are costs of remaps in rows that say there was none: only those of remaps count";
            repairs.push(said.to_owned());
        }
        let mut seen = std::collections::HashSet::new();
        repairs.retain(|repair| seen.insert(repair.clone()));
        let record = record.expect("a long log has a beginning");
        if self.unnamed && after.steps == 0 && record.ranks() > record.steps() {
            let message = format!(
                "{name}: there is no header, and its {} columns are more than its {} rows: are its columns ranks, or steps?",
                record.ranks(),
                record.steps()
            );
            let help = "where rows are ranks, write it transposed (in numpy `times.T`), a column for each rank; where columns \
                        are ranks, put a line with their names above the first: rank0 rank1 ...";
            return Err(Complaint::elsewhere(message, help));
        }
        let (stride, row) = match self.how.every.map(u64::from) {
            Some(every) if stride == 1 || u64::from(stride) == every => (
                every,
                format!("one step in {every}, as {} says", self.every_by.unwrap_or("--every")),
            ),
            Some(every) => {
                let message = format!(
                    "{name}: --every {every}, and the steps of its rows are {stride} apart"
                );
                return Err(Complaint::elsewhere(message, "give the distance of the rows"));
            }
            None if self.by_rank && stride == 1 => (1, "a rank, and a column a step".to_owned()),
            None if stride == 1 => (1, "a step".to_owned()),
            None => (
                u64::from(stride),
                format!(
                    "the sum of {stride} steps, assumed as its steps are {stride} apart (of one step in {stride}: --every {stride})"
                ),
            ),
        };
        account.settle();
        if account.recognized_by.is_empty() {
            account.recognized_by = "how it begins, or as --format says".to_owned();
        }
        account.row = row;
        account.unit = match stated {
            None => "seconds, assumed".to_owned(),
            Some(1.0) => "seconds".to_owned(),
            Some(unit) => format!("units of {unit} seconds"),
        };
        let knows_remaps = self.knows_remaps;
        Ok(Trace { record, repairs, stride, knows_remaps, unit_seconds, after, account })
    }
}
