#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <ranges>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <type_traits>
#include <vector>

#include <blitz/algorithm.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

using Counts = std::vector<std::size_t>;

template <class R, class F>
Counts counted_serially(const R& range, std::size_t bins, F bin_of) {
  Counts counts(bins);
  for (const auto& x : range) ++counts[static_cast<std::size_t>(bin_of(x))];
  return counts;
}

TEST_CASE("histogram: equals the serial loop for every length and number of bins") {
  for_each_length(20'000, [](const AlgorithmOptions& options, std::size_t n) {
    for (const std::size_t bins : {1u, 7u, 300u, 1500u}) {
      const std::vector<int> numbers = random_ints(n, static_cast<int>(bins));
      const auto as_they_are = [](int x) { return x; };
      CHECK(blitz::histogram(options, numbers, bins) == counted_serially(numbers, bins, as_they_are));
      const auto half = numbers.begin() + static_cast<std::ptrdiff_t>(n / 2);
      CHECK(blitz::histogram(options, half, numbers.end(), bins) ==
            counted_serially(std::ranges::subrange(half, numbers.end()), bins, as_they_are));
    }
  });
}

TEST_CASE("histogram: is correct around the sizes where the method changes") {
  for_each_pool([](const AlgorithmOptions& options) {
    // Small counters are used for at most 1024 bins, and with at least sixteen items per bin.
    for (const std::size_t bins : {1u, 2u, 100u, 1023u, 1024u, 1025u}) {
      for (const std::size_t n : around({16 * bins, 16 * bins + 16})) {
        const std::vector<int> numbers = random_ints(n, static_cast<int>(bins));
        CHECK(blitz::histogram(options, numbers, bins) == counted_serially(numbers, bins, std::identity()));
      }
    }
  });
}

TEST_CASE("histogram: takes items of every kind and a function to their bin") {
  for_each_pool([](const AlgorithmOptions& options) {
    for (const std::size_t n : {0u, 1u, 100u, 5000u}) {
      for_each_kind(random_ints(n, 50), [&](auto& items, const std::vector<int>&) {
        using T = std::ranges::range_value_t<decltype(items)>;
        const auto bin_of = [](const T& x) {
          if constexpr (std::is_same_v<T, std::string>)
            return x.size();
          else if constexpr (std::is_same_v<T, Wide>)
            return x.value;
          else
            return static_cast<short>(x);
        };
        CHECK(blitz::histogram(options, items, 64, bin_of) == counted_serially(items, 64, bin_of));
      });
      const std::vector<int> numbers = random_ints(n, 50);
      CHECK(blitz::histogram(options, numbers, 2, [](int x) { return x < 25; }) ==
            counted_serially(numbers, 2, [](int x) { return x < 25; }));
      CHECK(blitz::histogram(options, std::views::iota(0u, static_cast<unsigned>(n)), n + 1) ==
            counted_serially(std::views::iota(0u, static_cast<unsigned>(n)), n + 1, [](unsigned x) { return x; }));
    }
  });
}

/// Every value of a type, with enough bins for all of them, and with too few.
template <class Bin>
void check_every_value_of() {
  std::vector<Bin> values;
  for (int i = 0; i < 128; ++i) values.insert(values.end(), {static_cast<Bin>(i), static_cast<Bin>(i + 128)});
  constexpr std::size_t kBins = std::is_signed_v<Bin> ? 128 : 256;
  if constexpr (std::is_signed_v<Bin>) {
    CHECK_THROWS_AS(static_cast<void>(blitz::histogram(two_threads(), values, kBins)), std::out_of_range);
    for (Bin& value : values) value = static_cast<Bin>(value & 127);
  }
  for (int copies = 0; copies < 6; ++copies) values.insert(values.end(), values.begin(), values.end());
  CHECK(blitz::histogram(two_threads(), values, kBins) == Counts(kBins, values.size() / kBins));
  CHECK_THROWS_AS(static_cast<void>(blitz::histogram(two_threads(), values, kBins - 1)), std::out_of_range);
  CHECK_THROWS_AS(static_cast<void>(blitz::histogram(two_threads(), values, 0)), std::out_of_range);
}

TEST_CASE("histogram: takes every value of small types and refuses items outside the bins") {
  check_every_value_of<std::uint8_t>();
  check_every_value_of<std::int8_t>();
  check_every_value_of<char>();
  for_each_pool([](const AlgorithmOptions& options) {
    for (std::size_t at = 0; at < 200; ++at) {
      std::vector<int> numbers(200, 3);
      numbers[at] = at % 2 == 0 ? 4 : -1;
      CHECK_THROWS_WITH(
          static_cast<void>(blitz::histogram(options, numbers, 4)),
          at % 2 == 0
              ? "blitz: histogram: an item has bin 4, but there are 4 bins; return at least 0 and less than 4"
              : "blitz: histogram: an item has bin -1, but there are 4 bins; return at least 0 and less than 4");
    }
  });
}

TEST_CASE("histogram: passes on an exception of each call of the bin function") {
  const std::vector<int> numbers = random_ints(100, 5);
  for_each_pool([&](const AlgorithmOptions& options) {
    throw_at_each_call(
        [&](CallCounter& counter) {
          const Counts counts = blitz::histogram(options, numbers, 5, counted(counter, [](int x) { return x; }));
          CHECK(counts.size() == 5);
        },
        [] {});
  });
}

TEST_CASE("histogram: throws Stopped after a stop request") {
  const std::vector<int> numbers = random_ints(1000, 5);
  for_each_pool([&](AlgorithmOptions options) {
    std::stop_source source;
    options.stop = source.get_token();
    const auto stops = [&](int x) {
      source.request_stop();
      return x;
    };
    CHECK_THROWS_AS(static_cast<void>(blitz::histogram(options, numbers, 5, stops)), blitz::Stopped);
  });
}

}  // namespace
}  // namespace blitz_test
