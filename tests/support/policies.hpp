/// The pools for every test of the public contract. This is the only place to add a new policy.
///
///   TEST_CASE_TEMPLATE("join: ...", Pool, BLITZ_TEST_POOLS) {
///     for_each_size<Pool>([](Pool& pool) { ... });
///   }
#pragma once

#include <array>
#include <cstddef>
#include <exception>
#include <string>
#include <type_traits>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "support/reference_policy.hpp"

/// BLITZ_TEST_WITHOUT_REFERENCE: for a quick run of a slow build.
#if defined(BLITZ_TEST_WITHOUT_REFERENCE)
#define BLITZ_TEST_POOLS blitz::ThreadPool, blitz::AsyncThreadPool
#else
#define BLITZ_TEST_POOLS blitz::ThreadPool, blitz::AsyncThreadPool, blitz_test::ReferencePool
#endif

namespace blitz_test {

using ReferencePool = blitz::BasicThreadPool<ReferencePolicy>;

/// One worker: nothing is concurrent. Two: the smallest concurrent pool. Sixteen: more than there are processors.
inline constexpr std::array<std::size_t, 3> kPoolSizes{1, 2, 16};

/// Calls `test` with a new pool of each size.
template <class Pool, class Test>
void for_each_size(Test&& test) {
  for (const std::size_t size : kPoolSizes) {
    CAPTURE(size);
    Pool pool({.num_threads = size});
    test(pool);
  }
}

/// Calls `test` with each pool, outside the pool and on one of its workers.
template <class Pool, class Test>
void from_outside_and_inside(Test&& test) {
  for_each_size<Pool>([&](Pool& pool) {
    test(pool);
    pool.install([&] { test(pool); });
  });
}

/// The message of the std::exception that `f` throws.
template <class F>
std::string what_is_thrown_by(F&& f) {
  try {
    f();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing";
}

/// The number of repetitions for a pool: fewer for one that takes a mutex at each step.
template <class Pool>
constexpr std::size_t repetitions(std::size_t count) {
  return std::is_same_v<Pool, ReferencePool> ? count / 50 + 1 : count;
}

}  // namespace blitz_test

TYPE_TO_STRING_AS("ThreadPool", blitz::ThreadPool);
TYPE_TO_STRING_AS("AsyncThreadPool", blitz::AsyncThreadPool);
TYPE_TO_STRING_AS("ReferencePool", blitz_test::ReferencePool);
