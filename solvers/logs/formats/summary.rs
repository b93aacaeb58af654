//! Lines of codes that print the largest and the mean load of their ranks, or how balanced these
//! are.
//!
//! * Charm++: `proc loads: min= mean= max=` at each balancing step, `num_migrations=` and `lb time
//!   =`. A row is the time between two balancing steps. Compared with src/ck-ldb/TreeLB.C (commit
//!   0080d1f) and output of charm4py.
//! * OpenFOAM: `Total imbalance`, which is max/mean - 1 of the step before, and `ExecutionTime`. A
//!   redistribution is part of the step that prints it. Compared with
//!   fvMeshDistributorsLoadBalancer.C of OpenFOAM-dev, commit d209c31.
//! * vLLM: `EPLB step:` with `avg_tokens` and `max_tokens`; `Rearranged experts in .. s`. Each
//!   model has a line of its own, and one step in `log_balancedness_interval` has lines. Compared
//!   with vllm/distributed/eplb/eplb_state.py, commit 50feac9.
//! * SGLang: `current_pass_balancedness`, the average of mean/max over layers, without times.
//!   Compared with python/sglang/srt/eplb/expert_distribution.py, commit 02295fe.
//! * Lists of `rank_tokens` of a step, as patches of vLLM print them.
//!
//! All were compared on 28 November 2026.

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
    let start = format!("\n{start}");
    let has = |words: &[&str]| words.iter().all(|word| start.contains(word));
    Some(match () {
        () if has(&["proc loads: min=", "LB step "]) => Printed::Charm,
        () if has(&["rank_load step=", "rank_tokens=["]) => Printed::RankTokens,
        () if has(&["EPLB step: ", "avg_tokens=", "max_tokens="]) => Printed::Vllm,
        () if has(&["forward_pass_id=", "current_pass_balancedness="]) => Printed::Sglang,
        () if has(&["\nTime = ", "Total imbalance ", "ExecutionTime = "]) => Printed::Openfoam,
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

/// What differences of clocks with two digits are known to, in seconds.
const HUNDREDTHS: f64 = 0.015;

/// What has been read of a row so far.
#[derive(Default)]
struct Reader {
    rows: u32,
    /// A remap before the next row, and what it costs.
    remap: Option<Option<f64>>,
    clock: Option<f64>,
    /// What the step before took.
    spent: Option<f64>,
    loads: Option<(f64, f64)>,
    moved: bool,
    /// Steps since the last row, and the distance of rows so far.
    steps: u32,
    apart: Option<u32>,
    uneven: bool,
    /// The step of vLLM whose models are not all read: its number, their names, largest and mean.
    step: Option<(u32, Vec<String>, f64, f64)>,
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
    (raw.account.format, raw.counted) = (form, counted);
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
    reader.end_step(raw).map_err(|what| super::at(name, 1, &what))?;
    raw.rows = reader.rows;
    if let (Some(apart), false, None) = (reader.apart, reader.uneven, raw.how.every)
        && apart > 1
    {
        (raw.how.every, raw.every_by) = (Some(apart), Some("the distance of its lines"));
    }
    let note = match printed {
        Printed::Vllm => {
            "vLLM adds up over ranks the most tokens that a layer of each has, and their mean over layers: these are the \
             imbalance of ranks as far as layers differ as ranks do"
        }
        Printed::Sglang => {
            "all forward passes are taken to have the same tokens, and the average over layers of mean/max to be that of \
             their sum"
        }
        Printed::Openfoam => {
            "what a redistribution costs is what its step takes longer than the one before, to hundredths of a second"
        }
        Printed::Charm | Printed::RankTokens => "",
    };
    raw.repairs.extend((!note.is_empty()).then(|| note.to_owned()));
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
        if line.starts_with("Total imbalance")
            && let (Some(imbalance), Some(spent)) = (after(line, "Total imbalance"), self.spent)
        {
            self.row(raw, Some((spent, spent / (1.0 + imbalance))))?;
            let steps = std::mem::take(&mut self.steps);
            self.row_after(steps);
        }
        self.moved |= line.starts_with("Redistributing mesh");
        if line.starts_with("ExecutionTime =") {
            let clock = after(line, "ExecutionTime =");
            let spent = clock
                .zip(self.clock)
                .map(|(now, before)| now - before)
                .filter(|spent| *spent >= 0.0);
            if std::mem::take(&mut self.moved) {
                let longer = spent.zip(self.spent).map(|(now, before)| now - before);
                self.remap = Some(longer.filter(|longer| *longer > HUNDREDTHS));
            }
            (self.clock, self.spent) = (clock, spent);
            self.steps += 1;
        }
        Ok(())
    }

    /// Takes in how many steps lie between two rows.
    fn row_after(&mut self, steps: u32) {
        if self.rows > 1 && steps > 0 {
            self.uneven |= *self.apart.get_or_insert(steps) != steps;
        }
    }

    fn vllm(&mut self, line: &str, raw: &mut Raw<'_>) -> Result<(), String> {
        if let Some((_, rest)) = line.split_once("Rearranged experts")
            && !rest.contains("(profile)")
        {
            self.end_step(raw)?;
            self.remap = Some(after(rest, " in "));
        }
        if line.contains("finish async transfer for model") {
            self.end_step(raw)?;
            self.remap.get_or_insert(None);
        }
        let (true, Some(number), Some(most), Some(mean)) = (
            line.contains("EPLB step: "),
            after(line, "EPLB step: "),
            after(line, "max_tokens="),
            after(line, "avg_tokens="),
        ) else {
            return Ok(());
        };
        let model = line.split_once("for model ").map_or("", |(_, rest)| rest);
        let model = model.split(": ").next().unwrap_or(model).to_owned();
        let number = number as u32;
        match &mut self.step {
            Some((step, models, all, means)) if *step == number && !models.contains(&model) => {
                (*all, *means) = (*all + most, *means + mean);
                models.push(model);
            }
            _ => {
                let last = self.step.as_ref().map(|step| step.0);
                self.end_step(raw)?;
                self.row_after(last.map_or(0, |last| number.saturating_sub(last)));
                self.step = Some((number, vec![model], most, mean));
            }
        }
        Ok(())
    }

    /// Takes in the step of vLLM whose models have been read; one without tokens is a dummy.
    fn end_step(&mut self, raw: &mut Raw<'_>) -> Result<(), String> {
        match self.step.take() {
            Some((_, _, most, mean)) if most > 0.0 => self.row(raw, Some((most, mean))).map(|_| ()),
            _ => Ok(()),
        }
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
