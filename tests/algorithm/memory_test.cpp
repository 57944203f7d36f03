// The extra memory of algorithms and pipelines: their input bounds it, for every grain.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <blitz/algorithm.hpp>
#include <blitz/fork_join.hpp>
#include <blitz/pipeline.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"
#include "support/fail_each.hpp"
#include "support/failing_new.hpp"

namespace blitz_test {
namespace {

using Ints = std::vector<int>;

constexpr std::size_t kItems = 30'000;
constexpr std::size_t kInput = kItems * sizeof(int);
/// Room for the jobs of a loop, and for the bookkeeping of an algorithm's parts.
constexpr std::size_t kSlack = std::size_t{1} << 17;

struct World {
  Ints a = random_ints(kItems, 1000);
  Ints b = sorted(random_ints(kItems, 1000));
  Ints c = b;
  Ints out = Ints(2 * kItems);
  Ints more = Ints(2 * kItems);

  static Ints sorted(Ints numbers) {
    std::ranges::sort(numbers);
    return numbers;
  }
};

struct Case {
  const char* name;
  std::size_t most;  // bytes
  std::function<void(const AlgorithmOptions&, World&)> run;
};

/// A predicate that takes long enough for other workers to take part.
bool odd(int x) {
  static_cast<void>(whatever());
  return x % 2 != 0;
}
bool same(int x, int y) { return odd(x) == odd(y); }
bool less(int x, int y) { return x < y; }

void check_memory(const std::vector<Case>& cases) {
  if (!allocations_can_fail()) return;
  const World fresh;
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  for (const blitz::PoolRef pool : {pools()[1], pools()[3], async_pools()[2]}) {
    for (const std::size_t grain :
         {std::size_t{0}, kItems / 16, kItems / 4, kItems / 2, std::size_t{1} << 20, std::size_t{1} << 40, kMost}) {
      CAPTURE(grain);
      for (const Case& each : cases) {
        const std::string name = each.name;
        CAPTURE(name);
        World world = fresh;
        blitz::free_kept_arrays();
        const std::size_t before = allocated_bytes();
        each.run({.min_grain = grain, .pool = pool}, world);
        CHECK(allocated_bytes() - before <= each.most + kSlack);
        blitz::free_kept_arrays();
      }
    }
  }
}

TEST_CASE("memory: the input bounds the allocations of filters and partitions") {
  // A few bits for each item, and a quarter of the items.
  constexpr std::size_t kFilter = kItems + kInput / 4;
  check_memory({
      {"copy_if", kFilter, [](auto& o, World& w) { blitz::copy_if(o, w.a, w.out, odd); }},
      {"remove_copy_if", kFilter, [](auto& o, World& w) { blitz::remove_copy_if(o, w.a, w.out, odd); }},
      {"unique_copy", kFilter, [](auto& o, World& w) { blitz::unique_copy(o, w.a, w.out, same); }},
      {"remove_if", kFilter, [](auto& o, World& w) { blitz::remove_if(o, w.a, odd); }},
      {"unique", kFilter, [](auto& o, World& w) { blitz::unique(o, w.a, same); }},
      {"partition", kFilter, [](auto& o, World& w) { blitz::partition(o, w.a, odd); }},
      {"stable_partition", kFilter + kInput, [](auto& o, World& w) { blitz::stable_partition(o, w.a, odd); }},
      {"partition_copy", kFilter, [](auto& o, World& w) { blitz::partition_copy(o, w.a, w.out, w.more, odd); }},
  });
}

TEST_CASE("memory: the input bounds the allocations of sorts, merges and set operations") {
  check_memory({
      {"sort", kInput, [](auto& o, World& w) { blitz::sort(o, w.a); }},
      {"sort by a comparison", kInput, [](auto& o, World& w) { blitz::sort(o, w.a, less); }},
      {"stable_sort", 2 * kInput, [](auto& o, World& w) { blitz::stable_sort(o, w.a); }},
      {"stable_sort by a comparison", 2 * kInput, [](auto& o, World& w) { blitz::stable_sort(o, w.a, less); }},
      {"sort_by_key", 6 * kInput, [](auto& o, World& w) { blitz::sort_by_key(o, w.a, w.b); }},
      {"partial_sort", kInput, [](auto& o, World& w) { blitz::partial_sort(o, w.a, w.a.begin() + kItems / 2); }},
      {"nth_element", kInput, [](auto& o, World& w) { blitz::nth_element(o, w.a, w.a.begin() + kItems / 2); }},
      {"merge", 0, [](auto& o, World& w) { blitz::merge(o, w.b, w.c, w.out, less); }},
      {"set_union", 0, [](auto& o, World& w) { blitz::set_union(o, w.b, w.c, w.out, less); }},
      {"inplace_merge", kInput,
       [](auto& o, World& w) {
         std::ranges::rotate(w.b, w.b.begin() + kItems / 3);
         blitz::inplace_merge(o, w.b, w.b.end() - kItems / 3);
       }},
  });
}

TEST_CASE("memory: the input bounds the allocations of scans, groups and others") {
  const auto det = [](AlgorithmOptions options) {
    options.deterministic = true;
    return options;
  };
  check_memory({
      {"inclusive_scan", kInput, [](auto& o, World& w) { blitz::inclusive_scan(o, w.a, w.out); }},
      {"deterministic scan", kInput, [=](auto& o, World& w) { blitz::inclusive_scan(det(o), w.a, w.out); }},
      {"deterministic reduce", 0, [=](auto& o, World& w) { static_cast<void>(blitz::reduce(det(o), w.a, 0)); }},
      {"adjacent_difference", kInput, [](auto& o, World& w) { blitz::adjacent_difference(o, w.a, w.a); }},
      {"shuffle", 2 * kInput, [](auto& o, World& w) { blitz::shuffle(o, w.a, std::mt19937(1)); }},
      {"group_by", 32 * kInput, [](auto& o, World& w) { static_cast<void>(blitz::group_by(o, w.a)); }},
      {"histogram", kInput, [](auto& o, World& w) { static_cast<void>(blitz::histogram(o, w.a, 1000)); }},
      {"reduce_by_key", kInput, [](auto& o, World& w) { blitz::reduce_by_key(o, w.a, w.b, w.out, w.more); }},
  });
}

TEST_CASE("memory: the input bounds the allocations of pipelines") {
  const auto itself = [](int x) { return Ints(1, x); };
  check_memory({
      {"collect", kInput, [](auto& o, World& w) { static_cast<void>(blitz::par(w.a).with(o).collect()); }},
      {"filter", 2 * kInput,
       [](auto& o, World& w) { static_cast<void>(blitz::par(w.a).filter(odd).with(o).collect()); }},
      {"flat_map", 4 * kInput,
       [=](auto& o, World& w) { static_cast<void>(blitz::par(w.a).flat_map(itself).with(o).collect()); }},
      {"partition", 4 * kInput, [](auto& o, World& w) { static_cast<void>(blitz::par(w.a).with(o).partition(odd)); }},
      {"scan", 2 * kInput,
       [](auto& o, World& w) { static_cast<void>(blitz::par(w.a).scan(std::plus<>()).with(o).collect()); }},
      {"from", 4 * kInput, [](auto& o, World& w) { static_cast<void>(blitz::from(w.a).with(o).collect()); }},
      {"group_by", 32 * kInput, [](auto& o, World& w) { static_cast<void>(blitz::par(w.a).with(o).group_by()); }},
  });
}

}  // namespace
}  // namespace blitz_test
