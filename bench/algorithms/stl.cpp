// The parallel STL of the standard library, whose threads are oneTBB's.
#include <algorithm>
#include <execution>
#include <functional>
#include <numeric>

#include "bench/algorithms/workload.hpp"
#include "bench/peers/tbb.hpp"

namespace bench {
namespace {

constexpr auto& kPar = std::execution::par;
constexpr auto& kUnsequenced = std::execution::par_unseq;

const Register<+[](Sum& row, TbbPeer&) { row.result = std::reduce(kUnsequenced, row.in.begin(), row.in.end()); }> sum(
    "stl");
const Register<+[](MapFilterSum& row, TbbPeer&) {
  row.result = std::transform_reduce(kUnsequenced, row.in.begin(), row.in.end(), 0.0, std::plus<>(),
                                     [](double x) { return MapFilterSum::filtered(MapFilterSum::map(x)); });
}>
    map_filter_sum("stl");
const Register<+[](Find& row, TbbPeer&) {
  const auto found = std::find(kUnsequenced, row.in.begin(), row.in.end(), Number{1});
  row.result = static_cast<std::size_t>(found - row.in.begin());
}>
    find("stl");
const Register<+[](AnyOf& row, TbbPeer&) {
  row.result = std::any_of(kUnsequenced, row.in.begin(), row.in.end(), [](Number x) { return x == 1; });
}>
    any_of("stl");
const Register<+[](MinElement& row, TbbPeer&) {
  row.result = static_cast<std::size_t>(std::min_element(kUnsequenced, row.in.begin(), row.in.end()) - row.in.begin());
}>
    min_element("stl");

const Register<+[](Transform& row, TbbPeer&) {
  std::transform(kUnsequenced, row.in.begin(), row.in.end(), row.out.begin(), Transform::map);
}>
    transform("stl");
const Register<+[](InclusiveScan& row, TbbPeer&) {
  std::inclusive_scan(kPar, row.in.begin(), row.in.end(), row.out.begin());
}>
    inclusive_scan("stl");
const Register<+[](CopyIf& row, TbbPeer&) {
  const auto end = std::copy_if(kUnsequenced, row.in.begin(), row.in.end(), row.out.begin(), CopyIf::keep);
  row.written = static_cast<std::size_t>(end - row.out.begin());
}>
    copy_if("stl");
const Register<+[](Merge& row, TbbPeer&) {
  std::merge(kPar, row.in.begin(), row.middle(), row.middle(), row.in.end(), row.out.begin());
}>
    merge("stl");

const Register<+[](Reverse& row, TbbPeer&) { std::reverse(kUnsequenced, row.items.begin(), row.items.end()); }> reverse(
    "stl");
const Register<+[](Unique& row, TbbPeer&) {
  const auto end = std::unique(kPar, row.items.begin(), row.items.end());
  row.left = static_cast<std::size_t>(end - row.items.begin());
}>
    unique("stl");
const Register<+[](Partition& row, TbbPeer&) {
  const auto end = std::partition(kPar, row.items.begin(), row.items.end(), Partition::is_left);
  row.left = static_cast<std::size_t>(end - row.items.begin());
}>
    partition("stl");

template <class Row>
struct StlSort {
  static void run(Row& row, TbbPeer&) { std::sort(kPar, row.items.begin(), row.items.end(), Less()); }
};
template <class Row>
struct StlStableSort {
  static void run(Row& row, TbbPeer&) { std::stable_sort(kPar, row.items.begin(), row.items.end(), Less()); }
};
const RegisterSorts<StlSort, false> sort("stl");
const RegisterSorts<StlStableSort, true> stable_sort("stl");

}  // namespace
}  // namespace bench
