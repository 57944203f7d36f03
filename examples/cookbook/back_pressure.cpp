// A pipeline with a source that must not run ahead. A worker reads its next batch only after it has finished the last one, so
// memory holds at most one batch per thread.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <ranges>
#include <string>

#include <blitz/blitz.hpp>
#include <blitz/pipeline.hpp>

int main() {
  constexpr std::size_t kBatch = 16;
  std::atomic<std::size_t> waiting = 0, most_waiting = 0;
  // In place of a file or a socket. One thread reads at a time.
  auto input = std::views::iota(0, 10'000) | std::views::transform([&](int i) {
                 most_waiting = std::max(most_waiting.load(), ++waiting);
                 return std::to_string(i);
               });

  const std::size_t digits = blitz::from({.batch = kBatch}, input)
                                 .map([&](const std::string& line) {
                                   --waiting;
                                   return line.size();
                                 })
                                 .sum();

  std::printf("%zu %d\n", digits, most_waiting <= kBatch * blitz::current_num_threads());  // 38890 1
}
