#include "blitz/algorithm/permute.hpp"

#include <memory>
#include <utility>

namespace blitz::detail {

ShuffleBuckets::ShuffleBuckets(const AlgorithmOptions& options, LoopIndex count, std::uint64_t seed)
    : count_(count), seed_(seed), places_(blocks() * kBuckets) {
  std::uninitialized_fill_n(places_.data(), places_.size(), LoopIndex{0});
  for_blocks(options, blocks(), 1, [this](LoopIndex block, LoopIndex last) {
    for (; block != last; ++block) place_block(block, [](LoopIndex, LoopIndex) {});
  });
  throw_if_stopped(options);
  // Bucket by bucket, and within each block by block.
  LoopIndex next = 0;
  for (LoopIndex bucket = 0; bucket < kBuckets; ++bucket) {
    begins_[bucket] = next;
    for (LoopIndex block = 0; block < blocks(); ++block) {
      next += std::exchange(places_.data()[block * kBuckets + bucket], next);
    }
  }
  begins_[kBuckets] = next;
}

}  // namespace blitz::detail
