//! Places the labels of dots.

/// Left, top, right and bottom.
type Box = [i32; 4];

/// Labels farther than this from their dots have a line to them.
const FAR: i32 = 12;

/// The positions of labels of these sizes, as offsets from dot to corner. They are as close as
/// possible, with all labels within `room`. As far as there is space, no label overlaps another one
/// or a dot.
pub(super) fn beside(dots: &[(i32, i32)], sizes: &[(u32, u32)], room: Box) -> Vec<(i32, i32)> {
    let [left, top, right, bottom] = room;
    let apart = |a: &Box, b: &Box| a[0] >= b[2] || b[0] >= a[2] || a[1] >= b[3] || b[1] >= a[3];
    let around = |(x, y): &(i32, i32)| [x - 4, y - 4, x + 4, y + 4];
    let mut taken: Vec<Box> = dots.iter().map(around).collect();
    let mut places = Vec::new();
    for ((x, y), (width, height)) in dots.iter().zip(sizes) {
        let (width, height) = (*width as i32, *height as i32);
        let rows = (0..12).flat_map(|row| [-row, row]).map(|row| row * (height + 2) - height / 2);
        let across = [7, -7 - width, 30, 60, 90, 120];
        let mut tried: Vec<(i32, i32)> =
            rows.flat_map(|down| across.map(|along| (along, down))).collect();
        tried.sort_by_key(|place| distance(*place, (width, height)));
        let corner =
            |(along, down): (i32, i32)| [x + along, y + down, x + along + width, y + down + height];
        let inside = |found: &Box| {
            left <= found[0] && top <= found[1] && found[2] <= right && found[3] <= bottom
        };
        let free = |place: &(i32, i32)| {
            let found = corner(*place);
            inside(&found) && taken.iter().all(|other| apart(&found, other))
        };
        let place = tried.into_iter().find(free).unwrap_or((7, -height / 2));
        taken.push(corner(place));
        places.push(place);
    }
    places
}

/// The point of a label that is closest to its dot, at the middle of its height.
fn end((along, down): (i32, i32), (width, height): (i32, i32)) -> (i32, i32) {
    (0.clamp(along, along + width), down + height / 2)
}

/// The squared distance of that point from the dot.
fn distance(place: (i32, i32), size: (i32, i32)) -> i32 {
    let (x, y) = end(place, size);
    x * x + y * y
}

/// A line from a dot to a label that is far from it; empty for others.
pub(super) fn leader(place: (i32, i32), (width, height): (u32, u32)) -> Vec<(i32, i32)> {
    let size = (width as i32, height as i32);
    let (x, y) = end(place, size);
    match distance(place, size) > FAR * FAR {
        true => vec![(0, 0), (x - 2 * x.signum(), y)],
        false => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_far_from_their_dots_have_a_line() {
        assert!(leader((7, -7), (60, 14)).is_empty() && leader((-67, -7), (60, 14)).is_empty());
        assert_eq!(leader((30, 25), (60, 14)), [(0, 0), (28, 32)]);
        assert_eq!(leader((-97, -7), (60, 14)), [(0, 0), (-35, 0)]);
    }

    #[test]
    fn words_of_close_dots_do_not_overlap() {
        let dots = [(100, 100), (103, 101), (101, 99), (400, 100), (395, 104)];
        let sizes = [(60, 14); 5];
        let places = beside(&dots, &sizes, [90, 60, 420, 140]);
        let corners: Vec<_> = dots
            .iter()
            .zip(&places)
            .map(|(dot, place)| (dot.0 + place.0, dot.1 + place.1))
            .collect();
        for (i, a) in corners.iter().enumerate() {
            assert!((90..=360).contains(&a.0) && (60..=126).contains(&a.1), "{a:?}");
            for b in &corners[..i] {
                assert!((a.0 - b.0).abs() >= 60 || (a.1 - b.1).abs() >= 14, "{a:?} {b:?}");
            }
        }
    }
}
