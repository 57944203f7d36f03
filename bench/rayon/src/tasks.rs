//! Small tasks.

use std::slice;

use rayon::ThreadPool;

/// # Safety
/// `counters` points to `count` numbers that no other thread uses during the call.
#[no_mangle]
pub unsafe extern "C" fn bench_rayon_spawn_all(pool: &ThreadPool, counters: *mut u32, count: usize) {
    let counters = slice::from_raw_parts_mut(counters, count);
    pool.scope(|s| {
        for counter in counters {
            s.spawn(move |_| *counter += 1);
        }
    });
}
