#include "blitz/algorithm/histogram.hpp"

#include <stdexcept>
#include <string>

#include "blitz/detail/algorithm/blocks.hpp"

namespace blitz::detail {

namespace {

[[noreturn]] void throw_no_such_bin_of(const std::string& bin, std::size_t bins) {
  throw std::out_of_range("blitz: histogram: an item has bin " + bin + ", but there are " + std::to_string(bins) +
                          " bins; return at least 0 and less than " + std::to_string(bins));
}

}  // namespace

void add_counts(const AlgorithmOptions& options, std::size_t* to, const std::size_t* from, std::size_t n) {
  constexpr LoopIndex kLeastCounts = 4096;
  const auto add = [&](LoopIndex first, LoopIndex last) {
    for (; first != last; ++first) to[first] += from[first];
  };
  if (n < 2 * kLeastCounts) return add(0, n);
  for_blocks({.pool = options.pool}, n, kLeastCounts, add);
}

void throw_no_such_bin(std::intmax_t bin, std::size_t bins) { throw_no_such_bin_of(std::to_string(bin), bins); }
void throw_no_such_bin(std::uintmax_t bin, std::size_t bins) { throw_no_such_bin_of(std::to_string(bin), bins); }

}  // namespace blitz::detail
