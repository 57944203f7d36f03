//! Runs C++ functions on Rayon. A function is a pointer to code and a pointer to data that the caller keeps alive. The
//! functions must not throw.

use std::ffi::c_void;

use rayon::prelude::*;
use rayon::{join, ThreadPool};

/// Like the function in `std::slice`, but accepts a null pointer for an empty vector of C++.
///
/// # Safety
/// `data` refers to `count` items, which outlive the slice.
pub unsafe fn from_raw_parts<'a, T>(data: *const T, count: usize) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    std::slice::from_raw_parts(data, count)
}

/// Like `from_raw_parts`, for mutable items.
///
/// # Safety
/// As in `from_raw_parts`; in addition, nothing else accesses the items.
pub unsafe fn from_raw_parts_mut<'a, T>(data: *mut T, count: usize) -> &'a mut [T] {
    if count == 0 {
        return &mut [];
    }
    std::slice::from_raw_parts_mut(data, count)
}

/// A function and its data. The caller guarantees that any thread may call it, and several threads concurrently.
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

/// Like `Procedure`, for a function with an index as its argument.
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

/// Must be called inside a pool.
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

/// The data of a job of `bench_rayon_spawn`, passed by value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct JobData([usize; 4]);

#[no_mangle]
pub extern "C" fn bench_rayon_spawn(pool: &ThreadPool, code: extern "C" fn(&JobData), data: &JobData) {
    let data = *data;
    pool.spawn(move || code(&data));
}
