use remapping::policy::predictive::Predictive;
use remapping::policy::{Policy, Step};
use remapping::simulate::{Base, Recorded};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let trace = remap::trace::read(std::path::Path::new(&args[1])).unwrap();
    let record = &trace.record;
    let cost: f64 = args[2].parse().unwrap();
    let cut = record.steps() / 2;
    let k = record.steps() - cut;
    // clairvoyant positions
    let u = |base: usize, t: usize| {
        let mut v = Vec::new();
        Recorded::times(record, Base::Balanced(base), t, &mut v);
        Step::new(1, v).imbalance()
    };
    let mut best = vec![(f64::INFINITY, 0usize); k + 1]; // cost up to step i with remap after i
    best[0] = (0.0, 0);
    for i in 1..=k {
        for j in 0..i {
            let mut s = best[j].0;
            for t in j + 1..=i {
                s += u(cut - 1 + j, cut - 1 + t);
            }
            if i < k {
                s += cost;
            }
            if s < best[i].0 {
                best[i] = (s, j);
            }
        }
    }
    let mut p = vec![];
    let mut i = k;
    while i > 0 {
        i = best[i].1;
        p.push(i);
    }
    println!("clairvoyant {:?} {}", p, best[k].0);
    let mut pol = Predictive::new((0..cut).map(|t| record.path(t)), cost, k as u64, true);
    let mut base = cut - 1;
    for t in 1..=k {
        let mut v = Vec::new();
        Recorded::times(record, Base::Balanced(base), cut - 1 + t, &mut v);
        let s = Step::new(t as u64, v);
        pol.observe(&s);
        if t < k && pol.wants_remap() {
            println!("remap after {t}, u {:.4}", s.imbalance());
            base = cut - 1 + t;
            pol.remapped();
        }
    }
}
