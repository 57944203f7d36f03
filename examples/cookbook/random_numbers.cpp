// Random numbers that are the same on any number of threads: each block has its own generator, seeded with the block's number.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include <blitz/blitz.hpp>

std::vector<std::uint32_t> random_numbers(std::size_t n, unsigned seed, blitz::ThreadPool& pool) {
  std::vector<std::uint32_t> numbers(n);
  blitz::par(numbers).chunks(4096).enumerate().with({.pool = &pool}).for_each([seed](std::size_t number, auto block) {
    std::seed_seq seeds{seed, static_cast<unsigned>(number)};
    std::mt19937 generator(seeds);
    for (std::uint32_t& x : block) x = static_cast<std::uint32_t>(generator());
  });
  return numbers;
}

int main() {
  std::vector<std::uint32_t> first;
  bool same = true;
  for (std::size_t threads = 1; threads <= 4; ++threads) {
    blitz::ThreadPool pool({.num_threads = threads});
    const std::vector<std::uint32_t> numbers = random_numbers(500'000, 42, pool);
    if (threads == 1) first = numbers;
    same = same && numbers == first;
  }
  std::printf("%u %u %d\n", first[0], first.back(), same);  // two numbers of the sequence, and 1
  return same && first[0] != first[4096] ? 0 : 1;
}
