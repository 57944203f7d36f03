#include "bench/peers/rayon.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/pipelines/workload.hpp"

namespace bench {
namespace {

using rayon::Pool;

/// Rust calls these with the memory of a result, and passes `context` on.
using TakeNumbers = void (*)(void* context, const Number* data, std::size_t size);
using TakeWord = void (*)(void* context, const char* data, std::size_t size, std::size_t count);

extern "C" {
void bench_rayon_flat_map(const Pool*, const Number* in, std::size_t count, TakeNumbers, void* context);
Number bench_rayon_scan_filter_sum(const Pool*, const Number* in, std::size_t count);
void bench_rayon_word_histogram(const Pool*, const char* text, std::size_t size, TakeWord, void* context);
void bench_rayon_k_means(const Pool*, const double* x, const double* y, std::size_t count, KMeans::Sums* out);
void bench_rayon_mandelbrot(const Pool*, std::uint32_t* out, std::size_t side);
void bench_rayon_n_body(const Pool*, const NBody::Vector* bodies, std::size_t count, NBody::Vector* out);
}

const Register<+[](FlatMap& row, RayonInsidePeer& peer) {
  const auto take = [](void* context, const Number* data, std::size_t size) {
    static_cast<FlatMap*>(context)->take(std::span(data, size));
  };
  bench_rayon_flat_map(peer.pool, row.in.data(), row.in.size(), take, &row);
}>
    flat_map("rayon_inside");
const Register<+[](ScanFilterSum& row, RayonInsidePeer& peer) {
  row.result = bench_rayon_scan_filter_sum(peer.pool, row.in.data(), row.in.size());
}>
    scan_filter_sum("rayon_inside");
const Register<+[](WordHistogram& row, RayonInsidePeer& peer) {
  using Counts = std::vector<std::pair<std::string_view, std::size_t>>;
  Counts counts;
  const auto take = [](void* context, const char* data, std::size_t size, std::size_t count) {
    static_cast<Counts*>(context)->emplace_back(std::string_view(data, size), count);
  };
  bench_rayon_word_histogram(peer.pool, row.text.data(), row.text.size(), take, &counts);
  row.take(counts);
}>
    word_histogram("rayon_inside");
const Register<+[](KMeans& row, RayonInsidePeer& peer) {
  bench_rayon_k_means(peer.pool, row.x.data(), row.y.data(), row.x.size(), &row.sums);
}>
    k_means("rayon_inside");
const Register<+[](MandelbrotImage& row, RayonInsidePeer& peer) {
  bench_rayon_mandelbrot(peer.pool, row.out.data(), row.side);
}>
    mandelbrot("rayon_inside");
const Register<+[](NBody& row, RayonInsidePeer& peer) {
  bench_rayon_n_body(peer.pool, row.bodies.data(), row.bodies.size(), row.out.data());
}>
    n_body("rayon_inside");

}  // namespace
}  // namespace bench
