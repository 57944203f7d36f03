// oneTBB's own algorithms, and blocked loops for the others.
#include "bench/peers/tbb.hpp"

#include <functional>
#include <iterator>
#include <utility>

#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/parallel_sort.h>

#include "bench/algorithms/standard.hpp"

namespace bench {
namespace {

using Block = tbb::blocked_range<std::size_t>;

/// The sum of `term(i)` over the indices below `count`.
template <class Sum, class Term>
Sum sum_of(std::size_t count, const Term& term) {
  return tbb::parallel_reduce(
      Block(0, count), Sum{0},
      [&](const Block& block, Sum sum) {
        for (std::size_t i = block.begin(); i != block.end(); ++i) sum += term(i);
        return sum;
      },
      std::plus<>());
}

const Register<+[](Sum& row, TbbPeer&) {
  row.result = sum_of<double>(row.in.size(), [&](std::size_t i) { return row.in[i]; });
}>
    sum("tbb");
const Register<+[](MapFilterSum& row, TbbPeer&) {
  row.result = sum_of<double>(row.in.size(),
                              [&](std::size_t i) { return MapFilterSum::filtered(MapFilterSum::map(row.in[i])); });
}>
    map_filter_sum("tbb");
const Register<+[](Zip& row, TbbPeer&) {
  row.result = sum_of<double>(row.x.size(), [&](std::size_t i) { return row.x[i] * row.y[i] + row.z[i]; });
}>
    zip("tbb");

const Register<+[](Transform& row, TbbPeer& peer) {
  peer.for_each_index<tbb::auto_partitioner>(
      row.in.size(), 1, [in = row.in.data(), out = row.out.data()](std::size_t i) { out[i] = Transform::map(in[i]); });
}>
    transform("tbb");
/// The sums of the items before each item, or, if inclusive, up to and with it.
template <bool kInclusive>
void scan(const Numbers& in, Numbers& out) {
  tbb::parallel_scan(
      Block(0, in.size()), Number{0},
      [from = in.data(), to = out.data()](const Block& block, Number sum, bool is_final) {
        for (std::size_t i = block.begin(); i != block.end(); ++i) {
          const Number before = std::exchange(sum, sum + from[i]);
          if (is_final) to[i] = kInclusive ? sum : before;
        }
        return sum;
      },
      std::plus<>());
}
const Register<+[](InclusiveScan& row, TbbPeer&) { scan<true>(row.in, row.out); }> inclusive_scan("tbb");
const Register<+[](StandardRow<ExclusiveScan>& row, TbbPeer&) { scan<false>(row.data().in, row.data().out); }>
    exclusive_scan("tbb");
const Register<+[](StandardRow<ForEach>& row, TbbPeer& peer) {
  Numbers& items = row.data().items;
  peer.for_each_index<tbb::auto_partitioner>(items.size(), 1,
                                             [to = items.data()](std::size_t i) { to[i] = mix(to[i]); });
}>
    for_each("tbb");
const Register<+[](StandardRow<TransformReduce>& row, TbbPeer&) {
  const Numbers& in = row.data().in;
  row.data().answer = static_cast<std::ptrdiff_t>(sum_of<Number>(in.size(), [&](std::size_t i) { return mix(in[i]); }));
}>
    transform_reduce("tbb");
const Register<+[](Histogram& row, TbbPeer&) {
  row.out = tbb::parallel_reduce(
      Block(0, row.in.size()), std::vector<std::size_t>(Histogram::kBins),
      [&](const Block& block, std::vector<std::size_t> counts) {
        for (std::size_t i = block.begin(); i != block.end(); ++i) ++counts[row.in[i]];
        return counts;
      },
      [](std::vector<std::size_t> left, const std::vector<std::size_t>& right) {
        for (std::size_t i = 0; i < left.size(); ++i) left[i] += right[i];
        return left;
      });
}>
    histogram("tbb");

/// One map per part; the maps of neighbours are merged.
template <class GroupRow>
void group_by(GroupRow& row, TbbPeer&) {
  using Groups = std::unordered_map<Number, Numbers>;
  const Groups groups = tbb::parallel_reduce(
      Block(0, row.keys.size(), 1 << 16), Groups(),
      [&](const Block& block, Groups part) {
        for (std::size_t i = block.begin(); i != block.end(); ++i) part[row.keys[i]].push_back(i);
        return part;
      },
      [](Groups left, Groups right) {
        for (auto& [key, positions] : right) {
          Numbers& to = left[key];
          to.insert(to.end(), positions.begin(), positions.end());
        }
        return left;
      });
  row.take(groups, [](const auto& group) -> const Numbers& { return group.second; });
}
const Register<&group_by<GroupByFew>> group_by_few("tbb");
const Register<&group_by<GroupByMany>> group_by_many("tbb");

struct Sorting {
  template <class Row>
  static void run(Row& row, TbbPeer&) {
    tbb::parallel_sort(row.items.begin(), row.items.end(), typename Row::Less());
  }
};
const RegisterSorts<Sorting, false> sort("tbb");

}  // namespace
}  // namespace bench
