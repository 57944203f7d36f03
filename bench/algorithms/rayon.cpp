#include "bench/peers/rayon.hpp"

#include <span>

#include "bench/algorithms/standard.hpp"

namespace bench {
namespace {

using rayon::Pool;

extern "C" {
double bench_rayon_reduce(const Pool*, const double* in, std::size_t count);
double bench_rayon_map_filter_sum(const Pool*, const double* in, std::size_t count);
double bench_rayon_zip(const Pool*, const double* x, const double* y, const double* z, std::size_t count);
std::size_t bench_rayon_find(const Pool*, const Number* in, std::size_t count);
bool bench_rayon_any(const Pool*, const Number* in, std::size_t count);
std::size_t bench_rayon_min_element(const Pool*, const double* in, std::size_t count);
void bench_rayon_transform(const Pool*, const double* in, double* out, std::size_t count);
void bench_rayon_histogram(const Pool*, const std::uint8_t* in, std::size_t count, std::size_t* out);
std::size_t bench_rayon_count(const Pool*, const Number* in, std::size_t count);
void bench_rayon_inclusive_scan(const Pool*, const Number* in, Number* out, std::size_t count);
std::size_t bench_rayon_copy_if(const Pool*, const Number* in, Number* out, std::size_t count);
void bench_rayon_for_each(const Pool*, Number* items, std::size_t count);
Number bench_rayon_transform_reduce(const Pool*, const Number* in, std::size_t count);
std::size_t bench_rayon_unique(const Pool*, Number* items, std::size_t count);
std::size_t bench_rayon_partition(const Pool*, Number* items, std::size_t count);
std::size_t bench_rayon_reduce_by_key(const Pool*, const Number* keys, const Number* values, Number* keys_out,
                                      Number* out, std::size_t count);
std::uint64_t bench_rayon_map_new(const Pool*, const double* in, std::size_t count);
std::uint64_t bench_rayon_filter_new(const Pool*, const Number* in, std::size_t count);
void bench_rayon_group_by(const Pool*, const Number* keys, std::size_t count, void* row,
                          void (*take_group)(void* row, const std::size_t* positions, std::size_t count));
void bench_rayon_sort_numbers(const Pool*, Number* items, std::size_t count, bool stable);
void bench_rayon_sort_reals(const Pool*, double* items, std::size_t count, bool stable);
void bench_rayon_sort_pairs(const Pool*, Pair* items, std::size_t count, bool stable);
}

const Register<+[](Sum& row, RayonInsidePeer& peer) {
  row.result = bench_rayon_reduce(peer.pool, row.in.data(), row.in.size());
}>
    sum("rayon_inside");
const Register<+[](MapFilterSum& row, RayonInsidePeer& peer) {
  row.result = bench_rayon_map_filter_sum(peer.pool, row.in.data(), row.in.size());
}>
    map_filter_sum("rayon_inside");
const Register<+[](Zip& row, RayonInsidePeer& peer) {
  row.result = bench_rayon_zip(peer.pool, row.x.data(), row.y.data(), row.z.data(), row.x.size());
}>
    zip("rayon_inside");
const Register<+[](Find& row, RayonInsidePeer& peer) {
  row.result = bench_rayon_find(peer.pool, row.in.data(), row.in.size());
}>
    find("rayon_inside");
const Register<+[](AnyOf& row, RayonInsidePeer& peer) {
  row.result = bench_rayon_any(peer.pool, row.in.data(), row.in.size());
}>
    any_of("rayon_inside");
const Register<+[](MinElement& row, RayonInsidePeer& peer) {
  row.result = bench_rayon_min_element(peer.pool, row.in.data(), row.in.size());
}>
    min_element("rayon_inside");
const Register<+[](Transform& row, RayonInsidePeer& peer) {
  bench_rayon_transform(peer.pool, row.in.data(), row.out.data(), row.in.size());
}>
    transform("rayon_inside");
const Register<+[](Histogram& row, RayonInsidePeer& peer) {
  bench_rayon_histogram(peer.pool, row.in.data(), row.in.size(), row.out.data());
}>
    histogram("rayon_inside");

const Register<+[](Count& row, RayonInsidePeer& peer) {
  row.result = bench_rayon_count(peer.pool, row.in.data(), row.in.size());
}>
    count_of("rayon_inside");
const Register<+[](InclusiveScan& row, RayonInsidePeer& peer) {
  bench_rayon_inclusive_scan(peer.pool, row.in.data(), row.out.data(), row.in.size());
}>
    inclusive_scan("rayon_inside");
const Register<+[](StandardRow<CopyIf>& row, RayonInsidePeer& peer) {
  StandardData& d = row.data();
  d.answer = static_cast<std::ptrdiff_t>(bench_rayon_copy_if(peer.pool, d.in.data(), d.out.data(), d.in.size()));
}>
    copy_if("rayon_inside");
const Register<+[](StandardRow<ForEach>& row, RayonInsidePeer& peer) {
  bench_rayon_for_each(peer.pool, row.data().items.data(), row.data().items.size());
}>
    for_each("rayon_inside");
const Register<+[](StandardRow<TransformReduce>& row, RayonInsidePeer& peer) {
  StandardData& d = row.data();
  d.answer = static_cast<std::ptrdiff_t>(bench_rayon_transform_reduce(peer.pool, d.in.data(), d.in.size()));
}>
    transform_reduce("rayon_inside");
const Register<+[](ReduceByKey& row, RayonInsidePeer& peer) {
  row.written = bench_rayon_reduce_by_key(peer.pool, row.keys.data(), row.values.data(), row.keys_out.data(),
                                          row.out.data(), row.keys.size());
}>
    reduce_by_key("rayon_inside");
const Register<+[](StandardRow<Unique>& row, RayonInsidePeer& peer) {
  Numbers& items = row.data().items;
  items.resize(bench_rayon_unique(peer.pool, items.data(), items.size()));
}>
    unique("rayon_inside");
const Register<+[](Partition& row, RayonInsidePeer& peer) {
  row.left = bench_rayon_partition(peer.pool, row.items.data(), row.items.size());
}>
    partition("rayon_inside");
const Register<+[](MapNew& row, RayonInsidePeer& peer) {
  row.take_digest(bench_rayon_map_new(peer.pool, row.in.data(), row.in.size()));
}>
    map_new("rayon_inside");
const Register<+[](FilterNew& row, RayonInsidePeer& peer) {
  row.take_digest(bench_rayon_filter_new(peer.pool, row.in.data(), row.in.size()));
}>
    filter_new("rayon_inside");

template <class GroupRow>
void group_by(GroupRow& row, RayonInsidePeer& peer) {
  const auto take_group = [](void* to, const std::size_t* positions, std::size_t count) {
    static_cast<GroupRow*>(to)->take_group(std::span(positions, count));
  };
  bench_rayon_group_by(peer.pool, row.keys.data(), row.keys.size(), &row, take_group);
}
const Register<&group_by<GroupByFew>> group_by_few("rayon_inside");
const Register<&group_by<GroupByMany>> group_by_many("rayon_inside");

struct Sorting {
  template <class Row>
  static void run(Row& row, RayonInsidePeer& peer) {
    sort(peer.pool, row.items.data(), row.items.size(), Row::kIsStable);
  }

 private:
  static void sort(const Pool* pool, Number* items, std::size_t count, bool stable) {
    bench_rayon_sort_numbers(pool, items, count, stable);
  }
  static void sort(const Pool* pool, double* items, std::size_t count, bool stable) {
    bench_rayon_sort_reals(pool, items, count, stable);
  }
  static void sort(const Pool* pool, Pair* items, std::size_t count, bool stable) {
    bench_rayon_sort_pairs(pool, items, count, stable);
  }
};
const RegisterSorts<Sorting, false> sort("rayon_inside", SortsOfNumbers());
const RegisterSorts<Sorting, true> stable_sort("rayon_inside", SortsOfNumbers());

}  // namespace
}  // namespace bench
