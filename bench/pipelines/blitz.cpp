// `blitz`: loops, reductions and algorithms, written by hand. `blitz_par`: the pipelines.
#include "bench/peers/blitz.hpp"

#include <cstddef>
#include <functional>
#include <ranges>
#include <string_view>
#include <utility>

#include <blitz/algorithm.hpp>
#include <blitz/pipeline.hpp>

#include "bench/pipelines/workload.hpp"

namespace bench {
namespace {

const Register<+[](FlatMap& row, BlitzPeer& peer) {
  Numbers places(row.in.size());
  blitz::transform_exclusive_scan({.pool = &peer.pool}, row.in, places, Number{0}, std::plus<>(), FlatMap::many);
  Numbers out(places.empty() ? 0 : places.back() + FlatMap::many(row.in.back()));
  blitz::parallel_for({.pool = &peer.pool}, std::size_t{0}, row.in.size(), [&](std::size_t at) {
    for (Number i = 0; i < FlatMap::many(row.in[at]); ++i) out[places[at] + i] = row.in[at] + i;
  });
  row.take(out);
}>
    flat_map("blitz");
const Register<+[](FlatMap& row, BlitzPeer& peer) {
  row.take(blitz::par(row.in)
               .flat_map([](Number x) { return std::views::iota(x, x + FlatMap::many(x)); })
               .with({.pool = &peer.pool})
               .collect());
}>
    flat_map_par("blitz_par");

const Register<+[](ScanFilterSum& row, BlitzPeer& peer) {
  Numbers sums(row.in.size());
  blitz::inclusive_scan({.pool = &peer.pool}, row.in, sums);
  row.result = blitz::parallel_transform_reduce({.pool = &peer.pool}, sums, Number{0}, std::plus<>(),
                                                [](Number x) { return ScanFilterSum::filtered(x); });
}>
    scan_filter_sum("blitz");
const Register<+[](ScanFilterSum& row, BlitzPeer& peer) {
  row.result = blitz::par(row.in)
                   .scan(std::plus<>())
                   .filter([](Number x) { return ScanFilterSum::keep(x); })
                   .with({.pool = &peer.pool})
                   .sum();
}>
    scan_filter_sum_par("blitz_par");

const Register<+[](WordHistogram& row, BlitzPeer& peer) {
  using Counts = WordHistogram::Counts;
  row.take(blitz::parallel_reduce_blocks(
      {.pool = &peer.pool}, std::views::iota(std::size_t{0}, row.pieces()), Counts(),
      [&](Counts counts, auto block) {
        for (const std::size_t i : block) WordHistogram::add(row.piece(i), counts);
        return counts;
      },
      [](Counts counts, const Counts& others) {
        WordHistogram::merge(counts, others);
        return counts;
      }));
}>
    word_histogram("blitz");
const Register<+[](WordHistogram& row, BlitzPeer& peer) {
  row.take(blitz::split_at(row.text, ' ')
               .with({.pool = &peer.pool})
               .fold(
                   WordHistogram::Counts(),
                   [](WordHistogram::Counts& counts, std::string_view word) { ++counts[word]; }, WordHistogram::merge));
}>
    word_histogram_par("blitz_par");

const Register<+[](KMeans& row, BlitzPeer& peer) {
  using Sums = KMeans::Sums;
  row.sums = blitz::parallel_reduce_blocks(
      {.pool = &peer.pool}, std::views::iota(std::size_t{0}, row.x.size()), Sums(),
      [&](Sums sums, auto block) {
        for (const std::size_t i : block) KMeans::add(sums, row.x[i], row.y[i]);
        return sums;
      },
      [](Sums sums, const Sums& others) {
        KMeans::merge(sums, others);
        return sums;
      });
}>
    k_means("blitz");
const Register<+[](KMeans& row, BlitzPeer& peer) {
  row.sums =
      blitz::par(row.x, row.y)
          .with({.pool = &peer.pool})
          .fold(
              KMeans::Sums(), [](KMeans::Sums& sums, double x, double y) { KMeans::add(sums, x, y); }, KMeans::merge);
}>
    k_means_par("blitz_par");

const Register<+[](MandelbrotImage& row, BlitzPeer& peer) {
  blitz::parallel_for({.pool = &peer.pool}, std::size_t{0}, row.out.size(),
                      [&](std::size_t i) { row.out[i] = MandelbrotImage::pixel(i, row.side); });
}>
    mandelbrot("blitz");
const Register<+[](MandelbrotImage& row, BlitzPeer& peer) {
  blitz::par(std::size_t{0}, row.out.size())
      .map([&](std::size_t i) { return MandelbrotImage::pixel(i, row.side); })
      .with({.pool = &peer.pool})
      .collect_into(row.out);
}>
    mandelbrot_par("blitz_par");

const Register<+[](NBody& row, BlitzPeer& peer) {
  blitz::parallel_for({.pool = &peer.pool}, std::size_t{0}, row.bodies.size(),
                      [&](std::size_t i) { row.out[i] = NBody::pull(row.bodies[i], row.bodies); });
}>
    n_body("blitz");
const Register<+[](NBody& row, BlitzPeer& peer) {
  blitz::par(row.bodies)
      .map([&](const NBody::Vector& body) { return NBody::pull(body, row.bodies); })
      .with({.pool = &peer.pool})
      .collect_into(row.out);
}>
    n_body_par("blitz_par");

// Rows of bench/algorithms.

template <class GroupRow>
void group_by(GroupRow& row, BlitzPeer& peer) {
  row.take(blitz::par(row.keys).with({.pool = &peer.pool}).group_by().groups(), std::identity());
}
const Register<&group_by<GroupByFew>> group_by_few_par("blitz_par");
const Register<&group_by<GroupByMany>> group_by_many_par("blitz_par");

}  // namespace
}  // namespace bench
