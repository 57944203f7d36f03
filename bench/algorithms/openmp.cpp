#include "bench/peers/openmp.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "bench/algorithms/workload.hpp"

namespace bench {
namespace {

const Register<+[](Sum& row, OpenMpPeer&) {
  double sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static)
  for (std::size_t i = 0; i < row.in.size(); ++i) sum += row.in[i];
  row.result = sum;
}>
    sum("openmp");
const Register<+[](MapFilterSum& row, OpenMpPeer&) {
  double sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static)
  for (std::size_t i = 0; i < row.in.size(); ++i) sum += MapFilterSum::filtered(MapFilterSum::map(row.in[i]));
  row.result = sum;
}>
    map_filter_sum("openmp");
const Register<+[](Zip& row, OpenMpPeer&) {
  double sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static)
  for (std::size_t i = 0; i < row.x.size(); ++i) sum += row.x[i] * row.y[i] + row.z[i];
  row.result = sum;
}>
    zip("openmp");
const Register<+[](MinElement& row, OpenMpPeer&) {
  double least = 2;  // more than any
  std::size_t place = 0;
#pragma omp parallel
  {
    double mine = 2;
    std::size_t my_place = 0;
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < row.in.size(); ++i) {
      if (row.in[i] < mine) {
        mine = row.in[i];
        my_place = i;
      }
    }
#pragma omp critical
    if (mine < least) {
      least = mine;
      place = my_place;
    }
  }
  row.result = place;
}>
    min_element("openmp");
const Register<+[](Count& row, OpenMpPeer&) {
  std::size_t count = 0;
#pragma omp parallel for simd reduction(+ : count) schedule(static)
  for (std::size_t i = 0; i < row.in.size(); ++i) count += row.in[i] == Count::kValue;
  row.result = count;
}>
    count_of("openmp");
const Register<+[](Fill& row, OpenMpPeer&) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < row.out.size(); ++i) row.out[i] = Fill::kValue;
}>
    fill("openmp");

/// Twice over a part for each thread: how much it writes, and then, behind what the parts before it write, the items.
/// `one(first, last)` returns how much, and `two(first, last, offset)` writes.
template <class One, class Two>
std::size_t two_passes(std::size_t count, const One& one, const Two& two) {
  std::vector<std::size_t> ends;
#pragma omp parallel
  {
    const auto parts = static_cast<std::size_t>(omp_get_num_threads());
    const auto part = static_cast<std::size_t>(omp_get_thread_num());
    const std::size_t first = count / parts * part;
    const std::size_t last = part + 1 == parts ? count : first + count / parts;
#pragma omp single
    ends.assign(parts + 1, 0);
    ends[part + 1] = one(first, last);
#pragma omp barrier
#pragma omp single
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    two(first, last, ends[part]);
  }
  return ends.back();
}
const Register<+[](InclusiveScan& row, OpenMpPeer&) {
  two_passes(
      row.in.size(),
      [&](std::size_t first, std::size_t last) {
        return std::accumulate(row.in.data() + first, row.in.data() + last, Number{0});
      },
      [&](std::size_t first, std::size_t last, Number sum) {
        for (std::size_t i = first; i < last; ++i) row.out[i] = sum += row.in[i];
      });
}>
    inclusive_scan("openmp");
const Register<+[](CopyIf& row, OpenMpPeer&) {
  row.written = two_passes(
      row.in.size(),
      [&](std::size_t first, std::size_t last) {
        return static_cast<std::size_t>(std::count_if(row.in.data() + first, row.in.data() + last, CopyIf::keep));
      },
      [&](std::size_t first, std::size_t last, std::size_t to) {
        std::copy_if(row.in.data() + first, row.in.data() + last, row.out.data() + to, CopyIf::keep);
      });
}>
    copy_if("openmp");

const Register<+[](Transform& row, OpenMpPeer&) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < row.in.size(); ++i) row.out[i] = Transform::map(row.in[i]);
}>
    transform("openmp");
const Register<+[](Histogram& row, OpenMpPeer&) {
  row.out.assign(Histogram::kBins, 0);
  std::size_t* const counts = row.out.data();
#pragma omp parallel for reduction(+ : counts[ : Histogram::kBins]) schedule(static)
  for (std::size_t i = 0; i < row.in.size(); ++i) ++counts[row.in[i]];
}>
    histogram("openmp");
const Register<+[](Reverse& row, OpenMpPeer&) {
  const std::size_t count = row.items.size();
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < count / 2; ++i) std::swap(row.items[i], row.items[count - 1 - i]);
}>
    reverse("openmp");

}  // namespace
}  // namespace bench
