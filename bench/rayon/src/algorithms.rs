//! The rows of the table of algorithms that Rayon has.

use std::collections::HashMap;
use std::ffi::c_void;
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
pub unsafe extern "C" fn bench_rayon_count(pool: &ThreadPool, input: *const u64, count: usize) -> usize {
    let input = from_raw_parts(input, count);
    pool.install(|| input.par_iter().filter(|&&x| x == 7).count())
}

/// Of a few items, as NewArrayRow has it.
fn digest<T>(made: &[T], bits: impl Fn(&T) -> u64) -> u64 {
    let count = made.len();
    if count == 0 {
        return 1;
    }
    let times = |factor: u64, i: usize| bits(&made[i]).wrapping_mul(factor);
    (count as u64)
        .wrapping_add(times(3, 0))
        .wrapping_add(times(5, count / 2))
        .wrapping_add(times(7, count - 1))
}

#[no_mangle]
pub unsafe extern "C" fn bench_rayon_map_new(pool: &ThreadPool, input: *const f64, count: usize) -> u64 {
    let input = from_raw_parts(input, count);
    let made: Vec<f64> = pool.install(|| input.par_iter().map(|&x| map(x)).collect());
    digest(&made, |x| x.to_bits())
}

#[no_mangle]
pub unsafe extern "C" fn bench_rayon_filter_new(pool: &ThreadPool, input: *const u64, count: usize) -> u64 {
    let input = from_raw_parts(input, count);
    let made: Vec<u64> = pool.install(|| input.par_iter().copied().filter(|&x| x % 2 == 0).collect());
    digest(&made, |&x| x)
}

/// A map for each piece; the maps of neighbours are joined.
#[no_mangle]
pub unsafe extern "C" fn bench_rayon_group_by(
    pool: &ThreadPool,
    keys: *const u64,
    count: usize,
    row: *mut c_void,
    take_group: extern "C" fn(*mut c_void, *const usize, usize),
) {
    let keys = from_raw_parts(keys, count);
    type Groups = HashMap<u64, Vec<usize>>;
    let groups: Groups = pool.install(|| {
        let add = |mut groups: Groups, (i, &key): (usize, &u64)| {
            groups.entry(key).or_default().push(i);
            groups
        };
        let join = |mut left: Groups, right: Groups| {
            for (key, positions) in right {
                left.entry(key).or_default().extend(positions);
            }
            left
        };
        let pieces = keys.par_iter().enumerate().with_min_len(1 << 16);
        pieces.fold(Groups::new, add).reduce(Groups::new, join)
    });
    for positions in groups.values() {
        take_group(row, positions.as_ptr(), positions.len());
    }
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
