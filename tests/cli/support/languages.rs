//! Languages that exported policies are compiled and run in, those that are there.

use crate::support::workplace::Workplace;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// A language: how it is called, how a program around an exported file is built and started.
struct Language {
    target: &'static str,
    file: &'static str,
    driver: (&'static str, &'static str),
    /// Words of commands.
    build: &'static str,
    run: &'static str,
}

const LANGUAGES: [Language; 4] = [
    Language {
        target: "c",
        file: "remap_policy.h",
        driver: ("driver.c", include_str!("programs/driver.c")),
        build: "cc -std=c99 -Wall -Wextra -pedantic -Werror -ffp-contract=off -o driver driver.c -lm",
        run: "./driver",
    },
    Language {
        target: "fortran",
        file: "remap_policy.f90",
        driver: ("driver.f90", include_str!("programs/driver.f90")),
        build: "gfortran -std=f2003 -Wall -Werror -ffp-contract=off -o driver remap_policy.f90 driver.f90",
        run: "./driver",
    },
    Language {
        target: "rust",
        file: "remap_policy.rs",
        driver: ("driver.rs", include_str!("programs/driver.rs")),
        build: "rustc --edition 2021 -D warnings -A dead_code -o driver driver.rs",
        run: "./driver",
    },
    Language {
        target: "python",
        file: "remap_policy.py",
        driver: ("driver.py", include_str!("programs/driver.py")),
        build: "python3 -m py_compile remap_policy.py",
        run: "python3 driver.py",
    },
];

/// Runs the exported `solution` in every language there is on the lines of `input`, and gives what
/// each answers to `check`. Of the adaptive rule, C and Fortran have the steps; the others load it.
pub fn in_every_language(
    place: &Workplace,
    solution: &str,
    kind: &str,
    input: &str,
    check: impl Fn(&str, &[&str]),
) {
    let mut tried = 0;
    let loads =
        |language: &Language| kind == "advised" && !["c", "fortran"].contains(&language.target);
    for language in LANGUAGES.into_iter().filter(|language| !loads(language)) {
        let Language { target, file, driver: (name, driver), build, run } = language;
        let compiler = build.split(' ').next().unwrap();
        if !is_there(compiler) {
            skipped(compiler);
            continue;
        }
        tried += 1;
        place.run(&["export", solution, "--to", target, "-o", file, "--force"]).exits(0);
        place.write(name, of_kind(driver, kind));
        let mut build = build.to_owned();
        if kind == "advised" && target == "fortran" {
            let header = ["export", solution, "--to", "c", "-o", "remap_policy.h", "--force"];
            place.run(&header).exits(0);
            place.write("rule.c", "#define REMAP_FORTRAN\n#include \"remap_policy.h\"\n");
            started(place, "cc -c -Wall -Wextra -ffp-contract=off rule.c");
            build += " rule.o -lm";
        }
        started(place, &build);
        let mut words = run.split(' ');
        let program = words.next().unwrap();
        let program = if program == "./driver" { place.path("driver") } else { program.into() };
        let mut child = Command::new(program)
            .args(words)
            .current_dir(place.root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let text = input.to_owned();
        let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap().unwrap();
        assert!(output.status.success(), "{target}");
        let out = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines.len(), input.lines().count(), "{target}");
        check(target, &lines);
    }
    assert!(tried > 0, "no compiler at all");
}

/// A driver reads a line and writes one: for beliefs `n p report`, answered by the decision and the
/// next belief. Of the lines that belong to a kind, those of this one.
fn of_kind(driver: &str, kind: &str) -> String {
    let (mut taken, mut text) = (true, String::new());
    for line in driver.lines() {
        if let Some((_, rest)) = line.split_once(" KIND ") {
            let name = rest.split(' ').next().unwrap();
            taken = name == kind || name == "end";
        } else if taken {
            text = text + line + "\n";
        }
    }
    text
}

/// Runs a command of another program, which has to succeed, and gives what it prints.
pub fn started(place: &Workplace, command: &str) -> String {
    let mut words = command.split(' ');
    let mut program = Command::new(words.next().unwrap());
    let output = program.args(words).current_dir(place.root()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command}:\n{said}");
    String::from_utf8(output.stdout).unwrap()
}

/// Says that a part of a test is not run.
#[expect(clippy::print_stderr, reason = "it is for whoever reads the test's output")]
pub fn skipped(program: &str) {
    eprintln!("skipped: there is no {program} here");
}

pub fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}
