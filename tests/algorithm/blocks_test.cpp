#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <blitz/detail/algorithm/blocks.hpp>
#include <blitz/detail/algorithm/scratch.hpp>
#include <blitz/detail/base/cache_line.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

using blitz::detail::LoopIndex;
using blitz::detail::Scratch;

TEST_CASE("global pool: cannot start in these tests, so no call runs in it by mistake") {
  CHECK_THROWS_AS(static_cast<void>(blitz::global_pool()), blitz::ThreadPoolError);
}

TEST_CASE("find_first: finds the leftmost of many matches") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const LoopIndex first : std::vector<LoopIndex>{0, 1, 7, 500, 9'998, 9'999, 10'000}) {
      const auto probe = [&](LoopIndex from, LoopIndex to) { return std::min(std::max(from, first), to); };
      CHECK(blitz::detail::find_first(options, 10'000, 1, probe) == first);
    }
  });
}

TEST_CASE("fold_blocks: visits each position once and combines the parts in order") {
  for_each_length(2000, [](const AlgorithmOptions& options, std::size_t n) {
    std::string expected;
    for (std::size_t i = 0; i < n; ++i) expected += std::to_string(i) + ' ';
    const std::string found = blitz::detail::fold_blocks(
        options, n, 1, [] { return std::string(); },
        [](std::string& text, LoopIndex first, LoopIndex last) {
          for (; first != last; ++first) text += std::to_string(first) + ' ';
        },
        [](std::string& left, std::string&& right) { left += right; });
    CHECK(found == expected);
  });
}

TEST_CASE("Scratch: aligns small and large arrays and throws bad_alloc for too large ones") {
  const Scratch<Wide> wide(3);
  CHECK(reinterpret_cast<std::uintptr_t>(wide.data()) % alignof(Wide) == 0);
  Scratch<char> large(blitz::detail::kHugePage * 3);
  CHECK(reinterpret_cast<std::uintptr_t>(large.data()) % blitz::detail::kCacheLine == 0);
  large.data()[large.size() - 1] = 'x';
  Scratch<char> moved = std::move(large);
  CHECK(large.data() == nullptr);
  CHECK(large.size() == 0);
  CHECK(moved.data()[moved.size() - 1] == 'x');
  CHECK(Scratch<int>(0).data() == nullptr);
  CHECK_THROWS_AS(Scratch<int>(std::numeric_limits<std::size_t>::max() / 2), std::bad_alloc);
}

}  // namespace
}  // namespace blitz_test
