//! Every reader of outside data on damaged input: an answer or a complaint, never a panic or a
//! hang.
//!
//! `cargo test -p remapping-cli --test cli -- --ignored fuzz` takes longer; `PROPTEST_CASES` says
//! how long and `PROPTEST_RNG_SEED` where.

use crate::logs::formats::samples;
use crate::logs::streams::{Kept, LITTLE};
use crate::support::mutants::{Mutant, mutants};
use crate::support::prelude::*;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use rayon::prelude::*;
use remap::commands::told;
use remap::logs::{self, Beginning, Form, How};
use remap::measurements::{Column, measurements};
use remap::problems::registry::{Loaded, Problem};
use remap::problems::{self, Files, Settings};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn corpus(folder: &str) -> Vec<(String, Vec<u8>)> {
    let folder = root().join("tests/cli/corpus").join(folder);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.retain(|path| path.is_file());
    assert!(!files.is_empty());
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    files.iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
}

fn contents(folder: &str) -> Vec<Vec<u8>> {
    corpus(folder).into_iter().map(|(_, bytes)| bytes).collect()
}

fn quick() -> ProptestConfig {
    ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() }
}

/// As many as PROPTEST_CASES says, or a few minutes' worth.
fn long() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig { cases: cases.unwrap_or(100_000), ..quick() }
}

/// Tests of a kind of input, a quick one and one that takes minutes.
macro_rules! fuzzed {
    ($($read:ident $quick:ident $long:ident)*) => {$(
        #[test]
        fn $quick() {
            $read(quick());
        }

        #[test]
        #[ignore = "minutes: cargo test -p remapping-cli --test cli fuzz -- --ignored"]
        fn $long() {
            $read(long());
        }
    )*};
}

fuzzed! {
    models models_of_every_kind fuzz_models
    matrices matrix_market_files fuzz_matrix_market
    traces measurements_of_a_running_program fuzz_measurements
    logs_of_steps logs_of_any_format fuzz_logs
    checkpoints checkpoints_damaged_and_foreign fuzz_checkpoints
}

/// Reads inputs of `strategy` in the time it may take.
fn fuzz<T: std::fmt::Debug>(
    config: ProptestConfig,
    strategy: impl Strategy<Value = T>,
    read: impl Fn(T) -> Result<(), TestCaseError>,
) {
    let timed = |input| {
        let started = Instant::now();
        read(input)?;
        let seconds = started.elapsed().as_secs_f64();
        prop_assert!(seconds < 30.0, "{seconds} s");
        Ok(())
    };
    if let Err(error) = TestRunner::new(config).run(&strategy, timed) {
        panic!("{error}");
    }
}

/// What a user is told must be short, in words, and harmless to a terminal.
fn decent(told: &str) -> Result<(), TestCaseError> {
    prop_assert!(told.contains("help:"), "{told}");
    prop_assert!(told.len() < 6000 && !told.contains(['\0', '\u{1b}']), "{told}");
    Ok(())
}

fn settings() -> Settings {
    Settings { tolerance: 1e-6, time_limit: Some(0.02), ..Settings::default() }
}

/// Whether the model is so small that solving it proves nothing about patience.
fn is_small(loaded: &Loaded) -> bool {
    match &loaded.problem {
        Problem::PhaseChange(_) => true,
        Problem::LoadDrift(model) => model.memory() < 1_000_000,
        Problem::Stopping(model) => {
            model.states(loaded.folder()).is_ok_and(|(states, _)| states.count() < 500)
        }
        _ => false,
    }
}

fn read_model(bytes: &[u8], folder: &Path) -> Result<(), TestCaseError> {
    let path = folder.join("model.ron");
    let solved = Loaded::from_bytes(&path, bytes.to_vec()).and_then(|loaded| {
        if is_small(&loaded) {
            problems::solve(&loaded, &settings(), Files { folder: Some(folder), force: true })?;
        }
        Ok(())
    });
    solved.err().iter().flatten().try_for_each(|complaint| decent(&told(complaint)))
}

fn models(config: ProptestConfig) {
    let folder = tempfile::tempdir().unwrap();
    let mut originals = vec![MODEL.as_bytes().to_vec()];
    let models = decks().into_iter().filter(|name| !name.starts_with("studies/"));
    originals.extend(models.map(|name| deck_text(&name).into_bytes()));
    fuzz(config, mutants(originals), |mutant| read_model(&mutant.bytes, folder.path()));
}

const JOINT: &str = "Model(title: \"x\", problem: Stopping(\
    processes: Joint(loads: [[0, 2], [1, 1], [2, 0]], transition: File(\"p.mtx\")), \
    remap_cost: 1, after_remap: Stop))";

fn matrices(config: ProptestConfig) {
    let folder = tempfile::tempdir().unwrap();
    fuzz(config, mutants(contents("matrix_market")), |mutant| {
        std::fs::write(folder.path().join("p.mtx"), mutant.bytes).unwrap();
        read_model(JOINT.as_bytes(), folder.path())
    });
}

#[test]
fn the_corpus_of_matrices_is_answered_or_explained() {
    let workplace = Workplace::of(JOINT);
    for (name, bytes) in corpus("matrix_market") {
        workplace.write("p.mtx", bytes);
        let outcome = workplace.remap("solve model.ron --json");
        let expected = i32::from(name.starts_with("1_"));
        assert_eq!(outcome.code, expected, "{name}: {}", outcome.err);
        assert!(expected == 0 || outcome.err.contains("p.mtx"), "{name}: {}", outcome.err);
    }
}

fn columns() -> impl Strategy<Value = Column> {
    let named = Just(Column::Named("seconds".to_owned()));
    prop_oneof![Just(Column::Last), (0usize..4).prop_map(|k| Column::Place(k + 1)), named]
}

fn read_measurements(bytes: &[u8], column: &Column) -> Result<(), TestCaseError> {
    let mut last = 0;
    for measurement in measurements(bytes, column) {
        match measurement {
            Ok(measurement) => {
                prop_assert!(measurement.line >= last, "lines in order");
                last = measurement.line;
                prop_assert!(measurement.value.is_ok_and(f64::is_finite) || last > 0);
            }
            Err(complaint) => return decent(&told(&complaint)),
        }
    }
    Ok(())
}

fn traces(config: ProptestConfig) {
    let inputs = (mutants(contents("measurements")), columns());
    fuzz(config, inputs, |(mutant, column)| read_measurements(&mutant.bytes, &column));
}

#[test]
fn the_corpus_of_measurements_is_answered_or_explained() {
    let workplace = Workplace::with_model();
    for (name, bytes) in corpus("measurements") {
        let outcome = workplace.fed("monitor model.ron --batch 1 --cluster 2", bytes);
        let expected = i32::from(name.starts_with("1_"));
        assert_eq!(outcome.code, expected, "{name}: {}", outcome.err);
        assert!(expected == 0 || outcome.err.contains("standard input"), "{name}: {}", outcome.err);
    }
}

fn forms() -> impl Strategy<Value = Option<Form>> {
    let forced =
        prop::sample::select(vec![Form::Table, Form::JsonLines, Form::Lammps, Form::Warpx]);
    prop_oneof![3 => Just(None), 1 => forced.prop_map(Some)]
}

/// Samples of all formats, and the beginnings of logs as people have them.
fn logs_as_they_are() -> Vec<Vec<u8>> {
    let mut originals: Vec<Vec<u8>> = contents("logs");
    originals.iter_mut().for_each(|log| log.truncate(6000));
    originals.extend(samples().into_iter().map(|sample| sample.text.into_bytes()));
    originals
}

fn logs_of_steps(config: ProptestConfig) {
    fuzz(config, (mutants(logs_as_they_are()), forms()), |(mutant, form)| {
        let read = logs::read_from(std::io::Cursor::new(mutant.bytes), "log", form);
        read.err().iter().try_for_each(|complaint| decent(&told(complaint)))
    });
}

/// Each sample of each format, changed in many ways, is read as `advise` reads it, or refused, in
/// time.
#[test]
fn every_sample_of_a_log_may_be_damaged() {
    let many = few_or_all(8, 1000);
    // Threads of its own: solves of other tests would wait for these logs in the threads of all.
    let threads = rayon::ThreadPoolBuilder::new().build().unwrap();
    let damaged = |original: Vec<u8>| {
        let place = Workplace::new();
        let (mut runner, strategy) = (TestRunner::deterministic(), mutants(vec![original]));
        for number in 0..many {
            let Mutant { bytes, injuries } = strategy.new_tree(&mut runner).unwrap().current();
            place.write("run.log", &bytes);
            let beginning = [LITTLE, Beginning { cells: 1 << 24, steps: 1024 }][number % 2];
            let started = Instant::now();
            let paths = [place.path("run.log")];
            let read = logs::follow(&paths, &How::default(), beginning, &mut Kept::default());
            let text = || format!("{injuries:?}\n{}", String::from_utf8_lossy(&bytes));
            let seconds = started.elapsed().as_secs_f64();
            assert!(seconds < 10.0, "{seconds} s: {}", text());
            let is_told = read.err().iter().try_for_each(|complaint| decent(&told(complaint)));
            assert!(is_told.is_ok(), "{is_told:?}: {}", text());
        }
    };
    threads.install(|| logs_as_they_are().into_par_iter().for_each(damaged));
}

/// Whatever stands in a log, the program answers or refuses within 10 seconds and 300 MB; a machine
/// without so much memory is told.
#[cfg(target_os = "linux")]
fn logs_through_the_program(config: ProptestConfig) {
    let place = Workplace::new();
    let limited = "ulimit -v 300000; exec \"$0\" advise run.log --remap-cost 1 --force -o advice";
    fuzz(config, mutants(logs_as_they_are()), |mutant| {
        place.write("run.log", mutant.bytes);
        let mut command = assert_cmd::Command::new("sh");
        command.args(["-c", limited, env!("CARGO_BIN_EXE_remap")]).current_dir(place.root());
        let output = command.timeout(Duration::from_secs(10)).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        prop_assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{:?} {told}", output.status);
        if output.status.code() == Some(1) { decent(&told) } else { Ok(()) }
    });
}

#[test]
#[cfg(target_os = "linux")]
fn logs_within_time_and_memory() {
    logs_through_the_program(ProptestConfig { cases: few_or_all(40, 1500), ..quick() });
}

/// One line of JSON, however long and whatever is in it; up to 256 MiB of it are read, at some ten
/// MB a second.
#[test]
#[cfg(target_os = "linux")]
fn a_huge_line_of_json_ends_within_time_and_memory() {
    let many = few_or_all(4_000_000, 700_000_000_usize);
    let task =
        r#"{"entity":{"id":7,"home":0,"migratable":true},"node":0,"resource":"cpu","time":1},"#;
    let process = r#""step 1":[{"rank":0,"numCpus":1,"usefulTime":5}],"#;
    let kinds = [
        (r#"{"step":0,"seconds":["#, "1,"),
        (r#"{"step":0,"host":""#, "node"),
        (r#"{"phases":[{"id":0,"tasks":["#, task),
        (r#"{"phases":["#, r#"{"id":0},"#),
        (r#"{"phases":[{"id":0,"tasks":[{"resource":""#, "cpu"),
        (r#"{"metadata":{"phases":{"identical_to_previous":{"list":["#, "1,"),
        (r#"{"dlbVersion":"3","Process":{"#, process),
        (r#"{"dlbVersion":"3","Process":{"r":["#, r#"{"rank":0,"numCpus":1,"usefulTime":5},"#),
        ("", "a,"),
        ("", "step=1 time=2 "),
    ];
    for (start, again) in kinds {
        let lines = format!(
            "(printf %s '{start}'; yes '{again}' | tr -d '\\n' | head -c {many}) | \
             (ulimit -v 300000; exec \"$0\" advise - --remap-cost 1)"
        );
        let mut command = assert_cmd::Command::new("sh");
        command.args(["-c", &lines, env!("CARGO_BIN_EXE_remap")]);
        let output = command.timeout(Duration::from_secs(few_or_all(20, 60))).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{start}{again}: {said}");
        decent(&said).unwrap();
    }
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "minutes: cargo test -p remapping-cli --test cli fuzz -- --ignored"]
fn fuzz_logs_within_time_and_memory() {
    logs_through_the_program(long());
}

const DRIFT: &str = "Model(title: \"x\", problem: LoadDrift(processors: 2, \
    chain: Walk(lowest: 1, levels: 4, up: 0.25, down: 0.25, edge: Hold), initial_load: 2, \
    steps: 50, remap_cost: 1))";

/// Writes a checkpoint and solves on from it.
fn resume(bytes: &[u8], folder: &Path) -> Result<(), TestCaseError> {
    let loaded = Loaded::from_text(&folder.join("model.ron"), DRIFT.to_owned()).unwrap();
    std::fs::write(folder.join("model.checkpoint"), bytes).unwrap();
    let files = Files { folder: Some(folder), force: false };
    let solved = problems::solve(&loaded, &settings(), files);
    solved.err().iter().flatten().try_for_each(|complaint| decent(&told(complaint)))
}

/// The checksum put right: a foreign or hostile file, not a damaged one.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some(body) = bytes.len().checked_sub(4) {
        bytes.truncate(body);
        let sum = crc32fast::hash(&bytes);
        bytes.extend(sum.to_le_bytes());
    }
    bytes
}

fn checkpoints(config: ProptestConfig) {
    let folder = tempfile::tempdir().unwrap();
    let word = any::<u64>().prop_map(|word| word >> (word % 64));
    let numbers = prop::collection::vec((0usize..40, word), 0..3);
    let inputs = (mutants(contents("checkpoints")), any::<bool>(), numbers);
    fuzz(config, inputs, |(Mutant { mut bytes, .. }, seal, words)| {
        // Whole numbers in the place of others, from where the sizes stand.
        for (at, word) in words {
            let start = bytes.len().saturating_sub(4 + 8 * (at + 1));
            let length = bytes.len().min(start + 8) - start;
            bytes[start..start + length].copy_from_slice(&word.to_le_bytes()[..length]);
        }
        resume(&if seal { sealed(bytes) } else { bytes }, folder.path())
    });
}

#[test]
fn the_corpus_of_checkpoints_is_answered_or_explained() {
    let workplace = Workplace::of(DRIFT);
    std::fs::create_dir(workplace.path("out")).unwrap();
    let whole = workplace.answer("solve model.ron");
    for (name, bytes) in corpus("checkpoints") {
        workplace.write("out/model.checkpoint", &bytes);
        let outcome = workplace.remap("solve model.ron --json --out out");
        let expected = i32::from(name.starts_with("1_"));
        assert_eq!(outcome.code, expected, "{name}: {}", outcome.err);
        if expected == 1 {
            let outcome = outcome.says("model.checkpoint").says("help:");
            assert_eq!(std::fs::read(workplace.path("out/model.checkpoint")).unwrap(), bytes);
            assert_eq!(outcome.out, "");
        } else {
            assert_eq!(outcome.json()["value"], whole["value"]);
            std::fs::remove_file(workplace.path("out/model.json")).unwrap();
        }
    }
}
