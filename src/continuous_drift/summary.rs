//! Statistics of the loads of all ranks: max - mean, units moved, and excess over a level.

/// Numbers that are summed in parallel lanes.
const LANES: usize = 8;

/// max - mean, and the maximum.
pub fn imbalance(loads: &[f64]) -> (f64, f64) {
    let (mut most, mut sums) = ([f64::NEG_INFINITY; LANES], [0.0; LANES]);
    let (chunks, rest) = loads.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            most[lane] = if chunk[lane] > most[lane] { chunk[lane] } else { most[lane] };
            sums[lane] += chunk[lane];
        }
    }
    let largest = most.iter().chain(rest).copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = sums.iter().chain(rest).sum();
    (largest - sum / loads.len() as f64, largest)
}

/// Units that an even split removes from the loads above their mean.
pub fn units_moved(loads: &[f64]) -> f64 {
    let mean = loads.iter().sum::<f64>() / loads.len() as f64;
    loads.iter().map(|load| (load - mean).max(0.0)).sum()
}

/// The sum of squared excesses of the loads over `from`.
pub fn above(loads: &[f64], from: f64) -> f64 {
    let mut sums = [0.0; LANES];
    let (chunks, rest) = loads.as_chunks::<LANES>();
    let square = |load: f64| {
        let above = if load > from { load - from } else { 0.0 };
        above * above
    };
    for chunk in chunks {
        for lane in 0..LANES {
            sums[lane] += square(chunk[lane]);
        }
    }
    let rest: f64 = rest.iter().map(|load| square(*load)).sum();
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_one_would_count() {
        for ranks in [2, 7, 8, 9, 31] {
            let loads: Vec<f64> = (0..ranks).map(|i| f64::from(i * 37 % 11) - 4.0).collect();
            let most = loads.iter().copied().fold(f64::MIN, f64::max);
            let mean = loads.iter().sum::<f64>() / f64::from(ranks);
            let (found, largest) = imbalance(&loads);
            assert!((found - (most - mean)).abs() < 1e-12 && largest == most);
            let near: f64 =
                loads.iter().filter(|x| **x > most - 3.0).map(|x| (x - most + 3.0).powi(2)).sum();
            assert!((above(&loads, most - 3.0) - near).abs() < 1e-12);
        }
    }
}
