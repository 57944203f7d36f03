//! Pools, made and destroyed outside of all timed regions.

use rayon::{ThreadPool, ThreadPoolBuilder};

/// The stack size of the other libraries' threads, because the recursions have no cut-off.
const STACK_SIZE: usize = 8 << 20;

#[no_mangle]
pub extern "C" fn bench_rayon_new_pool(threads: usize) -> Box<ThreadPool> {
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK_SIZE)
        .build();
    Box::new(pool.expect("Rayon cannot make a pool"))
}

#[no_mangle]
pub extern "C" fn bench_rayon_delete_pool(pool: Box<ThreadPool>) {
    drop(pool);
}
