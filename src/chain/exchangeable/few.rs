//! Two or three items, whose runs are too short for a call each.

use super::{ALL, Exchangeable};
use crate::chain::kernel::short_means;
use crate::chain::part::Part;
use pulp::{Simd, WithSimd};

/// [`Exchangeable::compute`] for two items, or for three where all starts are wanted.
pub(super) struct Few<'a> {
    pub(super) operator: &'a Exchangeable,
    pub(super) part: Part<'a>,
    pub(super) v: &'a [f64],
    pub(super) out: &'a mut [f64],
    pub(super) scratch: &'a mut [f64],
}

impl WithSimd for Few<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { operator, part, v, out, scratch } = self;
        if part.items == 2 {
            return operator.two(simd, part, v, out, scratch);
        }
        for z in 0..=part.highest {
            let p = operator.chain.row(z);
            let others = operator.count(2, operator.levels_after(z));
            let (others, scratch) = scratch.split_at_mut(others);
            if z == 0 {
                operator.move_lowest(v, others, 1);
            } else {
                let all = (z, 2, ALL);
                operator.by_run(all, (v, 0), others, 1, |_, _, _, [down, here, above], run| {
                    short_means(simd, p, down, here, above, run);
                });
            }
            let out = &mut out[operator.count(3, z)..operator.count(3, z + 1)];
            operator.two(simd, Part { items: 2, highest: z, ..part }, others, out, scratch);
        }
    }
}

impl Exchangeable {
    /// For two items, row by row of the higher one.
    #[inline(always)]
    fn two<S: Simd>(
        &self,
        simd: S,
        part: Part<'_>,
        v: &[f64],
        out: &mut [f64],
        scratch: &mut [f64],
    ) {
        let first = |y: usize| y * (y + 1) / 2;
        let levels = self.chain.rows_by_level();
        scratch[0] = 0.0;
        for y in (0..=part.highest).filter(|&y| !part.above.excludes(y, 2)) {
            let p = self.chain.row(y);
            let last = y + 1 == self.chain.levels();
            let (here, next) = (&v[first(y)..first(y + 1)], first(y + 1));
            // From the highest level the higher item never moves up.
            let above = if last { here } else { &v[next..next + y + 2] };
            // The lower item afterwards at 0..y, y and y + 1.
            let row = &mut scratch[1..y + 3];
            short_means(simd, p, &v[first(y.saturating_sub(1))..], here, above, &mut row[..y]);
            let before = |row: &[f64]| if y > 0 { row[y - 1] } else { 0.0 };
            row[y] = p.mean(before(here), here[y], above[y]);
            row[y + 1] = if last { 0.0 } else { p.mean(before(above), above[y], above[y + 1]) };
            levels.padded_into(simd, scratch, &mut out[first(y)..next]);
        }
    }
}
