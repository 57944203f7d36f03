// The parallel STL of the standard library, which runs on oneTBB's threads.
#include <algorithm>
#include <execution>
#include <functional>
#include <numeric>
#include <vector>

#include "bench/peers/tbb.hpp"
#include "bench/pipelines/workload.hpp"

namespace bench {
namespace {

constexpr auto& kPar = std::execution::par;
constexpr auto& kUnsequenced = std::execution::par_unseq;

const Register<+[](FlatMap& row, TbbPeer&) {
  Numbers places(row.in.size());
  std::transform_exclusive_scan(kPar, row.in.begin(), row.in.end(), places.begin(), Number{0}, std::plus<>(),
                                FlatMap::many);
  Numbers out(places.empty() ? 0 : places.back() + FlatMap::many(row.in.back()));
  std::for_each(kPar, row.in.begin(), row.in.end(), [&](const Number& x) {
    Number* const place = out.data() + places[static_cast<std::size_t>(&x - row.in.data())];
    for (Number i = 0; i < FlatMap::many(x); ++i) place[i] = x + i;
  });
  row.take(out);
}>
    flat_map("stl");
const Register<+[](ScanFilterSum& row, TbbPeer&) {
  Numbers sums(row.in.size());
  std::inclusive_scan(kPar, row.in.begin(), row.in.end(), sums.begin());
  row.result = std::transform_reduce(kUnsequenced, sums.begin(), sums.end(), Number{0}, std::plus<>(),
                                     [](Number x) { return ScanFilterSum::filtered(x); });
}>
    scan_filter_sum("stl");
/// By pieces, because the sums of a single point would take longer to add than to compute.
const Register<+[](KMeans& row, TbbPeer&) {
  constexpr std::size_t kPiece = 1024;
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < row.x.size(); i += kPiece) begins.push_back(i);
  row.sums = std::transform_reduce(
      kPar, begins.begin(), begins.end(), KMeans::Sums(),
      [](KMeans::Sums sums, const KMeans::Sums& others) {
        KMeans::merge(sums, others);
        return sums;
      },
      [&](std::size_t first) {
        KMeans::Sums sums;
        for (std::size_t i = first; i < std::min(first + kPiece, row.x.size()); ++i)
          KMeans::add(sums, row.x[i], row.y[i]);
        return sums;
      });
}>
    k_means("stl");
const Register<+[](MandelbrotImage& row, TbbPeer&) {
  std::for_each(kPar, row.out.begin(), row.out.end(), [&](std::uint32_t& pixel) {
    pixel = MandelbrotImage::pixel(static_cast<std::size_t>(&pixel - row.out.data()), row.side);
  });
}>
    mandelbrot("stl");
const Register<+[](NBody& row, TbbPeer&) {
  std::transform(kPar, row.bodies.begin(), row.bodies.end(), row.out.begin(),
                 [&](const NBody::Vector& body) { return NBody::pull(body, row.bodies); });
}>
    n_body("stl");

}  // namespace
}  // namespace bench
