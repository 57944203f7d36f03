//! The rows of the table of algorithms that Rayon has.

use std::slice::{from_raw_parts, from_raw_parts_mut};

use rayon::prelude::*;
use rayon::ThreadPool;

fn map(x: f64) -> f64 {
    x * 1.5 + 1.0
}

/// # Safety
/// Here and below a pointer refers to `count` items.
#[no_mangle]
pub unsafe extern "C" fn bench_rayon_map_filter_sum(pool: &ThreadPool, input: *const f64, count: usize) -> f64 {
    let input = from_raw_parts(input, count);
    pool.install(|| input.par_iter().map(|&x| map(x)).filter(|&y| y > 1.75).sum())
}

#[no_mangle]
pub unsafe extern "C" fn bench_rayon_zip(
    pool: &ThreadPool,
    x: *const f64,
    y: *const f64,
    z: *const f64,
    count: usize,
) -> f64 {
    let (x, y, z) = (
        from_raw_parts(x, count),
        from_raw_parts(y, count),
        from_raw_parts(z, count),
    );
    pool.install(|| x.par_iter().zip(y).zip(z).map(|((x, y), z)| x * y + z).sum())
}

#[no_mangle]
pub unsafe extern "C" fn bench_rayon_find(pool: &ThreadPool, input: *const u64, count: usize) -> usize {
    let input = from_raw_parts(input, count);
    pool.install(|| input.par_iter().position_first(|&x| x == 1).unwrap_or(count))
}

#[no_mangle]
pub unsafe extern "C" fn bench_rayon_any(pool: &ThreadPool, input: *const u64, count: usize) -> bool {
    let input = from_raw_parts(input, count);
    pool.install(|| input.par_iter().any(|&x| x == 1))
}

#[no_mangle]
pub unsafe extern "C" fn bench_rayon_min_element(pool: &ThreadPool, input: *const f64, count: usize) -> usize {
    let input = from_raw_parts(input, count);
    let least = pool.install(|| input.par_iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)));
    least.map_or(count, |(i, _)| i)
}

#[no_mangle]
pub unsafe extern "C" fn bench_rayon_transform(pool: &ThreadPool, input: *const f64, output: *mut f64, count: usize) {
    let (input, output) = (from_raw_parts(input, count), from_raw_parts_mut(output, count));
    pool.install(|| output.par_iter_mut().zip(input).for_each(|(y, &x)| *y = map(x)));
}

#[no_mangle]
pub unsafe extern "C" fn bench_rayon_histogram(pool: &ThreadPool, input: *const u8, count: usize, output: *mut usize) {
    let (input, output) = (from_raw_parts(input, count), from_raw_parts_mut(output, 256));
    let add = |mut left: [u32; 256], right: [u32; 256]| {
        left.iter_mut().zip(right).for_each(|(l, r)| *l += r);
        left
    };
    let counts = pool.install(|| {
        let of_piece = |piece: &[u8]| {
            let mut counts = [0; 256];
            piece.iter().for_each(|&x| counts[x as usize] += 1);
            counts
        };
        input.par_chunks(1 << 16).map(of_piece).reduce(|| [0; 256], add)
    });
    output.iter_mut().zip(counts).for_each(|(o, c)| *o = c as usize);
}

#[no_mangle]
pub unsafe extern "C" fn bench_rayon_sort_numbers(pool: &ThreadPool, items: *mut u64, count: usize, stable: bool) {
    let items = from_raw_parts_mut(items, count);
    pool.install(|| {
        if stable {
            items.par_sort()
        } else {
            items.par_sort_unstable()
        }
    });
}

#[no_mangle]
pub unsafe extern "C" fn bench_rayon_sort_reals(pool: &ThreadPool, items: *mut f64, count: usize, stable: bool) {
    let items = from_raw_parts_mut(items, count);
    let order = |a: &f64, b: &f64| a.partial_cmp(b).unwrap();
    pool.install(|| {
        if stable {
            items.par_sort_by(order)
        } else {
            items.par_sort_unstable_by(order)
        }
    });
}

#[repr(C)]
pub struct Pair {
    key: u64,
    value: u64,
}

#[no_mangle]
pub unsafe extern "C" fn bench_rayon_sort_pairs(pool: &ThreadPool, items: *mut Pair, count: usize, stable: bool) {
    let items = from_raw_parts_mut(items, count);
    pool.install(|| {
        if stable {
            items.par_sort_by_key(|p| p.key)
        } else {
            items.par_sort_unstable_by_key(|p| p.key)
        }
    });
}
