//! A loop over rows of loops over cells.

use std::slice;

use rayon::prelude::*;
use rayon::ThreadPool;

use crate::busy_work::busy_work;

const STEPS: u64 = 5;

/// # Safety
/// `grid` points to `rows * columns` numbers that nobody else uses meanwhile.
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
