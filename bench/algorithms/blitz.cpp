#include "bench/peers/blitz.hpp"

#include <functional>
#include <random>

#include <blitz/algorithm.hpp>
#include <blitz/pipeline.hpp>

#include "bench/algorithms/standard.hpp"

namespace bench {
namespace {

const Register<+[](Sum& row, BlitzPeer& peer) {
  row.result = blitz::parallel_reduce({.pool = &peer.pool}, row.in, 0.0, std::plus<>());
}>
    sum("blitz");
const Register<+[](MapFilterSum& row, BlitzPeer& peer) {
  row.result = blitz::parallel_transform_reduce({.pool = &peer.pool}, row.in, 0.0, std::plus<>(),
                                                [](double x) { return MapFilterSum::filtered(MapFilterSum::map(x)); });
}>
    map_filter_sum("blitz");
const Register<+[](Zip& row, BlitzPeer& peer) {
  row.result = blitz::parallel_transform_reduce({.pool = &peer.pool}, std::size_t{0}, row.x.size(), 0.0, std::plus<>(),
                                                [&](std::size_t i) { return row.x[i] * row.y[i] + row.z[i]; });
}>
    zip("blitz");
const Register<+[](Find& row, BlitzPeer& peer) {
  const auto found = blitz::find({.pool = &peer.pool}, row.in, Number{1});
  row.result = static_cast<std::size_t>(found - row.in.begin());
}>
    find("blitz");
const Register<+[](AnyOf& row, BlitzPeer& peer) {
  row.result = blitz::any_of({.pool = &peer.pool}, row.in, [](Number x) { return x == 1; });
}>
    any_of("blitz");
const Register<+[](MinElement& row, BlitzPeer& peer) {
  row.result = static_cast<std::size_t>(blitz::min_element({.pool = &peer.pool}, row.in) - row.in.begin());
}>
    min_element("blitz");

const Register<+[](Count& row, BlitzPeer& peer) {
  row.result = static_cast<std::size_t>(blitz::count({.pool = &peer.pool}, row.in, Count::kValue));
}>
    count_of("blitz");

const Register<+[](Fill& row, BlitzPeer& peer) { blitz::fill({.pool = &peer.pool}, row.out, Fill::kValue); }> fill(
    "blitz");
const Register<+[](Transform& row, BlitzPeer& peer) {
  blitz::transform({.pool = &peer.pool}, row.in, row.out, Transform::map);
}>
    transform("blitz");
const Register<+[](InclusiveScan& row, BlitzPeer& peer) {
  blitz::inclusive_scan({.pool = &peer.pool}, row.in, row.out);
}>
    inclusive_scan("blitz");

const Register<+[](MapNew& row, BlitzPeer& peer) {
  Reals out(row.in.size());
  blitz::transform({.pool = &peer.pool}, row.in, out, Transform::map);
  row.take(out);
}>
    map_new("blitz");
const Register<+[](FilterNew& row, BlitzPeer& peer) {
  Numbers out(row.in.size());
  out.erase(blitz::copy_if({.pool = &peer.pool}, row.in, out, is_even).out, out.end());
  row.take(out);
}>
    filter_new("blitz");

const Register<+[](ReduceByKey& row, BlitzPeer& peer) {
  const auto ends = blitz::reduce_by_key({.pool = &peer.pool}, row.keys, row.values, row.keys_out, row.out);
  row.written = static_cast<std::size_t>(ends.values_out - row.out.begin());
}>
    reduce_by_key("blitz");
const Register<+[](Histogram& row, BlitzPeer& peer) {
  row.out = blitz::histogram({.pool = &peer.pool}, row.in, Histogram::kBins);
}>
    histogram("blitz");

template <class GroupRow>
void group_by(GroupRow& row, BlitzPeer& peer) {
  row.take(blitz::group_by({.pool = &peer.pool}, row.keys), std::identity());
}
const Register<&group_by<GroupByFew>> group_by_few("blitz");
const Register<&group_by<GroupByMany>> group_by_many("blitz");

const Register<+[](Reverse& row, BlitzPeer& peer) { blitz::reverse({.pool = &peer.pool}, row.items); }> reverse(
    "blitz");

const Register<+[](Partition& row, BlitzPeer& peer) {
  const auto rest = blitz::partition({.pool = &peer.pool}, row.items, is_even);
  row.left = static_cast<std::size_t>(rest.begin() - row.items.begin());
}>
    partition("blitz");
struct BlitzAlgorithms {
#define BENCH_CALL(algorithm) \
  auto algorithm(auto&&... arguments) const { return blitz::algorithm(options, arguments...); }
  BENCH_STANDARD_ALGORITHMS(BENCH_CALL)
#undef BENCH_CALL
  blitz::AlgorithmOptions options;
};
struct Standard {
  template <class Row>
  static void run(Row& row, BlitzPeer& peer) {
    row.run(BlitzAlgorithms{{.pool = &peer.pool}});
  }
};
const RegisterStandard<Standard> standard("blitz");

const Register<+[](Shuffle& row, BlitzPeer& peer) {
  blitz::shuffle({.pool = &peer.pool}, row.items, std::mt19937_64(1));
}>
    shuffle("blitz");
const Register<+[](NthElement& row, BlitzPeer& peer) {
  blitz::nth_element({.pool = &peer.pool}, row.items, row.middle());
}>
    nth_element("blitz");
const Register<+[](PartialSort& row, BlitzPeer& peer) {
  blitz::partial_sort({.pool = &peer.pool}, row.items, row.middle());
}>
    partial_sort("blitz");

/// Calls sort(items, comparison, projection).
template <class Row, class Sort>
void sort_row(Row& row, BlitzPeer& peer, const Sort& sort) {
  if constexpr (std::is_same_v<decltype(row.items), std::vector<Pair>>) {
    sort({.pool = &peer.pool}, row.items, std::ranges::less(), &Pair::key);
  } else if constexpr (!std::is_same_v<typename Row::Less, std::less<typename decltype(row.items)::value_type>>) {
    sort({.pool = &peer.pool}, row.items, typename Row::Less());
  } else {
    sort({.pool = &peer.pool}, row.items);
  }
}
struct Sorting {
  template <class Row>
  static void run(Row& row, BlitzPeer& peer) {
    sort_row(row, peer, blitz::sort);
  }
};
struct StableSorting {
  template <class Row>
  static void run(Row& row, BlitzPeer& peer) {
    sort_row(row, peer, blitz::stable_sort);
  }
};
const RegisterSorts<Sorting, false> sort("blitz");
const RegisterSorts<StableSorting, true> stable_sort("blitz");

// The pipelines of the same rows.

const Register<+[](Sum& row, BlitzPeer& peer) { row.result = blitz::par(row.in).with({.pool = &peer.pool}).sum(); }>
    sum_par("blitz_par");
const Register<+[](MapFilterSum& row, BlitzPeer& peer) {
  row.result = blitz::par(row.in)
                   .map([](double x) { return MapFilterSum::map(x); })
                   .filter([](double y) { return MapFilterSum::keep(y); })
                   .with({.pool = &peer.pool})
                   .sum();
}>
    map_filter_sum_par("blitz_par");
const Register<+[](Zip& row, BlitzPeer& peer) {
  row.result = blitz::par(row.x, row.y, row.z)
                   .map([](double x, double y, double z) { return x * y + z; })
                   .with({.pool = &peer.pool})
                   .sum();
}>
    zip_par("blitz_par");
const Register<+[](MapNew& row, BlitzPeer& peer) {
  row.take(blitz::par(row.in).map(Transform::map).with({.pool = &peer.pool}).collect());
}>
    map_new_par("blitz_par");
const Register<+[](FilterNew& row, BlitzPeer& peer) {
  row.take(blitz::par(row.in).filter(is_even).with({.pool = &peer.pool}).collect());
}>
    filter_new_par("blitz_par");

}  // namespace
}  // namespace bench
