//! The rows of the table of algorithms that are complete pipelines. Rayon has no scan, so pieces are summed first.

use std::collections::HashMap;
use std::ffi::c_void;
use std::str::from_utf8_unchecked;

use rayon::prelude::*;
use rayon::ThreadPool;

use crate::foreign::{from_raw_parts, from_raw_parts_mut};

type TakeNumbers = unsafe extern "C" fn(*mut c_void, *const u64, usize);
type TakeWord = unsafe extern "C" fn(*mut c_void, *const u8, usize, usize);

/// # Safety
/// Here and below a pointer refers to `count` items.
#[no_mangle]
pub unsafe extern "C" fn bench_rayon_flat_map(
    pool: &ThreadPool,
    input: *const u64,
    count: usize,
    take: TakeNumbers,
    context: *mut c_void,
) {
    let input = from_raw_parts(input, count);
    let output: Vec<u64> = pool.install(|| input.par_iter().flat_map_iter(|&x| (0..x % 4).map(move |i| x.wrapping_add(i))).collect());
    take(context, output.as_ptr(), output.len());
}

#[no_mangle]
pub unsafe extern "C" fn bench_rayon_scan_filter_sum(pool: &ThreadPool, input: *const u64, count: usize) -> u64 {
    const PIECE: usize = 1 << 14;
    let input = from_raw_parts(input, count);
    let sum = |piece: &[u64]| piece.iter().fold(0u64, |a, &b| a.wrapping_add(b));
    pool.install(|| {
        let mut sums: Vec<u64> = input.par_chunks(PIECE).map(sum).collect();
        let mut before = 0u64;
        for sum in &mut sums {
            (*sum, before) = (before, before.wrapping_add(*sum));
        }
        let of_piece = |(piece, &before): (&[u64], &u64)| {
            let mut prefix = before;
            let filtered = piece.iter().map(|&x| {
                prefix = prefix.wrapping_add(x);
                if prefix % 2 == 0 { prefix } else { 0 }
            });
            filtered.fold(0u64, |a, b| a.wrapping_add(b))
        };
        input.par_chunks(PIECE).zip(&sums).map(of_piece).reduce(|| 0, |a, b| a.wrapping_add(b))
    })
}

#[no_mangle]
pub unsafe extern "C" fn bench_rayon_word_histogram(
    pool: &ThreadPool,
    text: *const u8,
    count: usize,
    take: TakeWord,
    context: *mut c_void,
) {
    if count == 0 {
        return;
    }
    let text = from_utf8_unchecked(from_raw_parts(text, count - 1)); // without the blank after the last word
    let add = |mut counts: HashMap<&'static str, usize>, word| {
        *counts.entry(word).or_insert(0) += 1;
        counts
    };
    let merge = |mut left: HashMap<&'static str, usize>, right: HashMap<&'static str, usize>| {
        for (word, count) in right {
            *left.entry(word).or_insert(0) += count;
        }
        left
    };
    let counts = pool.install(|| text.par_split(' ').fold(HashMap::new, add).reduce(HashMap::new, merge));
    for (word, count) in counts {
        take(context, word.as_ptr(), word.len(), count);
    }
}

const CENTRES: usize = 16;

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Sums {
    x: [f64; CENTRES],
    y: [f64; CENTRES],
    count: [u64; CENTRES],
}

fn add(mut sums: Sums, (&x, &y): (&f64, &f64)) -> Sums {
    let (mut best, mut least) = (0, 2.0);
    for c in 0..CENTRES {
        let dx = x - ((c % 4) as f64 / 4.0 + 0.1);
        let dy = y - ((c / 4) as f64 / 4.0 + 0.15);
        let square = dx * dx + dy * dy;
        if square < least {
            (least, best) = (square, c);
        }
    }
    sums.x[best] += x;
    sums.y[best] += y;
    sums.count[best] += 1;
    sums
}

fn merge(mut left: Sums, right: Sums) -> Sums {
    for c in 0..CENTRES {
        left.x[c] += right.x[c];
        left.y[c] += right.y[c];
        left.count[c] += right.count[c];
    }
    left
}

#[no_mangle]
pub unsafe extern "C" fn bench_rayon_k_means(
    pool: &ThreadPool,
    x: *const f64,
    y: *const f64,
    count: usize,
    output: &mut Sums,
) {
    let (x, y) = (from_raw_parts(x, count), from_raw_parts(y, count));
    *output = pool.install(|| x.par_iter().zip(y).fold(Sums::default, add).reduce(Sums::default, merge));
}

fn pixel(i: usize, side: usize) -> u32 {
    let scale = 2.6 / side as f64;
    let re = (i % side) as f64 * scale - 2.0;
    let im = (i / side) as f64 * scale - 1.3;
    let (mut a, mut b, mut n) = (0.0, 0.0, 0);
    while n < 300 && a * a + b * b <= 4.0 {
        (a, b) = (a * a - b * b + re, 2.0 * a * b + im);
        n += 1;
    }
    n
}

#[no_mangle]
pub unsafe extern "C" fn bench_rayon_mandelbrot(pool: &ThreadPool, output: *mut u32, side: usize) {
    let output = from_raw_parts_mut(output, side * side);
    pool.install(|| output.par_iter_mut().enumerate().for_each(|(i, out)| *out = pixel(i, side)));
}

#[repr(C)]
pub struct Vector {
    x: f64,
    y: f64,
    z: f64,
}

fn pull(at: &Vector, bodies: &[Vector]) -> Vector {
    let mut sum = Vector { x: 0.0, y: 0.0, z: 0.0 };
    for body in bodies {
        let (x, y, z) = (body.x - at.x, body.y - at.y, body.z - at.z);
        let square = x * x + y * y + z * z + 1e-6;
        let factor = 1.0 / (square * square.sqrt());
        sum.x += x * factor;
        sum.y += y * factor;
        sum.z += z * factor;
    }
    sum
}

#[no_mangle]
pub unsafe extern "C" fn bench_rayon_n_body(
    pool: &ThreadPool,
    bodies: *const Vector,
    count: usize,
    output: *mut Vector,
) {
    let (bodies, output) = (from_raw_parts(bodies, count), from_raw_parts_mut(output, count));
    pool.install(|| output.par_iter_mut().zip(bodies).for_each(|(out, at)| *out = pull(at, bodies)));
}
