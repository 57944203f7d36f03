#include "bench/peers/serial.hpp"

#include <algorithm>
#include <numeric>

#include "bench/algorithms/workload.hpp"

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

const Register<+[](Transform& row, SerialPeer&) {
  std::transform(row.in.begin(), row.in.end(), row.out.begin(), Transform::map);
}>
    transform("serial");
const Register<+[](InclusiveScan& row, SerialPeer&) {
  std::inclusive_scan(row.in.begin(), row.in.end(), row.out.begin());
}>
    inclusive_scan("serial");
const Register<+[](CopyIf& row, SerialPeer&) {
  const auto end = std::copy_if(row.in.begin(), row.in.end(), row.out.begin(), CopyIf::keep);
  row.written = static_cast<std::size_t>(end - row.out.begin());
}>
    copy_if("serial");
const Register<+[](Merge& row, SerialPeer&) {
  std::merge(row.in.begin(), row.middle(), row.middle(), row.in.end(), row.out.begin());
}>
    merge("serial");
const Register<+[](ReduceByKey& row, SerialPeer&) { row.written = row.reduce(); }> reduce_by_key("serial");
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
const Register<+[](Unique& row, SerialPeer&) {
  const auto end = std::unique(row.items.begin(), row.items.end());
  row.left = static_cast<std::size_t>(end - row.items.begin());
}>
    unique("serial");
const Register<+[](Partition& row, SerialPeer&) {
  const auto end = std::partition(row.items.begin(), row.items.end(), Partition::is_left);
  row.left = static_cast<std::size_t>(end - row.items.begin());
}>
    partition("serial");

template <class Row>
struct SerialSort {
  static void run(Row& row, SerialPeer&) { std::sort(row.items.begin(), row.items.end(), Less()); }
};
template <class Row>
struct SerialStableSort {
  static void run(Row& row, SerialPeer&) { std::stable_sort(row.items.begin(), row.items.end(), Less()); }
};
const RegisterSorts<SerialSort, false> sort("serial");
const RegisterSorts<SerialStableSort, true> stable_sort("serial");

}  // namespace
}  // namespace bench
