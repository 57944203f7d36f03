#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <ranges>
#include <stop_token>
#include <string>
#include <vector>

#include <blitz/algorithm.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

TEST_CASE("scans of numbers: equal the standard's for every length") {
  for_each_length(20'000, [](const AlgorithmOptions& options, std::size_t n) {
    const std::vector<int> numbers = random_ints(n, 1000);
    const std::vector<double> exact(numbers.begin(), numbers.end());
    std::vector<long> expected(n);
    std::vector<long> sums(n);
    const auto square = [](int x) { return static_cast<long>(x) * x; };

    std::inclusive_scan(numbers.begin(), numbers.end(), expected.begin(), std::plus<>{}, 5L);
    const auto [in, out] = blitz::inclusive_scan(options, numbers, sums, std::plus<>{}, 5L);
    CHECK(in == numbers.end());
    CHECK(out == sums.end());
    CHECK(sums == expected);
    std::ranges::fill(sums, -1);
    blitz::inclusive_scan(
        options, numbers.begin(), numbers.end(), sums.begin(), sums.end(), [](long a, long b) { return a + b; }, 5L);
    CHECK(sums == expected);

    std::exclusive_scan(numbers.begin(), numbers.end(), expected.begin(), 7L);
    blitz::exclusive_scan(options, numbers, sums, 7L);
    CHECK(sums == expected);
    std::vector<double> in_place = exact;
    blitz::exclusive_scan(options, in_place, in_place, 7.0);
    CHECK(std::ranges::equal(in_place, expected));

    std::partial_sum(exact.begin(), exact.end(), expected.begin());
    in_place = exact;
    blitz::inclusive_scan(options, in_place, in_place);
    CHECK(std::ranges::equal(in_place, expected));
    in_place = exact;
    blitz::inclusive_scan(options, in_place, in_place, [](double a, double b) { return a + b; });
    CHECK(std::ranges::equal(in_place, expected));

    std::transform_inclusive_scan(numbers.begin(), numbers.end(), expected.begin(), std::plus<>{}, square);
    blitz::transform_inclusive_scan(options, numbers, sums, std::plus<>{}, square);
    CHECK(sums == expected);
    std::transform_exclusive_scan(numbers.begin(), numbers.end(), expected.begin(), 3L, std::plus<>{}, square);
    blitz::transform_exclusive_scan(options, numbers.begin(), numbers.end(), sums.begin(), sums.end(), 3L,
                                    std::plus<>{}, square);
    CHECK(sums == expected);
  });
}

TEST_CASE("scans of strings: keep the order of an operation that does not commute, also in place") {
  for (const bool deterministic : {false, true}) {
    for_each_length(520, [&](AlgorithmOptions options, std::size_t n) {
      options.deterministic = deterministic;
      std::deque<std::string> words;
      for (const int number : random_ints(n, 10)) words.push_back(std::to_string(number));
      std::deque<std::string> with(n);
      std::deque<std::string> without(n);
      std::string sum = "begin ";
      for (std::size_t i = 0; i < n; ++i) {
        without[i] = sum;
        with[i] = sum += words[i];
      }
      std::deque<std::string> sums = words;
      blitz::inclusive_scan(options, sums, sums, std::plus<>{}, std::string("begin "));
      CHECK(sums == with);
      sums = words;
      blitz::exclusive_scan(options, sums, sums, std::string("begin "));
      CHECK(sums == without);
      blitz::inclusive_scan(options, words, sums);
      CHECK(std::ranges::equal(sums, with, {}, [](const std::string& x) { return "begin " + x; }));
    });
  }
}

/// A large item: few of them make a run as large as a cache.
struct Page {
  int value = 1;
  std::array<int, 1023> rest{};
  friend Page operator+(Page a, const Page& b) { return a.value += b.value, a; }
};

TEST_CASE("scans: are correct for as many items as make the longest runs") {
  // For two threads, 64 runs of 512 KiB.
  for (const std::size_t n : kSanitized ? std::vector<std::size_t>{8193} : around({8192})) {
    std::vector<Page> pages(n);
    blitz::inclusive_scan(two_threads(), pages, pages);
    std::size_t sum = 0;
    CHECK(std::ranges::all_of(pages, [&](const Page& page) { return page.value == static_cast<int>(++sum); }));
  }
}

TEST_CASE("scans: stop at the shorter range") {
  for_each_pool([](const AlgorithmOptions& options) {
    const std::vector<int> ones(1000, 1);
    std::vector<int> sums(1200, -1);
    const auto [in, out] = blitz::inclusive_scan(options, ones.begin(), ones.end(), sums.begin(), sums.begin() + 700);
    CHECK(in == ones.begin() + 700);
    CHECK(out == sums.begin() + 700);
    CHECK(sums[699] == 700);
    CHECK(sums[700] == -1);
    CHECK(blitz::exclusive_scan(options, ones, sums, 0).out == sums.begin() + 1000);
    CHECK(sums[1000] == -1);
  });
}

TEST_CASE("scans: take other types and iterators that return values") {
  for_each_pool([](const AlgorithmOptions& options) {
    std::vector<Wide> wide = items_from<std::vector<Wide>>(random_ints(1000, 100));
    std::vector<Wide> expected = wide;
    const auto larger = [](const Wide& a, const Wide& b) { return a < b ? b : a; };
    std::partial_sum(wide.begin(), wide.end(), expected.begin(), larger);
    blitz::inclusive_scan(options, wide, wide, larger);
    CHECK(wide == expected);
    std::vector<unsigned char> bytes(1000);
    blitz::inclusive_scan(
        options, std::views::iota(1, 1001) | std::views::transform([](int i) { return static_cast<unsigned char>(i); }),
        bytes);
    for (unsigned i = 0; i < 1000; ++i) REQUIRE(bytes[i] == (i + 1) * (i + 2) / 2 % 256);
    std::vector<float> products(1000, 1.0F);
    products[500] = 2.0F;
    blitz::inclusive_scan(options, products, products, std::multiplies<>{});
    CHECK(products[499] == 1.0F);
    CHECK(products[500] == 2.0F);
    CHECK(products[999] == 2.0F);
  });
}

TEST_CASE("scans: if deterministic, give the same bits on any number of threads") {
  std::vector<double> numbers(30'000);
  for (double& x : numbers) x = 1.0 / static_cast<double>(1 + random_bits()() % 1000);
  const auto plus = [](double a, double b) { return a + b; };
  std::vector<std::vector<double>> first;
  for (const blitz::PoolRef pool : pools()) {
    for (int times = 0; times < 5; ++times) {
      const AlgorithmOptions options{.deterministic = true, .pool = pool};
      std::vector<std::vector<double>> sums(4, std::vector<double>(numbers.size()));
      blitz::inclusive_scan(options, numbers, sums[0]);
      blitz::inclusive_scan(options, numbers, sums[1], plus);
      blitz::exclusive_scan(options, numbers, sums[2], 0.5);
      blitz::transform_exclusive_scan(options, numbers, sums[3], 0.5, plus, [](double x) { return x * x; });
      if (first.empty()) first = sums;
      for (std::size_t i = 0; i < sums.size(); ++i) {
        CHECK(std::ranges::equal(
            sums[i], first[i], {}, [](double x) { return std::bit_cast<std::uint64_t>(x); },
            [](double x) { return std::bit_cast<std::uint64_t>(x); }));
      }
    }
  }
}

TEST_CASE("scans: call the operation at most twice for each item, and once on one thread") {
  for_each_pool([](const AlgorithmOptions& options) {
    CallCounter operations;
    CallCounter transforms;
    operations.never_throw();
    transforms.never_throw();
    std::vector<int> sums(1000);
    blitz::transform_inclusive_scan(options, std::views::iota(0, 1000), sums, counted(operations, std::plus<>{}),
                                    counted(transforms, [](int i) { return i; }));
    CHECK(operations.calls() <= 2000);
    CHECK(transforms.calls() <= 2000);
    blitz::ThreadPool one({.num_threads = 1});
    operations.never_throw();
    transforms.never_throw();
    blitz::transform_inclusive_scan({.pool = &one}, std::views::iota(0, 1000), sums, counted(operations, std::plus<>{}),
                                    counted(transforms, [](int i) { return i; }));
    CHECK(operations.calls() == 999);
    CHECK(transforms.calls() == 1000);
  });
}

TEST_CASE("scans: throw Stopped after a stop request") {
  for_each_pool([](AlgorithmOptions options) {
    std::vector<int> numbers(10'000, 1);
    std::stop_source source;
    options.stop = source.get_token();
    const auto plus = [&](int a, int b) { return source.request_stop(), a + b; };
    CHECK_THROWS_AS(blitz::inclusive_scan(options, numbers, numbers, plus), blitz::Stopped);
    source = std::stop_source();
    options.stop = source.get_token();
    CHECK_THROWS_AS(blitz::exclusive_scan(options, numbers, numbers, 0, plus), blitz::Stopped);
  });
}

}  // namespace
}  // namespace blitz_test
