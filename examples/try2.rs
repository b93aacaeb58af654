use remapping::{lifetime::*, threshold::*, *};
fn r(s: &str) -> Rational {
    let (m, e) = s.split_once('e').unwrap_or((s, "0"));
    let (a, b) = m.split_once('.').unwrap_or((m, ""));
    let d: i64 = format!("{a}{b}").parse().unwrap();
    let e: i32 = e.parse().unwrap();
    let k = e - b.len() as i32;
    let p = Rational::from(dashu::integer::UBig::from(10u8).pow(k.unsigned_abs() as usize));
    if k < 0 { Rational::from(d) / p } else { Rational::from(d) * p }
}
fn main() {
    for (name, law, h, a, b, d, keep, tol) in [
        ("tol1e-12", Lifetime::fixed(1000), "0.001", "0.05", "0.05", "10", None, 1e-12),
        ("tol1e-14", Lifetime::fixed(1000), "0.001", "0.05", "0.05", "10", None, 1e-14),
        ("tol1e-6 hard", Lifetime::fixed(1000), "0.001", "0.25", "0.25", "10", None, 1e-6),
        ("h1e-6 1e9", Lifetime::fixed(1000000000), "0.000001", "0.05", "0.05", "10", None, 1e-9),
        ("h1e-9 1e9", Lifetime::fixed(1000000000), "0.000000001", "0.05", "0.05", "10", None, 1e-9),
        ("h0 1e9", Lifetime::fixed(1000000000), "0", "0.05", "0.05", "10", None, 1e-9),
        ("h0 uninf 1e4", Lifetime::fixed(10000), "0", "0.5", "0.5", "10", None, 1e-9),
        ("uninf 1e6", Lifetime::fixed(1000000), "0.001", "0.5", "0.5", "10", None, 1e-9),
        ("uninf 1e9", Lifetime::fixed(1000000000), "0.001", "0.5", "0.5", "10", None, 1e-9),
        ("reversed", Lifetime::fixed(1000), "0.001", "0.9", "0.9", "10", None, 1e-9),
        ("alpha0", Lifetime::fixed(1000000000), "0.001", "0", "0.1", "10", None, 1e-9),
        ("beta0", Lifetime::fixed(1000000000), "0.001", "0.1", "0", "10", None, 1e-9),
        ("perfect", Lifetime::fixed(1000000000), "0.001", "0", "0", "10", None, 1e-9),
        ("h1", Lifetime::fixed(1000000000), "1", "0.1", "0.1", "10", None, 1e-9),
        (
            "uniform1e4",
            Lifetime::uniform(1, 10000).unwrap(),
            "0.001",
            "0.1",
            "0.1",
            "10",
            None,
            1e-9,
        ),
        (
            "uniform head",
            Lifetime::uniform(999_999_000, 1000000000).unwrap(),
            "0.001",
            "0.1",
            "0.1",
            "10",
            None,
            1e-9,
        ),
        (
            "geo 1e9",
            Lifetime::geometric(r("0.01"), 0, 1000000000).unwrap(),
            "0.001",
            "0.1",
            "0.1",
            "10",
            None,
            1e-9,
        ),
        (
            "geo first 1e9",
            Lifetime::geometric(r("0.01"), 500, 1000000000).unwrap(),
            "0.001",
            "0.1",
            "0.1",
            "10",
            None,
            1e-9,
        ),
        (
            "geo never",
            Lifetime::geometric(r("0.2"), 0, 1000000000).unwrap(),
            "0.001",
            "0.1",
            "0.1",
            "10",
            None,
            1e-9,
        ),
        ("keep 1e9", Lifetime::fixed(1000000000), "0.001", "0.1", "0.1", "10", Some("1.5"), 1e-9),
        ("keep0 1e9", Lifetime::fixed(1000000000), "0.001", "0.1", "0.1", "10", Some("1"), 1e-9),
        (
            "keep 1e6 small h",
            Lifetime::fixed(1000000),
            "0.000001",
            "0.1",
            "0.1",
            "10",
            Some("1.5"),
            1e-9,
        ),
        ("alpha tiny", Lifetime::fixed(1000000), "0.001", "1e-12", "0.1", "10", None, 1e-9),
        ("beta tiny", Lifetime::fixed(1000000), "0.001", "0.1", "1e-300", "10", None, 1e-9),
        ("D0", Lifetime::fixed(1000000), "0.001", "0.1", "0.1", "0", None, 1e-9),
        ("big D", Lifetime::fixed(1000000), "0.001", "0.1", "0.1", "100000", None, 1e-9),
        ("tiny costs", Lifetime::fixed(1000000), "0.001", "0.1", "0.1", "1e-9", None, 1e-9),
    ] {
        let p = PhaseChange {
            lifetime: law,
            hazard: Hazard::Constant(r(h)),
            before: r("1"),
            after: r("2"),
            remapped: r("1"),
            test: r(d),
            install: r("0"),
            false_alarm: r(a),
            missed: r(b),
            premature: match keep {
                Some(x) => Premature::Keep { before_remapped: r(x) },
                None => Premature::Revert,
            },
        };
        let t = std::time::Instant::now();
        struct Lim(std::time::Instant);
        impl Observer for Lim {
            fn progress(&self, _: u64, _: u64) -> std::ops::ControlFlow<Halt> {
                if self.0.elapsed().as_secs() > 15 {
                    std::ops::ControlFlow::Break(Halt::TimeLimit)
                } else {
                    std::ops::ControlFlow::Continue(())
                }
            }
        }
        let s = solve(&p, Accuracy { tolerance: tol, segments: None }, &Lim(t)).unwrap();
        println!(
            "{name:16} {:?} n0={} {:?} maxw {:.2e} V={:?} seg={} steps={} {:?}",
            s.status,
            s.onset,
            s.curve.at(0).map(|b| (b.lower, b.upper)),
            s.curve.width(),
            s.value,
            s.segments,
            s.steps,
            t.elapsed()
        );
    }
}
