//! What a remap makes of the loads.

use crate::imbalance::Imbalance;
use crate::space::Space;

impl Space {
    /// The lowest and the highest load of each process, unless they move jointly.
    pub fn range(&self) -> Option<[Vec<i64>; 2]> {
        let mut ends = [vec![0; self.processes], vec![0; self.processes]];
        for group in &self.groups {
            if !group.order.is_empty() {
                return None;
            }
            for i in &group.members {
                ends[0][*i] = group.loads[0];
                ends[1][*i] = group.loads[group.loads.len() - 1];
            }
        }
        Some(ends)
    }

    /// The loads that a remap leads to from each of these totals, which ascend: even ones, or where levels do not allow
    /// that, as even as they do.
    pub fn targets(&self, imbalance: &Imbalance, totals: &[i64]) -> Vec<Vec<i64>> {
        let range = self.range();
        let mut filled = range.as_ref().map(|[lowest, _]| lowest.clone());
        let even = |total: &i64| {
            let mut loads = imbalance.split(*total);
            if let (Some([lowest, highest]), Some(filled)) = (&range, &mut filled) {
                while filled.iter().sum::<i64>() < *total {
                    imbalance.add_unit(filled, highest);
                }
                let ends = lowest.iter().zip(highest);
                if loads.iter().zip(ends).any(|(load, (low, high))| load < low || load > high) {
                    loads.clone_from(filled);
                }
            }
            loads
        };
        totals.iter().map(even).collect()
    }
}
