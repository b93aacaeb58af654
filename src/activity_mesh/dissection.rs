//! Binary dissection: a domain cut into rectangles of nearly equal weight.
//!
//! M. Berger, S. Bokhari, "A partitioning strategy for nonuniform problems on multiprocessors",
//! IEEE Transactions on Computers 36 (1987), for any number of processors.

/// The points with left <= x < right and bottom <= y < top.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rectangle {
    /// Least x.
    pub left: u32,
    /// First x beyond.
    pub right: u32,
    /// Least y.
    pub bottom: u32,
    /// First y beyond.
    pub top: u32,
}

impl Rectangle {
    /// Number of points.
    pub fn points(&self) -> u64 {
        u64::from(self.right - self.left) * u64::from(self.top - self.bottom)
    }
}

/// Cuts `size.0` x `size.1` points into rectangles for `processors` >= 1 processors, by the weight
/// of rectangles of points.
///
/// A rectangle for p processors is cut across its longer side (across x if equal) into parts for
/// p/2 processors and for the others. The cut is where the weights come closest to that proportion;
/// of equal cuts the lowest. Points are indivisible. With fewer points than processors, some
/// processors get none. Time: O(log) weights per processor and side length.
pub fn dissect(
    size: (u32, u32),
    processors: usize,
    weight: impl Fn(&Rectangle) -> u64,
) -> Vec<Rectangle> {
    let all = Rectangle { left: 0, right: size.0, bottom: 0, top: size.1 };
    let mut parts = Vec::with_capacity(processors);
    cut(all, processors, &weight, &mut parts);
    parts
}

fn cut(
    whole: Rectangle,
    processors: usize,
    weight: &impl Fn(&Rectangle) -> u64,
    parts: &mut Vec<Rectangle>,
) {
    if processors <= 1 {
        parts.push(whole);
        return;
    }
    let (width, height) = (whole.right - whole.left, whole.top - whole.bottom);
    if whole.points() <= 1 {
        parts.push(whole);
        let none = Rectangle { right: whole.left, ..whole };
        parts.extend(std::iter::repeat_n(none, processors - 1));
        return;
    }
    let first = processors / 2;
    let across_x = width >= height;
    let split = |at: u32| match across_x {
        true => {
            let at = whole.left + at;
            (Rectangle { right: at, ..whole }, Rectangle { left: at, ..whole })
        }
        false => {
            let at = whole.bottom + at;
            (Rectangle { top: at, ..whole }, Rectangle { bottom: at, ..whole })
        }
    };
    let total = u128::from(weight(&whole)) * first as u128;
    // The weight of the first part grows with the position: bisection for its share.
    let share = |at: u32| u128::from(weight(&split(at).0)) * processors as u128;
    let length = if across_x { width } else { height };
    let (mut low, mut high) = (1, length - 1);
    while low < high {
        let middle = low + (high - low) / 2;
        if share(middle) < total {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    // The preceding cut may be closer; of equal cuts the lowest is taken.
    let mut at = low;
    if low > 1 && share(low - 1).abs_diff(total) <= share(low).abs_diff(total) {
        let weight = share(low - 1);
        at = low - 1;
        while at > 1 && share(at - 1) == weight {
            at -= 1;
        }
    }
    let (one, other) = split(at);
    cut(one, first, weight, parts);
    cut(other, processors - first, weight, parts);
}
