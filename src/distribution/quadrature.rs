//! Adaptive Gauss–Kronrod quadrature.

/// Value of an integral and an estimate of its error from above.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Integral {
    /// The value.
    pub value: f64,
    /// Sum over the panels of the distance between the 7-point Gauss and the 15-point Kronrod
    /// value: the error of the former, and far above that of the latter, which is the value.
    pub error: f64,
}

const NODES: [f64; 7] = [
    0.991_455_371_120_812_6,
    0.949_107_912_342_758_5,
    0.864_864_423_359_769_1,
    0.741_531_185_599_394_4,
    0.586_087_235_467_691_1,
    0.405_845_151_377_397_2,
    0.207_784_955_007_898_47,
];
const KRONROD: [f64; 8] = [
    0.022_935_322_010_529_224,
    0.063_092_092_629_978_55,
    0.104_790_010_322_250_18,
    0.140_653_259_715_525_92,
    0.169_004_726_639_267_9,
    0.190_350_578_064_785_4,
    0.204_432_940_075_298_89,
    0.209_482_141_084_727_83,
];
const GAUSS: [f64; 4] = [
    0.129_484_966_168_869_7,
    0.279_705_391_489_276_64,
    0.381_830_050_505_118_9,
    0.417_959_183_673_469_4,
];

/// Bisections of one panel before it is accepted.
const MAX_DEPTH: u32 = 40;

fn panel(f: &impl Fn(f64) -> f64, a: f64, b: f64) -> Integral {
    let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
    let centre = f(middle);
    let (mut kronrod, mut gauss) = (KRONROD[7] * centre, GAUSS[3] * centre);
    for (j, node) in NODES.iter().enumerate() {
        let pair = f(middle - half * node) + f(middle + half * node);
        kronrod += KRONROD[j] * pair;
        if j % 2 == 1 {
            gauss += GAUSS[j / 2] * pair;
        }
    }
    Integral { value: half * kronrod, error: half * (kronrod - gauss).abs() }
}

/// Number of panels after which the remaining ones are accepted: with noise no tolerance can be
/// met.
const MAX_PANELS: u32 = 100_000;

/// Integral of `f` over `[a, b]`. Panels are halved until the Gauss error of each is below its
/// share of `tolerance` (absolute) or below rounding.
pub fn integrate(f: impl Fn(f64) -> f64, a: f64, b: f64, tolerance: f64) -> Integral {
    integrate_unless(f, a, b, tolerance, || false)
}

/// The same, unless `halted` returns true; the result is then meaningless.
pub(crate) fn integrate_unless(
    f: impl Fn(f64) -> f64,
    a: f64,
    b: f64,
    tolerance: f64,
    halted: impl Fn() -> bool,
) -> Integral {
    let mut total = Integral::default();
    let mut stack = vec![(a, b, 0)];
    let mut panels = 0;
    while let Some((a, b, depth)) = stack.pop() {
        if halted() {
            break;
        }
        panels += 1;
        let part = panel(&f, a, b);
        let middle = 0.5 * (a + b);
        let small = part.error <= tolerance * 0.5_f64.powi(depth as i32 / 2)
            || part.error <= 4.0 * f64::EPSILON * part.value.abs();
        if small || depth == MAX_DEPTH || panels > MAX_PANELS || middle <= a || middle >= b {
            total.value += part.value;
            total.error += part.error;
        } else {
            stack.push((middle, b, depth + 1));
            stack.push((a, middle, depth + 1));
        }
    }
    total
}

/// Nodes and weights of the 15-point Kronrod rule on each of `panels` equal parts of `[a, b]`.
pub fn composite(a: f64, b: f64, panels: usize) -> Vec<(f64, f64)> {
    let half = 0.5 * (b - a) / panels as f64;
    let mut nodes = Vec::with_capacity(15 * panels);
    for j in 0..panels {
        let middle = a + half * (2 * j + 1) as f64;
        nodes.push((middle, half * KRONROD[7]));
        for (node, weight) in NODES.iter().zip(KRONROD) {
            nodes.push((middle - half * node, half * weight));
            nodes.push((middle + half * node, half * weight));
        }
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degree_twenty_two_is_exact() {
        for degree in 0..=22 {
            let value = panel(&|x: f64| x.powi(degree), 0.0, 1.0).value;
            assert!((value - 1.0 / f64::from(degree + 1)).abs() < 1e-15, "degree {degree}");
        }
    }

    #[test]
    fn square_root_singularity() {
        let found = integrate(f64::sqrt, 0.0, 1.0, 1e-13);
        assert!((found.value - 2.0 / 3.0).abs() < 1e-12);
    }
}
