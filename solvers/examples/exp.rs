use remapping::policy::predictive::Predictive;
use remapping::policy::{Policy, Rule};
use remapping::simulate::{Recorded, compare};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let trace = remap::trace::read(std::path::Path::new(&args[1])).unwrap();
    let record = &trace.record;
    let cost: f64 = args[2].parse().unwrap();
    let split: f64 = args[3].parse().unwrap();
    let cut = (record.steps() as f64 * split) as usize;
    eprintln!(
        "{} ranks {} steps remaps {:?} {:?}",
        record.ranks(),
        record.steps(),
        record.remaps().len(),
        trace.repairs
    );
    let names = [
        "never",
        "stop_at_rise",
        "menon",
        "metabalancer",
        "zhai",
        "procassini",
        "marquez:0.1",
        "utilization:0.9",
        "fixed:5",
        "fixed:10",
        "fixed:20",
    ];
    let test = cut..record.steps();
    let n = test.len() as u64;
    let w = Recorded::new(record, test, cost);
    let start = || -> Vec<Box<dyn Policy>> {
        let mut v: Vec<Box<dyn Policy>> =
            names.iter().map(|x| x.parse::<Rule>().unwrap().start(cost)).collect();
        let rows = || (0..cut).map(|t| record.path(t));
        v.push(Box::new(Predictive::new(rows(), cost, n, true)));
        v.push(Box::new(Predictive::new(rows(), cost, n, false)));
        v
    };
    let c = compare(&w, &start, 0..1, 1, true, &()).unwrap();
    let best = c.clairvoyant.unwrap()[0];
    println!("clairvoyant {best:.4}");
    for (name, t) in names.iter().copied().chain(["adaptive", "static"]).zip(&c.tallies) {
        println!(
            "{name:>16} {:.4} regret {:.4} remaps {}",
            t[0].value,
            t[0].value - best,
            t[0].remaps
        );
    }
}
