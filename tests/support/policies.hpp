/// The pools for every test of the public contract. This is the only place to add a new policy.
///
///   POOL_TEST_CASE("join: ...") {
///     for_each_size([](Pool& pool) { ... });
///   }
///
/// This runs once for each policy. BACKEND_TEST_CASE runs once for each policy of the library, CALLER_TEST_CASE also for a policy
/// that gives a second caller no help. Only the construction of a pool depends on its policy. So the pools of all policies
/// have one type, the policy is chosen when the test runs, and each test is compiled once.
#pragma once

#include <array>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>

#include <blitz/detail/worker/pool_base.hpp>
#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

namespace blitz_test {

enum class TestedPolicy { kForkJoin, kAsync, kReference, kUnhelped };

/// The policy of each new Pool; constant during a test case.
inline TestedPolicy tested_policy = TestedPolicy::kForkJoin;

/// Any of these policies; see start_pool below.
struct AnyPolicy : blitz::ForkJoinPolicy {};

/// A ThreadPool, an AsyncThreadPool, or a pool of a policy of the tests.
using Pool = blitz::BasicThreadPool<AnyPolicy>;

[[nodiscard]] inline bool is_async(const Pool& /*pool*/) { return tested_policy == TestedPolicy::kAsync; }
/// Whether the policy takes a mutex at each step.
[[nodiscard]] inline bool is_reference() { return tested_policy >= TestedPolicy::kReference; }

/// A pool of `policy`, in a test that has several.
[[nodiscard]] inline Pool pool_of(TestedPolicy policy, blitz::ThreadPoolOptions options) {
  const TestedPolicy before = std::exchange(tested_policy, policy);
  struct Restore {
    TestedPolicy policy;
    ~Restore() { tested_policy = policy; }
  } const restore{before};
  return Pool(std::move(options));
}

/// The name of a policy's test, and its choice.
template <TestedPolicy kPolicy>
struct With {
  static void begin() { tested_policy = kPolicy; }
};

/// One worker: nothing is concurrent. Two: the smallest concurrent pool. Sixteen: more than there are processors.
inline constexpr std::array<std::size_t, 3> kPoolSizes{1, 2, 16};

/// Calls `test` with a new pool of each size.
template <class Test>
void for_each_size(Test&& test) {
  for (const std::size_t size : kPoolSizes) {
    CAPTURE(size);
    Pool pool({.num_threads = size});
    test(pool);
  }
}

/// Calls `test` with each pool, outside the pool and on one of its workers.
template <class Test>
void from_outside_and_inside(Test&& test) {
  for_each_size([&](Pool& pool) {
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
[[nodiscard]] inline std::size_t repetitions(std::size_t count) { return is_reference() ? count / 50 + 1 : count; }

}  // namespace blitz_test

/// In policies.cpp.
template <>
blitz::detail::Shared<blitz::detail::PoolBase> blitz::detail::start_pool<blitz_test::AnyPolicy>(
    ThreadPoolOptions options);

TYPE_TO_STRING_AS("ThreadPool", blitz_test::With<blitz_test::TestedPolicy::kForkJoin>);
TYPE_TO_STRING_AS("AsyncThreadPool", blitz_test::With<blitz_test::TestedPolicy::kAsync>);
TYPE_TO_STRING_AS("ReferencePool", blitz_test::With<blitz_test::TestedPolicy::kReference>);
TYPE_TO_STRING_AS("UnhelpedPool", blitz_test::With<blitz_test::TestedPolicy::kUnhelped>);

#define BLITZ_TESTED_BACKENDS \
  blitz_test::With<blitz_test::TestedPolicy::kForkJoin>, blitz_test::With<blitz_test::TestedPolicy::kAsync>
#define BLITZ_TESTED_POOLS BLITZ_TESTED_BACKENDS, blitz_test::With<blitz_test::TestedPolicy::kReference>

#define BACKEND_TEST_CASE(name) BLITZ_TEST_WITH_POLICIES(name, DOCTEST_ANONYMOUS(pool_test_), BLITZ_TESTED_BACKENDS)
#define POOL_TEST_CASE(name) BLITZ_TEST_WITH_POLICIES(name, DOCTEST_ANONYMOUS(pool_test_), BLITZ_TESTED_POOLS)
#define CALLER_TEST_CASE(name)                                                      \
  BLITZ_TEST_WITH_POLICIES(name, DOCTEST_ANONYMOUS(pool_test_), BLITZ_TESTED_POOLS, \
                           blitz_test::With<blitz_test::TestedPolicy::kUnhelped>)
#define BLITZ_TEST_WITH_POLICIES(name, test, ...) \
  static void test();                             \
  TEST_CASE_TEMPLATE(name, Policy, __VA_ARGS__) { \
    Policy::begin();                              \
    test();                                       \
  }                                               \
  static void test()
