#include "bench/peers/serial.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <random>

#include "bench/algorithms/standard.hpp"

namespace bench {
namespace {

const Register<+[](Sum& row, SerialPeer&) { row.result = std::accumulate(row.in.begin(), row.in.end(), 0.0); }> sum(
    "serial");
const Register<+[](MapFilterSum& row, SerialPeer&) {
  double result = 0;
  for (const double x : row.in) result += MapFilterSum::filtered(MapFilterSum::map(x));
  row.result = result;
}>
    map_filter_sum("serial");
const Register<+[](Zip& row, SerialPeer&) {
  double result = 0;
  for (std::size_t i = 0; i < row.x.size(); ++i) result += row.x[i] * row.y[i] + row.z[i];
  row.result = result;
}>
    zip("serial");
const Register<+[](Find& row, SerialPeer&) {
  row.result = static_cast<std::size_t>(std::find(row.in.begin(), row.in.end(), 1) - row.in.begin());
}>
    find("serial");
const Register<+[](AnyOf& row, SerialPeer&) {
  row.result = std::any_of(row.in.begin(), row.in.end(), [](Number x) { return x == 1; });
}>
    any_of("serial");
const Register<+[](MinElement& row, SerialPeer&) {
  row.result = static_cast<std::size_t>(std::min_element(row.in.begin(), row.in.end()) - row.in.begin());
}>
    min_element("serial");

const Register<+[](Count& row, SerialPeer&) {
  row.result = static_cast<std::size_t>(std::count(row.in.begin(), row.in.end(), Count::kValue));
}>
    count_of("serial");

const Register<+[](Fill& row, SerialPeer&) { std::fill(row.out.begin(), row.out.end(), Fill::kValue); }> fill("serial");
const Register<+[](Transform& row, SerialPeer&) {
  std::transform(row.in.begin(), row.in.end(), row.out.begin(), Transform::map);
}>
    transform("serial");
const Register<+[](InclusiveScan& row, SerialPeer&) {
  std::inclusive_scan(row.in.begin(), row.in.end(), row.out.begin());
}>
    inclusive_scan("serial");

const Register<+[](MapNew& row, SerialPeer&) {
  Reals out(row.in.size());
  std::transform(row.in.begin(), row.in.end(), out.begin(), Transform::map);
  row.take(out);
}>
    map_new("serial");
const Register<+[](FilterNew& row, SerialPeer&) {
  Numbers out;
  std::copy_if(row.in.begin(), row.in.end(), std::back_inserter(out), is_even);
  row.take(out);
}>
    filter_new("serial");

const Register<+[](ReduceByKey& row, SerialPeer&) { row.written = row.reduce(0, row.keys.size(), 0); }> reduce_by_key(
    "serial");
const Register<+[](Histogram& row, SerialPeer&) {
  row.out.assign(Histogram::kBins, 0);
  for (const std::uint8_t x : row.in) ++row.out[x];
}>
    histogram("serial");

template <class GroupRow>
void group_by(GroupRow& row, SerialPeer&) {
  std::unordered_map<Number, Numbers> groups;
  for (std::size_t i = 0; i < row.keys.size(); ++i) groups[row.keys[i]].push_back(i);
  row.take(groups, [](const auto& group) -> const Numbers& { return group.second; });
}
const Register<&group_by<GroupByFew>> group_by_few("serial");
const Register<&group_by<GroupByMany>> group_by_many("serial");

const Register<+[](Reverse& row, SerialPeer&) { std::reverse(row.items.begin(), row.items.end()); }> reverse("serial");
const Register<+[](Partition& row, SerialPeer&) {
  const auto end = std::partition(row.items.begin(), row.items.end(), is_even);
  row.left = static_cast<std::size_t>(end - row.items.begin());
}>
    partition("serial");

struct Standard {
  template <class Row>
  static void run(Row& row, SerialPeer&) {
    row.run(SerialAlgorithms());
  }
};
const RegisterStandard<Standard> standard("serial");

const Register<+[](Shuffle& row, SerialPeer&) { std::shuffle(row.items.begin(), row.items.end(), std::mt19937_64(1)); }>
    shuffle("serial");
const Register<+[](NthElement& row, SerialPeer&) {
  std::nth_element(row.items.begin(), row.middle(), row.items.end());
}>
    nth_element("serial");
const Register<+[](PartialSort& row, SerialPeer&) {
  std::partial_sort(row.items.begin(), row.middle(), row.items.end());
}>
    partial_sort("serial");

struct Sorting {
  template <class Row>
  static void run(Row& row, SerialPeer&) {
    std::sort(row.items.begin(), row.items.end(), typename Row::Less());
  }
};
struct StableSorting {
  template <class Row>
  static void run(Row& row, SerialPeer&) {
    std::stable_sort(row.items.begin(), row.items.end(), typename Row::Less());
  }
};
const RegisterSorts<Sorting, false> sort("serial");
const RegisterSorts<StableSorting, true> stable_sort("serial");

}  // namespace
}  // namespace bench
