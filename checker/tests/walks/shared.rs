//! States that share loads are known by their places.

use super::{BITS, Chain, RHO, around, average, checked, holds, prove, psi, values};
use remap_checker::{Decision, Evidence, Refusal};

#[test]
fn states_that_share_loads_have_their_own_decisions() {
    let mut differ = 0;
    for (count, moves) in
        [(2, vec![0.0625, 0.4375]), (2, vec![0.03125, 0.25, 0.5]), (3, vec![0.0625, 0.375])]
    {
        for together in [true, false] {
            let chain = Chain::hidden(count, 3, &moves, together);
            let problem = chain.written(&format!("remap_cost: {RHO}, after_remap: Stop"));
            let (value, go) = chain.once(RHO);
            let checked = checked(&problem, &values(around(&value)));
            for (s, loads) in chain.loads.iter().enumerate() {
                let (decision, bounds) = checked.state(loads, s).unwrap();
                let right = match (psi(loads) == 0.0, go[s] < RHO) {
                    (true, _) => Decision::Balanced,
                    (_, true) => Decision::Continue,
                    _ => Decision::Remap,
                };
                assert_eq!(decision, right, "{loads:?}");
                holds(bounds, value[s]);
                let other = chain.loads.iter().position(|own| own == loads).unwrap();
                differ += usize::from((value[s] - value[other]).abs() > 1e-3);
                // The state is known by its place.
                let elsewhere = (0..chain.loads.len()).find(|t| chain.loads[*t] != *loads);
                assert!(checked.state(loads, elsewhere.unwrap()).is_none());
            }
            // One for the other.
            let mut swapped = around(&value);
            let twin = (0..value.len()).find_map(|s| {
                let other = (s + 1..value.len()).find(|t| chain.loads[*t] == chain.loads[s])?;
                ((value[s] - value[other]).abs() > 1e-3).then_some((s, other))
            });
            swapped.swap(twin.unwrap().0, twin.unwrap().1);
            let refusal = Refusal::Unproved("the values do not enclose the optimal cost");
            assert_eq!(prove(&problem, &values(swapped)), Err(refusal));
        }
    }
    assert!(differ > 20);
}

#[test]
fn a_remap_leads_to_the_state_that_is_in_the_same_place_of_its_list() {
    for together in [true, false] {
        let chain = Chain::hidden(2, 4, &[0.0625, 0.4375], together);
        let even = |s: usize| {
            let total: i64 = chain.loads[s].iter().sum();
            vec![(total + 1) / 2, total / 2]
        };
        let states = 0..chain.loads.len();
        let ways = |to: &dyn Fn(usize) -> usize| {
            Vec::from_iter(states.clone().map(|s| vec![(RHO, to(s))]))
        };
        let (right, h) = chain.forever(&ways(&|s| chain.twin(s, &even(s)).unwrap()));
        let first = |s: usize| chain.loads.iter().position(|loads| *loads == even(s)).unwrap();
        let (other, _) = chain.forever(&ways(&first));
        assert!((right - other).abs() > 1e-3, "{right} {other}");
        let problem = chain.written(&format!("remap_cost: {RHO}, after_remap: Restart"));
        holds(average(&prove(&problem, &values(h.iter().map(|v| [*v; 2]))).unwrap()), right);
    }
    // With no such state a remap leads nowhere.
    let problem = "Stopping(processes: Joint(loads: [[1, 1], [0, 2], [0, 2]], transition: Dense([[0.5, 0.25, 0.25], [0.5, \
                   0.5, 0], [0.5, 0, 0.5]])), remap_cost: 2, after_remap: Restart)";
    let shared =
        Refusal::Model("a remap leads to loads that are shared by fewer states".to_owned());
    assert_eq!(prove(problem, &values([[0.0; 2]; 3])), Err(shared.clone()));
    let ends = problem.replace("Restart", "Restart, steps: 5");
    assert_eq!(prove(&ends, &Evidence::Stopping(BITS, Vec::new())), Err(shared));
}
