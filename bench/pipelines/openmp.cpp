#include "bench/peers/openmp.hpp"

#include "bench/pipelines/workload.hpp"

namespace bench {
namespace {

/// The size of a piece for two passes: the first computes a value for each piece, and then their prefix sums serially.
constexpr std::size_t kPiece = 1 << 14;

const Register<+[](FlatMap& row, OpenMpPeer&) {
  const std::size_t count = row.in.size();
  const std::size_t pieces = (count + kPiece - 1) / kPiece;
  Numbers places(pieces + 1);
#pragma omp parallel for schedule(static)
  for (std::size_t p = 0; p < pieces; ++p) {
    Number many = 0;
    for (std::size_t at = p * kPiece; at < std::min(count, (p + 1) * kPiece); ++at) many += FlatMap::many(row.in[at]);
    places[p + 1] = many;
  }
  for (std::size_t p = 0; p < pieces; ++p) places[p + 1] += places[p];
  Numbers out(places[pieces]);
#pragma omp parallel for schedule(static)
  for (std::size_t p = 0; p < pieces; ++p) {
    Number place = places[p];
    for (std::size_t at = p * kPiece; at < std::min(count, (p + 1) * kPiece); ++at) {
      for (Number i = 0; i < FlatMap::many(row.in[at]); ++i) out[place++] = row.in[at] + i;
    }
  }
  row.take(out);
}>
    flat_map("openmp");
const Register<+[](ScanFilterSum& row, OpenMpPeer&) {
  const std::size_t count = row.in.size();
  const std::size_t pieces = (count + kPiece - 1) / kPiece;
  Numbers sums(pieces + 1);
#pragma omp parallel for schedule(static)
  for (std::size_t p = 0; p < pieces; ++p) {
    Number sum = 0;
    for (std::size_t at = p * kPiece; at < std::min(count, (p + 1) * kPiece); ++at) sum += row.in[at];
    sums[p + 1] = sum;
  }
  for (std::size_t p = 0; p < pieces; ++p) sums[p + 1] += sums[p];
  Number result = 0;
#pragma omp parallel for schedule(static) reduction(+ : result)
  for (std::size_t p = 0; p < pieces; ++p) {
    Number prefix = sums[p];
    Number sum = 0;
    for (std::size_t at = p * kPiece; at < std::min(count, (p + 1) * kPiece); ++at) {
      sum += ScanFilterSum::filtered(prefix += row.in[at]);
    }
    result += sum;
  }
  row.result = result;
}>
    scan_filter_sum("openmp");
const Register<+[](WordHistogram& row, OpenMpPeer&) {
  WordHistogram::Counts counts;
  const std::size_t pieces = row.pieces();
#pragma omp parallel
  {
    WordHistogram::Counts mine;
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < pieces; ++i) WordHistogram::add(row.piece(i), mine);
#pragma omp critical
    WordHistogram::merge(counts, mine);
  }
  row.take(counts);
}>
    word_histogram("openmp");
const Register<+[](KMeans& row, OpenMpPeer&) {
  KMeans::Sums sums;
#pragma omp parallel
  {
    KMeans::Sums mine;
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < row.x.size(); ++i) KMeans::add(mine, row.x[i], row.y[i]);
#pragma omp critical
    KMeans::merge(sums, mine);
  }
  row.sums = sums;
}>
    k_means("openmp");
const Register<+[](MandelbrotImage& row, OpenMpPeer&) {
#pragma omp parallel for schedule(dynamic, 256)
  for (std::size_t i = 0; i < row.out.size(); ++i) row.out[i] = MandelbrotImage::pixel(i, row.side);
}>
    mandelbrot("openmp");
const Register<+[](NBody& row, OpenMpPeer&) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < row.bodies.size(); ++i) row.out[i] = NBody::pull(row.bodies[i], row.bodies);
}>
    n_body("openmp");

}  // namespace
}  // namespace bench
