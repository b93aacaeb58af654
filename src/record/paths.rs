//! Rank times as if there had been no remaps, with and without noise, from the recorded times.

use super::Record;
use crate::kept::Kept;

impl Record {
    /// The imbalance that a remap before this step leaves.
    fn left_before(&self, step: usize) -> &[f64] {
        let after = self.left.partition_point(|left| left.before <= step);
        let around = self.left[after.saturating_sub(1)..].iter().take(2);
        let nearest = around.min_by_key(|left| left.before.abs_diff(step));
        nearest.map_or(&[], |left| &left.off)
    }

    /// Sums the increments. Over a recorded remap the ranks start from the mean of the step before
    /// plus the imbalance that the remap left. Their times in that step contained noise in
    /// addition.
    pub(super) fn follow(&mut self) {
        self.computed.of_paths = Kept::default();
        let ranks = self.ranks;
        let mut paths = Vec::with_capacity(self.seconds.len());
        paths.extend_from_slice(self.row(0));
        let mut remaps = self.remaps.iter().map(|remap| remap.before).peekable();
        for step in 1..self.steps() {
            while remaps.next_if(|before| *before < step).is_some() {}
            let (now, then, last) = (self.row(step), self.row(step - 1), (step - 1) * ranks);
            if remaps.peek() == Some(&step) {
                let (before, left) = (self.mean(step - 1), self.left_before(step));
                for rank in 0..ranks {
                    let noise = self.noise.get(last + rank).unwrap_or(&0.0);
                    let from = before + noise + left.get(rank).unwrap_or(&0.0);
                    paths.push(paths[last + rank] + now[rank] - from);
                }
            } else {
                for rank in 0..ranks {
                    paths.push(paths[last + rank] + now[rank] - then[rank]);
                }
            }
        }
        let mut loads = Vec::new();
        if !(self.noise.is_empty() && self.left.is_empty()) {
            loads.reserve_exact(paths.len());
            for (step, row) in paths.chunks_exact(ranks).enumerate() {
                let left = self.left_before(step + 1);
                let noise = self.noise.get(step * ranks..(step + 1) * ranks).unwrap_or_default();
                loads.extend(row.iter().enumerate().map(|(rank, path)| {
                    path - noise.get(rank).unwrap_or(&0.0) - left.get(rank).unwrap_or(&0.0)
                }));
            }
        }
        let rounding = self.noise.iter().zip(&self.unrounded).map(|(all, part)| all - part);
        paths.iter_mut().zip(rounding).for_each(|(path, rounding)| *path -= rounding);
        (self.paths, self.loads) = (paths, loads);
    }
}
