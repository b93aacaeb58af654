//! Stopped before the end: the partial result is shown, with an honest status.

use crate::support::prelude::*;
use crate::support::workplace::{ended, endless, start, words};

/// The result of a computation that was stopped: right as far as it goes.
#[track_caller]
fn is_honest(solution: &Value, status: &str) {
    assert_eq!(solution["status"], status);
    assert!(solution["value"].is_null(), "step 0 was not reached");
    let thresholds = solution["threshold"].list().len() as u64;
    let (last, first) = (solution["last_step"].u64(), solution["first_step"].as_u64());
    assert_eq!(first.unwrap() + thresholds, last + 1);
    for n in 0..thresholds as usize {
        let [low, own, high] = ["threshold_lower", "threshold", "threshold_upper"]
            .map(|field| solution[field][n].f64());
        assert!(0.0 <= low && low <= own && own <= high && high <= 1.0);
    }
}

#[test]
fn the_time_limit_stops_with_3() {
    let workplace = Workplace::of(endless());
    let started = std::time::Instant::now();
    let limited = "solve model.ron --time-limit 0.7";
    let solution = workplace.remap(format!("{limited} --json --out results")).exits(3).json();
    assert!(started.elapsed().as_secs_f64() < 30.0);
    is_honest(&solution, "time_limit");
    assert_eq!(workplace.document("results/model.json"), solution);
    has(&workplace.remap(limited).exits(3).out, &["stopped by the time limit"]);
}

#[test]
fn fractions_that_take_too_long_leave_the_bounds() {
    // A useless detector: few segments, but fractions that grow with every step.
    let model = MODEL.replace("missed: 0.2", "missed: 0.9").replace("Fixed(40)", "Fixed(3000)");
    let found = Workplace::of(model).remap("solve model.ron --json --exact --time-limit 0.8");
    let solution = found.exits(3).says("exact recursion was stopped").json();
    assert_eq!(solution["status"], "time_limit");
    assert_eq!(solution["threshold"].list().len(), 3001);
    assert!(solution["exact"].is_null());
}

#[test]
fn a_time_limit_beyond_all_clocks_is_none() {
    let workplace = Workplace::with_model();
    workplace.remap("solve model.ron --time-limit 1e300").exits(0);
}

#[test]
fn a_segment_budget_that_is_too_small_stops_with_3() {
    let workplace = Workplace::with_model();
    let found = workplace.remap("solve model.ron --json --segments 4").exits(3);
    let solution = found.says("the tolerance was not reached").json();
    assert_eq!(solution["status"], "iteration_limit");
    let certified = workplace.answer("solve model.ron");
    for n in 0..=40 {
        let wide = |field: &str| solution[field][n].f64();
        let narrow = |field: &str| certified[field][n].f64();
        assert!(wide("threshold_lower") <= narrow("threshold_upper"));
        assert!(wide("threshold_upper") >= narrow("threshold_lower"));
    }
}

#[test]
#[cfg(unix)]
fn an_interrupt_stops_with_130() {
    for signal in some(1, ["-INT", "-TERM"]) {
        let workplace = Workplace::with_model();
        workplace.write("long.ron", endless());
        let child = start(&workplace, "solve model.ron long.ron model.ron --json");
        std::thread::sleep(std::time::Duration::from_millis(1500));
        crate::support::workplace::signal(&child, signal);
        let solutions = ended(child).exits(130).json();
        assert_eq!(solutions.list().len(), 2, "the third model was not begun");
        assert_eq!(solutions[0]["status"], "converged");
        is_honest(&solutions[1], "interrupted");
    }
}

#[test]
fn no_progress_bar_where_there_is_no_terminal() {
    let workplace = Workplace::of(MODEL.replace("Fixed(40)", "Fixed(1000)"));
    workplace.write("long.ron", endless());
    let outcome = workplace.remap("solve model.ron long.ron --time-limit 1.3").exits(3);
    assert!(!outcome.err.contains('%') && !outcome.err.contains('\u{1b}'), "{:?}", outcome.err);
}

/// A long run that was stopped knows nothing of how far its relative costs are from what they
/// become: whatever decision changes later is among those that are open, the average is no less
/// than 0, and nothing is compared with what is not known.
#[test]
fn decisions_of_a_long_run_that_was_stopped_are_open() {
    let levels = few_or_all(11, 15);
    let walks = format!(
        "Identical(count: 4, chain: Walk(lowest: 1, levels: {levels}, up: 0.25, down: 0.25, edge: Hold))"
    );
    let all = [
        "remap_cost: 60",
        "remap_cost: (fixed: 20, per_unit_moved: 2)",
        "remap_cost: (fixed: 20, per_unit_moved: 2), partial_remaps: true",
    ];
    for rest in some(1, all) {
        let place = Workplace::stating(format!(
            "Stopping(processes: {walks}, {rest}, after_remap: Restart)"
        ));
        let whole = place.answer("solve model.ron");
        let letters = |found: &Value| found["decision"].as_str().unwrap_or("").as_bytes().to_vec();
        let last = letters(&whole);
        for limit in some(2, ["0.001", "0.02", "0.005", "0.1"]) {
            let found = place.remap(format!("solve model.ron --json --time-limit {limit}")).json();
            assert!(found["average"]["lower"].as_f64().is_none_or(|lower| lower >= 0.0), "{rest}");
            if found["status"] != "time_limit" {
                continue;
            }
            let open: Vec<u64> = found["ties"].list().iter().filter_map(Value::as_u64).collect();
            for (state, (now, later)) in letters(&found).iter().zip(&last).enumerate() {
                assert!(now == later || open.contains(&(state as u64)), "{rest}, {limit}: {state}");
            }
            let said = place.remap(format!("solve model.ron --time-limit {limit}")).out;
            // The second run may come to its end.
            let ended = said.contains("certified to");
            let compared = said.contains("+- ") && said.contains(" % less than by the map");
            assert!(ended || !compared, "{said}");
        }
    }
}

/// A certificate that there is no answer for is no fault of the input.
#[test]
fn stopped_answers_have_no_certificate_and_exit_with_3() {
    let workplace = Workplace::of(endless());
    let found = workplace.remap("solve model.ron --time-limit 0.5 --certificate proof").exits(3);
    found.says("stopped before its end");
    assert!(!workplace.path("proof").exists());
}

/// A document in a folder names the proof that there is.
#[test]
fn documents_name_no_proof_that_a_limit_came_before() {
    for limit in ["0.01", "0.03", "0.1", "0.3", "1", "60"] {
        let workplace = Workplace::new();
        let solve = "solve models/phase_switching/endless.ron --out results --certificate proof";
        workplace.remap(format!("{solve} --time-limit {limit}"));
        let found = workplace.document("results/endless.json");
        let is_proved = workplace.path("proof").exists();
        assert_eq!(found["certificate"].is_object(), is_proved, "{limit}");
    }
}

/// Few beliefs are enough for a coarse answer, and their bounds do not converge.
#[test]
fn coarse_certificates_of_endless_programs_end() {
    let model = "models/phase_switching/endless.ron";
    for tolerance in some(2, ["0.02", "0.05", "0.1", "0.5"]) {
        let workplace = Workplace::new();
        workplace.shown(format!("solve {model} --tolerance {tolerance} --certificate proof"));
        workplace.remap(format!("verify {model} proof")).exits(0);
    }
}

/// A command whose standard output is a full disk.
#[cfg(target_os = "linux")]
fn on_a_full_disk(workplace: &Workplace, command: &str) {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut remap = std::process::Command::new(env!("CARGO_BIN_EXE_remap"));
    let remap = remap.args(words(command)).current_dir(workplace.root()).stdout(full);
    let ended = Outcome::of(remap.output().unwrap()).exits(1);
    ended.says("cannot write to standard output");
}

/// Where nothing can be printed, files are written all the same.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_printed_is_written() {
    let workplace = Workplace::with_model();
    for options in ["--json", ""] {
        let solve = format!("solve model.ron --out results --certificate proof {options}");
        on_a_full_disk(&workplace, &solve);
        workplace.remap("verify model.ron proof").exits(0);
        workplace.remap("export results/model.json --to c").exits(0);
        for file in ["proof", "results/model.json"] {
            std::fs::remove_file(workplace.path(file)).unwrap();
        }
    }
}

/// Help that is lost is told of, and so is an answer.
#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_printed_is_an_error() {
    let workplace = Workplace::with_model();
    for command in ["help", "solve --help", "--version", "solve model.ron"] {
        on_a_full_disk(&workplace, command);
    }
}

/// What an address space is too small for ends with the code of a limit, whoever asked for the
/// memory.
#[cfg(target_os = "linux")]
#[test]
fn a_small_address_space_does_not_abort_the_program() {
    let walk = |up: f64, down: f64| {
        format!("Walk(lowest: 1, levels: 100000, up: {up}, down: {down}, edge: Hold)")
    };
    let processes = format!("Distinct([{}, {}])", walk(0.25, 0.25), walk(0.3, 0.2));
    let workplace = Workplace::stating(format!(
        "Stopping(processes: {processes}, remap_cost: 1000, after_remap: Stop)"
    ));
    for megabytes in some(1, [200, 150, 400]) {
        within_megabytes(megabytes, &workplace, "solve model.ron --time-limit 2").exits(3);
    }
}

/// A thread that finds no memory for its stack is a limit, too, be it one that computes or one that
/// watches the time.
#[cfg(target_os = "linux")]
#[test]
fn a_thread_that_cannot_start_is_no_panic() {
    let workplace = Workplace::with_model();
    let times: String = (0..200).map(|step| format!("{},1\n", 1 + step % 10)).collect();
    workplace.write("run.log", format!("rank0,rank1\n{times}"));
    for megabytes in (80..280).step_by(10) {
        for command in ["solve model.ron --time-limit 9", "advise run.log --remap-cost 1"] {
            let ended = within_megabytes(megabytes, &workplace, command);
            assert!([0, 3].contains(&ended.code), "{megabytes} MB: {}", ended.err);
        }
    }
}

/// The end of a command in so small an address space.
#[cfg(target_os = "linux")]
fn within_megabytes(size: usize, workplace: &Workplace, arguments: &str) -> Outcome {
    let script = format!("ulimit -v {}; exec \"$0\" {arguments}", size << 10);
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_remap")]);
    Outcome::of(command.current_dir(workplace.root()).output().unwrap())
}
