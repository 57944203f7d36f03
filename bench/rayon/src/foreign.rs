//! Rayon's calls for functions of C++: a pointer to code, and one to what it works on, which the caller keeps alive.
//! They must not throw.

use std::ffi::c_void;

use rayon::prelude::*;
use rayon::{join, ThreadPool};

/// As `std::slice` has it, but an empty vector of C++ may have no address.
///
/// # Safety
/// `data` refers to `count` items, which outlive the slice.
pub unsafe fn from_raw_parts<'a, T>(data: *const T, count: usize) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    std::slice::from_raw_parts(data, count)
}

/// The same for items that may be changed.
///
/// # Safety
/// As of `from_raw_parts`, and nobody else has access to the items.
pub unsafe fn from_raw_parts_mut<'a, T>(data: *mut T, count: usize) -> &'a mut [T] {
    if count == 0 {
        return &mut [];
    }
    std::slice::from_raw_parts_mut(data, count)
}

/// A function and what it works on. The caller vouches that any thread may call it, and several at once.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Procedure {
    code: extern "C" fn(*const c_void),
    data: *const c_void,
}

unsafe impl Send for Procedure {}
unsafe impl Sync for Procedure {}

impl Procedure {
    fn call(self) {
        (self.code)(self.data)
    }
}

/// The same for a function that is given an index.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct IndexFunction<R> {
    code: extern "C" fn(*const c_void, usize) -> R,
    data: *const c_void,
}

unsafe impl<R> Send for IndexFunction<R> {}
unsafe impl<R> Sync for IndexFunction<R> {}

impl<R> IndexFunction<R> {
    fn call(&self, index: usize) -> R {
        (self.code)(self.data, index)
    }
}

#[no_mangle]
pub extern "C" fn bench_rayon_install(pool: &ThreadPool, f: Procedure) {
    pool.install(|| f.call());
}

/// Called inside a pool.
#[no_mangle]
pub extern "C" fn bench_rayon_join(a: Procedure, b: Procedure) {
    join(|| a.call(), || b.call());
}

#[no_mangle]
pub extern "C" fn bench_rayon_for_each_index(pool: &ThreadPool, count: usize, body: IndexFunction<()>) {
    pool.install(|| (0..count).into_par_iter().for_each(|i| body.call(i)));
}

#[no_mangle]
pub extern "C" fn bench_rayon_sum_over_indices(pool: &ThreadPool, count: usize, term: IndexFunction<u64>) -> u64 {
    pool.install(|| {
        (0..count)
            .into_par_iter()
            .map(|i| term.call(i))
            .reduce(|| 0, u64::wrapping_add)
    })
}

/// What a job of `bench_rayon_spawn` carries, by value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct JobData([usize; 4]);

#[no_mangle]
pub extern "C" fn bench_rayon_spawn(pool: &ThreadPool, code: extern "C" fn(&JobData), data: &JobData) {
    let data = *data;
    pool.spawn(move || code(&data));
}
