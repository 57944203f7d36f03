//! Loops over arrays.

use std::slice;

use rayon::prelude::*;
use rayon::ThreadPool;

// --- y += a * x ---

/// # Safety
/// `x` and `y` point to `count` numbers each, and no other thread uses the numbers in `y` during the call.
#[no_mangle]
pub unsafe extern "C" fn bench_rayon_saxpy(pool: &ThreadPool, a: f32, x: *const f32, y: *mut f32, count: usize) {
    let x = slice::from_raw_parts(x, count);
    let y = slice::from_raw_parts_mut(y, count);
    pool.install(|| y.par_iter_mut().zip(x).for_each(|(y, x)| *y += a * x));
}

// --- a = b + s * c ---

/// # Safety
/// `b`, `c` and `a` point to `count` numbers each, and no other thread uses the numbers in `a` during the call.
#[no_mangle]
pub unsafe extern "C" fn bench_rayon_triad(
    pool: &ThreadPool,
    s: f64,
    b: *const f64,
    c: *const f64,
    a: *mut f64,
    count: usize,
) {
    let b = slice::from_raw_parts(b, count);
    let c = slice::from_raw_parts(c, count);
    let a = slice::from_raw_parts_mut(a, count);
    pool.install(|| a.par_iter_mut().zip(b).zip(c).for_each(|((a, b), c)| *a = b + s * c));
}

// --- The sum of an array ---

/// # Safety
/// `values` points to `count` numbers.
#[no_mangle]
pub unsafe extern "C" fn bench_rayon_reduce(pool: &ThreadPool, values: *const f64, count: usize) -> f64 {
    let values = slice::from_raw_parts(values, count);
    pool.install(|| values.par_iter().sum())
}
