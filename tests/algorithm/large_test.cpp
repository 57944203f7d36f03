// Arrays with more items than 32 bits can count: each algorithm that counts, places or moves items, on 2^32 + 17 characters.
// Skipped (77) if there is not enough memory for four such arrays.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <blitz/algorithm.hpp>
#include <blitz/fork_join.hpp>
#include <blitz/pipeline.hpp>
#include <doctest/doctest.h>

namespace {

constexpr std::size_t kItems = (std::size_t{1} << 32) + 17;
constexpr std::size_t kKinds = 4;

using Array = blitz::Array<char>;
using Counts = std::array<std::size_t, kKinds>;

/// The item at position i is i modulo 4.
Array make() {
  return blitz::par(std::size_t{0}, kItems).map([](std::size_t i) { return static_cast<char>(i % kKinds); }).collect();
}
/// `one` at all positions except the last.
Array make_alike(char one, char last) {
  Array items = blitz::par(std::size_t{0}, kItems).map([one](std::size_t) { return one; }).collect();
  items.back() = last;
  return items;
}

/// The number of items of each kind.
constexpr Counts kCounts{kItems / 4 + 1, kItems / 4, kItems / 4, kItems / 4};
static_assert(kCounts[0] + kCounts[1] + kCounts[2] + kCounts[3] == kItems);

/// Whether the items are kCounts[k] of each kind, in this order of kinds.
bool are_runs(std::span<const char> items, std::array<char, kKinds> kinds = {0, 1, 2, 3}) {
  for (const char kind : kinds) {
    const std::size_t count = kCounts[static_cast<std::size_t>(kind)];
    if (items.size() < count) return false;
    if (!std::ranges::all_of(items.first(count), [kind](char x) { return x == kind; })) return false;
    items = items.subspan(count);
  }
  return items.empty();
}
/// Whether each item i equals `expected(i)`.
template <class F>
bool are(std::span<const char> items, const F& expected) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i] != static_cast<char>(expected(i))) return false;
  }
  return true;
}

constexpr auto is_odd = [](char x) { return x % 2 != 0; };

/// The available memory in bytes; 0 if unknown.
std::size_t memory_left() {
  std::ifstream file("/proc/meminfo");
  for (std::string name; file >> name;) {
    std::size_t kilobytes = 0;
    if (name == "MemAvailable:" && file >> kilobytes) return kilobytes * 1024;
    std::getline(file, name);
  }
  return 0;
}

}  // namespace

TEST_CASE("large: sorts are correct for more than 2^32 items") {
  Array items = make();
  blitz::sort(items);
  CHECK(are_runs(items));
  items = make();
  blitz::sort(items, [](char a, char b) { return a > b; });
  CHECK(are_runs(items, {3, 2, 1, 0}));
  items = make();
  blitz::stable_sort({.min_grain = std::size_t{1} << 40}, items);
  CHECK(are_runs(items));
  items = make();
  blitz::stable_sort(items, [](char a, char b) { return a > b; });
  CHECK(are_runs(items, {3, 2, 1, 0}));
  items = make();
  blitz::nth_element(items, items.begin() + kItems / 2);
  CHECK(items[kItems / 2] == 1);
}

TEST_CASE("large: a sort by keys is correct if one thread has more items than a radix sort takes") {
  struct Boxed {
    char value;
  };
  std::vector<Boxed> items((std::size_t{1} << 30) + 17);
  for (std::size_t i = 0; i < items.size(); ++i) items[i].value = static_cast<char>(i % kKinds);
  blitz::sort({.min_grain = std::size_t{1} << 40}, items, {}, &Boxed::value);
  CHECK(std::ranges::is_sorted(items, {}, &Boxed::value));
  CHECK(std::ranges::count(items, 0, &Boxed::value) == (std::ptrdiff_t{1} << 28) + 5);
}

TEST_CASE("large: filters and partitions are correct for more than 2^32 items") {
  Array items = make();
  Array out = make_alike(9, 9);
  const auto odd_at = [](std::size_t i) { return i % 2 == 0 ? 1 : 3; };
  const auto even_at = [](std::size_t i) { return i % 2 == 0 ? 0 : 2; };
  constexpr std::size_t kOdd = kItems / 2;
  CHECK(blitz::copy_if(items, out, is_odd).out - out.begin() == static_cast<std::ptrdiff_t>(kOdd));
  CHECK(are(std::span(out).first(kOdd), odd_at));
  CHECK(out[kOdd] == 9);
  const auto all = [](char) { return true; };
  CHECK(blitz::copy_if(items, out, all).out == out.end());
  CHECK(std::ranges::equal(items, out));
  const auto parts = blitz::partition_copy(items, std::span(out).first(kOdd), std::span(out).subspan(kOdd), is_odd);
  CHECK(parts.in == items.end());
  CHECK(are(std::span(out).first(kOdd), odd_at));
  CHECK(are(std::span(out).subspan(kOdd), even_at));
  CHECK(blitz::stable_partition(items, is_odd).begin() == items.begin() + kOdd);
  CHECK(std::ranges::equal(items, out));
  items = make();
  CHECK(blitz::partition(items, is_odd).begin() == items.begin() + kOdd);
  CHECK(std::ranges::is_partitioned(items, is_odd));
  items = make();
  CHECK(blitz::remove_if(items, std::not_fn(is_odd)).begin() == items.begin() + kOdd);
  CHECK(are(std::span(items).first(kOdd), odd_at));
  items = make();
  CHECK(blitz::unique(items).empty());
  CHECK(blitz::unique_copy(items, out, [](char a, char b) { return a / 2 == b / 2; }).out - out.begin() ==
        static_cast<std::ptrdiff_t>(kItems / 2 + 1));
}

TEST_CASE("large: scans, merges and permutations are correct for more than 2^32 items") {
  Array items = make_alike(1, 1);
  Array out = make_alike(9, 9);
  const auto sum_at = [](std::size_t i) { return i + 1; };
  blitz::inclusive_scan(items, out, [](char a, char b) { return static_cast<char>(a + b); });
  CHECK(are(out, sum_at));
  blitz::inclusive_scan(items, items, [](char a, char b) { return static_cast<char>(a + b); });
  CHECK(are(items, sum_at));
  blitz::adjacent_difference(items, out, [](char a, char b) { return static_cast<char>(a - b); });
  CHECK(are(out, [](std::size_t) { return 1; }));
  items = make();
  blitz::sort(std::span(items).first(kItems / 3));
  blitz::sort(std::span(items).subspan(kItems / 3));
  blitz::merge(std::span(items).first(kItems / 3), std::span(items).subspan(kItems / 3), out);
  CHECK(are_runs(out));
  blitz::inplace_merge(items, items.begin() + kItems / 3);
  CHECK(are_runs(items));
  items = make();
  blitz::reverse(items);
  CHECK(are(items, [](std::size_t i) { return (kItems - 1 - i) % kKinds; }));
  items = make();
  blitz::rotate(items, items.begin() + 5);
  CHECK(are(items, [](std::size_t i) { return (i + 5) % kItems % kKinds; }));
  items = make();
  blitz::shift_right(items, 6);
  CHECK(are(std::span(items).subspan(6), [](std::size_t i) { return i % kKinds; }));
}

TEST_CASE("large: searches, counts and folds are correct for more than 2^32 items") {
  const Array items = make_alike(1, 2);
  CHECK(blitz::find(items, 2) == items.end() - 1);
  CHECK(blitz::find_last(items, 1).begin() == items.end() - 2);
  CHECK(blitz::max_element(items) == items.end() - 1);
  CHECK(blitz::is_sorted(items));
  CHECK(blitz::adjacent_find(items, std::not_equal_to<>()) == items.end() - 2);
  CHECK(blitz::count(items, 1) == static_cast<std::ptrdiff_t>(kItems - 1));
  CHECK(blitz::reduce(items, std::size_t{0}) == kItems + 1);
  CHECK(blitz::reduce({.deterministic = true}, items, std::size_t{0}) == kItems + 1);
  CHECK(blitz::histogram(items, 3, [](char x) { return x; }) == std::vector<std::size_t>{0, kItems - 1, 1});
  blitz::ThreadPool one({.num_threads = 1});
  // All items are in the same small counter, of one worker.
  CHECK(blitz::histogram({.pool = &one}, items, 3, [](char x) { return static_cast<unsigned char>(x); }) ==
        std::vector<std::size_t>{0, kItems - 1, 1});
  const auto same = blitz::par(items).filter([](char x) { return x == 1; });
  CHECK(same.count() == kItems - 1);
  CHECK(same.collect().size() == kItems - 1);
  CHECK(blitz::par(items).enumerate().filter([](std::size_t, char x) { return x == 2; }).collect()[0] ==
        std::tuple(kItems - 1, 2));
  CHECK(blitz::par(items).position_first([](char x) { return x == 2; }) == kItems - 1);
}

int main(int argc, char** argv) {
  if (memory_left() < 4 * kItems) {
    std::printf("skipped: there is no memory for such arrays\n");
    return 77;
  }
  return doctest::Context(argc, argv).run();
}
