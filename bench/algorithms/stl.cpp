// The parallel STL of the standard library, which runs on oneTBB's threads.
#include <algorithm>
#include <execution>
#include <functional>
#include <numeric>

#include "bench/algorithms/standard.hpp"
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
const Register<+[](Zip& row, TbbPeer&) {
  row.result =
      std::transform_reduce(kUnsequenced, row.x.begin(), row.x.end(), 0.0, std::plus<>(), [&](const double& x) {
        const std::ptrdiff_t i = &x - row.x.data();
        return x * row.y.data()[i] + row.z.data()[i];
      });
}>
    zip("stl");
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

const Register<+[](Count& row, TbbPeer&) {
  row.result = static_cast<std::size_t>(std::count(kUnsequenced, row.in.begin(), row.in.end(), Count::kValue));
}>
    count_of("stl");

const Register<+[](Fill& row, TbbPeer&) { std::fill(kUnsequenced, row.out.begin(), row.out.end(), Fill::kValue); }>
    fill("stl");
const Register<+[](Transform& row, TbbPeer&) {
  std::transform(kUnsequenced, row.in.begin(), row.in.end(), row.out.begin(), Transform::map);
}>
    transform("stl");
const Register<+[](InclusiveScan& row, TbbPeer&) {
  std::inclusive_scan(kPar, row.in.begin(), row.in.end(), row.out.begin());
}>
    inclusive_scan("stl");

const Register<+[](MapNew& row, TbbPeer&) {
  Reals out(row.in.size());
  std::transform(kUnsequenced, row.in.begin(), row.in.end(), out.begin(), Transform::map);
  row.take(out);
}>
    map_new("stl");
const Register<+[](FilterNew& row, TbbPeer&) {
  Numbers out(row.in.size());
  out.erase(std::copy_if(kUnsequenced, row.in.begin(), row.in.end(), out.begin(), is_even), out.end());
  row.take(out);
}>
    filter_new("stl");

const Register<+[](Reverse& row, TbbPeer&) { std::reverse(kUnsequenced, row.items.begin(), row.items.end()); }> reverse(
    "stl");
const Register<+[](Partition& row, TbbPeer&) {
  const auto end = std::partition(kPar, row.items.begin(), row.items.end(), is_even);
  row.left = static_cast<std::size_t>(end - row.items.begin());
}>
    partition("stl");

struct ParallelAlgorithms {
#define BENCH_CALL(algorithm)                                                           \
  auto algorithm(auto&&... arguments) const {                                           \
    return std::apply([](auto... its) { return std::algorithm(kUnsequenced, its...); }, \
                      std::tuple_cat(iterators(arguments)...));                         \
  }
  BENCH_STANDARD_ALGORITHMS(BENCH_CALL)
#undef BENCH_CALL
};
struct Standard {
  template <class Row>
  static void run(Row& row, TbbPeer&) {
    row.run(ParallelAlgorithms());
  }
};
const RegisterStandard<Standard> standard("stl");

const Register<+[](NthElement& row, TbbPeer&) {
  std::nth_element(kPar, row.items.begin(), row.middle(), row.items.end());
}>
    nth_element("stl");
const Register<+[](PartialSort& row, TbbPeer&) {
  std::partial_sort(kPar, row.items.begin(), row.middle(), row.items.end());
}>
    partial_sort("stl");

struct Sorting {
  template <class Row>
  static void run(Row& row, TbbPeer&) {
    std::sort(kPar, row.items.begin(), row.items.end(), typename Row::Less());
  }
};
struct StableSorting {
  template <class Row>
  static void run(Row& row, TbbPeer&) {
    std::stable_sort(kPar, row.items.begin(), row.items.end(), typename Row::Less());
  }
};
const RegisterSorts<Sorting, false> sort("stl");
const RegisterSorts<StableSorting, true> stable_sort("stl");

}  // namespace
}  // namespace bench
