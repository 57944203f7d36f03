//! A loop of a few cheap items.

use std::slice;

use rayon::prelude::*;
use rayon::ThreadPool;

/// # Safety
/// `visits` points to `count` numbers that nobody else uses meanwhile.
#[no_mangle]
pub unsafe extern "C" fn bench_rayon_loop(pool: &ThreadPool, visits: *mut u32, count: usize) {
    let visits = slice::from_raw_parts_mut(visits, count);
    pool.install(|| visits.par_iter_mut().for_each(|v| *v += 1));
}
