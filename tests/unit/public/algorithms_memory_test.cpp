/// Algorithms and pipelines with each of their allocations failing in turn. Either they work without the memory, or they throw
/// std::bad_alloc and leave the items unchanged. No object is lost.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <new>
#include <numeric>
#include <random>
#include <ranges>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include <blitz/algorithm.hpp>
#include <blitz/pipeline.hpp>
#include <blitz/thread_pool.hpp>
#include <doctest/doctest.h>

#include "support/fail_each.hpp"
#include "support/failing_new.hpp"

namespace blitz_test {
namespace {

/// An int that counts its objects. So it is not known to be cheap to move.
class Counted {
 public:
  inline static std::atomic<std::ptrdiff_t> alive{0};

  explicit(false) Counted(int value) : value_(value) { ++alive; }
  Counted(const Counted& other) noexcept : value_(other.value_) { ++alive; }
  Counted& operator=(const Counted&) noexcept = default;
  ~Counted() { --alive; }
  explicit(false) operator int() const { return value_; }

 private:
  int value_;
};

/// The promise if an allocation fails.
enum class Promise {
  kNeedsNone,
  kDone,     // the algorithm works without it
  kAsBefore  // std::bad_alloc leaves the items unchanged
};

/// Calls `run(options, items, out)` with each of its allocations failing in turn; `out` has as many objects as `items`. If the
/// call returns, `right(before, items, out, result)` must be true.
template <class T, class Run, class Right>
void check(const char* name, Promise promise, const std::vector<T>& before, const Run& run, const Right& right) {
  CAPTURE(std::string(name));
  blitz::ThreadPool pool({.num_threads = 2});
  const blitz::AlgorithmOptions options{.pool = &pool};
  const std::size_t failures = fail_each([&](std::size_t nth) {
    std::vector<T> items = before;
    std::vector<T> out(before.size(), T(-1));
    const std::ptrdiff_t alive = Counted::alive;
    bool failed = false;
    {
      std::invoke_result_t<const Run&, const blitz::AlgorithmOptions&, std::vector<T>&, std::vector<T>&> result{};
      bool thrown = false;
      fail_allocation_after(nth);
      try {
        result = run(options, items, out);
      } catch (const std::bad_alloc&) {
        thrown = true;
      }
      failed = stop_failing();
      if (thrown) {
        CHECK(failed);
        CHECK(promise == Promise::kAsBefore);
        CHECK(items == before);
      } else {
        CHECK(right(before, items, out, result));
      }
    }
    CHECK(Counted::alive == alive);
    return failed;
  });
  CHECK((failures > 0) == (promise != Promise::kNeedsNone));
}

/// Random numbers below `kinds`.
template <class T>
std::vector<T> random_items(std::size_t n, int kinds = 10'000) {
  std::minstd_rand bits(7);
  std::vector<T> items;
  for (std::size_t i = 0; i < n; ++i) items.push_back(static_cast<int>(bits() % static_cast<unsigned>(kinds)));
  return items;
}

constexpr auto odd = [](int x) { return x % 2 != 0; };

/// True if the items up to `end` equal the result of a serial form.
constexpr auto same_as = [](auto serial) {
  return [serial](const auto& before, const auto& items, const auto&, std::size_t end) {
    const auto expected = serial(before);
    return std::equal(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(end), expected.begin(),
                      expected.end());
  };
};
/// Like same_as, for the output.
constexpr auto writes = [](auto serial) {
  return [is_same = same_as(serial)](const auto& before, const auto&, const auto& out, std::size_t end) {
    return is_same(before, out, out, end);
  };
};

constexpr auto sorted = [](auto items) {
  std::ranges::sort(items);
  return items;
};
constexpr auto odd_ones = [](auto items) {
  std::erase_if(items, std::not_fn(odd));
  return items;
};
constexpr auto sums = [](auto items) {
  std::partial_sum(items.begin(), items.end(), items.begin());
  return items;
};
constexpr auto below = [](int x, int y) { return x < y; };  // by comparisons: not known to be std::less

template <class T>
void check_algorithms() {
  using Items = std::vector<T>;
  using Options = blitz::AlgorithmOptions;
  // If items are expensive to move, fewer of them make several parts.
  const Items some = random_items<T>(std::is_same_v<T, int> ? 20'000 : 3000);
  const Items many = random_items<T>(40'000);
  const Items few_kinds = random_items<T>(some.size(), 3);
  Items halves = some;
  std::ranges::sort(halves.begin(), halves.begin() + std::ssize(halves) / 2);
  std::ranges::sort(halves.begin() + std::ssize(halves) / 2, halves.end());
  Items nearly_sorted = sorted(some);
  std::swap(nearly_sorted[some.size() / 5], nearly_sorted[some.size() / 3]);
  const auto place = [](const Items& items, auto it) { return static_cast<std::size_t>(it - items.begin()); };

  check(
      "sort", Promise::kNeedsNone, some,
      [&](const Options& options, Items& items, Items&) { return place(items, blitz::sort(options, items, below)); },
      same_as(sorted));
  check(
      "stable_sort", Promise::kDone, some,
      [&](const Options& options, Items& items, Items&) {
        return place(items, blitz::stable_sort(options, items, below));
      },
      same_as(sorted));
  check(
      "sort of nearly sorted items", Promise::kDone, nearly_sorted,
      [&](const Options& options, Items& items, Items&) { return place(items, blitz::sort(options, items, below)); },
      same_as(sorted));
  check(
      "stable_sort of nearly sorted items", Promise::kDone, nearly_sorted,
      [&](const Options& options, Items& items, Items&) {
        return place(items, blitz::stable_sort(options, items, below));
      },
      same_as(sorted));
  check(
      "stable_sort by radix", Promise::kDone, many,
      [&](const Options& options, Items& items, Items&) { return place(items, blitz::stable_sort(options, items)); },
      same_as(sorted));
  check(
      "partial_sort", Promise::kNeedsNone, some,
      [&](const Options& options, Items& items, Items&) {
        return place(items, blitz::partial_sort(options, items, items.begin() + 2000, below)) - items.size() + 2000;
      },
      same_as([](const Items& items) {
        Items first = sorted(items);
        first.erase(first.begin() + 2000, first.end());
        return first;
      }));
  check(
      "inplace_merge", Promise::kDone, halves,
      [&](const Options& options, Items& items, Items&) {
        return place(items, blitz::inplace_merge(options, items, items.begin() + std::ssize(items) / 2, below));
      },
      same_as(sorted));
  check(
      "sort_by_key", Promise::kAsBefore, some,
      [&](const Options& options, Items& items, Items& out) {
        return place(items, blitz::sort_by_key(options, items, out, below).in1);
      },
      same_as(sorted));
  check(
      "sort_by_cached_key", Promise::kAsBefore, some,
      [&](const Options& options, Items& items, Items&) {
        return place(items, blitz::sort_by_cached_key(options, items, [](int x) { return x; }));
      },
      same_as(sorted));
  check(
      "shuffle", Promise::kAsBefore, many,
      [&](const Options& options, Items& items, Items&) {
        blitz::shuffle(options, items, std::minstd_rand(3));
        return items.size();
      },
      [](const Items& before, const Items& items, const Items&, std::size_t) {
        return before != items && sorted(before) == sorted(items);
      });
  check(
      "stable_partition", Promise::kAsBefore, some,
      [&](const Options& options, Items& items, Items&) {
        return place(items, blitz::stable_partition(options, items, odd).begin());
      },
      same_as(odd_ones));
  check(
      "partition", Promise::kAsBefore, many,
      [&](const Options& options, Items& items, Items&) {
        return place(items, blitz::partition(options, items, odd).begin());
      },
      [](const Items& before, const Items& items, const Items&, std::size_t end) {
        return end == odd_ones(before).size() && sorted(before) == sorted(items) &&
               std::ranges::is_partitioned(items, odd);
      });
  check(
      "remove_if", Promise::kAsBefore, some,
      [&](const Options& options, Items& items, Items&) {
        return place(items, blitz::remove_if(options, items, std::not_fn(odd)).begin());
      },
      same_as(odd_ones));
  check(
      "unique", Promise::kAsBefore, few_kinds,
      [&](const Options& options, Items& items, Items&) { return place(items, blitz::unique(options, items).begin()); },
      same_as([](Items items) {
        items.erase(std::ranges::unique(items).begin(), items.end());
        return items;
      }));
  check(
      "copy_if", Promise::kAsBefore, some,
      [&](const Options& options, Items& items, Items& out) {
        return place(out, blitz::copy_if(options, items, out, odd).out);
      },
      writes(odd_ones));
  check(
      "inclusive_scan", Promise::kAsBefore, some,
      [&](const Options& options, Items& items, Items& out) {
        return place(out, blitz::inclusive_scan(options, items, out, std::plus<int>()).out);
      },
      writes(sums));
  check(
      "group_by", Promise::kAsBefore, some,
      [&](const Options& options, Items& items, Items&) {
        return blitz::group_by(options, items, [](int x) { return x % 100; }).size();
      },
      [](const Items&, const Items&, const Items&, std::size_t groups) { return groups == 100; });
  check(
      "group_by of many groups", Promise::kAsBefore, many,
      [&](const Options& options, Items& items, Items&) {
        return blitz::group_by(options, items, [](int x) { return x; }).size();
      },
      [](const Items& before, const Items&, const Items&, std::size_t groups) {
        return groups == std::set<int>(before.begin(), before.end()).size();
      });
  check(
      "pipeline that filters", Promise::kAsBefore, some,
      [&](const Options& options, Items& items, Items&) {
        return blitz::par(items).with(options).filter(odd).collect();
      },
      [](const Items& before, const Items&, const Items&, const auto& found) {
        return std::ranges::equal(found, odd_ones(before));
      });
  check(
      "pipeline that scans", Promise::kAsBefore, some,
      [&](const Options& options, Items& items, Items&) {
        return blitz::par(items).with(options).scan(std::plus<int>()).collect();
      },
      [](const Items& before, const Items&, const Items&, const auto& found) {
        return std::ranges::equal(found, sums(before));
      });
}

TEST_CASE("algorithms and pipelines: each failed allocation is tolerated or throws bad_alloc") {
  if (!allocations_can_fail()) {
    MESSAGE("skipped: operator new has been replaced");
    return;
  }
  check_algorithms<int>();
  check_algorithms<Counted>();
}

}  // namespace
}  // namespace blitz_test
