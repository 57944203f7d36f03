// <execution> on blitz when memory runs out: each allocation of an algorithm fails in turn. The algorithm throws std::bad_alloc
// or is right without that memory, and no item is lost or destroyed twice. As C++17 or later.
#include <algorithm>
#include <cstddef>
#include <execution>
#include <functional>
#include <memory>
#include <new>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/fail_each.hpp"

#if !defined(BLITZ_PSTL)
#error "the compiler's own <execution> was found first"
#endif

using namespace blitz_test;

namespace {

constexpr std::size_t kCount = 5000;

/// Its use count tells whether all copies of an item have been destroyed.
using Item = std::shared_ptr<const int>;
using Items = std::vector<Item>;

constexpr auto less = [](const Item& a, const Item& b) { return *a < *b; };
constexpr auto equal = [](const Item& a, const Item& b) { return *a == *b; };
constexpr auto odd = [](const Item& a) { return *a % 2 != 0; };

/// 0, 1, 2, ... in random order, each twice.
Items random_items() {
  Items items;
  for (std::size_t i = 0; i != kCount; ++i) items.push_back(std::make_shared<const int>(static_cast<int>(i / 2)));
  std::shuffle(items.begin(), items.end(), std::minstd_rand(7));
  return items;
}

std::vector<int> values_of(const Items& items, std::size_t count) {
  std::vector<int> values;
  for (std::size_t i = 0; i != count; ++i) values.push_back(*items[i]);
  return values;
}

/// `algorithm(policy, items, out)` returns the number of items to compare: of `out` if it has written there, otherwise of
/// `items`. `out` has twice as many items.
template <class Algorithm>
void check(const std::string& name, const Items& before, const Algorithm& algorithm) {
  CAPTURE(name);
  const long users = before.front().use_count();
  std::vector<int> expected;
  {
    Items items = before;
    Items out(2 * kCount);
    const std::size_t count = algorithm(std::execution::seq, items, out);
    expected = values_of(out.front() != nullptr ? out : items, count);
  }
  fail_each([&](std::size_t nth) {
    bool failed = false;
    {
      Items items = before;
      Items out(2 * kCount);
      std::size_t count = 0;
      bool thrown = false;
      fail_allocation_after(nth);
      try {
        count = algorithm(std::execution::par, items, out);
      } catch (const std::bad_alloc&) {
        thrown = true;
      }
      failed = stop_failing();
      if (thrown) {
        CHECK(failed);
      } else {
        CHECK(values_of(out.front() != nullptr ? out : items, count) == expected);
      }
    }
    CHECK(std::all_of(before.begin(), before.end(), [&](const Item& item) { return item.use_count() == users; }));
    return failed;
  });
}

template <class Iterator>
std::size_t count_between(Iterator begin, Iterator end) {
  return static_cast<std::size_t>(end - begin);
}

}  // namespace

TEST_CASE("<execution>: algorithms throw bad_alloc or are correct when each allocation fails") {
  if (!allocations_can_fail()) {
    MESSAGE("skipped: operator new has been replaced");
    return;
  }
  const Items random = random_items();
  Items sorted = random;
  std::sort(sorted.begin(), sorted.end(), less);
  Items halves = sorted;  // two sorted halves
  std::stable_partition(halves.begin(), halves.end(), odd);

  check("sort", random, [](const auto& policy, Items& items, Items&) {
    std::sort(policy, items.begin(), items.end(), less);
    return items.size();
  });
  check("stable_sort", random, [](const auto& policy, Items& items, Items&) {
    std::stable_sort(policy, items.begin(), items.end(), less);
    return items.size();
  });
  check("partial_sort", random, [](const auto& policy, Items& items, Items&) {
    std::partial_sort(policy, items.begin(), items.begin() + kCount / 2, items.end(), less);
    return kCount / 2;
  });
  check("partial_sort_copy", random, [](const auto& policy, Items& items, Items& out) {
    std::partial_sort_copy(policy, items.begin(), items.end(), out.begin(), out.begin() + kCount / 2, less);
    return kCount / 2;
  });
  check("nth_element", random, [](const auto& policy, Items& items, Items&) {
    std::nth_element(policy, items.begin(), items.begin() + kCount / 2, items.end(), less);
    std::sort(items.begin(), items.begin() + kCount / 2, less);
    return kCount / 2;
  });
  check("inplace_merge", halves, [](const auto& policy, Items& items, Items&) {
    std::inplace_merge(policy, items.begin(), std::find_if_not(items.begin(), items.end(), odd), items.end(), less);
    return items.size();
  });
  check("merge", sorted, [](const auto& policy, Items& items, Items& out) {
    return count_between(out.begin(), std::merge(policy, items.begin(), items.begin() + kCount / 2, items.begin(),
                                                 items.end(), out.begin(), less));
  });
  check("set_union", sorted, [](const auto& policy, Items& items, Items& out) {
    return count_between(out.begin(), std::set_union(policy, items.begin(), items.begin() + kCount / 2, items.begin(),
                                                     items.end(), out.begin(), less));
  });
  check("set_difference", sorted, [](const auto& policy, Items& items, Items& out) {
    return count_between(out.begin(), std::set_difference(policy, items.begin(), items.end(),
                                                          items.begin() + kCount / 2, items.end(), out.begin(), less));
  });
  check("set_intersection", sorted, [](const auto& policy, Items& items, Items& out) {
    return count_between(
        out.begin(), std::set_intersection(policy, items.begin(), items.end(), items.begin() + kCount / 2, items.end(),
                                           out.begin(), less));
  });
  check("copy_if", random, [](const auto& policy, Items& items, Items& out) {
    return count_between(out.begin(), std::copy_if(policy, items.begin(), items.end(), out.begin(), odd));
  });
#if __cplusplus >= 202002L  // In C++17 libstdc++ declares them noexcept.
  check("remove_if", random, [](const auto& policy, Items& items, Items&) {
    return count_between(items.begin(), std::remove_if(policy, items.begin(), items.end(), odd));
  });
  check("unique", sorted, [](const auto& policy, Items& items, Items&) {
    return count_between(items.begin(), std::unique(policy, items.begin(), items.end(), equal));
  });
#endif
  check("unique_copy", sorted, [](const auto& policy, Items& items, Items& out) {
    return count_between(out.begin(), std::unique_copy(policy, items.begin(), items.end(), out.begin(), equal));
  });
  check("partition", random, [](const auto& policy, Items& items, Items&) {
    const auto middle = std::partition(policy, items.begin(), items.end(), odd);
    std::sort(items.begin(), middle, less);
    return count_between(items.begin(), middle);
  });
  check("stable_partition", random, [](const auto& policy, Items& items, Items&) {
    std::stable_partition(policy, items.begin(), items.end(), odd);
    return items.size();
  });
  check("partition_copy", random, [](const auto& policy, Items& items, Items& out) {
    const auto ends = std::partition_copy(policy, items.begin(), items.end(), out.begin(), out.begin() + kCount, odd);
    return count_between(out.begin(), ends.first);
  });
  check("rotate", random, [](const auto& policy, Items& items, Items&) {
    std::rotate(policy, items.begin(), items.begin() + kCount / 3, items.end());
    return items.size();
  });
  check("reverse", random, [](const auto& policy, Items& items, Items&) {
    std::reverse(policy, items.begin(), items.end());
    return items.size();
  });
  check("inclusive_scan", random, [](const auto& policy, Items& items, Items& out) {
    const auto largest = [](const Item& a, const Item& b) { return less(a, b) ? b : a; };
    return count_between(out.begin(), std::inclusive_scan(policy, items.begin(), items.end(), out.begin(), largest));
  });
  check("exclusive_scan", random, [](const auto& policy, Items& items, Items& out) {
    const auto largest = [](const Item& a, const Item& b) { return less(a, b) ? b : a; };
    return count_between(out.begin(),
                         std::exclusive_scan(policy, items.begin(), items.end(), out.begin(), items.front(), largest));
  });
  check("reduce and transform_reduce", random, [](const auto& policy, Items& items, Items&) {
    const auto largest = [](const Item& a, const Item& b) { return less(a, b) ? b : a; };
    const Item item = std::reduce(policy, items.begin(), items.end(), items.front(), largest);
    const int sum =
        std::transform_reduce(policy, items.begin(), items.end(), 0, std::plus<>(), [](const Item& a) { return *a; });
    return static_cast<std::size_t>(*item + sum) % kCount;
  });
  check("for_each, transform, replace_if and fill", random, [](const auto& policy, Items& items, Items& out) {
    std::for_each(policy, items.begin(), items.end(), [](Item& item) { static_cast<void>(*item); });
    std::transform(policy, items.begin(), items.end(), out.begin(), [](const Item& item) { return item; });
    std::replace_if(policy, out.begin(), out.begin() + kCount, odd, items.front());
    std::fill(policy, out.begin() + kCount, out.end(), items.back());
    return out.size();
  });
  check("searches", sorted, [](const auto& policy, Items& items, Items&) {
    const auto found = std::find_if(policy, items.begin(), items.end(), [](const Item& item) { return *item == 1000; });
    const auto where =
        std::search(policy, items.begin(), items.end(), items.begin() + 1000, items.begin() + 1010, equal);
    const auto least = std::min_element(policy, items.begin(), items.end(), less);
    return (count_between(items.begin(), found) + count_between(items.begin(), where) +
            count_between(items.begin(), least) +
            static_cast<std::size_t>(std::count_if(policy, items.begin(), items.end(), odd)) +
            static_cast<std::size_t>(std::is_sorted(policy, items.begin(), items.end(), less)) -
            static_cast<std::size_t>(
                std::includes(policy, items.begin(), items.end(), items.begin(), items.end(), less))) %
           kCount;
  });
}
