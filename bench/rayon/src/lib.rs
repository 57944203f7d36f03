//! The workloads of `compare` for Rayon: one module per theme, in the style of Rayon's documentation. The code between
//! two calls of Rayon is Rust as well, so that closures are inlined into it, as in the C++ libraries. A piece of a
//! hundred nanoseconds or more is the workload's own C++, called back (`foreign`).
//!
//! Every function takes the pool in which it runs. From outside, `install` injects a job and blocks until it is done;
//! on a worker of the pool, as in a session of `rayon_inside`, it is a plain call.

mod algorithms;
mod busy_work;
mod foreign;
mod loops;
mod memory;
mod pipelines;
mod pool;
mod tasks;
mod trees;
