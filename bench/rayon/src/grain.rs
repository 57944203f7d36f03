//! A loop of a few items of a given length.

use std::slice;

use rayon::prelude::*;
use rayon::ThreadPool;

use crate::busy_work::busy_work;

/// # Safety
/// `results` points to `count` numbers that nobody else uses meanwhile.
#[no_mangle]
pub unsafe extern "C" fn bench_rayon_grain(pool: &ThreadPool, results: *mut u64, count: usize, steps: u64) {
    let results = slice::from_raw_parts_mut(results, count);
    pool.install(|| {
        results
            .par_iter_mut()
            .enumerate()
            .for_each(|(i, result)| *result = result.wrapping_add(busy_work(i as u64 + 1, steps)));
    });
}
