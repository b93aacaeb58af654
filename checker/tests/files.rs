//! What a certificate file is refused for, and model files that mean something else than they seem to.

mod sources;

use remap_checker::phase_change::Steps;
use remap_checker::{Evidence, Model, Proof, Refusal, certificate, check, seal};
use sha2::{Digest, Sha256};
use sources::sources;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const DRIFT: &str = "LoadDrift(processors: 2, chain: Walk(lowest: 1, levels: 4, up: 0.3, down: 0.2, edge: Hold), \
                     initial_load: 2, steps: 5, remap_cost: 0.7)";
const PHASE: &str = "PhaseChange(lifetime: Fixed(6), cycle: (before: 1.0, after: 1.5, remapped: 1.1), remap: \
                     (test: 0.2, install: 0), detector: (false_alarm: 0.1, missed: 0.1), hazard: Constant(0.05))";

fn text(problem: &str) -> String {
    format!("Model(title: \"t\", problem: {problem})")
}

fn at(text: &str, certificate: &[u8]) -> Result<Proof, Refusal> {
    check(text, Path::new(""), certificate)
}

fn model(problem: &str) -> Result<Model, Refusal> {
    Model::read(&text(problem), Path::new(""))
}

/// A model file and a certificate of it.
fn sealed(problem: &str, evidence: &Evidence) -> (String, Vec<u8>, Proof) {
    let text = text(problem);
    let proof = Model::read(&text, Path::new("")).unwrap().prove(evidence).unwrap();
    (text.clone(), certificate(&text, evidence, &proof), proof)
}

fn steps() -> Evidence {
    let on = Steps::On(vec![(1 << 44) / 64; 63]);
    Evidence::PhaseChange(50, [vec![on], vec![Steps::On(Vec::new()); 6]].concat())
}

#[test]
fn every_changed_byte_is_refused_and_every_resealed_one_proves_no_other_claims() {
    for (problem, evidence) in [(DRIFT, Evidence::LoadDrift), (PHASE, steps())] {
        let (text, good, proof) = sealed(problem, &evidence);
        assert_eq!(at(&text, &good), Ok(proof.clone()));
        for place in 0..good.len() {
            let mut bytes = good.clone();
            bytes[place] ^= 1 << (place % 8);
            assert!(at(&text, &bytes).is_err(), "byte {place}");
            bytes.truncate(place);
            assert!(at(&text, &bytes).is_err(), "the first {place}");
            if (52..good.len() - 32).contains(&place) {
                let mut payload = good[52..good.len() - 32].to_vec();
                payload[place - 52] ^= 1 << (place % 8);
                // Another belief may show the same.
                let found = at(&text, &seal(&text, &payload));
                assert!(found.as_ref().is_err() || found == Ok(proof.clone()), "resealed {place}");
            }
        }
    }
}

#[test]
fn a_refusal_says_what_is_wrong() {
    let (text, good, _) = sealed(DRIFT, &Evidence::LoadDrift);
    assert_eq!(at(&text, b"{}"), Err(Refusal::NotACertificate));
    assert_eq!(at(&text, &good[..good.len() - 1]), Err(Refusal::Damaged));
    assert_eq!(at(&text, &good[..84]), Err(Refusal::Damaged));
    assert_eq!(at(&text, &good[..30]), Err(Refusal::Damaged));
    assert_eq!(at(&format!("{text} "), &good), Err(Refusal::Foreign));
    assert_eq!(at(&text, &seal(&text, b"")), Err(Refusal::Malformed));
    // A digest alone does not make a certificate.
    let head = &good[..23];
    let short = [head, &Sha256::digest(head)[..]].concat();
    assert_eq!(at(&text, &short), Err(Refusal::Damaged));
    let longer = [&good[52..good.len() - 32], b"\0"].concat();
    assert_eq!(at(&text, &seal(&text, &longer)), Err(Refusal::Malformed));
    let other = seal(&text, &good[52..good.len() - 40]);
    assert!(at(&text, &other).is_err());
}

#[test]
fn steps_that_do_not_fit_the_horizon_are_refused() {
    let model = model(PHASE).unwrap();
    let prove = |steps: Vec<Steps>| model.prove(&Evidence::PhaseChange(50, steps)).map(|_| ());
    let on = || Steps::On(vec![1 << 40; 15]);
    assert_eq!(prove(vec![on()]), Err(Refusal::Malformed));
    assert_eq!(prove(vec![on(), Steps::Held(7)]), Err(Refusal::Malformed));
    assert_eq!(prove(vec![on(), Steps::Held(6)]), Ok(()));
    assert_eq!(prove(vec![Steps::On(vec![1 << 43, 0]), Steps::Held(6)]), Err(Refusal::Malformed));
    assert_eq!(prove(vec![Steps::On(vec![1 << 44]), Steps::Held(6)]), Err(Refusal::Malformed));
    assert_eq!(prove(vec![Steps::On(vec![1 << 43, 1 << 63, 1 << 63])]), Err(Refusal::Malformed));
    for steps in [0, 7, u64::MAX] {
        assert_eq!(
            prove(vec![on(), Steps::On(Vec::new()), Steps::Rest(steps)]),
            Err(Refusal::Malformed)
        );
    }
    assert_eq!(prove(vec![on(), Steps::Rest(6)]), Ok(()));
    let unlike = prove(vec![Steps::Rest(7)]);
    assert!(matches!(unlike, Err(Refusal::Unproved(_))), "{unlike:?}");
}

#[test]
fn many_steps_at_once_prove_what_they_prove_one_by_one() {
    let law = |kept: &str| {
        format!(
            "PhaseChange(lifetime: Fixed(400), cycle: (before: 1.0, after: 2.0, remapped: 1.0), remap: (test: 3.0, \
             install: 0.5), detector: (false_alarm: 0.2, missed: 0.1), hazard: Constant(0.02){kept})"
        )
    };
    let found = model(&law("")).unwrap();
    let start = |more: Vec<Steps>| {
        let on = Steps::On(vec![(1 << 44) / 4096; 4095]);
        let all =
            [vec![on], vec![Steps::On(Vec::new()); 60], vec![Steps::Held(140)], more].concat();
        found.prove(&Evidence::PhaseChange(50, all)).unwrap()
    };
    let (slow, fast) = (start(vec![Steps::Held(200)]), start(vec![Steps::Rest(200)]));
    let ends = |proof: &Proof| {
        let all = proof.intervals();
        let (_, low, high) = all[all.len() - 1].clone();
        let (_, least, most) = all[0].clone();
        [(low, high), (least, most)]
    };
    for ((low, high), (least, most)) in ends(&slow).into_iter().zip(ends(&fast)) {
        assert!(least <= high && low <= most, "[{low}, {high}] [{least}, {most}]");
    }
    // The value is as close, the threshold as wide as it was at the first of the steps.
    let ([(low, high), (p, q)], [(least, most), (r, s)]) = (ends(&slow), ends(&fast));
    assert!(s - r <= 1.1 * (q - p) + 1e-9, "[{p}, {q}] [{r}, {s}]");
    assert!(most - least < 1e-4 && high - low < 1e-5, "[{low}, {high}] [{least}, {most}]");
    let kept = model(&law(", premature: Keep(before_remapped: 1.5)")).unwrap();
    let all = vec![Steps::On(vec![1 << 40; 15]), Steps::Held(300), Steps::Rest(100)];
    assert!(kept.prove(&Evidence::PhaseChange(50, all)).is_err());
}

#[test]
fn model_files_are_read_as_they_are_written() {
    let attributes = "#![enable(implicit_some)]\n/* a /* nested */ comment */ Model(\n // one\n title: r#\"t \"q\"#, \
                      source: Some(\"s\"), problem: ";
    let spelled = DRIFT.replace("0.7", "/* seven tenths */ +7_0.0e-2 // end\n");
    let spelled = format!("{attributes}{spelled})");
    let plain = model(DRIFT).unwrap().prove(&Evidence::LoadDrift).unwrap();
    let other = Model::read(&spelled, Path::new("")).unwrap().prove(&Evidence::LoadDrift).unwrap();
    assert_eq!(plain, other);
}

#[test]
fn models_that_are_none_are_refused() {
    for (from, to) in [
        ("0.7", "NaN"),
        ("0.7", "inf"),
        ("0.7", "-1"),
        ("0.7", "1e999"),
        ("0.7", "1e-999"),
        ("0.7", "."),
        ("0.7", "0x7"),
        ("0.7", "7/10"),
        ("0.7", "0.7, remap_cost: 0.7"),
        ("0.7", "0.7, other: 1"),
        (", remap_cost: 0.7", ""),
        ("up: 0.3", "up: 0.9"),
        ("steps: 5", "steps: 0"),
        ("steps: 5", "steps: -1"),
        ("levels: 4", "levels: 1"),
        ("lowest: 1", "lowest: -1"),
        ("initial_load: 2", "initial_load: 5"),
        ("processors: 2", "processors: 0"),
        (
            "Walk(lowest: 1, levels: 4, up: 0.3, down: 0.2, edge: Hold)",
            "BirthDeath(lowest: 1, up: [0.3, 0.3, 0], down: [0, 0.2])",
        ),
    ] {
        let problem = DRIFT.replace(from, to);
        let found = model(&problem).and_then(|model| model.prove(&Evidence::LoadDrift));
        assert!(found.is_err(), "{problem}");
    }
    for (from, to) in [
        ("Fixed(6)", "Uniform(first: 3, last: 2)"),
        ("Fixed(6)", "Fixed(18446744073709551615)"),
        ("Fixed(6)", "Geometric(rate: 1.5, first: 0, last: 2)"),
        ("Fixed(6)", "Pmf({3: 0})"),
        ("Fixed(6)", "Pmf({0: 0.5, 99999999: 0.5})"),
        ("Constant(0.05)", "PerStep([0.1, 0.1])"),
        ("Constant(0.05)", "Constant(1.01)"),
        ("Constant(0.05)", "Constant(-0.05)"),
        ("before: 1.0", "before: -1.0"),
        ("false_alarm: 0.1", "false_alarm: -0.1"),
        ("alarm: 0.1", "alarm: 1.1"),
        ("missed: 0.1", "missed: 1.1"),
        ("hazard: C", "premature: Keep(before_remapped: 0.9), hazard: C"),
        ("(false_alarm: 0.1, missed: 0.1)", "Levels([(before: 1, after: 0.5)])"),
        ("(false_alarm: 0.1, missed: 0.1)", "Levels([])"),
        ("(false_alarm: 0.1, missed: 0.1)", "Several([])"),
        ("Fixed(6)", "Pmf({0: 0.5, 6: 0.49})"),
        ("Fixed(6)", "Pmf({0: 0.5, 6: 0.4, 6: 0.1})"),
        ("Fixed(6)", "Pmf({0: 0.5, 6: 0.4, 06: 0.1})"),
    ] {
        let found = model(&PHASE.replace(from, to)).and_then(|model| model.prove(&steps()));
        assert!(found.is_err(), "{to}");
    }
}

/// Files that every kind is read with: some of them lead to all kinds.
const SHARED: [&str; 8] = [
    "lib",
    "model",
    "core",
    "core::budget",
    "core::counts",
    "core::decimal",
    "core::proof",
    "core::span",
];

/// Files in which one of several ways is taken, and these.
const FORKS: [(&str, &[&str]); 15] = [
    ("loads", &["loads::affine", "loads::unbounded", "stopping::unbounded"]),
    ("loads::chain", &["loads::affine", "loads::dense"]),
    ("loads::returns", &["loads::joint"]),
    ("stopping::averages", &["stopping::states", "stopping::partial", "stopping::whole"]),
    ("stopping::ending", &["loads::returns", "stopping::states", "stopping::values"]),
    ("stopping::maps", &["stopping::states"]),
    ("stopping::partial", &["loads::joint"]),
    ("stopping::region", &["stopping::states"]),
    (
        "stopping::problem",
        &[
            "loads::joint",
            "loads::multisets",
            "loads::places",
            "loads::unbounded",
            "stopping::moved",
            "stopping::partial",
        ],
    ),
    ("stopping::unbounded", &["stopping::states"]),
    ("stopping::uniform", &["stopping::states"]),
    ("stopping::whole", &["stopping::moved"]),
    (
        "stopping",
        &[
            "loads::joint",
            "loads::multisets",
            "stopping::states",
            "stopping::averages",
            "stopping::ending",
            "stopping::maps",
            "stopping::moved",
            "stopping::partial",
            "stopping::unbounded",
            "stopping::uniform",
            "stopping::values",
        ],
    ),
    (
        "periodic",
        &[
            "loads::chain",
            "periodic::cheapest",
            "periodic::gammas",
            "periodic::keeping",
            "periodic::levels",
            "periodic::normals",
            "periodic::squares",
            "periodic::walks",
        ],
    ),
    ("phase_switching", &["phase_switching::resting"]),
];

/// The files that each of them names, or of which it calls a function that no other file has.
fn leads(files: &BTreeMap<String, String>) -> BTreeMap<&str, BTreeSet<&str>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut homes = BTreeMap::<&str, BTreeSet<&str>>::new();
    // What is looked up, or said, when all has been proved is not among them.
    let read = files.iter().filter(|(file, _)| {
        !["facts", "making", "shown", "stopping::states"].contains(&file.as_str())
    });
    for (file, text) in read {
        for rest in ["pub fn ", "pub(crate) fn "].iter().flat_map(|start| text.split(start).skip(1))
        {
            homes.entry(rest.split(|c| !is_word(c)).next().unwrap()).or_default().insert(file);
        }
    }
    let named = |text: &str| -> BTreeSet<&str> {
        let paths = text.split("crate::").skip(1).filter_map(|rest| {
            let mut parts =
                rest.split("::").map(|part| part.split(|c| !is_word(c)).next().unwrap());
            let (first, second) = (parts.next()?, parts.next().unwrap_or(""));
            let inner = files.get_key_value(&format!("{first}::{second}"));
            inner.or_else(|| files.get_key_value(first)).map(|(name, _)| name.as_str())
        });
        paths.collect()
    };
    let called = |text: &str| -> BTreeSet<&str> {
        let own = homes.iter().filter(|(name, homes)| {
            homes.len() == 1
                && [".", "::"].iter().any(|dot| text.contains(&format!("{dot}{name}(")))
        });
        own.flat_map(|(_, homes)| homes.iter().copied()).collect()
    };
    let leads = files.iter().map(|(file, text)| (file.as_str(), &named(text) | &called(text)));
    leads.collect()
}

/// Lines of code: without comments and blank lines.
fn code(text: &str) -> usize {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

#[test]
fn one_kind_reads_in_fourteen_hundred_lines_of_code() {
    let files = sources();
    let leads = leads(&files);
    let documents = Path::new(env!("CARGO_MANIFEST_DIR")).join("READING.md");
    let page = std::fs::read_to_string(&documents).unwrap();
    let kinds: [(&str, &[&str]); 26] = [
        ("a change of phase", &["phase_change"]),
        ("a map of stopping", &["stopping", "loads::multisets", "stopping::maps"]),
        (
            "a map, loads that are multiplied",
            &["stopping", "loads::multisets", "loads::affine", "stopping::maps"],
        ),
        (
            "a map, chains of all probabilities",
            &["stopping", "loads::multisets", "loads::dense", "stopping::maps"],
        ),
        (
            "a map, remaps to random loads",
            &["stopping", "loads::multisets", "stopping::maps", "stopping::uniform"],
        ),
        (
            "a map, remaps that cost by the units moved",
            &["stopping", "loads::multisets", "stopping::maps", "stopping::moved"],
        ),
        (
            "a map of joint loads",
            &["stopping", "loads::joint", "stopping::maps", "stopping::moved"],
        ),
        (
            "a map of walks without a highest load",
            &["stopping", "loads::multisets", "stopping::maps", "stopping::unbounded"],
        ),
        ("a region of stopping", &["stopping::region"]),
        (
            "a number of steps, then an end",
            &["stopping", "loads::multisets", "stopping::ending", "stopping::moved"],
        ),
        (
            "the same, going on after a remap",
            &[
                "stopping",
                "loads::multisets",
                "loads::returns",
                "stopping::ending",
                "stopping::moved",
            ],
        ),
        (
            "the same of joint loads",
            &["stopping", "loads::joint", "loads::returns", "stopping::ending", "stopping::moved"],
        ),
        (
            "an average",
            &[
                "stopping",
                "loads::multisets",
                "stopping::averages",
                "stopping::whole",
                "stopping::moved",
            ],
        ),
        (
            "an average of joint loads",
            &[
                "stopping",
                "loads::joint",
                "stopping::averages",
                "stopping::whole",
                "stopping::moved",
            ],
        ),
        (
            "an average, remaps of any number of units",
            &["stopping", "loads::multisets", "stopping::averages", "stopping::partial"],
        ),
        (
            "an average of joint loads, remaps of any number of units",
            &["stopping", "loads::joint", "stopping::averages", "stopping::partial"],
        ),
        ("drifting loads", &["load_drift"]),
        ("recurring phases", &["phase_switching"]),
        ("recurring phases, stationary", &["phase_switching", "phase_switching::resting"]),
        ("any number of phases", &["many_phases", "many_phases::bounds"]),
        ("intervals, steps", &["periodic", "periodic::walks", "periodic::keeping"]),
        ("intervals of least cost", &["periodic", "periodic::walks", "periodic::cheapest"]),
        (
            "intervals, exponential and gamma distributions",
            &["periodic", "periodic::gammas", "periodic::keeping"],
        ),
        ("intervals, a normal distribution", &["periodic", "periodic::normals"]),
        ("intervals, squares", &["periodic", "periodic::squares"]),
        ("intervals, chains of levels", &["periodic", "periodic::levels"]),
    ];
    let mut rows = Vec::new();
    for (kind, ways) in kinds {
        let mut own: BTreeSet<&str> = ways.iter().copied().collect();
        let mut open = Vec::from_iter(own.iter().copied());
        while let Some(file) = open.pop() {
            let fork =
                FORKS.iter().find(|(name, _)| *name == file).map_or(&[][..], |(_, ways)| ways);
            for next in leads[file].iter().filter(|next| !fork.contains(next)) {
                if !SHARED.contains(next) && own.insert(next) {
                    open.push(next);
                }
            }
        }
        let all = SHARED.iter().chain(&own);
        let lines = all.map(|file| code(&files[*file])).sum::<usize>();
        let list = own.iter().map(|file| format!("`{}`", file.replace("::", "/")));
        rows.push((format!("| {kind} | {} | {lines} |", Vec::from_iter(list).join(", ")), lines));
    }
    let table = Vec::from_iter(rows.iter().map(|(row, _)| row.as_str())).join("\n");
    assert!(rows.iter().all(|(_, lines)| *lines < 1400), "\n{table}");
    let head = "| --- | --- | --- |\n";
    let (before, after) = page.split_once(head).expect("a table of the kinds");
    let (written, after) = after.split_once("\n\n").expect("more after the table");
    if written != table && std::env::var_os("REMAP_UPDATE_DOCUMENTS").is_some() {
        std::fs::write(documents, format!("{before}{head}{table}\n\n{after}")).unwrap();
        return;
    }
    assert!(written == table, "checker/READING.md is to have (REMAP_UPDATE_DOCUMENTS=1)\n{table}");
}
