//! A tree of ten children a node whose leaves return their number.

use rayon::prelude::*;
use rayon::{join, scope, ThreadPool};

const CHILDREN: u64 = 10;

fn by_join(first: u64, leaves: u64) -> u64 {
    match leaves {
        1 => first,
        _ => subtrees(first, leaves / CHILDREN, CHILDREN),
    }
}

/// `count` subtrees of `each` leaves, halved until one is left.
#[inline(never)]
fn subtrees(first: u64, each: u64, count: u64) -> u64 {
    if count == 1 {
        return by_join(first, each);
    }
    let half = count / 2;
    let (a, b) = join(
        || subtrees(first, each, half),
        || subtrees(first + half * each, each, count - half),
    );
    a + b
}

/// The caller does the last child itself.
#[inline(never)]
fn by_scope(first: u64, leaves: u64) -> u64 {
    if leaves == 1 {
        return first;
    }
    let each = leaves / CHILDREN;
    let mut sums = [0; CHILDREN as usize];
    scope(|s| {
        let (last, others) = sums.split_last_mut().unwrap();
        for (start, sum) in (first..).step_by(each as usize).zip(others) {
            s.spawn(move |_| *sum = by_scope(start, each));
        }
        *last = by_scope(first + (CHILDREN - 1) * each, each);
    });
    sums.iter().sum()
}

#[inline(never)]
fn by_iterator(first: u64, leaves: u64) -> u64 {
    if leaves == 1 {
        return first;
    }
    let each = leaves / CHILDREN;
    (0..CHILDREN)
        .into_par_iter()
        .map(|child| by_iterator(first + child * each, each))
        .sum()
}

#[no_mangle]
pub extern "C" fn bench_rayon_skynet_by_join(pool: &ThreadPool, leaves: u64) -> u64 {
    pool.install(|| by_join(0, leaves))
}

#[no_mangle]
pub extern "C" fn bench_rayon_skynet_by_scope(pool: &ThreadPool, leaves: u64) -> u64 {
    pool.install(|| by_scope(0, leaves))
}

#[no_mangle]
pub extern "C" fn bench_rayon_skynet_by_iterator(pool: &ThreadPool, leaves: u64) -> u64 {
    pool.install(|| by_iterator(0, leaves))
}
