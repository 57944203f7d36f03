#include "bench/peers/openmp.hpp"

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
