//! y += a * x.

use std::slice;

use rayon::prelude::*;
use rayon::ThreadPool;

/// # Safety
/// `x` and `y` point to `count` numbers each, and nobody else uses those of `y` meanwhile.
#[no_mangle]
pub unsafe extern "C" fn bench_rayon_saxpy(pool: &ThreadPool, a: f32, x: *const f32, y: *mut f32, count: usize) {
    let x = slice::from_raw_parts(x, count);
    let y = slice::from_raw_parts_mut(y, count);
    pool.install(|| y.par_iter_mut().zip(x).for_each(|(y, x)| *y += a * x));
}
