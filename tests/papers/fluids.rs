//! [NR90, sections II and V-A]: the adaptive fluids code, its costs and the shape of Fig. 6.

use crate::shapes::{hindsight_is_least, percent, signs_change};
use approx::{abs_diff_eq, assert_abs_diff_eq, assert_relative_eq};
use proptest::prelude::*;
use remapping::fluids::cost::{Prices, Wrapped, charge};
use remapping::fluids::transport::{REACH, Transport};
use remapping::fluids::tube::{Inflow, Patch, Tube};
use remapping::fluids::{Calls, Fluids, TransportScheme};
use remapping::two_phase::figure::Policy;
use remapping::two_phase::workload::compare;

/// A constant inflow.
fn steady(density: f64) -> Inflow {
    Inflow { density, amplitude: 0.0, from: 0.0, lasting: 1.0, periods: 1.0 }
}

/// The paper's discretisation without refinement.
fn coarse_only() -> Fluids {
    let mut model = Fluids::default();
    model.refinement.threshold = f64::INFINITY;
    model
}

/// Runs a tube until `time`, examining it every five steps.
fn run(tube: &mut Tube, steps: usize) {
    for step in 0..steps {
        if step % 5 == 0 {
            tube.regrid();
        }
        tube.step();
    }
}

/// Moves a periodic profile at one constant velocity.
fn advect(profile: &[f64], courant: f64, calls: usize) -> Vec<f64> {
    let mut transport = Transport::default();
    let mut density = profile.to_vec();
    let mut after = Vec::new();
    for _ in 0..calls {
        let n = density.len();
        let padded: Vec<f64> = (0..n + 2 * REACH).map(|i| density[(i + n - REACH) % n]).collect();
        transport.call(&padded, &vec![1.0; padded.len()], courant, &mut after);
        std::mem::swap(&mut density, &mut after);
    }
    density
}

proptest! {
    #[test]
    fn linear_advection_conserves_and_stays_bounded(
        profile in prop::collection::vec(0.0..10.0f64, 8..60),
        courant in -0.5..0.5f64,
    ) {
        let after = advect(&profile, courant, 40);
        let sum = |values: &[f64]| values.iter().sum::<f64>();
        prop_assert!(abs_diff_eq!(sum(&after), sum(&profile), epsilon = 1e-10 * sum(&profile).max(1.0)));
        let low = profile.iter().copied().fold(f64::INFINITY, f64::min);
        let high = profile.iter().copied().fold(0.0, f64::max);
        for value in after {
            prop_assert!(value >= low - 1e-10 && value <= high + 1e-10, "{value} of {low}..{high}");
        }
    }

    #[test]
    fn linear_advection_has_no_direction(
        profile in prop::collection::vec(0.0..10.0f64, 8..40),
        courant in 0.0..0.5f64,
    ) {
        let forward = advect(&profile, courant, 10);
        let mirrored: Vec<f64> = profile.iter().rev().copied().collect();
        let mut back = advect(&mirrored, -courant, 10);
        back.reverse();
        for (a, b) in forward.iter().zip(&back) {
            prop_assert!(abs_diff_eq!(a, b, epsilon = 1e-9));
        }
    }
}

#[test]
fn linear_advection_moves_at_the_velocity() {
    let n = 200;
    let hump = |x: f64| (-(x - 50.0) * (x - 50.0) / 200.0).exp();
    let profile: Vec<f64> = (0..n).map(|i| hump(f64::from(i))).collect();
    let after = advect(&profile, 0.25, 400);
    let worst =
        (0..n).map(|i| (after[i as usize] - hump(f64::from(i) - 100.0)).abs()).fold(0.0, f64::max);
    assert!(worst < 0.02, "{worst}");
}

/// Where the density falls through `level`, in cells.
fn front(density: &[f64], level: f64) -> f64 {
    let i = density.windows(2).position(|w| w[0] >= level && w[1] < level).expect("a front");
    i as f64 + (density[i] - level) / (density[i] - density[i + 1])
}

/// Slope of a least-squares line through `values` at 0, 1, 2, ...
fn slope(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let (mean_x, mean_y) = ((n - 1.0) / 2.0, values.iter().sum::<f64>() / n);
    let deviations = values.iter().enumerate().map(|(x, y)| (x as f64 - mean_x, y - mean_y));
    let (xy, xx) = deviations.fold((0.0, 0.0), |(xy, xx), (x, y)| (xy + x * y, xx + x * x));
    xy / xx
}

#[test]
fn a_shock_moves_at_the_sum_of_the_densities() {
    for (left, right) in [(5.25, 4.75), (5.0, 3.0), (6.0, 5.0)] {
        for threshold in [f64::INFINITY, 0.005] {
            let mut scheme = Fluids::default();
            scheme.refinement.threshold = threshold;
            let density = (0..512).map(|i| if i < 40 { left } else { right }).collect();
            let mut tube = Tube::new(&scheme, steady(left), density);
            run(&mut tube, 30);
            let mut positions = Vec::new();
            for _ in 0..60 {
                run(&mut tube, 5);
                positions.push(front(tube.density(), 0.5 * (left + right)));
            }
            let speed = slope(&positions) * scheme.spacing / (5.0 * scheme.time_step);
            assert_relative_eq!(speed, left + right, max_relative = 1e-3);
        }
    }
}

#[test]
fn uniform_flow_refines_nothing_and_stays_uniform() {
    let model = Fluids::default();
    let mut tube = Tube::new(&model, steady(5.0), vec![5.0; 512]);
    for _ in 0..80 {
        run(&mut tube, 5);
        assert_eq!(tube.fine_points(), 0);
    }
    assert!(tube.density().iter().all(|density| abs_diff_eq!(*density, 5.0, epsilon = 1e-10)));
}

#[test]
fn the_wave_neither_blows_up_nor_loses_mass() {
    let model = Fluids::default();
    for after in [0.0, 0.3] {
        let mut tube = Tube::new(&model, model.inflow(after), vec![5.0; 512]);
        let before = tube.mass();
        run(&mut tube, 400);
        assert!(tube.fine_points() > 0);
        // At the shock the scheme overshoots by less than a tenth of the amplitude, on the patches
        // as on a uniformly fine grid.
        let sound = |density: &f64| abs_diff_eq!(*density, 5.0, epsilon = 1.1 * 0.25);
        assert!(tube.density().iter().all(sound));
        assert!(tube.patches().iter().flat_map(|patch| &patch.density).all(sound));
        let (entered, left) = tube.passed();
        assert_abs_diff_eq!(tube.mass() - before, (entered - left), epsilon = 1e-10 * before);
    }
}

#[test]
fn the_literal_scheme_is_unstable() {
    for (calls, sub_cycles) in [(Calls::One, 1), (Calls::Two, 1)] {
        let model = Fluids::default();
        let mut scheme = coarse_only();
        scheme.transport = TransportScheme { calls, sub_cycles };
        let mut tube = Tube::new(&scheme, model.inflow(0.0), vec![5.0; 512]);
        run(&mut tube, 400);
        let sound = tube.density().iter().all(|density| (4.5..5.5).contains(density));
        assert!(!sound, "{calls:?}, {sub_cycles} sub-cycles");
    }
}

/// The tube with everything `factor` times finer.
fn finer(model: &Fluids, factor: usize) -> Tube {
    let mut scheme = coarse_only();
    scheme.spacing /= factor as f64;
    scheme.time_step /= factor as f64;
    Tube::new(&scheme, model.inflow(0.0), vec![model.density; factor * model.points])
}

#[test]
fn refinement_halves_the_error() {
    let (model, factor) = (Fluids::default(), 12);
    let coarse = |scheme: &Fluids| Tube::new(scheme, model.inflow(0.0), vec![5.0; 512]);
    let mut exact = finer(&model, factor);
    let mut tubes = [coarse(&model), coarse(&coarse_only())];
    let mut done = 0;
    for steps in [100, 250, 350] {
        run(&mut exact, factor * (steps - done));
        let mean = |cells: &[f64]| cells.iter().sum::<f64>() / factor as f64;
        let exact: Vec<f64> = exact.density().chunks(factor).map(mean).collect();
        let [adaptive, plain] = tubes.each_mut().map(|tube| {
            run(tube, steps - done);
            tube.density().iter().zip(&exact).map(|(a, b)| (a - b).abs()).sum::<f64>()
        });
        assert!(adaptive < 0.5 * plain, "after {steps} steps: {adaptive} against {plain}");
        done = steps;
    }
}

#[test]
fn costs_without_refinement() {
    for exchange in [0.0, 1.5, 20.0] {
        let prices = Prices { exchange, fine_steps: 6.0, ratio: 6 };
        for (blocks, expected) in [(16, 32.0 + 2.0 * exchange), (64, 32.0 + 8.0 * exchange)] {
            let map = Wrapped { points: 512, processors: 16, blocks };
            let mut costs = vec![0.0; 16];
            let work = charge(&map, &prices, &[], &mut costs);
            assert_eq!(work, 512.0);
            assert_eq!(costs.iter().copied().fold(0.0, f64::max), expected);
            // Only the two ends of the tube have nobody to talk to.
            assert_eq!(costs.iter().sum::<f64>(), 512.0 + 2.0 * (blocks - 1) as f64 * exchange);
        }
    }
    let mut model = Fluids::default();
    model.cost.exchange = 3.0;
    let quiet = model.run(1.0).cycle_times();
    assert!(quiet.old.iter().all(|&time| time == 5.0 * (32.0 + 2.0 * 3.0)));
    assert!(quiet.new.iter().all(|&time| time == 5.0 * (32.0 + 8.0 * 3.0)));
    assert_eq!(quiet.change(), None);
}

proptest! {
    /// Against the obvious: point by point, neighbour by neighbour.
    #[test]
    fn costs_are_those_of_the_points(
        processors in 1usize..6,
        wraps in 1usize..5,
        cells_per_block in 1usize..5,
        refined in prop::collection::vec(any::<bool>(), 100),
        fine_steps in 1u8..4,
        exchange in 0.0..4.0f64,
    ) {
        let (blocks, ratio) = (processors * wraps, 3);
        let points = blocks * cells_per_block;
        let refined = &refined[..points];
        let mut patches: Vec<Patch> = Vec::new();
        for first in 0..points {
            if refined[first] && (first == 0 || !refined[first - 1]) {
                let cells = refined[first..].iter().take_while(|&&r| r).count();
                patches.push(Patch { first, density: vec![0.0; cells * ratio] });
            }
        }
        let fine_steps = f64::from(fine_steps);
        let owner = |cell: usize| cell / cells_per_block % processors;
        let mut expected = vec![0.0; processors];
        for cell in 0..points {
            expected[owner(cell)] += 1.0;
            if refined[cell] {
                expected[owner(cell)] += ratio as f64 * fine_steps;
            }
            for next in [cell.wrapping_sub(1), cell + 1] {
                if next < points && owner(next) != owner(cell) {
                    expected[owner(cell)] += exchange;
                    if refined[cell] && refined[next] {
                        expected[owner(cell)] += exchange * fine_steps;
                    }
                }
            }
        }
        let map = Wrapped { points, processors, blocks };
        let mut costs = vec![0.0; processors];
        charge(&map, &Prices { exchange, fine_steps, ratio }, &patches, &mut costs);
        for (cost, expected) in costs.iter().zip(&expected) {
            prop_assert!(abs_diff_eq!(cost, expected, epsilon = 1e-9));
        }
    }
}

#[test]
fn shape_of_figure_6() {
    let (comparison, _) = compare(&Fluids::default(), 40, 1, &()).unwrap();
    let [coarse, wrapped] =
        [Policy::StaticOld, Policy::StaticNew].map(|policy| percent(&comparison, policy));
    assert!(coarse.windows(2).all(|pair| pair[1] < pair[0] + 1.0), "{coarse:?}");
    assert!(wrapped.windows(2).all(|pair| pair[1] > pair[0] - 1.0), "{wrapped:?}");
    let last = coarse.len() - 1;
    assert!(coarse[0] > wrapped[0] && coarse[last] < wrapped[last]);
    assert!(coarse[0] > 10.0 && wrapped[last] > 10.0);
    signs_change(&comparison.envelope);
    hindsight_is_least(&comparison);
}

/// Mean cycle times of the second phase, under the old and the new mapping.
fn second_phase(model: &Fluids) -> (f64, f64) {
    let cycles = model.run(0.0).cycle_times();
    let change = cycles.change().unwrap();
    let mean = |times: &[f64]| times[change..].iter().sum::<f64>() / (times.len() - change) as f64;
    (mean(&cycles.old), mean(&cycles.new))
}

#[test]
fn without_charging_the_short_steps_there_is_little_to_gain_or_nothing() {
    let mut model = Fluids::default();
    let (after, remapped) = second_phase(&model);
    assert!(after > 1.8 * remapped);
    model.cost.charge_sub_steps = false;
    let (after, remapped) = second_phase(&model);
    assert!(after < 1.1 * remapped);
    model.cost.exchange = 40.0;
    let (after, remapped) = second_phase(&model);
    assert!(after < remapped);
}
