//! `remap-mpi` on one rank and on several, beside itself on one and beside `remap`.

#![allow(clippy::print_stderr)]

mod course;
mod drift;
mod ends;
mod fitting;
mod joint;
mod killed;
mod paths;
mod shares;
mod stopped;
mod stopping;
mod varying;

use remap::document::to_json;
use remap::problems::registry::Loaded;
use remap::problems::{self, Files, Method, Settings};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// A folder of models, and the programs.
struct Workplace {
    folder: tempfile::TempDir,
}

impl Workplace {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a model of this problem.
    fn model(&self, name: &str, problem: &str) {
        let text = format!("Model(title: \"a test\", problem: {problem})");
        std::fs::write(self.path().join(name), text).unwrap();
    }

    /// `remap-mpi` on so many ranks; root and many ranks on few cores are allowed.
    fn command(&self, ranks: usize, arguments: &[&str]) -> Command {
        let mut command = Command::new("mpirun");
        command.args(["--oversubscribe", "--allow-run-as-root", "-n", &ranks.to_string()]);
        command.arg(env!("CARGO_BIN_EXE_remap-mpi")).args(arguments);
        command.current_dir(self.path()).env("OMPI_MCA_mpi_yield_when_idle", "1");
        command.env("XDG_CACHE_HOME", self.path().join("cache")).env("NO_COLOR", "1");
        command
    }

    fn run(&self, ranks: usize, arguments: &[&str]) -> Output {
        self.command(ranks, arguments).output().expect("mpirun is installed")
    }

    /// The document that is printed, without the time it took.
    fn json(&self, ranks: usize, arguments: &[&str]) -> Value {
        let output = self.run(ranks, arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{ranks} ranks, {arguments:?}: {said}");
        let mut document: Value = serde_json::from_slice(&output.stdout).unwrap();
        document["seconds"] = Value::Null;
        document
    }

    /// What `remap solve` finds, in this process.
    fn serial(&self, model: &str, settings: &Settings) -> Value {
        let loaded = Loaded::read(&self.path().join(model)).unwrap();
        let solved = problems::solve(&loaded, settings, Files::default()).unwrap();
        let mut document: Value = serde_json::from_str(&to_json(&solved.solution)).unwrap();
        document["seconds"] = Value::Null;
        document
    }
}

/// With values, by this method.
fn settings(method: Method) -> Settings {
    Settings { values: true, method, ..Settings::default() }
}
