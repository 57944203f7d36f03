//! The workloads of `compare` for Rayon: one module for each theme, in the style that Rayon's documentation teaches. The
//! code between two calls of Rayon is Rust as well, so that closures are inlined into it as they are in the C++
//! libraries. Where a piece takes a hundred nanoseconds or more, it is the workload's own C++, called back (`foreign`).
//!
//! Every function takes the pool it is to run in. From outside, `install` injects a job and blocks until it is done; on
//! a worker of the pool, as in a session of `rayon_inside`, it is a plain call.

mod algorithms;
mod busy_work;
mod foreign;
mod loops;
mod memory;
mod pipelines;
mod pool;
mod tasks;
mod trees;
