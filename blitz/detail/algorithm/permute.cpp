#include "blitz/algorithm/permute.hpp"

#include <memory>

#include "blitz/detail/algorithm/columns.hpp"

namespace blitz::detail {

ShuffleBuckets::ShuffleBuckets(const AlgorithmOptions& options, LoopIndex count, std::uint64_t seed)
    : count_(count), seed_(seed), places_(blocks() * kBuckets) {
  std::uninitialized_fill_n(places_.data(), places_.size(), std::size_t{0});
  for_blocks(options, blocks(), 1, [this](LoopIndex block, LoopIndex last) {
    for (; block != last; ++block) place_block(block, [](LoopIndex, LoopIndex) {});
  });
  throw_if_stopped(options);
  add_up_columns(options, blocks(), kBuckets, places_.data(), begins_.data());
}

}  // namespace blitz::detail
