// Sorts random numbers by a parallel quicksort: partition, then both sides in parallel by `blitz::join`.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iterator>
#include <random>
#include <span>
#include <vector>

#include <blitz/blitz.hpp>

#include "support/options.hpp"
#include "support/pool.hpp"

namespace {

using Numbers = std::span<std::uint64_t>;

// A range of this length is sorted in some tens of microseconds: thousands of times the cost of a join, yet a small part of any
// input that is worth parallelizing.
constexpr std::size_t kCutOff = 2048;

std::uint64_t median(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

// The median of three medians of three, spread over the range.
std::uint64_t choose_pivot(Numbers numbers) {
  const std::size_t step = numbers.size() / 9;
  const auto median_at = [&](std::size_t i) {
    return median(numbers[i * step], numbers[(i + 1) * step], numbers[(i + 2) * step]);
  };
  return median(median_at(0), median_at(3), median_at(6));
}

// Hoare's partition: returns a position such that no number before it is above `pivot` and no number from it on is below. Both
// scans stop at numbers equal to the pivot and exchange them, so that a run of equal numbers is split in the middle. The pivot
// must be a median of numbers in the range: these stop the scans, and neither side is empty.
std::size_t partition(Numbers numbers, std::uint64_t pivot) {
  std::size_t low = 0;
  std::size_t high = numbers.size() - 1;
  for (;; ++low, --high) {
    while (numbers[low] < pivot) ++low;
    while (pivot < numbers[high]) --high;
    if (low >= high) return low;
    std::swap(numbers[low], numbers[high]);
  }
}

// `depth` bounds the nested partitions: if the pivots keep failing, std::sort sorts the rest.
void quicksort(Numbers numbers, int depth) {
  if (numbers.size() <= kCutOff || depth == 0) {
    std::ranges::sort(numbers);
    return;
  }
  const std::size_t middle = partition(numbers, choose_pivot(numbers));
  blitz::join([=] { quicksort(numbers.first(middle), depth - 1); },
              [=] { quicksort(numbers.subspan(middle), depth - 1); });
}

void quicksort(Numbers numbers) { quicksort(numbers, 2 * std::bit_width(numbers.size())); }

// Equal for two sequences of the same numbers in any order, and with overwhelming likelihood for no others, because each number
// is scrambled before it is added.
std::uint64_t checksum(const std::vector<std::uint64_t>& numbers) {
  std::uint64_t sum = 0;
  for (std::uint64_t x : numbers) {
    x = (x ^ (x >> 32)) * 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 29)) * 0xd6e8feb86659fd93;
    sum += x ^ (x >> 32);
  }
  return sum;
}

std::vector<std::uint64_t> random_numbers(std::size_t count, std::size_t seed, std::size_t distinct) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> numbers(count);
  for (std::uint64_t& number : numbers) number = distinct == 0 ? random() : random() % distinct;
  return numbers;
}

int run(std::size_t count, std::size_t seed, std::size_t distinct, std::size_t threads) {
  threads = example::start_pool(threads);

  const std::vector<std::uint64_t> input = random_numbers(count, seed, distinct);
  std::vector<std::uint64_t> serial = input;
  std::vector<std::uint64_t> parallel = input;
  const double serial_ms = example::time_ms([&] { std::ranges::sort(serial); });
  const double parallel_ms = example::time_ms([&] { quicksort(parallel); });

  std::printf("time to sort %zu random numbers of 64 bits, seed %zu:\n", count, seed);
  example::print_comparison("std::sort", serial_ms, threads, parallel_ms);
  if (!std::ranges::is_sorted(parallel)) {
    std::fprintf(stderr, "quicksort: the result is not sorted\n");
    return 1;
  }
  if (checksum(parallel) != checksum(input)) {
    std::fprintf(stderr, "quicksort: the result does not hold the numbers of the input\n");
    return 1;
  }
  std::printf("sorted, and the same numbers as before\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  std::size_t count = 5'000'000;
  std::size_t seed = 1;
  std::size_t distinct = 0;
  std::size_t threads = 0;
  example::Options options("quicksort", "Sorts random numbers by a parallel quicksort and by std::sort.");
  options.number("--count", "how many numbers to sort", count, 0, 1'000'000'000'000);
  options.number("--seed", "seed of the random numbers", seed, 0, SIZE_MAX);
  options.number("--distinct", "draw from this many different numbers only, 0: any of 64 bits", distinct, 0, SIZE_MAX);
  example::add_threads_option(options, threads);
  if (const auto status = options.parse(argc, argv)) return *status;
  return run(count, seed, distinct, threads);
} catch (const std::exception& error) {
  std::fprintf(stderr, "quicksort: %s\n", error.what());
  return 1;
}
