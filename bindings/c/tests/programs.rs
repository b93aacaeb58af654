//! Programs in C, C++ and Fortran that use the library: they compile, run, and decide as `replay` does.

mod runs;

use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs of each policy: a thousand of all 22.
const RUNS: u64 = 46;

struct Workplace {
    folder: tempfile::TempDir,
    library: PathBuf,
}

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Whether a tool is there; said aloud if not.
fn has(tool: &str) -> bool {
    let found =
        Command::new(tool).arg("--version").output().is_ok_and(|done| done.status.success());
    if !found {
        eprintln!("{tool} is missing: what needs it is not tested");
    }
    found
}

fn output(command: &mut Command) -> String {
    let done = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command:?}: {}\n{text}{said}", done.status);
    text
}

impl Workplace {
    fn new() -> Workplace {
        // Tests lie beside the libraries they were built with.
        let test = std::env::current_exe().expect("this test");
        let library = test.parent().expect("its folder").to_owned();
        let folder = tempfile::tempdir().expect("a folder");
        // Programs ask for the shared library by the name in it (tests/installed.rs).
        #[cfg(target_os = "linux")]
        std::os::unix::fs::symlink(
            library.join("libremap.so"),
            folder.path().join("libremap.so.0.1"),
        )
        .expect("a link");
        Workplace { folder, library }
    }

    /// Builds a program with the static or the shared library.
    fn built(&self, compiler: &str, standard: &str, source: &str, shared: bool) -> PathBuf {
        let name = source.replace(['/', '.'], "_");
        let program = self.folder.path().join(format!("{name}{}", if shared { "_so" } else { "" }));
        let mut build = Command::new(compiler);
        build.args([standard, "-Wall", "-Wextra", "-Werror", "-O1", "-g", "-o"]).arg(&program);
        build.arg("-I").arg(here().join("include"));
        if compiler == "gfortran" {
            build.arg("-J").arg(self.folder.path()).arg(here().join("include/remap.f90"));
        }
        build.arg(here().join(source));
        if shared {
            build.arg("-L").arg(&self.library).arg("-lremap");
            build.arg(format!("-Wl,-rpath,{}", self.folder.path().display()));
        } else {
            build.arg(self.library.join("libremap.a"));
        }
        build.args(["-lm", "-lpthread", "-ldl"]);
        output(&mut build);
        program
    }

    fn written(&self, policy: &str, count: u64) -> PathBuf {
        let path = self.folder.path().join(format!("{}.txt", policy.replace(':', "_")));
        std::fs::write(&path, runs::written(policy, count)).expect("the runs can be written");
        path
    }

    /// The programs of all languages there are on `count` runs of every policy.
    fn agree(&self, count: u64) {
        let languages = [
            ("cc", "-std=c99", "tests/programs/agree.c"),
            ("c++", "-std=c++11", "tests/programs/agree.cpp"),
            ("gfortran", "-std=f2003", "tests/programs/agree.f90"),
        ];
        let there = languages.into_iter().filter(|(compiler, ..)| has(compiler));
        let programs: Vec<PathBuf> = there
            .map(|(compiler, standard, source)| self.built(compiler, standard, source, false))
            .collect();
        for policy in runs::PLAIN.iter().chain(&runs::TRAINED) {
            let file = self.written(policy, count);
            for program in &programs {
                let said = output(Command::new(program).arg(&file));
                assert!(said.starts_with(&format!("{policy}: {count} runs")), "{said}");
                eprint!("{said}");
            }
        }
    }
}

#[test]
fn all_languages_decide_as_replay_does() {
    Workplace::new().agree(RUNS);
}

#[test]
fn mistakes_come_back_as_codes() {
    if has("cc") {
        let place = Workplace::new();
        for shared in [false, true] {
            let program = place.built("cc", "-std=c99", "tests/programs/errors.c", shared);
            // Where cargo has it look first, there may be the library of an earlier build.
            output(Command::new(program).env_remove("LD_LIBRARY_PATH"));
        }
    }
}

#[test]
fn exceptions_pass_around_the_library_and_children_compute() {
    let place = Workplace::new();
    let programs = [
        ("c++", "-std=c++11", "tests/programs/throws.cpp"),
        ("cc", "-std=gnu99", "tests/programs/forks.c"),
    ];
    for (compiler, standard, source) in programs {
        if has(compiler) {
            output(&mut Command::new(place.built(compiler, standard, source, false)));
        }
    }
}

/// What is still reached at the end is not lost.
const KINDS: &str = "--errors-for-leak-kinds=definite,indirect,possible";

#[test]
fn valgrind_finds_nothing() {
    if !(has("cc") && has("valgrind")) {
        return;
    }
    let place = Workplace::new();
    let run = |program: &Path, file: Option<&Path>| {
        let mut command = Command::new("valgrind");
        command.args(["-q", "--error-exitcode=9", "--leak-check=full", KINDS]);
        let known = here().join("tests/programs/valgrind.supp");
        command.arg(format!("--suppressions={}", known.display()));
        output(command.arg(program).args(file));
    };
    run(&place.built("cc", "-std=c99", "tests/programs/errors.c", false), None);
    let program = place.built("cc", "-std=c99", "tests/programs/agree.c", false);
    for policy in ["threshold:0.5", "advised", "adaptive"] {
        run(&program, Some(&place.written(policy, 1)));
    }
}

#[test]
fn examples_run() {
    let place = Workplace::new();
    let run = |compiler: &str, standard: &str, source: &str| {
        has(compiler)
            .then(|| output(&mut Command::new(place.built(compiler, standard, source, false))))
    };
    if let Some(said) = run("cc", "-std=c99", "examples/monitor.c") {
        // The cycles slow down at 2000; a cluster has 20.
        let cycle = said.strip_prefix("cycle ").and_then(|rest| rest.split(':').next());
        let cycle: u32 = cycle.and_then(|cycle| cycle.parse().ok()).expect("a change was seen");
        assert!((2000..2100).contains(&cycle), "{said}");
    }
    if let Some(said) = run("c++", "-std=c++11", "examples/controller.cpp") {
        assert!(said.starts_with("5 times, but this policy is for 4 ranks\n"), "{said}");
        assert!(said.trim_end().ends_with(" remaps"), "{said}");
    }
    if let Some(said) = run("gfortran", "-std=f2003", "examples/loop.f90") {
        assert!(said.contains("Periodic(") && said.contains("10 remaps in 100 steps"), "{said}");
    }
}

/// Around the program of the README.
const AROUND: [&str; 2] = [
    "#include \"remap.h\"\nstatic void work(void) {}\nstatic void rebalance(void) {}\nint main(void) {\n\
     double times[2] = {1, 2}, seconds_it_took = 2;\nsize_t ranks = 2;\nint steps = 9;\n",
    "return remap_last_error()[0] != 0;\n}\n",
];

#[test]
fn the_readme_shows_a_program_that_runs() {
    let readme = std::fs::read_to_string(here().join("README.md")).expect("a page");
    let shown = readme.split("```c\n").nth(1).and_then(|rest| rest.split("```").next());
    let place = Workplace::new();
    let source = place.folder.path().join("readme.c");
    std::fs::write(&source, AROUND.join(shown.expect("a program"))).expect("a file");
    if has("cc") {
        let source = source.to_str().expect("a path");
        output(&mut Command::new(place.built("cc", "-std=c99", source, false)));
    }
}

/// What a run of the toy lost, in seconds.
fn lost(program: &Path, policy: &str, more: &[&Path]) -> f64 {
    let mut run = Command::new("mpirun");
    run.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    // Ranks that wait give way to others: there may be fewer cores.
    run.args(["--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", "4"]);
    run.arg(program).args([policy, "2000", "1.0"]).args(more);
    let said = output(&mut run);
    let number = said.split(": ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
    number.unwrap_or_else(|| panic!("{said}"))
}

/// Over MPI, from its first step on, the rule that votes beats every fixed interval, the best of which nobody knows
/// beforehand; and every rank comes to the same answer.
#[test]
fn the_toy_beats_its_best_interval() {
    if !(has("mpicc") && has("mpirun")) {
        return;
    }
    let place = Workplace::new();
    let program = place.built("mpicc", "-std=c99", "examples/toy_mpi.c", false);
    let log = place.folder.path().join("log.csv");
    let advised = lost(&program, "advised", &[&log]);
    for every in [10, 12, 15, 18, 21, 25, 30] {
        let fixed = lost(&program, &format!("fixed:{every}"), &[]);
        assert!(advised < fixed, "advised {advised}, every {every} steps {fixed}");
    }
    let lines = std::fs::read_to_string(&log).expect("a log");
    assert_eq!(lines.lines().count(), 1 + 4 * 2000);
}
