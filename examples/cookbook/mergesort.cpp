// Divide and conquer with scratch memory: the halves are sorted at the same time, then merged in parallel.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <span>
#include <vector>

#include <blitz/algorithm.hpp>
#include <blitz/blitz.hpp>

void mergesort(std::span<unsigned> v, std::span<unsigned> scratch) {
  if (v.size() <= 1000) return std::ranges::sort(v), void();
  const std::size_t half = v.size() / 2;
  blitz::join([&] { mergesort(v.first(half), scratch.first(half)); },
              [&] { mergesort(v.subspan(half), scratch.subspan(half)); });
  blitz::merge(v.first(half), v.subspan(half), scratch);
  blitz::copy(scratch, v);
}

int main() {
  std::vector<unsigned> v(1'000'000), scratch(v.size());
  unsigned random = 1;
  for (unsigned& x : v) x = random = random * 1664525U + 1013904223U;
  mergesort(v, scratch);
  std::printf("%d %u\n", blitz::is_sorted(v), v.front() <= v.back());  // 1 1
}
