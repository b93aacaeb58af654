//! Lines of codes that print the largest and the mean load of their ranks, or how balanced these are.
//!
//! * Charm++ (src/ck-ldb, TreeLB): `proc loads: min= mean= max=` at each balancing step, `num_migrations=` and
//!   `lb time =`. A row is the time between two balancing steps.
//! * OpenFOAM (fvMeshDistributorsLoadBalancer): `Total imbalance`, which is max/mean - 1, and `ExecutionTime`.
//! * vLLM (eplb_state.py): `EPLB step:` with `avg_tokens` and `max_tokens`; `Rearranged experts in .. s`.
//! * SGLang (expert_distribution.py): `current_pass_balancedness`, which is mean/max, without times.
//! * Lists of `rank_tokens` of a step, as patches of vLLM print them.

use super::{Cell, Raw, RawRemap};
use crate::complaint::Complaint;
use std::io::BufRead;

/// Which code printed the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Printed {
    /// Charm++.
    Charm,
    /// OpenFOAM.
    Openfoam,
    /// vLLM: tokens.
    Vllm,
    /// SGLang: mean/max.
    Sglang,
    /// Tokens of each rank.
    RankTokens,
}

/// What printed a log that starts like this, and by which words that is told.
pub(in crate::logs) fn is_log(start: &str) -> Option<Printed> {
    let has = |words: &[&str]| words.iter().all(|word| start.contains(word));
    Some(match () {
        () if has(&["proc loads: min="]) && has(&["LB step "]) => Printed::Charm,
        () if has(&["rank_load step=", "rank_tokens=["]) => Printed::RankTokens,
        () if has(&["EPLB step: ", "avg_tokens=", "max_tokens="]) => Printed::Vllm,
        () if has(&["forward_pass_id=", "current_pass_balancedness="]) => Printed::Sglang,
        () if has(&["\nTime = ", "Total imbalance ", "ExecutionTime = "]) => Printed::Openfoam,
        () if start.starts_with("Time = ") && has(&["Total imbalance ", "ExecutionTime = "]) => {
            Printed::Openfoam
        }
        () => return None,
    })
}

/// The number after a word.
fn after(line: &str, word: &str) -> Option<f64> {
    let rest = line[line.find(word)? + word.len()..].trim_start();
    let end = rest
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-')))
        .unwrap_or(rest.len());
    rest[..end]
        .trim_end_matches('.')
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite() && *number >= 0.0)
}

/// What has been read of a row so far.
#[derive(Default)]
struct Reader {
    rows: u32,
    /// A remap before the next row, and what it costs.
    remap: Option<Option<f64>>,
    imbalance: Option<f64>,
    clock: Option<f64>,
    loads: Option<(f64, f64)>,
    moved: bool,
}

pub(in crate::logs) fn read(
    input: impl BufRead,
    name: &str,
    printed: Printed,
    raw: &mut Raw<'_>,
) -> Result<(), Complaint> {
    let (form, by, counted) = match printed {
        Printed::Charm => {
            ("load balancing output of Charm++", "its lines `proc loads` and `lb time`", None)
        }
        Printed::Openfoam => {
            ("log of OpenFOAM", "its lines `Total imbalance` and `ExecutionTime`", None)
        }
        Printed::Vllm => ("EPLB lines of vLLM", "its lines `EPLB step`", Some("tokens")),
        Printed::Sglang => (
            "balancedness lines of SGLang",
            "its lines `current_pass_balancedness`",
            Some("forward passes of balanced experts"),
        ),
        Printed::RankTokens => ("tokens of each rank", "its lines `rank_tokens`", Some("tokens")),
    };
    (raw.form, raw.counted) = (form, counted);
    raw.account.recognized_by = by.to_owned();
    raw.knows_remaps = matches!(printed, Printed::Charm | Printed::Openfoam | Printed::Vllm);
    let mut reader = Reader { rows: raw.rows, ..Reader::default() };
    for (number, line) in (1_u64..).zip(input.split(b'\n')) {
        let wrong = |what: String| super::at(name, number, &what);
        let line = line.map_err(|error| wrong(format!("cannot be read: {error}")))?;
        let line = String::from_utf8_lossy(&line);
        let taken = match printed {
            Printed::Charm => reader.charm(&line, raw),
            Printed::Openfoam => reader.openfoam(&line, raw),
            Printed::Vllm => reader.vllm(&line, raw),
            Printed::Sglang => reader.sglang(&line, raw),
            Printed::RankTokens => reader.tokens(&line, raw),
        };
        taken.map_err(wrong)?;
    }
    raw.rows = reader.rows;
    match raw.is_empty() && raw.summary.is_empty() {
        true => Err(super::at(name, 1, &format!("there are no whole rows of {form}"))),
        false => Ok(()),
    }
}

impl Reader {
    /// The next row, after the remap that came before it.
    fn row(&mut self, raw: &mut Raw<'_>, times: Option<(f64, f64)>) -> Result<u32, String> {
        let step = self.rows;
        self.rows = self.rows.checked_add(1).ok_or("there are too many rows")?;
        if let Some(seconds) = self.remap.take() {
            raw.remap(RawRemap { step, seconds })?;
        }
        if let Some((most, mean)) = times {
            raw.summary.push((step, most, mean));
        }
        Ok(step)
    }

    fn charm(&mut self, line: &str, raw: &mut Raw<'_>) -> Result<(), String> {
        if let Some(ranks) = after(line, "num_procs=") {
            raw.summary_ranks = Some(ranks as u32).filter(|ranks| *ranks >= 2);
        }
        if line.contains("proc loads: ") {
            self.loads = after(line, "max=").zip(after(line, "mean="));
        }
        self.moved |= after(line, "num_migrations=").is_some_and(|many| many > 0.0);
        if let Some(seconds) = after(line, "lb time =") {
            if let Some(times) = self.loads.take() {
                self.row(raw, Some(times))?;
            }
            self.remap = std::mem::take(&mut self.moved).then_some(Some(seconds));
        }
        Ok(())
    }

    fn openfoam(&mut self, line: &str, raw: &mut Raw<'_>) -> Result<(), String> {
        let line = line.trim();
        if line.starts_with("Total imbalance") {
            self.imbalance = after(line, "Total imbalance");
        }
        self.moved |= line.starts_with("Redistributing mesh");
        if line.starts_with("ExecutionTime =") {
            let clock = after(line, "ExecutionTime =");
            let spent = clock
                .zip(self.clock)
                .map(|(now, before)| now - before)
                .filter(|spent| *spent >= 0.0);
            self.clock = clock;
            if let (Some(imbalance), Some(spent)) = (self.imbalance.take(), spent) {
                self.row(raw, Some((spent, spent / (1.0 + imbalance))))?;
            }
            if std::mem::take(&mut self.moved) {
                self.remap = Some(None);
            }
        }
        Ok(())
    }

    fn vllm(&mut self, line: &str, raw: &mut Raw<'_>) -> Result<(), String> {
        if line.contains("Rearranged experts") {
            self.remap = Some(after(line, " in "));
        }
        if let (true, Some(most), Some(mean)) =
            (line.contains("EPLB step: "), after(line, "max_tokens="), after(line, "avg_tokens="))
        {
            self.row(raw, Some((most, mean)))?;
        }
        Ok(())
    }

    fn sglang(&mut self, line: &str, raw: &mut Raw<'_>) -> Result<(), String> {
        match after(line, "current_pass_balancedness=") {
            Some(balanced) if balanced > 0.0 && balanced <= 1.0 + 1e-6 => {
                self.row(raw, Some((1.0 / balanced.min(1.0), 1.0))).map(|_| ())
            }
            Some(other) => Err(format!("a balancedness of {other} is not within 0 and 1")),
            None => Ok(()),
        }
    }

    fn tokens(&mut self, line: &str, raw: &mut Raw<'_>) -> Result<(), String> {
        let Some((_, list)) = line.split_once("rank_tokens=[") else { return Ok(()) };
        let Some((list, _)) = list.split_once(']') else { return Ok(()) };
        let step = self.row(raw, None)?;
        for (rank, tokens) in (0..).zip(list.split(',')) {
            raw.push(Cell { step, rank, seconds: super::seconds(tokens.trim())? })?;
        }
        Ok(())
    }
}
