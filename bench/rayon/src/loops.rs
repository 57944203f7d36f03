//! Loops with items that are too short for a call of C++.

use std::slice;

use rayon::prelude::*;
use rayon::ThreadPool;

use crate::busy_work::busy_work;

// --- A loop of a few cheap items ---

/// # Safety
/// `visits` points to `count` numbers that no other thread uses during the call.
#[no_mangle]
pub unsafe extern "C" fn bench_rayon_loop(pool: &ThreadPool, visits: *mut u32, count: usize) {
    let visits = slice::from_raw_parts_mut(visits, count);
    pool.install(|| visits.par_iter_mut().for_each(|v| *v += 1));
}

// --- A loop of a few items of a given length ---

/// # Safety
/// `results` points to `count` numbers that no other thread uses during the call.
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

// --- A loop over rows of loops over cells ---

const STEPS: u64 = 5;

/// # Safety
/// `grid` points to `rows * columns` numbers that no other thread uses during the call.
#[no_mangle]
pub unsafe extern "C" fn bench_rayon_nested(pool: &ThreadPool, grid: *mut u64, rows: usize, columns: usize) {
    let grid = slice::from_raw_parts_mut(grid, rows * columns);
    pool.install(|| {
        grid.par_chunks_mut(columns).enumerate().for_each(|(row, cells)| {
            cells.par_iter_mut().enumerate().for_each(|(column, cell)| {
                let i = row * columns + column;
                *cell = cell.wrapping_add(busy_work(i as u64 + 1, STEPS));
            });
        });
    });
}
