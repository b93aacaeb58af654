//! Logs as people have them, a row each: what is read of them, or why they are refused.

use crate::logs::streams::Kept;
use crate::support::prelude::*;
use remap::logs::{self, Beginning, How, Trace};
use std::path::{Path, PathBuf};

/// What comes of a log.
enum Right {
    /// Ranks, steps, remaps, and what the account or the notes say.
    Read(usize, usize, usize, &'static str),
    /// The message says this.
    Refused(&'static str),
}
use Right::{Read, Refused};

/// Files of `corpus/logs`, options, and what is right.
const CASES: &[(&str, &[&str], Right)] = &[
    ("1_slow_step_and_column.csv", &[], Read(4, 400, 9, "remap_seconds")),
    ("1b_slow_step_flag_only.csv", &[], Read(4, 400, 9, "the names in its first line")),
    ("2_wall_includes_wait.csv.gz", &[], Refused("include the time that ranks wait")),
    ("4_every_tenth_row.csv", &[], Read(4, 40, 9, "the sum of 10 steps, assumed")),
    ("4_every_tenth_row.csv", &["every=10"], Read(4, 40, 9, "one step in 10, as --every says")),
    ("4_every_tenth_row.csv", &["every=7"], Refused("the steps of its rows are 10 apart")),
    ("5_compute_s.csv", &[], Read(4, 200, 4, "`mpi_wait_s`")),
    ("6_decimal_commas.csv", &[], Read(4, 20, 0, "long table")),
    ("7_repeated_header.csv", &[], Read(4, 100, 0, "long table")),
    ("8_truncated_last_line.csv", &[], Read(4, 100, 0, "line 402, the last, is cut short")),
    ("9_timetep.jsonl", &[], Read(2, 2, 0, "JSON lines")),
    ("LBE_real.txt", &[], Refused("neither `rank` and `seconds` nor columns of ranks")),
    ("charm_real_lb.log", &[], Read(2, 9, 2, "load balancing output of Charm++")),
    ("crash_host.csv", &[], Refused("`node01` in it is no number")),
    ("crash_tau.txt", &[], Refused("is a row, not a header")),
    ("expert_counts.jsonl", &["unit=1e-6"], Refused("rank 0 is there in")),
    ("hash_header.txt", &[], Read(4, 60, 0, "the comment that names its 3 columns")),
    ("iter_mpi_rank.csv", &[], Read(4, 100, 1, "`mpi_time`")),
    ("lammps_avetime_100.dat", &[], Refused("`f_bal[1]` and the columns like it are not called")),
    ("lammps_big_cpu.log", &[], Read(8, 399, 9, "8 ranks stand for all")),
    ("lammps_lbfluid.log", &[], Refused("no thermo output with an imbalance of fix balance")),
    ("lammps_pair_cpu.log", &[], Read(8, 399, 10, "`CPU`")),
    ("lammps_pair_nocpu.log", &[], Refused("the thermo output has no times")),
    ("lammps_real_never_rebalanced.log", &[], Read(4, 409, 0, "stand for all")),
    ("lammps_real_rebalanced.log", &[], Read(4, 1000, 18, "when fix balance checks")),
    ("lammps_yaml.log", &[], Read(4, 199, 6, "stand for all")),
    ("max_mean.csv", &[], Read(2, 200, 0, "table of largest and mean times")),
    ("openfoam.log", &[], Read(2, 57, 5, "log of OpenFOAM")),
    ("particles.csv", &[], Refused("may be counts or per cent")),
    (
        "particles.csv",
        &["columns=seconds=particles*", "unit=1e-4"],
        Read(4, 200, 2, "0.0001 seconds"),
    ),
    ("sar.txt", &[], Refused("may be counts or per cent")),
    ("sglang_balancedness.log", &[], Refused("its loads are forward passes")),
    ("sglang_balancedness.log", &["unit=0.02"], Read(2, 60, 0, "balancedness lines of SGLang")),
    ("swift_timesteps_16.txt", &[], Refused("names another number of columns")),
    ("total_with_wait.csv", &[], Read(4, 200, 2, "`compute`")),
    (
        "total_with_wait.csv",
        &["columns=seconds=seconds,wait=wait"],
        Read(4, 200, 2, "includes `wait`"),
    ),
    ("vllm_eplb.log", &[], Refused("its loads are tokens")),
    ("vllm_eplb.log", &["unit=1e-6"], Read(2, 116, 2, "EPLB lines of vLLM")),
    ("vllm_trace_rank_load.log", &["unit=1e-6"], Read(8, 100, 0, "tokens of each rank")),
    ("warpx_lbc_numhost.txt", &[], Read(2, 60, 0, "LoadBalanceCosts of WarpX")),
    ("warpx_lbe_1lev.txt", &[], Refused("neither `rank` and `seconds` nor columns of ranks")),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cli/corpus/logs")
}

fn read(file: &str, options: &[&str]) -> Result<Trace, String> {
    let mut how = How::default();
    for (option, value) in options.iter().map(|option| option.split_once('=').unwrap()) {
        match option {
            "every" => how.every = Some(value.parse().unwrap()),
            "unit" => how.unit = Some(value.parse().unwrap()),
            _ => how.columns = value.parse().unwrap(),
        }
    }
    let beginning = Beginning { cells: 1 << 24, steps: 1024 };
    let read = logs::follow(&[folder().join(file)], &how, beginning, &mut Kept::default());
    read.map_err(|complaint| complaint.to_string())
}

#[test]
fn every_case_is_read_right_or_refused_with_the_reason() {
    let mut wrong = Vec::new();
    for (file, options, right) in CASES {
        let found = read(file, options);
        let fault = match (&found, right) {
            (Ok(trace), Read(ranks, steps, remaps, says)) => {
                let record = &trace.record;
                let counts = (record.ranks(), record.steps(), record.remaps().len());
                let said = [trace.account.lines().join("\n"), trace.repairs.join("\n")].join("\n");
                (counts != (*ranks, *steps, *remaps) || !said.contains(says))
                    .then(|| format!("{counts:?} {said}"))
            }
            (Err(message), Refused(says)) => (!message.contains(says)).then(|| message.clone()),
            (Ok(_), Refused(_)) => Some("was read".to_owned()),
            (Err(message), Read(..)) => Some(message.clone()),
        };
        wrong.extend(fault.map(|fault| format!("{file} {options:?}: {fault}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The imbalances above 2 of a log of LAMMPS are kept.
#[test]
fn large_imbalances_of_lammps_are_kept() {
    let trace = read("lammps_big_cpu.log", &[]).unwrap();
    let largest = (0..trace.record.steps()).map(|step| {
        let row = trace.record.row(step);
        row.iter().copied().fold(0.0, f64::max) / (row.iter().sum::<f64>() / row.len() as f64)
    });
    let largest = largest.fold(0.0, f64::max);
    // The largest of the times that made the log.
    assert!((largest - 6.16026).abs() < 1e-4, "{largest}");
}

/// What was started again counts from there on; single lines that are there twice are refused.
#[test]
fn later_steps_of_a_continued_run_count() {
    let row = |step: u32, more: f64| format!("{step},{},{}\n", 1.0 + more, 2.0 + more);
    let header = "step,rank_0,rank_1\n";
    let first: String = (0..20).map(|step| row(step, 0.0)).collect();
    let again: String = (15..25).map(|step| row(step, 0.5)).collect();
    let take = |text: String| logs::read_from(std::io::Cursor::new(text.into_bytes()), "log", None);
    for text in [format!("{header}{first}{header}{again}"), format!("{header}{first}{again}")] {
        let trace = take(text).unwrap();
        assert_eq!(trace.record.steps(), 25);
        assert_eq!((trace.record.row(14)[0], trace.record.row(15)[0]), (1.0, 1.5));
        assert!(
            trace.repairs.iter().any(|said| said.contains("started again 1 time")),
            "{:?}",
            trace.repairs
        );
    }
    has(
        &take(format!("{header}{first}{}", row(15, 0.5))).unwrap_err().to_string(),
        &["two times of rank 0 at step 15"],
    );
}

/// UTF-16, zstd and xz are read as the text is.
#[test]
fn other_encodings_are_read() {
    let text = "step,rank_0,rank_1\n0,1,2\n1,1,2\n2,1,2\n";
    let little: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let large: Vec<u8> =
        [0xfe, 0xff].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect();
    let zstd = ruzstd::encoding::compress_to_vec(
        text.as_bytes(),
        ruzstd::encoding::CompressionLevel::Fastest,
    );
    let mut xz = Vec::new();
    lzma_rs::xz_compress(&mut text.as_bytes(), &mut xz).unwrap();
    for bytes in [little, large, zstd, xz] {
        let trace = logs::read_from(std::io::Cursor::new(bytes), "log", None).unwrap();
        assert_eq!((trace.record.steps(), trace.record.ranks()), (3, 2));
    }
}
