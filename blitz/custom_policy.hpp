/// For programs with a scheduling policy of their own: what a BasicThreadPool<MyPolicy> needs to compile and link.
/// docs/custom_policy.md explains how to write a policy; examples/custom_policy is a small one.
///
/// Each file that makes or uses such a pool includes it in addition to blitz/blitz.hpp. The library's own pools need
/// none of it: their policies are compiled in the library.
///
/// The concepts Policy, JobInjector, JobQueue, IdleProtocol and JobFinder say what a policy supplies; namespace
/// blitz::policy has what it is given: Job, Sources, Rest and SleepableLatch. A policy may use parts of ForkJoinPolicy.
///
/// A program and its shared libraries that use one policy together need the same definition of it, with a name of
/// default visibility: under -fvisibility=hidden, `struct [[gnu::visibility("default")]] MyPolicy`.
///
/// @code
/// struct MyPolicy {
///   using Injector = blitz::ForkJoinPolicy::Injector;
///   using LocalQueue = MyQueue;
///   using Idle = blitz::ForkJoinPolicy::Idle;
///   using Finder = MyFinder;
/// };
/// static_assert(blitz::Policy<MyPolicy>);
///
/// blitz::BasicThreadPool<MyPolicy> pool({.num_threads = 8});
/// pool.parallel_for(0, n, f);
/// @endcode
#pragma once

#include "blitz/base/compiler.hpp"

#include "blitz/core/registry_impl.hpp"
#include "blitz/policy.hpp"
#include "blitz/thread_pool.hpp"
