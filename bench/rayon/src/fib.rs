//! fib(n) by its recursive definition.

use rayon::{join, ThreadPool};

#[inline(never)]
fn fib(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

#[no_mangle]
pub extern "C" fn bench_rayon_fib(pool: &ThreadPool, n: u32) -> u64 {
    pool.install(|| fib(n))
}
