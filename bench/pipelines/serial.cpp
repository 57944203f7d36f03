#include "bench/peers/serial.hpp"

#include <algorithm>

#include "bench/pipelines/workload.hpp"

namespace bench {
namespace {

const Register<+[](FlatMap& row, SerialPeer&) {
  Numbers out;
  for (const Number x : row.in) {
    for (Number i = 0; i < FlatMap::many(x); ++i) out.push_back(x + i);
  }
  row.take(out);
}>
    flat_map("serial");
const Register<+[](ScanFilterSum& row, SerialPeer&) {
  Number prefix = 0;
  Number result = 0;
  for (const Number x : row.in) result += ScanFilterSum::filtered(prefix += x);
  row.result = result;
}>
    scan_filter_sum("serial");
const Register<+[](WordHistogram& row, SerialPeer&) {
  WordHistogram::Counts counts;
  WordHistogram::add(row.text, counts);
  row.take(counts);
}>
    word_histogram("serial");
const Register<+[](KMeans& row, SerialPeer&) {
  KMeans::Sums sums;
  for (std::size_t i = 0; i < row.x.size(); ++i) KMeans::add(sums, row.x[i], row.y[i]);
  row.sums = sums;
}>
    k_means("serial");
const Register<+[](MandelbrotImage& row, SerialPeer&) {
  for (std::size_t i = 0; i < row.out.size(); ++i) row.out[i] = MandelbrotImage::pixel(i, row.side);
}>
    mandelbrot("serial");
const Register<+[](NBody& row, SerialPeer&) {
  std::transform(row.bodies.begin(), row.bodies.end(), row.out.begin(),
                 [&](const NBody::Vector& body) { return NBody::pull(body, row.bodies); });
}>
    n_body("serial");

}  // namespace
}  // namespace bench
