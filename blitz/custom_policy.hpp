/// For programs that bring a scheduling policy of their own: everything that a BasicThreadPool<MyPolicy> needs to
/// compile and link. docs/custom_policy.md explains how to write a policy, examples/custom_policy is a small one.
///
/// Included by each file that makes or uses such a pool, in addition to blitz/blitz.hpp. It is apart from that header
/// because the pools of the library need none of it: their policies are compiled there.
///
/// The concepts Policy, JobInjector, JobQueue, IdleProtocol and JobFinder say what the policy supplies; namespace
/// blitz::policy has what it is given: Job, Sources, Rest and SleepableLatch. The parts of ForkJoinPolicy may take the
/// place of parts of one's own.
///
/// Where a program and its shared libraries use one policy together, all of them need the same definition of it, with a
/// name that is visible outside: under -fvisibility=hidden, `struct [[gnu::visibility("default")]] MyPolicy`.
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
