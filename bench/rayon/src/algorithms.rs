//! The rows of the table of algorithms that Rayon supports.

use std::collections::HashMap;
use std::ffi::c_void;

use rayon::prelude::*;
use rayon::ThreadPool;

use crate::foreign::{from_raw_parts, from_raw_parts_mut};

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

/// The number of items in a piece of a two-pass algorithm.
const PIECE: usize = 1 << 14;

fn sum(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0, |a, &b| a.wrapping_add(b))
}

#[no_mangle]
pub unsafe extern "C" fn bench_rayon_inclusive_scan(
    pool: &ThreadPool,
    input: *const u64,
    output: *mut u64,
    count: usize,
) {
    let (input, output) = (from_raw_parts(input, count), from_raw_parts_mut(output, count));
    pool.install(|| {
        let mut sums: Vec<u64> = input.par_chunks(PIECE).map(sum).collect();
        let mut before = 0u64;
        for sum in &mut sums {
            (*sum, before) = (before, before.wrapping_add(*sum));
        }
        let pieces = output.par_chunks_mut(PIECE).zip(input.par_chunks(PIECE)).zip(sums);
        pieces.for_each(|((to, from), mut sum)| {
            for (y, &x) in to.iter_mut().zip(from) {
                sum = sum.wrapping_add(x);
                *y = sum;
            }
        })
    });
}

/// The hash of bench/harness/hash.hpp.
fn mix(mut x: u64) -> u64 {
    x ^= x >> 30;
    x = x.wrapping_mul(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x = x.wrapping_mul(0x94d049bb133111eb);
    x ^ x >> 31
}

#[no_mangle]
pub unsafe extern "C" fn bench_rayon_for_each(pool: &ThreadPool, items: *mut u64, count: usize) {
    let items = from_raw_parts_mut(items, count);
    pool.install(|| items.par_iter_mut().for_each(|x| *x = mix(*x)));
}

#[no_mangle]
pub unsafe extern "C" fn bench_rayon_transform_reduce(pool: &ThreadPool, input: *const u64, count: usize) -> u64 {
    let input = from_raw_parts(input, count);
    pool.install(|| input.par_iter().map(|&x| mix(x)).reduce(|| 0, u64::wrapping_add))
}

fn keep(x: &&u64) -> bool {
    *x % 2 == 0
}

/// First counts the kept items of each piece, then copies them.
#[no_mangle]
pub unsafe extern "C" fn bench_rayon_copy_if(
    pool: &ThreadPool,
    input: *const u64,
    output: *mut u64,
    count: usize,
) -> usize {
    let (input, mut output) = (from_raw_parts(input, count), from_raw_parts_mut(output, count));
    pool.install(|| {
        let pieces = input.par_chunks(PIECE);
        let counts: Vec<usize> = pieces.clone().map(|piece| piece.iter().filter(keep).count()).collect();
        let mut places = Vec::with_capacity(counts.len());
        for &count in &counts {
            let (place, rest) = output.split_at_mut(count);
            places.push(place);
            output = rest;
        }
        pieces.zip(places).for_each(|(from, to)| {
            for (y, &x) in to.iter_mut().zip(from.iter().filter(keep)) {
                *y = x;
            }
        });
        counts.iter().sum()
    })
}

/// Each thread's part by itself; then the remaining items of the parts are moved to the front.
#[no_mangle]
pub unsafe extern "C" fn bench_rayon_unique(pool: &ThreadPool, items: *mut u64, count: usize) -> usize {
    let items = from_raw_parts_mut(items, count);
    let unique = |part: &mut [u64]| {
        let mut end = 0;
        for i in 0..part.len() {
            if end == 0 || part[i] != part[end - 1] {
                part[end] = part[i];
                end += 1;
            }
        }
        end
    };
    pool.install(|| {
        let size = count / rayon::current_num_threads() + 1;
        let left: Vec<usize> = items.par_chunks_mut(size).map(unique).collect();
        let mut end = 0;
        for (i, &left) in left.iter().enumerate() {
            let (mut first, last) = (i * size, i * size + left);
            if end > 0 && items[first] == items[end - 1] {
                first += 1;
            }
            items.copy_within(first..last, end);
            end += last - first;
        }
        end
    })
}

/// Partitions into two new vectors, and copies them back.
#[no_mangle]
pub unsafe extern "C" fn bench_rayon_partition(pool: &ThreadPool, items: *mut u64, count: usize) -> usize {
    let items = from_raw_parts_mut(items, count);
    pool.install(|| {
        let (kept, others): (Vec<u64>, Vec<u64>) = items.par_iter().partition(|x| *x % 2 == 0);
        let (left, right) = items.split_at_mut(kept.len());
        rayon::join(|| left.copy_from_slice(&kept), || right.copy_from_slice(&others));
        kept.len()
    })
}

/// The runs of each piece in parallel; then the pieces are merged serially.
#[no_mangle]
pub unsafe extern "C" fn bench_rayon_reduce_by_key(
    pool: &ThreadPool,
    keys: *const u64,
    values: *const u64,
    keys_out: *mut u64,
    output: *mut u64,
    count: usize,
) -> usize {
    let (keys, values) = (from_raw_parts(keys, count), from_raw_parts(values, count));
    let (keys_out, output) = (from_raw_parts_mut(keys_out, count), from_raw_parts_mut(output, count));
    let add = |mut runs: Vec<(u64, u64)>, (key, value)| {
        match runs.last_mut() {
            Some(run) if run.0 == key => run.1 = run.1.wrapping_add(value),
            _ => runs.push((key, value)),
        }
        runs
    };
    let of_piece = |(keys, values): (&[u64], &[u64])| {
        let pairs = keys.iter().copied().zip(values.iter().copied());
        pairs.fold(Vec::new(), add)
    };
    let pieces: Vec<Vec<(u64, u64)>> = pool.install(|| {
        keys.par_chunks(PIECE)
            .zip(values.par_chunks(PIECE))
            .map(of_piece)
            .collect()
    });
    let mut end = 0;
    for (key, sum) in pieces.into_iter().flatten() {
        if end > 0 && keys_out[end - 1] == key {
            output[end - 1] = output[end - 1].wrapping_add(sum);
        } else {
            (keys_out[end], output[end]) = (key, sum);
            end += 1;
        }
    }
    end
}

/// Reads only a few items, as NewArrayRow does.
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

/// One map per piece; the maps of neighbours are merged.
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
