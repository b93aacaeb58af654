//! A folder of its own for each test, with models in it, in which `remap` runs.

use assert_cmd::Command;
use serde_json::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A right model. The tests count its lines and columns.
pub const MODEL: &str = r#"Model(
    title: "Drift",
    problem: PhaseChange(
        lifetime: Fixed(40),
        cycle: (before: 1.0, after: 2.0, remapped: 1.0),
        remap: (test: 3.0, install: 1.0),
        detector: (false_alarm: 0.1, missed: 0.2),
        hazard: Constant(0.05),
    ),
)
"#;

/// A right model whose every step is different and expensive: minutes of work.
pub fn endless() -> String {
    MODEL
        .replace("Fixed(40)", "Uniform(first: 0, last: 1000000)")
        .replace("false_alarm: 0.1, missed: 0.2", "false_alarm: 0.25, missed: 0.25")
        .replace("test: 3.0, install: 1.0", "test: 10.0, install: 0.0")
        .replace("0.05", "0.001")
}

/// What a command left behind.
pub struct Outcome {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Outcome {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("{error}: {:?}\n{}", self.out, self.err))
    }

    #[track_caller]
    pub fn exits(self, code: i32) -> Outcome {
        let Outcome { code: found, out, err } = &self;
        assert_eq!(*found, code, "standard output:\n{out}\nstandard error:\n{err}");
        self
    }

    #[track_caller]
    pub fn says(self, part: &str) -> Outcome {
        assert!(self.err.contains(part), "{part:?} is not in\n{}", self.err);
        self
    }
}

pub struct Workplace {
    folder: TempDir,
}

impl Workplace {
    pub fn new() -> Workplace {
        Workplace { folder: tempfile::tempdir().unwrap() }
    }

    /// With [`MODEL`] as `model.ron`.
    pub fn with_model() -> Workplace {
        let place = Workplace::new();
        place.write("model.ron", MODEL);
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Names of what is in the folder, in order.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.root()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_remap"));
        command.current_dir(self.root()).timeout(std::time::Duration::from_secs(120));
        command
    }

    #[track_caller]
    pub fn run(&self, arguments: &[&str]) -> Outcome {
        let output = self.command().args(arguments).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(!err.contains("panicked"), "{err}");
        let code = output.status.code().unwrap_or(-1);
        Outcome { code, out: String::from_utf8(output.stdout).unwrap(), err }
    }
}
