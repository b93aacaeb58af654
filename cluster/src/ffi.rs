//! The calls of `shim.c`: the only unsafe code.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};

type Apply = extern "C" fn(*mut c_void, *const f64, *mut f64, i64);
type Diagonal = extern "C" fn(*mut c_void, *mut f64, i64);
type Halts = extern "C" fn(*mut c_void) -> c_int;

unsafe extern "C" {
    fn remap_start(rank: *mut c_int, ranks: *mut c_int);
    fn remap_stop();
    fn remap_abort(code: c_int);
    fn remap_most() -> i64;
    fn remap_worked() -> f64;
    fn remap_broadcast(bytes: *mut c_void, length: i64);
    fn remap_largest(numbers: *mut f64, count: c_int);
    fn remap_counts(own: i64, all: *mut i64);
    fn remap_gather(
        own: *const f64,
        count: c_int,
        all: *mut f64,
        counts: *const c_int,
        places: *const c_int,
        root: c_int,
    );
    fn remap_exchange(
        receives: c_int,
        from: *const c_int,
        into: *const *mut f64,
        expected: *const i64,
        sends: c_int,
        to: *const c_int,
        what: *const *const f64,
        lengths: *const i64,
    );
    fn remap_solve(
        apply: Apply,
        diagonal: Diagonal,
        halts: Halts,
        context: *mut c_void,
        symmetric: c_int,
        own: i64,
        right: *const f64,
        x: *mut f64,
        goal: f64,
        limit: i64,
        reason: *mut c_int,
    );
}

/// Starts MPI and then PETSc; returns the own rank, and how many there are. Called once, before all
/// others.
pub fn start() -> (usize, usize) {
    let (mut rank, mut ranks) = (0, 0);
    // SAFETY: both places are valid.
    unsafe { remap_start(&mut rank, &mut ranks) };
    (rank as usize, ranks as usize)
}

/// Ends PETSc and MPI; nothing is called after that.
pub fn stop() {
    // SAFETY: it takes nothing.
    unsafe { remap_stop() }
}

/// Ends all ranks.
pub fn abort(code: u8) {
    // SAFETY: it takes a number.
    unsafe { remap_abort(code.into()) }
}

/// The most entries that vectors of PETSc can have.
pub fn most_entries() -> usize {
    // SAFETY: it takes nothing.
    unsafe { remap_most() as usize }
}

/// Seconds that processors have worked for this process.
pub fn worked() -> f64 {
    // SAFETY: it takes nothing.
    unsafe { remap_worked() }
}

/// The bytes of rank 0, on all; equally many are given on each.
pub fn broadcast(bytes: &mut [u8]) {
    // SAFETY: the place has that length.
    unsafe { remap_broadcast(bytes.as_mut_ptr().cast(), bytes.len() as i64) }
}

/// The largest in each place.
pub fn largest(numbers: &mut [f64]) {
    // SAFETY: the place has that length.
    unsafe { remap_largest(numbers.as_mut_ptr(), count(numbers.len())) }
}

/// The number that each of the ranks gives.
pub fn counts(own: i64, ranks: usize) -> Vec<i64> {
    let mut all = vec![0; ranks];
    // SAFETY: there is room for one number of each.
    unsafe { remap_counts(own, all.as_mut_ptr()) }
    all
}

/// The numbers of all ranks, so many of each, on rank `root`, or on all.
pub fn gather(own: &[f64], counts: &[i64], root: Option<usize>, rank: usize) -> Vec<f64> {
    let total = counts.iter().sum::<i64>() as usize;
    let receives = root.is_none_or(|root| root == rank);
    let mut all = vec![0.0; if receives { total } else { 0 }];
    // Fits as the total does.
    let _ = count(total);
    let mut places = Vec::with_capacity(counts.len());
    let mut place = 0;
    for own in counts {
        places.push(place);
        place += *own as c_int;
    }
    let counts: Vec<c_int> = counts.iter().map(|own| *own as c_int).collect();
    let root = root.map_or(-1, |root| root as c_int);
    // SAFETY: where numbers are received there is room for all of them.
    unsafe {
        remap_gather(
            own.as_ptr(),
            count(own.len()),
            all.as_mut_ptr(),
            counts.as_ptr(),
            places.as_ptr(),
            root,
        );
    }
    all
}

/// Fills `receives` with what these ranks send, while `sends` goes to others.
pub fn exchange(receives: &mut [(usize, &mut [f64])], sends: &[(usize, &[f64])]) {
    let from: Vec<c_int> = receives.iter().map(|(rank, _)| *rank as c_int).collect();
    let expected: Vec<i64> = receives.iter().map(|(_, into)| into.len() as i64).collect();
    let into: Vec<*mut f64> = receives.iter_mut().map(|(_, into)| into.as_mut_ptr()).collect();
    let to: Vec<c_int> = sends.iter().map(|(rank, _)| *rank as c_int).collect();
    let lengths: Vec<i64> = sends.iter().map(|(_, what)| what.len() as i64).collect();
    let what: Vec<*const f64> = sends.iter().map(|(_, what)| what.as_ptr()).collect();
    // SAFETY: the lists are equally long, and the places have the lengths given with them.
    unsafe {
        remap_exchange(
            count(from.len()),
            from.as_ptr(),
            into.as_ptr(),
            expected.as_ptr(),
            count(to.len()),
            to.as_ptr(),
            what.as_ptr(),
            lengths.as_ptr(),
        );
    }
}

/// What a solver of PETSc calls.
pub struct Calls<'c> {
    /// Writes the image of the own part.
    pub apply: &'c mut dyn FnMut(&[f64], &mut [f64]),
    /// Writes the own part of the diagonal.
    pub diagonal: &'c mut dyn FnMut(&mut [f64]),
    /// Whether to stop, asked before each step.
    pub halts: &'c mut dyn FnMut() -> bool,
}

/// Improves the own part of x towards the solution of `apply x = right`; returns the reason of the
/// KSP to stop.
pub fn solve(
    mut calls: Calls<'_>,
    symmetric: bool,
    right: &[f64],
    x: &mut [f64],
    (goal, limit): (f64, u64),
) -> i32 {
    assert_eq!(right.len(), x.len());
    let context: *mut Calls<'_> = &mut calls;
    let mut reason = 0;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    // SAFETY: the context outlives the call, and both vectors have the length given.
    unsafe {
        remap_solve(
            apply,
            diagonal,
            halts,
            context.cast(),
            symmetric.into(),
            right.len() as i64,
            right.as_ptr(),
            x.as_mut_ptr(),
            goal,
            limit,
            &mut reason,
        );
    }
    reason
}

extern "C" fn apply(context: *mut c_void, x: *const f64, image: *mut f64, count: i64) {
    // SAFETY: it is what `solve` gave, which nobody else uses meanwhile.
    let calls = unsafe { &mut *context.cast::<Calls<'_>>() };
    let count = count as usize;
    if count == 0 {
        return (calls.apply)(&[], &mut []);
    }
    // SAFETY: PETSc gives vectors of that length, which do not overlap.
    let (x, image) = unsafe {
        (std::slice::from_raw_parts(x, count), std::slice::from_raw_parts_mut(image, count))
    };
    (calls.apply)(x, image);
}

extern "C" fn diagonal(context: *mut c_void, out: *mut f64, count: i64) {
    // SAFETY: it is what `solve` gave, which nobody else uses meanwhile.
    let calls = unsafe { &mut *context.cast::<Calls<'_>>() };
    if count > 0 {
        // SAFETY: PETSc gives a vector of that length.
        (calls.diagonal)(unsafe { std::slice::from_raw_parts_mut(out, count as usize) });
    }
}

extern "C" fn halts(context: *mut c_void) -> c_int {
    // SAFETY: it is what `solve` gave, which nobody else uses meanwhile.
    let calls = unsafe { &mut *context.cast::<Calls<'_>>() };
    (calls.halts)().into()
}

/// The same memory as bytes.
pub fn bytes(numbers: &[f64]) -> &[u8] {
    // SAFETY: numbers consist of bytes without gaps.
    unsafe { std::slice::from_raw_parts(numbers.as_ptr().cast(), size_of_val(numbers)) }
}

fn count(length: usize) -> c_int {
    c_int::try_from(length).expect("more numbers than a message of MPI can have")
}
