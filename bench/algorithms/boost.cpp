// Boost.Sort: each call makes its own threads.
#include <cstdint>

#include <boost/sort/sort.hpp>

#include "bench/algorithms/workload.hpp"

namespace bench {
namespace {

class BoostPeer : public Peer {
 public:
  static constexpr bool kThreaded = true;
  explicit BoostPeer(unsigned threads) : threads(threads) {}

  const std::uint32_t threads;
};

struct BlockIndirectSort {
  template <class Row>
  static void run(Row& row, BoostPeer& peer) {
    boost::sort::block_indirect_sort(row.items.begin(), row.items.end(), typename Row::Less(), peer.threads);
  }
};
struct PdqSort {
  template <class Row>
  static void run(Row& row, BoostPeer&) {
    boost::sort::pdqsort(row.items.begin(), row.items.end(), typename Row::Less());
  }
};
struct SampleSort {
  template <class Row>
  static void run(Row& row, BoostPeer& peer) {
    boost::sort::sample_sort(row.items.begin(), row.items.end(), typename Row::Less(), peer.threads);
  }
};
const RegisterSorts<BlockIndirectSort, false> block_indirect_sort("boost_block");
const RegisterSorts<PdqSort, false> pdqsort("boost_pdqsort");
const RegisterSorts<SampleSort, true> sample_sort("boost_sample");

}  // namespace
}  // namespace bench
