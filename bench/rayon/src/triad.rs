//! a = b + s * c.

use std::slice;

use rayon::prelude::*;
use rayon::ThreadPool;

/// # Safety
/// `b`, `c` and `a` point to `count` numbers each, and nobody else uses those of `a` meanwhile.
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
