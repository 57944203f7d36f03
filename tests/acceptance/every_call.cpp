// Every public call, once, as a user's program: user_build_test.py builds it as users might, with many warnings and with the
// standard library's debug modes, links it with the unmodified library, and runs it. It ends with 0, or aborts.
//
// A new call of the library gets a line here. If it is also a member of the pools, add it to calls_of_a_pool, too.
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <numeric>
#include <random>
#include <ranges>
#include <stop_token>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <blitz/algorithm.hpp>
#include <blitz/fork_join.hpp>
#include <blitz/pipeline.hpp>

#include "support/reference_policy.hpp"

namespace {

void check(bool right, int line) {
  if (right) return;
  std::fprintf(stderr, "every_call.cpp:%d: the result is wrong\n", line);
  std::abort();
}
#define CHECK_RIGHT(...) check((__VA_ARGS__), __LINE__)

constexpr int kItems = 1000;
constexpr int kSum = kItems * (kItems - 1) / 2;

std::vector<int> numbers() {
  std::vector<int> v(kItems);
  std::iota(v.begin(), v.end(), 0);
  return v;
}

struct Plus {
  template <class A, class B>
  auto operator()(A a, B b) const {
    return a + b;
  }
};

/// Each algorithm once, on the standard library's kinds of items and iterators.
void every_algorithm() {
  const std::vector<int> v = numbers();
  std::vector<int> out(v.size());
  std::vector<std::string> words{"b", "a", "c", "a"};
  const auto even = [](int x) { return x % 2 == 0; };
  const auto twice = [](int x) { return 2 * x; };
  const auto found = [&v](auto at) { return at - v.begin(); };
  CHECK_RIGHT(found(blitz::find(v, 7)) == 7 && found(blitz::find_if(v, even)) == 0 &&
              found(blitz::find_if_not(v, even)) == 1);
  CHECK_RIGHT(blitz::find_last(words, "a").begin() == words.begin() + 3 && !blitz::find_last_if(v, even).empty());
  CHECK_RIGHT(!blitz::find_last_if_not(v, even).empty() && found(blitz::find_first_of(v, std::vector{9, 8})) == 8);
  CHECK_RIGHT(blitz::any_of(v, even) && !blitz::all_of(v, even) && !blitz::none_of(v, even));
  CHECK_RIGHT(blitz::adjacent_find(v) == v.end() && !blitz::search(v, std::vector{4, 5}).empty());
  CHECK_RIGHT(!blitz::find_end(v, std::vector{4, 5}).empty() && blitz::mismatch(v, v).in1 == v.end());
  CHECK_RIGHT(blitz::equal(v, v) && !blitz::lexicographical_compare(v, v) && blitz::is_sorted(v));
  CHECK_RIGHT(blitz::is_sorted_until(v) == v.end() && !blitz::is_partitioned(v, even) &&
              blitz::includes(v, std::vector{1}));
  CHECK_RIGHT(blitz::count(v, 3) == 1 && blitz::count_if(v, even) == kItems / 2 && blitz::min(v) == 0);
  CHECK_RIGHT(blitz::max(v) == kItems - 1 && blitz::minmax(v).max == kItems - 1 && *blitz::min_element(words) == "a");
  CHECK_RIGHT(*blitz::max_element(words) == "c" && *blitz::minmax_element(v).min == 0);
  CHECK_RIGHT(blitz::reduce(v) == kSum && blitz::transform_reduce(v, 0, Plus{}, twice) == 2 * kSum);
  blitz::copy(v, out);
  blitz::copy_n(v.begin(), 3, out.begin());
  blitz::copy_n(v.begin(), 3, out.begin(), out.end());
  blitz::uninitialized_copy_n(v.begin(), 3, out.begin(), out.end());
  blitz::copy_if(v, out, even);
  blitz::remove_copy(v, out, 1);
  blitz::remove_copy_if(v, out, even);
  blitz::reverse_copy(v, out);
  blitz::rotate_copy(v, v.begin() + 9, out);
  blitz::unique_copy(v, out);
  blitz::adjacent_difference(v, out);
  blitz::inclusive_scan(v, out);
  blitz::exclusive_scan(v, out, 0);
  blitz::transform_inclusive_scan(v, out, Plus{}, twice);
  blitz::transform_exclusive_scan(v, out, 0, Plus{}, twice);
  blitz::transform(v, out, twice);
  blitz::transform(v, v, out, Plus{});
  CHECK_RIGHT(out[3] == 6);
  blitz::fill(out, 1);
  blitz::fill_n(out.begin(), 2, 5);
  blitz::replace(out, 1, 2);
  blitz::replace_if(out, even, 3);
  blitz::generate(out, [] { return 4; });
  blitz::iota(out, 0);
  blitz::for_each(out, [](int& x) { ++x; });
  blitz::for_each_n(out.begin(), 4, [](int& x) { --x; });
  blitz::reverse(out);
  blitz::rotate(out, out.begin() + 3);
  blitz::shuffle(out, std::mt19937_64(1));
  blitz::shift_left(out, 2);
  blitz::shift_right(out, 2);
  blitz::partition(out, even);
  blitz::stable_partition(words, [](const std::string& word) { return word < "b"; });
  blitz::nth_element(out, out.begin() + 5);
  blitz::partial_sort(out, out.begin() + 5);
  blitz::sort(words, std::greater{});
  blitz::stable_sort({.min_grain = 2}, words, {}, &std::string::size);
  blitz::sort(out.begin(), out.end());
  std::vector<int> values = out;
  blitz::sort_by_key(out, values);
  blitz::sort_by_cached_key(words, [](const std::string& word) { return word.size(); });
  blitz::inplace_merge(out, out.begin() + kItems / 2);
  CHECK_RIGHT(blitz::is_sorted(out));
  std::vector<int> more(2 * v.size());
  blitz::merge(v, out, more);
  blitz::set_union(v, out, more);
  blitz::set_intersection(v, out, more);
  blitz::set_difference(v, out, more);
  blitz::set_symmetric_difference(v, out, more);
  std::vector<int> rest(v.size());
  blitz::partition_copy(v, out, rest, even);
  CHECK_RIGHT(rest[0] == 1);
  blitz::swap_ranges(out, rest);
  static_cast<void>(blitz::unique(out));
  static_cast<void>(blitz::remove(out, 1));
  static_cast<void>(blitz::remove_if(out, even));
  std::vector<std::string> moved(words.size());
  blitz::move(words, moved);
}

/// Pipelines: each terminal after one or two stages.
void pipelines() {
  const std::vector<int> v = numbers();
  const auto even = [](int x) { return x % 2 == 0; };
  CHECK_RIGHT(blitz::par(v).filter(even).count() == kItems / 2);
  CHECK_RIGHT(blitz::par(0, kItems).map([](int x) { return x; }).sum() == kSum);
  CHECK_RIGHT(blitz::par(v, v).map([](int a, int b) { return a - b; }).max() == 0);
  CHECK_RIGHT(blitz::par(v).enumerate().all_of([](std::size_t i, int x) { return static_cast<int>(i) == x; }));
  CHECK_RIGHT(blitz::par(v).filter(even).collect<std::vector<int>>().size() == kItems / 2);
  CHECK_RIGHT(blitz::par(v).scan(Plus{}).collect()[kItems - 1] == kSum);
  CHECK_RIGHT(blitz::lines("a\nb").count() == 2);
  blitz::par(v).rev().take(3).for_each([](int x) { CHECK_RIGHT(x >= kItems - 3); });
}

/// The algorithms, on the current thread.
void algorithms() {
  const std::vector<int> v = numbers();
  CHECK_RIGHT(blitz::histogram(v, 7, [](int x) { return x % 7; })[0] == (kItems + 6) / 7);
  CHECK_RIGHT(blitz::histogram({.min_grain = 9}, v.begin(), v.end(), kItems) == std::vector<std::size_t>(kItems, 1));
  std::vector<int> keys(3);
  std::vector<long> sums(3);
  const auto ends = blitz::reduce_by_key(std::vector{1, 1, 2}, std::vector{4L, 5L, 6L}, keys, sums);
  CHECK_RIGHT(ends.keys_out == keys.begin() + 2 && ends.values_out == sums.begin() + 2 && sums[0] == 9);
  CHECK_RIGHT(
      blitz::reduce_by_key(v.begin(), v.end(), v.begin(), v.end(), keys.begin(), keys.end(), sums.begin(), sums.end())
          .keys_out == keys.end());
  for (const blitz::Groups::Group group : blitz::group_by(v, [](int x) { return x % 3; }))
    CHECK_RIGHT(group.size() >= kItems / 3 && v[group.back()] % 3 == v[group.front()] % 3);
}

/// The free functions, on the current thread.
void calls() {
  std::vector<int> v = numbers();
  const auto add_one = [](int& x) { ++x; };
  const auto keep = [](int x) { return x; };
  int x = 0;

  CHECK_RIGHT(blitz::join([] { return 1; }, [] { return std::string("b"); }) == std::pair(1, std::string("b")));
  CHECK_RIGHT(blitz::join([&x] { x = 1; }, [] {}) == std::pair(blitz::Unit{}, blitz::Unit{}));
  CHECK_RIGHT(blitz::join([] { return 1; }, [] { return 2u; }, [] { return 'c'; }) == std::tuple(1, 2u, 'c'));
  CHECK_RIGHT(&blitz::join([&x]() -> int& { return x; }, [] {}).first == &x);
  CHECK_RIGHT(*blitz::join([] { return std::make_unique<int>(3); }, [] {}).first == 3);
  blitz::join_context([](blitz::JoinContext c) { return c.migrated(); }, [](blitz::JoinContext) {});
  blitz::parallel_invoke([] {}, [] {}, [] {});
  blitz::parallel_invoke([] {}, [] {}, [] {}, [] {}, [] {}, [] {}, [] {}, [] {}, [] {}, [] {}, [] {}, [] {}, [] {},
                         [] {}, [] {}, [] {}, [] {}, [] {});
  const std::vector<std::function<int()>> callables(3, [] { return 4; });
  CHECK_RIGHT(blitz::join_all(callables) == std::vector<int>(3, 4));
  blitz::join_all(std::vector(2, [] {}));

  blitz::parallel_for(v, add_one);
  blitz::parallel_for({.min_grain = 10}, v.begin(), v.end(), [](int& i) { --i; });
  blitz::parallel_for({.schedule = blitz::Schedule::kFixed}, 0, kItems, [](int) {});
  blitz::parallel_for('a', 'z', [](char) {});
  blitz::parallel_for(std::size_t{0}, v.size(), [&v](std::size_t i) { ++v[i]; });
  blitz::parallel_for({.stop = std::stop_source().get_token()}, std::views::iota(0L, 10L), [](long) {});
  blitz::parallel_for(v, [](int i) { return i < 0 ? blitz::Flow::kStop : blitz::Flow::kContinue; });
  blitz::parallel_for(short{0}, short{9}, [](short) {});
  blitz::parallel_for(0u, 9u, [](unsigned) {});
  blitz::parallel_for(v.data(), v.data() + v.size(), [](int&) {});
  blitz::parallel_for(std::views::iota(0u, 10u), [](unsigned) {});
  blitz::parallel_for({.min_grain = 4}, kItems - 1, -1, -2, [&v](int i) { v[static_cast<std::size_t>(i)] += 0; });
  blitz::parallel_for_tiles({10, 20u}, [](const blitz::Tile<2>& tile) { static_cast<void>(tile.rows()); });
  blitz::parallel_for_tiles({10L, 20}, {3, 4}, [](blitz::Tile<2> tile) { static_cast<void>(tile.cols()); });
  blitz::parallel_for_tiles({.min_grain = 2}, {2, 3, 4}, [](blitz::Tile<3> tile) { static_cast<void>(tile.pages()); });
  blitz::parallel_for_tiles({2, 3, 4}, {1, 1, 1}, [](blitz::Tile<3>) { return blitz::Flow::kContinue; });
  blitz::parallel_for_each({.stop = std::stop_token()}, std::list<int>{1, 2}, [](int) {});
  blitz::parallel_for_each(std::views::single(9), [](int i, blitz::Feeder<int>& feeder) {
    if (i > 0) feeder.add(i - 1);
  });
  blitz::parallel_for_blocks(v, [](auto block) {
    for (int& i : block) --i;
  });
  blitz::parallel_for_blocks(v, [](auto) { return blitz::Flow::kContinue; });

  CHECK_RIGHT(blitz::parallel_reduce(v, 0, Plus()) == kSum);
  CHECK_RIGHT(blitz::parallel_reduce(
                  v, 0L, [](long sum, int i) { return sum + i; }, Plus()) == kSum);
  CHECK_RIGHT(blitz::parallel_reduce(
                  0, kItems, 0L, [](long sum, int i) { return sum + i; }, Plus()) == kSum);
  CHECK_RIGHT(blitz::parallel_reduce_blocks(
                  {.min_grain = 8}, v, 0L,
                  [](long sum, auto block) { return std::accumulate(block.begin(), block.end(), sum); },
                  Plus()) == kSum);
  const std::vector<float> halves(kItems, 0.5f);
  CHECK_RIGHT(blitz::parallel_reduce(halves, 0.0f, std::plus<>()) == 0.5f * kItems);
  CHECK_RIGHT(blitz::parallel_reduce(halves, 0.0, [](double a, double b) { return b < a ? b : a; }) == 0.0);
  CHECK_RIGHT(blitz::parallel_reduce({.deterministic = true}, v.begin(), v.end(), 0L, Plus()) == kSum);
  CHECK_RIGHT(blitz::parallel_reduce(0u, static_cast<unsigned>(kItems), 0u, Plus()) == unsigned{kSum});
  CHECK_RIGHT(blitz::parallel_transform_reduce(
                  {.min_grain = 7}, v, [] { return 0; }, Plus(), keep) == kSum);
  CHECK_RIGHT(blitz::parallel_transform_reduce({.schedule = blitz::Schedule::kFixed}, 0, kItems, 0.0, Plus(),
                                               [](int i) { return i / 2.0; }) == kSum / 2.0);

  CHECK_RIGHT(blitz::scope([](blitz::Scope& s) {
                s.spawn([](blitz::Scope& inner) { inner.spawn([] {}); });
                s.spawn_fifo([] {});
                s.spawn_broadcast([](blitz::BroadcastContext) {});
                s.spawn_broadcast([](blitz::Scope&, blitz::BroadcastContext) {});
                if (s.stop_token().stop_requested()) s.request_stop();
                return s.stop_requested() ? 1 : 4;
              }) == 4);
  blitz::scope_fifo([](blitz::ScopeFifo& s) { s.spawn([] {}); });
  blitz::scope({.in_place = true, .stop = std::stop_token()}, [](blitz::Scope& s) { s.spawn([] {}); });
  blitz::in_place_scope_fifo([](blitz::Scope& s) { s.spawn([] {}); });

  blitz::TaskGroup group;
  group.run([&group] { group.run([] {}); });
  group.wait();
  group.run_and_wait([&] { x = group.stop_token().stop_requested() ? 1 : 7; });
  group.request_stop();
  CHECK_RIGHT(x == 7 && group.stop_requested());

  blitz::spawn([] {});
  blitz::spawn_fifo([copy = v] { static_cast<void>(copy); });
  blitz::spawn_broadcast([](blitz::BroadcastContext) {});
  blitz::broadcast([](blitz::BroadcastContext) {});
  const std::vector<std::size_t> indices = blitz::broadcast([](blitz::BroadcastContext c) { return c.index(); });
  CHECK_RIGHT(indices.size() == blitz::current_num_threads() && indices.back() + 1 == indices.size());
  blitz::AsyncHandle<int> handle = blitz::async([] { return 5; });
  handle.wait();
  CHECK_RIGHT(handle.valid() && handle.ready() && handle.get() == 5);
  blitz::async([] {}).get();

  CHECK_RIGHT(blitz::isolate([&] { return blitz::parallel_reduce(v, 0, Plus()); }) == kSum);
  blitz::WorkerLocal<std::vector<int>> scratch([] { return std::vector<int>(3); });
  blitz::parallel_for(0, kItems, [&](int i) { scratch.local()->push_back(i); });
  const std::size_t count =
      scratch.combine(std::size_t{0}, [](std::size_t n, const auto& s) { return n + s.size() - 3; });
  CHECK_RIGHT(count == std::size_t{kItems});
  scratch.for_each([](std::vector<int>& s) { s.clear(); });
  blitz::parallel_for(0, kItems, [&](int i) { scratch.here().push_back(i); });
  for (const std::vector<int>& s : scratch) CHECK_RIGHT(s.size() <= std::size_t{kItems} + 3);
  CHECK_RIGHT(scratch.size() > 0);
  scratch.clear();

  static_cast<void>(blitz::yield_now());
  CHECK_RIGHT(blitz::yield_local() != blitz::Yield::kExecuted || blitz::current_thread_index().has_value());
  try {
    blitz::join([] { throw std::out_of_range("a"); }, [] {});
    CHECK_RIGHT(false);
  } catch (const std::out_of_range&) {
  }
}

template <class Pool>
void calls_of_a_pool(Pool& pool) {
  std::vector<int> v = numbers();
  const auto keep = [](int x) { return x; };

  CHECK_RIGHT(pool.install([] { return 1; }) == 1);
  pool.install_blocking([] {});
  CHECK_RIGHT(pool.join([] { return 1; }, [] { return 2; }) == std::pair(1, 2));
  CHECK_RIGHT(pool.join([] { return 1; }, [] { return 2; }, [] { return 3; }) == std::tuple(1, 2, 3));
  pool.join_context([](blitz::JoinContext) {}, [](blitz::JoinContext) {});
  pool.parallel_invoke([] {}, [] {}, [] {});
  CHECK_RIGHT(pool.join_all(std::vector(3, [] { return 4; })) == std::vector<int>(3, 4));
  blitz::parallel_for({.pool = &pool}, v, [](int& x) { ++x; });
  blitz::parallel_for({.pool = &pool}, 0, kItems, [&v](int i) { --v[static_cast<std::size_t>(i)]; });
  blitz::parallel_for({.pool = &pool}, 0, kItems, 7, [](int) {});
  blitz::parallel_for_tiles({.pool = &pool}, {10, 20}, [](blitz::Tile<2>) {});
  blitz::parallel_for_tiles({.pool = &pool}, {10, 20}, {3, 4}, [](blitz::Tile<2>) {});
  blitz::parallel_for_tiles({.pool = &pool}, {2, 3, 4}, [](blitz::Tile<3>) {});
  blitz::parallel_for_tiles({.pool = &pool}, {2, 3, 4}, {1, 1, 1}, [](blitz::Tile<3>) {});
  blitz::parallel_for_each({.pool = &pool}, std::list<int>{1, 2}, [](int) {});
  blitz::parallel_for_each({.pool = &pool}, v, [](int, blitz::Feeder<int>&) {});
  blitz::parallel_for_blocks({.pool = &pool}, v, [](auto) {});
  CHECK_RIGHT(blitz::parallel_reduce({.pool = &pool}, v, 0, Plus()) == kSum);
  CHECK_RIGHT(blitz::parallel_reduce({.pool = &pool}, 0, kItems, 0, Plus()) == kSum);
  CHECK_RIGHT(blitz::parallel_reduce({.pool = &pool}, v, 0, Plus(), Plus()) == kSum);
  CHECK_RIGHT(blitz::parallel_reduce({.pool = &pool}, 0, kItems, 0, Plus(), Plus()) == kSum);
  CHECK_RIGHT(blitz::parallel_reduce_blocks(
                  {.pool = &pool}, v, 0,
                  [](int sum, auto block) { return std::accumulate(block.begin(), block.end(), sum); },
                  Plus()) == kSum);
  CHECK_RIGHT(blitz::parallel_transform_reduce({.pool = &pool}, v, 0, Plus(), keep) == kSum);
  CHECK_RIGHT(blitz::parallel_transform_reduce({.pool = &pool}, 0, kItems, 0, Plus(), keep) == kSum);
  pool.scope([](blitz::Scope& s) { s.spawn([] {}); });
  pool.scope_fifo([](blitz::Scope& s) { s.spawn([] {}); });
  pool.in_place_scope([](blitz::Scope& s) { s.spawn([] {}); });
  pool.in_place_scope_fifo([](blitz::Scope& s) { s.spawn([] {}); });
  blitz::TaskGroup group(pool);
  group.run([] {});
  group.wait();
  pool.spawn([] {});
  pool.spawn_fifo([] {});
  pool.spawn_broadcast([](blitz::BroadcastContext) {});
  CHECK_RIGHT(pool.broadcast([](blitz::BroadcastContext c) { return c.num_threads(); }).size() == pool.num_threads());
  CHECK_RIGHT(pool.async([] { return 6; }).get() == 6);
  blitz::WorkerLocal<int> sums(pool, [] { return 0; });
  blitz::parallel_for({.pool = &pool}, v, [&](int x) { *sums.local() += x; });
  CHECK_RIGHT(sums.combine(0, Plus()) == kSum);

  CHECK_RIGHT(!pool.current_thread_index().has_value());
  CHECK_RIGHT(pool.install([&] { return pool.current_thread_index(); }) < pool.num_threads());
  pool.set_max_concurrency(1);
  CHECK_RIGHT(pool.max_concurrency() == 1);
  pool.warm_up();
  pool.warm_up(std::chrono::nanoseconds(1));
  const blitz::ThreadPoolStats stats = pool.stats();
  blitz::WorkerStats sum;
  for (const blitz::WorkerStats& worker : stats.workers) sum += worker;
  CHECK_RIGHT(stats.workers.size() == pool.num_threads() && sum == stats.total && stats.parked <= stats.workers.size());

  pool.install(calls);
  pool.install(algorithms);
  pool.shutdown();
}

blitz::ThreadPoolOptions every_option() {
  return {
    .num_threads = 3, .thread_name = [](std::size_t i) { return "every-" + std::to_string(i); },
#if !defined(BLITZ_PORTABLE)
    .stack_size = std::size_t{1} << 20,
#endif
    .on_thread_start = [](std::size_t) {}, .on_thread_exit = [](std::size_t) {},
    .exception_handler = [](std::exception_ptr) {},
#if defined(__linux__) && !defined(BLITZ_PORTABLE)
    .affinity = blitz::Affinity::kOnePerWorker,
#endif
    .max_nested_waits = 4, .seed = 1
  };
}

template <class Pool>
void calls_of_a_new_pool() {
  Pool pool(every_option());
  calls_of_a_pool(pool);
}

/// A pool with no code compiled into the library.
void calls_in_a_pool_of_ones_own() {
  blitz::BasicThreadPool<blitz_test::ReferencePolicy> pool(every_option());
  CHECK_RIGHT(pool.install([] { return blitz::join([] { return 1; }, [] { return 2; }); }) == std::pair(1, 2));
  CHECK_RIGHT(pool.stats().workers.size() == pool.num_threads());
}

}  // namespace

int main() {
  static_assert(BLITZ_VERSION >= 100);
  try {
    blitz::init_global_pool({.num_threads = 2});
    calls();
    algorithms();
    every_algorithm();
    pipelines();
    CHECK_RIGHT(blitz::global_pool().num_threads() == 2);
    calls_of_a_new_pool<blitz::ThreadPool>();
    calls_of_a_new_pool<blitz::AsyncThreadPool>();
    calls_in_a_pool_of_ones_own();
    blitz::shutdown_global_pool();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "every_call.cpp: %s\n", error.what());
    return 1;
  }
  return 0;
}
