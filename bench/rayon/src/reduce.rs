//! The sum of an array.

use std::slice;

use rayon::prelude::*;
use rayon::ThreadPool;

/// # Safety
/// `values` points to `count` numbers.
#[no_mangle]
pub unsafe extern "C" fn bench_rayon_reduce(pool: &ThreadPool, values: *const f64, count: usize) -> f64 {
    let values = slice::from_raw_parts(values, count);
    pool.install(|| values.par_iter().sum())
}
