// Each failure through each function of blitz/c.h, and through blitz/adaptor/calls.hpp: it becomes a status, or the exception
// of a C++ callback arrives, but it never ends the program. C++17 and later; only C++20 throws Stopped and ThreadPoolError.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <new>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

#include <blitz/adaptor/calls.hpp>
#include <blitz/c.h>
#include <doctest/doctest.h>

#if __cplusplus >= 202002L
#include <blitz/algorithm.hpp>
#include <blitz/options.hpp>
#endif

#include "support/environment.hpp"
#include "support/failing_thread.hpp"

namespace {

// --- failures of the library ---

void nothing(void*) {}
void no_branch(void*, int) {}
int no_block(void*, std::size_t, std::size_t) { return 0; }
int no_fold(void*, void*, std::size_t, std::size_t) { return 0; }
void no_combine(void*, void*, void*) {}
void with_nothing(void (*call)(void*, void*) noexcept, void* argument) { call(argument, nullptr); }
constexpr blitz_reduction kNoReduction = {no_fold, no_combine, with_nothing};

struct Function {
  const char* name;
  blitz_status (*call)();
};

/// The functions that start the global pool.
constexpr Function kFunctions[] = {
    {"blitz_pool_create",
     [] {
       blitz_pool* pool = nullptr;
       const blitz_status status = blitz_pool_create(0, &pool);
       blitz_pool_destroy(pool);
       return status;
     }},
    {"blitz_num_threads",
     [] {
       std::size_t count = 0;
       return blitz_num_threads(nullptr, &count);
     }},
    {"blitz_pool_stats",
     [] {
       blitz_stats stats;
       return blitz_pool_stats(nullptr, &stats, sizeof stats);
     }},
    {"blitz_install", [] { return blitz_install(nullptr, nothing, nullptr); }},
    {"blitz_isolate", [] { return blitz_isolate(nullptr, nothing, nullptr); }},
    {"blitz_join", [] { return blitz_join(nullptr, no_branch, nullptr, no_branch, nullptr); }},
    {"blitz_parallel_for", [] { return blitz_parallel_for(nullptr, 10, 1, no_block, nullptr); }},
    {"blitz_parallel_reduce", [] { return blitz_parallel_reduce(nullptr, 10, 1, &kNoReduction, nullptr, nullptr); }},
    {"blitz_task_group_create",
     [] {
       blitz_task_group* group = nullptr;
       const blitz_status status = blitz_task_group_create(nullptr, &group);
       blitz_task_group_destroy(group);
       return status;
     }},
    {"blitz_init_global_pool", [] { return blitz_init_global_pool(0); }},  // the last: it may succeed once
};
/// The functions that take an existing group.
constexpr const char* kGroupFunctions[] = {"blitz_task_group_run", "blitz_task_group_wait"};

void check_each_is_unusable(const std::string& message) {
  for (const Function& function : kFunctions) {
    CAPTURE(function.name);
    CHECK(function.call() == BLITZ_UNUSABLE);
    CHECK(std::string(blitz_last_error()).find(message) != std::string::npos);
  }
  namespace calls = blitz::adaptor;
  const auto fold = [](std::optional<int>&, std::size_t, std::size_t) { return false; };
  const auto combine = [](int&, int) {};
  std::optional<int> value;
  CHECK_THROWS_AS((void)calls::num_threads(), std::runtime_error);
  CHECK_THROWS_AS(calls::isolate([] {}), std::runtime_error);
  CHECK_THROWS_AS(calls::join([] {}, [](bool) {}), std::runtime_error);
  CHECK_THROWS_AS(calls::for_blocks(10, 1, [](std::size_t, std::size_t) { return false; }), std::runtime_error);
  CHECK_THROWS_AS(calls::reduce_blocks(10, 1, value, fold, combine), std::runtime_error);
  CHECK_THROWS_AS(calls::TaskGroup(), std::runtime_error);
}

// --- failures of callbacks ---

struct Own {};

enum class Arrives { kAsItIs, kAsNoMemory, kAsUnusable };

struct Failure {
  const char* name;
  void (*fail)();
  bool (*is_it)();  // called in a handler
  Arrives arrives;
};

/// `Args`: the types of the arguments before the message.
template <class E, class... Args>
constexpr Failure failure(const char* name, Arrives arrives = Arrives::kAsItIs) {
  return {name,
          [] {
            if constexpr (sizeof...(Args) > 0) {
              throw E(Args()..., "a callback");
            } else if constexpr (std::is_constructible_v<E, const char*>) {
              throw E("a callback");
            } else {
              throw E();
            }
          },
          [] {
            try {
              throw;
            } catch (const E&) {
              return true;
            } catch (...) {
              return false;
            }
          },
          arrives};
}

struct SystemError : std::system_error {
  SystemError() : std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again)) {}
};

constexpr Failure kFailures[] = {
    failure<std::bad_alloc>("bad_alloc", Arrives::kAsNoMemory),
    failure<std::bad_array_new_length>("bad_array_new_length", Arrives::kAsNoMemory),
#if __cplusplus >= 202002L
    failure<blitz::ThreadPoolError, blitz::ThreadPoolErrorCode>("ThreadPoolError", Arrives::kAsUnusable),
    failure<blitz::Stopped>("Stopped"),
#endif
    failure<SystemError>("system_error"),
    failure<std::invalid_argument>("invalid_argument"),
    failure<std::length_error>("length_error"),
    failure<std::runtime_error>("runtime_error"),
    failure<Own>("a class that is no std::exception"),
    failure<int>("an int"),
};

struct Site {
  const char* name;
  blitz_status (*call)(blitz_pool* pool, const Failure& failure);
};

void fail_in(void* failure) { static_cast<const Failure*>(failure)->fail(); }
void fail_in_branch(void* failure, int) { fail_in(failure); }
int fail_in_block(void* failure, std::size_t, std::size_t) {
  fail_in(failure);
  return 0;
}

/// A reduction with a `combine` or `with_value` that fails: the library calls these for a part that another worker has taken.
/// `failed` tells whether there was such a part.
struct Parts {
  const Failure& failure;
  bool fail_in_combine;
  std::atomic<bool> failed{false};
};
Parts* parts_of_test;
int fold_parts(void*, void*, std::size_t first, std::size_t last) {
  std::atomic<int> work{0};
  for (; first != last; ++first) {
    for (int i = 0; i < 1000; ++i) work.fetch_add(1, std::memory_order_relaxed);
  }
  return 0;
}
void combine_parts(void* context, void*, void*) {
  auto& parts = *static_cast<Parts*>(context);
  if (!parts.fail_in_combine) return;
  parts.failed = true;
  parts.failure.fail();
}
void with_part(void (*call)(void*, void*) noexcept, void* argument) {
  if (!parts_of_test->fail_in_combine) {
    parts_of_test->failed = true;
    parts_of_test->failure.fail();
  }
  int value = 0;
  call(argument, &value);
}
constexpr blitz_reduction kInParts = {fold_parts, combine_parts, with_part};

/// Repeats the reduction until another worker has taken a part. With one thread that never happens, so another failing call
/// gives the status.
blitz_status reduce_in_parts(blitz_pool* pool, const Failure& failure, bool fail_in_combine) {
  std::size_t threads = 0;
  REQUIRE(blitz_num_threads(pool, &threads) == BLITZ_OK);
  if (threads == 1) return blitz_install(pool, fail_in, const_cast<Failure*>(&failure));
  Parts parts{failure, fail_in_combine};
  parts_of_test = &parts;
  blitz_status status = BLITZ_OK;
  while (!parts.failed) {
    int value = 0;
    status = blitz_parallel_reduce(pool, 1000, 1, &kInParts, &parts, &value);
  }
  return status;
}

void* as_context(const Failure& failure) { return const_cast<Failure*>(&failure); }

constexpr Site kSites[] = {
    {"install", [](blitz_pool* pool, const Failure& f) { return blitz_install(pool, fail_in, as_context(f)); }},
    {"isolate", [](blitz_pool* pool, const Failure& f) { return blitz_isolate(pool, fail_in, as_context(f)); }},
    {"the first branch of a join",
     [](blitz_pool* pool, const Failure& f) {
       return blitz_join(pool, fail_in_branch, as_context(f), no_branch, nullptr);
     }},
    {"the second branch of a join",
     [](blitz_pool* pool, const Failure& f) {
       return blitz_join(pool, no_branch, nullptr, fail_in_branch, as_context(f));
     }},
    {"both branches of a join",
     [](blitz_pool* pool, const Failure& f) {
       return blitz_join(pool, fail_in_branch, as_context(f), fail_in_branch, as_context(f));
     }},
    {"the blocks of a loop",
     [](blitz_pool* pool, const Failure& f) {
       return blitz_parallel_for(pool, 1000, 1, fail_in_block, as_context(f));
     }},
    {"the fold of a reduction",
     [](blitz_pool* pool, const Failure& f) {
       static constexpr blitz_reduction kFails = {[](void* failure, void*, std::size_t first, std::size_t last) {
                                                    return fail_in_block(failure, first, last);
                                                  },
                                                  no_combine, with_nothing};
       return blitz_parallel_reduce(pool, 1000, 1, &kFails, as_context(f), nullptr);
     }},
    {"the combine of a reduction", [](blitz_pool* pool, const Failure& f) { return reduce_in_parts(pool, f, true); }},
    {"the with_value of a reduction",
     [](blitz_pool* pool, const Failure& f) { return reduce_in_parts(pool, f, false); }},
    {"the jobs of a task group",
     [](blitz_pool* pool, const Failure& f) {
       blitz_task_group* group = nullptr;
       REQUIRE(blitz_task_group_create(pool, &group) == BLITZ_OK);
       struct Frame {
         ~Frame() { blitz_task_group_destroy(group); }
         blitz_task_group* group;
       } const frame{group};
       for (int i = 0; i < 10; ++i) REQUIRE(blitz_task_group_run(group, fail_in, as_context(f)) == BLITZ_OK);
       return blitz_task_group_wait(group);
     }},
};

/// A call through calls.hpp: bad_alloc arrives unchanged, and ThreadPoolError as a std::runtime_error.
template <class Call>
void check_arrives(const Failure& failure, Call&& call) {
  bool arrived = false;
  try {
    call([&] { failure.fail(); });
  } catch (const std::bad_alloc&) {
    arrived = failure.arrives == Arrives::kAsNoMemory;
  } catch (const std::runtime_error& error) {
    arrived = failure.arrives == Arrives::kAsUnusable ? std::string(error.what()) == "a callback" : failure.is_it();
  } catch (...) {
    arrived = failure.arrives == Arrives::kAsItIs && failure.is_it();
  }
  CHECK(arrived);
}

}  // namespace

TEST_CASE("c: the tables name every function that returns a status") {
  const std::string header = [] {
    std::ostringstream text;
    text << std::ifstream(BLITZ_TEST_C_HEADER).rdbuf();
    return text.str();
  }();
  const std::string start = "BLITZ_C_API blitz_status ";
  std::vector<std::string> known(std::begin(kGroupFunctions), std::end(kGroupFunctions));
  for (const Function& function : kFunctions) known.emplace_back(function.name);
  std::size_t declared = 0;
  for (std::size_t at = 0; (at = header.find(start, at)) != std::string::npos; ++declared) {
    at += start.size();
    const std::string name = header.substr(at, header.find('(', at) - at);
    CAPTURE(name);
    CHECK(std::count(known.begin(), known.end(), name) == 1);
  }
  CHECK(declared == known.size());
}

TEST_CASE("c: every function returns an error status if the global pool cannot start") {
  // Not a number; negative; above 2^22; 2^64 - 1; 2^64.
  for (const char* text : {"many", "-1", "4194305", "18446744073709551615", "18446744073709551616"}) {
    CAPTURE(text);
    blitz_test::set_environment("BLITZ_NUM_THREADS", text);
    check_each_is_unusable("BLITZ_NUM_THREADS is \"" + std::string(text) + "\"");
  }
  for (const char* text : {"65536", "4194304"}) {
    CAPTURE(text);
    blitz_test::set_environment("BLITZ_NUM_THREADS", text);
    check_each_is_unusable(text);
  }
  blitz_test::set_environment("BLITZ_NUM_THREADS", "2");
  for (const int threads : {0, 1}) {
    const blitz_test::ThreadLimit limit(threads);
    check_each_is_unusable("could not be started");
  }
  CHECK(blitz_init_global_pool(static_cast<std::size_t>(-1)) == BLITZ_INVALID);

  for (const Function& function : kFunctions) {
    CAPTURE(function.name);
    const bool starts_again = function.call == std::end(kFunctions)[-1].call;
    CHECK(function.call() == (starts_again ? BLITZ_UNUSABLE : BLITZ_OK));
  }
}

TEST_CASE("c: an exception of a callback becomes a status or passes through, for each type") {
  for (const std::size_t threads : {1, 2, 3, 16, 0}) {  // 0: the global pool
    CAPTURE(threads);
    blitz_pool* pool = nullptr;
    if (threads != 0) REQUIRE(blitz_pool_create(threads, &pool) == BLITZ_OK);
    for (const Site& site : kSites) {
      CAPTURE(site.name);
      for (const Failure& failure : kFailures) {
        CAPTURE(failure.name);
        blitz_status status = BLITZ_OK;
        bool arrived = false;
        try {
          status = site.call(pool, failure);
        } catch (...) {
          arrived = failure.is_it();
        }
        CHECK(arrived == (failure.arrives == Arrives::kAsItIs));
        CHECK(status == (failure.arrives == Arrives::kAsNoMemory   ? BLITZ_NO_MEMORY
                         : failure.arrives == Arrives::kAsUnusable ? BLITZ_UNUSABLE
                                                                   : BLITZ_OK));
      }
    }
    int ran = 0;
    CHECK(blitz_install(
              pool, [](void* count) { ++*static_cast<int*>(count); }, &ran) == BLITZ_OK);
    CHECK(ran == 1);
    blitz_pool_destroy(pool);
  }
}

TEST_CASE("calls: exceptions of every type reach the C++17 caller") {
  namespace calls = blitz::adaptor;
  for (const Failure& failure : kFailures) {
    CAPTURE(failure.name);
    check_arrives(failure, [](auto fail) { calls::isolate(fail); });
    check_arrives(failure, [](auto fail) { calls::join(fail, [](bool) {}); });
    check_arrives(failure, [](auto fail) { calls::join([] {}, [&](bool) { fail(); }); });
    check_arrives(failure, [](auto fail) {
      calls::for_blocks(100, 1, [&](std::size_t, std::size_t) {
        fail();
        return false;
      });
    });
    check_arrives(failure, [](auto fail) {
      std::optional<int> value;
      const auto fold = [&](std::optional<int>&, std::size_t, std::size_t) {
        fail();
        return false;
      };
      calls::reduce_blocks(100, 1, value, fold, [](int&, int) {});
    });
    check_arrives(failure, [](auto fail) {
      calls::TaskGroup group;
      group.run(fail);
      group.wait();
    });
  }
}

TEST_CASE("c: a group takes no job after the end of its pool") {
  blitz_pool* pool = nullptr;
  blitz_task_group* group = nullptr;
  REQUIRE(blitz_pool_create(2, &pool) == BLITZ_OK);
  REQUIRE(blitz_task_group_create(pool, &group) == BLITZ_OK);
  blitz_pool_destroy(pool);
  CHECK(blitz_task_group_run(group, nothing, nullptr) == BLITZ_UNUSABLE);
  CHECK(blitz_task_group_wait(group) == BLITZ_OK);
  blitz_task_group_destroy(group);
}
