//! Languages that exported policies are compiled and run in, those that are there.

use crate::workplace::Workplace;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A language: how it is called, how a program around an exported file is built and started.
struct Language {
    target: &'static str,
    file: &'static str,
    driver: fn(&str) -> (&'static str, String),
    build: &'static [&'static str],
    run: &'static [&'static str],
}

const LANGUAGES: [Language; 4] = [
    Language {
        target: "c",
        file: "remap_policy.h",
        driver: c_driver,
        build: &[
            "cc",
            "-std=c99",
            "-Wall",
            "-Wextra",
            "-pedantic",
            "-Werror",
            "-ffp-contract=off",
            "-o",
            "driver",
            "driver.c",
            "-lm",
        ],
        run: &["./driver"],
    },
    Language {
        target: "fortran",
        file: "remap_policy.f90",
        driver: fortran_driver,
        build: &[
            "gfortran",
            "-std=f2003",
            "-Wall",
            "-Werror",
            "-ffp-contract=off",
            "-o",
            "driver",
            "remap_policy.f90",
            "driver.f90",
        ],
        run: &["./driver"],
    },
    Language {
        target: "rust",
        file: "remap_policy.rs",
        driver: rust_driver,
        build: &[
            "rustc",
            "--edition",
            "2021",
            "-D",
            "warnings",
            "-A",
            "dead_code",
            "-o",
            "driver",
            "driver.rs",
        ],
        run: &["./driver"],
    },
    Language {
        target: "python",
        file: "remap_policy.py",
        driver: python_driver,
        build: &["python3", "-m", "py_compile", "remap_policy.py"],
        run: &["python3", "driver.py"],
    },
];

/// One line in, one out: for beliefs `n p report`, answered by the decision and the next belief.
fn c_driver(kind: &str) -> (&'static str, String) {
    let body = match kind {
        "belief" => {
            "long long n; double p; int report;
    while (scanf(\"%lld %lf %d\", &n, &p, &report) == 3)
        printf(\"%d %.17g\\n\", remap_now(p, n), remap_belief(p, n, report));"
        }
        "switching" => {
            "long long n; double p; int second, report;
    while (scanf(\"%lld %lf %d %d\", &n, &p, &second, &report) == 4)
        printf(\"%d %.17g\\n\", remap_now(p, n, second), remap_belief(p, report));"
        }
        "map" => {
            "for (;;) {
        int64_t load[REMAP_PROCESSES];
        for (int i = 0; i < REMAP_PROCESSES; i++) {
            long long value;
            if (scanf(\"%lld\", &value) != 1)
                return 0;
            load[i] = value;
        }
        printf(\"%c %d\\n\", remap_decision(load), remap_now(load));
    }"
        }
        "imbalance" => {
            "long long step; double max, mean;
    while (scanf(\"%lld %lf %lf\", &step, &max, &mean) == 3)
        printf(\"%d\\n\", remap_now(step, max, mean));"
        }
        "curve" => {
            "long long step, since; double max, mean;
    while (scanf(\"%lld %lld %lf %lf\", &step, &since, &max, &mean) == 4)
        printf(\"%d\\n\", remap_now(step, since, max, mean));"
        }
        "level" => {
            "double max, mean;
    while (scanf(\"%lf %lf\", &max, &mean) == 2)
        printf(\"%d\\n\", remap_now(max, mean));"
        }
        "advised" => {
            "static remap_advised rule;
    static double times[REMAP_RANKS];
    char word[8];
    while (scanf(\"%7s\", word) == 1) {
        if (word[0] == 's') {
            long long steps;
            int cold;
            if (scanf(\"%lld %d\", &steps, &cold) != 2)
                return 1;
            if (cold)
                remap_advised_cold(&rule, steps);
            else
                remap_advised_init(&rule, steps);
            puts(\"start\");
            continue;
        }
        for (int i = 0; i < REMAP_RANKS; i++)
            if (scanf(\"%lf\", &times[i]) != 1)
                return 1;
        printf(\"%d\\n\", remap_advised_step(&rule, times));
        if (word[0] == '1')
            remap_advised_remapped(&rule);
        if (word[0] == '2')
            remap_advised_begun(&rule);
    }"
        }
        _ => {
            "long long since;
    while (scanf(\"%lld\", &since) == 1)
        printf(\"%d\\n\", remap_now(since));"
        }
    };
    let text = format!(
        "#include <stdio.h>\n#include \"remap_policy.h\"\n\nint main(void)\n{{\n    {body}\n    return 0;\n}}\n"
    );
    ("driver.c", text)
}

fn fortran_driver(kind: &str) -> (&'static str, String) {
    let body = match kind {
        "belief" => {
            "  integer(i8) :: n
  real(dp) :: p
  integer :: report, ios
  do
    read (*, *, iostat=ios) n, p, report
    if (ios /= 0) exit
    write (*, '(i0, 1x, es25.17e3)') merge(1, 0, remap_now(p, n)), remap_belief(p, n, report == 1)
  end do"
        }
        "switching" => {
            "  integer(i8) :: n
  real(dp) :: p
  integer :: second, report, ios
  do
    read (*, *, iostat=ios) n, p, second, report
    if (ios /= 0) exit
    write (*, '(i0, 1x, es25.17e3)') merge(1, 0, remap_now(p, n, second == 1)), remap_belief(p, report)
  end do"
        }
        "map" => {
            "  integer(i8) :: load(remap_processes)
  integer :: ios
  do
    read (*, *, iostat=ios) load
    if (ios /= 0) exit
    write (*, '(a, 1x, i0)') remap_decision(load), merge(1, 0, remap_now(load))
  end do"
        }
        "imbalance" => {
            "  integer(i8) :: step
  real(dp) :: most, mean
  integer :: ios
  do
    read (*, *, iostat=ios) step, most, mean
    if (ios /= 0) exit
    write (*, '(i0)') merge(1, 0, remap_now(step, most, mean))
  end do"
        }
        "curve" => {
            "  integer(i8) :: step, since
  real(dp) :: most, mean
  integer :: ios
  do
    read (*, *, iostat=ios) step, since, most, mean
    if (ios /= 0) exit
    write (*, '(i0)') merge(1, 0, remap_now(step, since, most, mean))
  end do"
        }
        "level" => {
            "  real(dp) :: most, mean
  integer :: ios
  do
    read (*, *, iostat=ios) most, mean
    if (ios /= 0) exit
    write (*, '(i0)') merge(1, 0, remap_now(most, mean))
  end do"
        }
        "advised" => {
            "  type(c_ptr) :: rule
  real(dp) :: times(remap_ranks)
  character(len=100000), save :: line
  integer(i8) :: steps
  integer :: ios, flag
  do
    read (*, '(a)', iostat=ios) line
    if (ios /= 0) exit
    if (line(1:5) == 'start') then
      read (line(6:), *) steps, flag
      rule = remap_advised_new(steps, flag)
      write (*, '(a)') 'start'
    else
      read (line, *) flag, times
      write (*, '(i0)') merge(1, 0, remap_advised_step(rule, times) /= 0)
      if (flag == 1) call remap_advised_remapped(rule)
      if (flag == 2) call remap_advised_begun(rule)
    end if
  end do
  call remap_advised_free(rule)"
        }
        _ => {
            "  integer(i8) :: since
  integer :: ios
  do
    read (*, *, iostat=ios) since
    if (ios /= 0) exit
    write (*, '(i0)') merge(1, 0, remap_now(since))
  end do"
        }
    };
    let text = format!(
        "program driver\n  use remap_policy\n  implicit none\n{body}\nend program driver\n"
    );
    ("driver.f90", text)
}

fn rust_driver(kind: &str) -> (&'static str, String) {
    let body = match kind {
        "belief" => {
            "let (n, p) = (word[0].parse().unwrap(), word[1].parse().unwrap());
        println!(\"{} {:e}\", remap_now(p, n) as u8, belief(p, n, word[2] == \"1\"));"
        }
        "switching" => {
            "let (n, p) = (word[0].parse().unwrap(), word[1].parse().unwrap());
        let next = belief(p, word[3].parse().unwrap());
        println!(\"{} {:e}\", remap_now(p, n, word[2] == \"1\") as u8, next);"
        }
        "map" => {
            "let loads: Vec<i64> = word.iter().map(|w| w.parse().unwrap()).collect();
        let loads = loads.try_into().unwrap();
        println!(\"{} {}\", decision(&loads), remap_now(&loads) as u8);"
        }
        "imbalance" => {
            "let number = |i: usize| word[i].parse::<f64>().unwrap();
        println!(\"{}\", remap_now(word[0].parse().unwrap(), number(1), number(2)) as u8);"
        }
        "curve" => {
            "let number = |i: usize| word[i].parse::<f64>().unwrap();
        let steps = |i: usize| word[i].parse::<u64>().unwrap();
        println!(\"{}\", remap_now(steps(0), steps(1), number(2), number(3)) as u8);"
        }
        "level" => {
            "let number = |i: usize| word[i].parse::<f64>().unwrap();
        println!(\"{}\", remap_now(number(0), number(1)) as u8);"
        }
        _ => "println!(\"{}\", remap_now(word[0].parse().unwrap()) as u8);",
    };
    let text = format!(
        "mod remap_policy;\nuse remap_policy::*;\n\nfn main() {{\n    for line in std::io::stdin().lines() {{
        let line = line.unwrap();\n        let word: Vec<&str> = line.split_whitespace().collect();\n        {body}\n    }}\n}}\n"
    );
    ("driver.rs", text)
}

fn python_driver(kind: &str) -> (&'static str, String) {
    let body = match kind {
        "belief" => {
            "n, p = int(word[0]), float(word[1])
    print(int(policy.remap_now(p, n)), repr(policy.belief(p, n, word[2] == '1')))"
        }
        "switching" => {
            "n, p = int(word[0]), float(word[1])
    next = policy.belief(p, int(word[3]))
    print(int(policy.remap_now(p, n, word[2] == '1')), repr(next))"
        }
        "map" => {
            "loads = [int(load) for load in word]
    print(policy.decision(loads), int(policy.remap_now(loads)))"
        }
        "imbalance" => "print(int(policy.remap_now(int(word[0]), float(word[1]), float(word[2]))))",
        "curve" => {
            "step, since, most, mean = int(word[0]), int(word[1]), float(word[2]), float(word[3])
    print(int(policy.remap_now(step, since, most, mean)))"
        }
        "level" => "print(int(policy.remap_now(float(word[0]), float(word[1]))))",
        _ => "print(int(policy.remap_now(int(word[0]))))",
    };
    let text = format!(
        "import sys\nimport remap_policy as policy\n\nfor line in sys.stdin:\n    word = line.split()\n    {body}\n"
    );
    ("driver.py", text)
}

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
        if !is_there(language.build[0]) {
            skipped(language.build[0]);
            continue;
        }
        tried += 1;
        let arguments =
            ["export", solution, "--to", language.target, "-o", language.file, "--force"];
        place.run(&arguments).exits(0);
        let (driver, text) = (language.driver)(kind);
        place.write(driver, text);
        let mut sources = language.build[1..].to_vec();
        if kind == "advised" && language.target == "fortran" {
            let header = ["export", solution, "--to", "c", "-o", "remap_policy.h", "--force"];
            place.run(&header).exits(0);
            place.write("rule.c", "#define REMAP_FORTRAN\n#include \"remap_policy.h\"\n");
            sources.extend(["rule.o", "-lm"]);
            let c = ["-c", "-Wall", "-Wextra", "-ffp-contract=off", "rule.c"];
            let mut compiler = Command::new("cc");
            let built = compiler.args(c).current_dir(place.root()).output().unwrap();
            assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        }
        let built = Command::new(language.build[0])
            .args(&sources)
            .current_dir(place.root())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&built.stderr).into_owned();
        assert!(built.status.success(), "{}:\n{said}", language.target);
        let program = match language.run[0] {
            "./driver" => place.path("driver"),
            name => PathBuf::from(name),
        };
        let mut child = Command::new(program)
            .args(&language.run[1..])
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
        assert!(output.status.success(), "{}", language.target);
        let out = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines.len(), input.lines().count(), "{}", language.target);
        check(language.target, &lines);
    }
    assert!(tried > 0, "no compiler at all");
}

/// Says that a part of a test is not run.
#[expect(clippy::print_stderr, reason = "it is for whoever reads the test's output")]
pub fn skipped(program: &str) {
    eprintln!("skipped: there is no {program} here");
}

pub fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}
