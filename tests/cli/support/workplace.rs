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

/// A model of its own for a problem.
pub fn stated(problem: impl std::fmt::Display) -> String {
    format!("Model(title: \"t\", problem: {problem})")
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The path of an example model.
pub fn deck(name: &str) -> String {
    root().join("models").join(name).to_str().unwrap().to_owned()
}

/// The text of an example model.
pub fn deck_text(name: &str) -> String {
    std::fs::read_to_string(deck(name)).unwrap()
}

/// All files below a folder that end so, in order.
pub fn files(folder: impl AsRef<Path>, kind: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, kind));
        } else if path.extension().is_some_and(|own| own == kind) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The names of all files under `models/` that end in `.ron`, in order.
pub fn decks() -> Vec<String> {
    let models = root().join("models");
    let name = |path: PathBuf| path.strip_prefix(&models).unwrap().to_str().unwrap().to_owned();
    let mut names: Vec<String> = files(&models, "ron").into_iter().map(name).collect();
    names.sort();
    names
}

/// A document without its times, which differ between runs.
pub fn timeless(mut document: Value) -> Value {
    match &mut document {
        Value::Object(fields) => {
            fields.remove("seconds");
            fields.values_mut().for_each(|field| *field = timeless(field.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = timeless(item.take())),
        _ => {}
    }
    document
}

/// That a text has all these parts.
#[track_caller]
pub fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

/// That a text has none of these parts.
#[track_caller]
pub fn lacks(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(!text.contains(part), "{part:?} is in\n{text}");
    }
}

/// Fields of documents that have to be there.
pub trait Json {
    fn f64(&self) -> f64;
    fn u64(&self) -> u64;
    fn text(&self) -> &str;
    fn list(&self) -> &[Value];
    fn numbers(&self) -> Vec<f64>;
    /// The fields `lower` and `upper`.
    fn ends(&self) -> [f64; 2];
    /// By a JSON pointer.
    fn at(&self, path: &str) -> &Value;
    fn number(&self, path: &str) -> f64;
    /// The line of a policy.
    fn policy(&self, name: &str) -> &Value;
}

impl Json for Value {
    #[track_caller]
    fn f64(&self) -> f64 {
        self.as_f64().unwrap_or_else(|| panic!("{self} is not a number"))
    }

    #[track_caller]
    fn u64(&self) -> u64 {
        self.as_u64().unwrap_or_else(|| panic!("{self} is not a whole number"))
    }

    #[track_caller]
    fn text(&self) -> &str {
        self.as_str().unwrap_or_else(|| panic!("{self} is not a text"))
    }

    #[track_caller]
    fn list(&self) -> &[Value] {
        self.as_array().unwrap_or_else(|| panic!("{self} is not a list"))
    }

    #[track_caller]
    fn numbers(&self) -> Vec<f64> {
        self.list().iter().map(Json::f64).collect()
    }

    #[track_caller]
    fn ends(&self) -> [f64; 2] {
        ["lower", "upper"].map(|end| self[end].f64())
    }

    #[track_caller]
    fn at(&self, path: &str) -> &Value {
        self.pointer(path).unwrap_or_else(|| panic!("there is no {path} in {self}"))
    }

    #[track_caller]
    fn number(&self, path: &str) -> f64 {
        self.at(path).f64()
    }

    #[track_caller]
    fn policy(&self, name: &str) -> &Value {
        let line = self["policies"].list().iter().find(|line| line["policy"] == name);
        line.unwrap_or_else(|| panic!("there is no {name} in {self}"))
    }
}

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
    #[track_caller]
    pub fn of(output: std::process::Output) -> Outcome {
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(!err.contains("panicked"), "{err}");
        let code = output.status.code().unwrap_or(-1);
        Outcome { code, out: String::from_utf8(output.stdout).unwrap(), err }
    }

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
        Workplace::of(MODEL)
    }

    /// With this model as `model.ron`.
    pub fn of(model: impl AsRef<[u8]>) -> Workplace {
        let place = Workplace::new();
        place.write("model.ron", model);
        place
    }

    /// With a model of this problem as `model.ron`.
    pub fn stating(problem: impl std::fmt::Display) -> Workplace {
        Workplace::of(stated(problem))
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

    /// Writes a model of this problem as `model.ron`.
    pub fn state(&self, problem: impl std::fmt::Display) {
        self.write("model.ron", stated(problem));
    }

    /// Names of what is in the folder, in order.
    pub fn names(&self) -> Vec<String> {
        self.names_in("")
    }

    /// The same of a folder in it.
    pub fn names_in(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_remap"));
        command.current_dir(self.root()).timeout(std::time::Duration::from_secs(120));
        // What another run of the tests has left unfinished is not taken up.
        command.env("XDG_CACHE_HOME", self.root().join("cache"));
        command
    }

    #[track_caller]
    pub fn run(&self, arguments: &[&str]) -> Outcome {
        outcome(self.command().args(arguments))
    }
}

/// What a command leaves behind; never a panic.
#[track_caller]
fn outcome(command: &mut Command) -> Outcome {
    Outcome::of(command.output().unwrap())
}

/// The words of a command, none of which has a space in it; a word that begins with `models/` is
/// the path of an example model.
pub fn words(command: &str) -> Vec<String> {
    let word = |word: &str| word.strip_prefix("models/").map_or(word.to_owned(), deck);
    command.split_whitespace().map(word).collect()
}

impl Workplace {
    /// Runs a command of these [`words`].
    #[track_caller]
    pub fn remap(&self, command: impl AsRef<str>) -> Outcome {
        let words = words(command.as_ref());
        self.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The same on this input.
    #[track_caller]
    pub fn fed(&self, command: impl AsRef<str>, input: impl Into<Vec<u8>>) -> Outcome {
        outcome(self.command().args(words(command.as_ref())).write_stdin(input))
    }

    /// The document of a command that succeeds.
    #[track_caller]
    pub fn answer(&self, command: impl AsRef<str>) -> Value {
        self.remap(command.as_ref().to_owned() + " --json").exits(0).json()
    }

    /// Solves into `solution.json`.
    #[track_caller]
    pub fn solved(&self, model: impl std::fmt::Display) -> Value {
        let found = self.shown(format!("solve --json {model}"));
        self.write("solution.json", &found);
        serde_json::from_str(&found).unwrap()
    }

    /// A document that was written.
    #[track_caller]
    pub fn document(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// What a command that succeeds shows.
    #[track_caller]
    pub fn shown(&self, command: impl AsRef<str>) -> String {
        self.remap(command).exits(0).out
    }
}

/// Starts `remap` with pipes, by a command of these [`words`].
#[cfg(unix)]
pub fn start(workplace: &Workplace, command: &str) -> std::process::Child {
    std::process::Command::new(env!("CARGO_BIN_EXE_remap"))
        .args(words(command))
        .current_dir(workplace.root())
        .env("XDG_CACHE_HOME", workplace.root().join("cache"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap()
}

#[cfg(unix)]
pub fn signal(child: &std::process::Child, name: &str) {
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args([name, &id]).status().unwrap().success());
}

/// What a child leaves behind; never a panic. A signal has the code -1.
#[cfg(unix)]
#[track_caller]
pub fn ended(child: std::process::Child) -> Outcome {
    Outcome::of(child.wait_with_output().unwrap())
}

/// SplitMix64, for moments that differ and are the same in every run.
#[cfg(unix)]
pub fn moments(count: u64, longest: u64) -> impl Iterator<Item = std::time::Duration> {
    (1..=count).map(move |k| {
        let z = k.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        std::time::Duration::from_millis((z >> 33) % longest)
    })
}
