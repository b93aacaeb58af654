//! Writes random runs with the decisions of `replay`, a file for each policy, into a folder:
//! `cargo run --release --example runs -- FOLDER COUNT`.

#[path = "../tests/runs/mod.rs"]
mod runs;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| "runs".to_owned());
    let count = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(20);
    std::fs::create_dir_all(&folder)?;
    for policy in runs::PLAIN.iter().chain(&runs::TRAINED) {
        let name = policy.replace(':', "_");
        std::fs::write(format!("{folder}/{name}.txt"), runs::written(policy, count))?;
    }
    Ok(())
}
