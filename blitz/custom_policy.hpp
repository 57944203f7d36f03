/// @file
/// For programs that define a scheduling policy: the definitions that a BasicThreadPool<MyPolicy> needs to compile and link.
/// docs/custom_policy.md explains how to write a policy; examples/custom_policy is a small one.
///
/// Each file that makes or uses such a pool includes it in addition to blitz/blitz.hpp or blitz/fork_join.hpp. The library's
/// own pools do not need it: their policies are compiled in the library.
///
/// A program and its shared libraries that use one policy together need the same definition of it, with a name of
/// default visibility: under -fvisibility=hidden, `struct [[gnu::visibility("default")]] MyPolicy`.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include "blitz/detail/pool/registry_impl.hpp"
#include "blitz/policy.hpp"
#include "blitz/thread_pool.hpp"
