use remapping::{lifetime::*, threshold::*, *};
fn r(s: &str) -> Rational {
    let (a, b) = s.split_once('.').unwrap_or((s, ""));
    let d: i64 = format!("{a}{b}").parse().unwrap();
    Rational::from(d) / Rational::from(10i64.pow(b.len() as u32))
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let m: u64 = a[1].parse::<f64>().unwrap() as u64;
    let g = |i: usize, d: &str| r(a.get(i).map(|s| s.as_str()).unwrap_or(d));
    let p = PhaseChange {
        lifetime: Lifetime::fixed(m),
        hazard: Hazard::Constant(g(2, "0.001")),
        before: r("1"),
        after: r("2"),
        remapped: r("1"),
        test: g(4, "10"),
        install: r("0"),
        false_alarm: g(3, "0.05"),
        missed: g(5, &a.get(3).cloned().unwrap_or("0.05".into())),
        premature: if a.len() > 6 {
            Premature::Keep { before_remapped: r(&a[6]) }
        } else {
            Premature::Revert
        },
    };
    let t = std::time::Instant::now();
    let s = solve(&p, Accuracy { tolerance: 1e-9, segments: None }, &()).unwrap();
    if std::env::var("CURVE").is_ok() {
        for k in (0..=m).rev() {
            let b = s.curve.at(k).unwrap();
            println!("{k} {} {:.3e}", b.middle(), b.width());
        }
    }
    println!(
        "{:?} n0={} pi0={:?} mid {:.15} w0 {:.2e} maxw {:.2e} V={:?} seg={} steps={} {:?}",
        s.status,
        s.onset,
        s.curve.at(0).unwrap(),
        s.curve.at(0).unwrap().middle(),
        s.curve.at(0).unwrap().width(),
        s.curve.width(),
        s.value,
        s.segments,
        s.steps,
        t.elapsed()
    );
    if std::env::var("SHOW").is_ok() {
        let mut prev = 0.0;
        for k in (0..=m).rev().step_by(10) {
            let b = s.curve.at(k).unwrap();
            println!(
                "{} {:.15} d {:.2e} w {:.2e}",
                m - k,
                b.middle(),
                b.middle() - prev,
                b.width()
            );
            prev = b.middle();
            if m - k > 400 {
                break;
            }
        }
    }
}
