// Every algorithm of <execution> on blitz, compared with its serial form, on random items: the view of a program that is
// compiled with blitz/adaptor/pstl before the compiler's own headers, as C++17 or later.
//
//   pstl SEED      compares; exits with 0, or with the number of the first line that differs
//   pstl throws    an exception of an item ends the program by std::terminate, which is 0 here
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <execution>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/virtual_time.hpp"

#if !defined(BLITZ_PSTL)
#error "the compiler's own <execution> was found first"
#endif
#if defined(TBB_INTERFACE_VERSION)
#error "oneTBB was included"
#endif

#if __cplusplus >= 202002L && _GLIBCXX_RELEASE < 14
template <class IsVector>
struct __pstl::__internal::__parallel_tag {};
#endif

namespace {

unsigned seed = 0;
std::size_t items = 0;

void check(bool right, int line) {
  if (right) return;
  std::fprintf(stderr, "pstl_test.cpp:%d: the result is not the serial one; seed %u, %zu items\n", line, seed, items);
  std::exit(1);
}
#define SAME(...) check((__VA_ARGS__), __LINE__)

template <class T>
T make(unsigned value);
template <>
int make<int>(unsigned value) {
  return static_cast<int>(value % 1000);
}
template <>
std::string make<std::string>(unsigned value) {
  return std::string(value % 23, 'a') + std::to_string(value % 100);  // some too long for the small-string buffer
}

template <class T>
std::vector<T> random_items(std::mt19937& random, std::size_t count) {
  std::vector<T> v;
  for (std::size_t i = 0; i != count; ++i) v.push_back(make<T>(static_cast<unsigned>(random())));
  return v;
}

/// Runs `parallel` and `serial` on a copy of `v` each. Their results and the copies must be equal.
template <class V, class Parallel, class Serial>
bool alike(const V& v, const Parallel& parallel, const Serial& serial) {
  V a = v;
  V b = v;
  const auto x = parallel(a);
  return x == serial(b) && a == b;
}

// Compares the call with the policy and the call without it, on `v` or, for output to `out`, on a new vector. Both return
// an iterator.
#define IN_PLACE(CALL, ...)                                                         \
  SAME(alike(                                                                       \
      v, [&](auto& r) { return CALL(policy, r.begin(), __VA_ARGS__) - r.begin(); }, \
      [&](auto& r) { return CALL(r.begin(), __VA_ARGS__) - r.begin(); }))
// For algorithms that leave unspecified items after the returned iterator.
#define KEEPS(CALL, ...)                                                                              \
  SAME(alike(                                                                                         \
      v, [&](auto& r) { return r.erase(CALL(policy, r.begin(), __VA_ARGS__), r.end()) - r.begin(); }, \
      [&](auto& r) { return r.erase(CALL(r.begin(), __VA_ARGS__), r.end()) - r.begin(); }))
#define COPIES(CALL, ...)                                                                                   \
  SAME(alike(                                                                                               \
      std::vector<T>(2 * v.size() + 1), [&](auto& out) { return CALL(policy, __VA_ARGS__) - out.begin(); }, \
      [&](auto& out) { return CALL(__VA_ARGS__) - out.begin(); }))
#define RETURNS(CALL, ...) SAME(CALL(policy, __VA_ARGS__) == CALL(__VA_ARGS__))

/// Algorithms that move items, or need a certain order of the operations.
template <class T, class Policy>
void moves(const Policy& policy, std::mt19937& random) {
  const auto v = random_items<T>(random, items);
  const auto begin = v.begin();
  const auto middle = begin + static_cast<std::ptrdiff_t>(items / 3);
  auto sorted = v;
  auto others = random_items<T>(random, items / 2 + 1);
  std::sort(sorted.begin(), sorted.end());
  std::sort(others.begin(), others.end());
  const T some = v.empty() ? T() : v[items / 2];
  const auto small = [&](const T& x) { return x < some; };
  const auto like = [](const T& a, const T& b) { return a.size() % 4 == b.size() % 4; };
  const auto by_size = [](const T& a, const T& b) { return a.size() < b.size(); };

  SAME(alike(
      v,
      [&](auto& r) {
        std::sort(policy, r.begin(), r.end());
        return 0;
      },
      [](auto& r) {
        std::sort(r.begin(), r.end());
        return 0;
      }));
  SAME(alike(
      v,
      [&](auto& r) {
        std::sort(policy, r.begin(), r.end(), std::greater<T>());
        return 0;
      },
      [](auto& r) {
        std::sort(r.begin(), r.end(), std::greater<T>());
        return 0;
      }));
  SAME(alike(
      v,
      [&](auto& r) {
        std::stable_sort(policy, r.begin(), r.end(), by_size);
        return 0;
      },
      [&](auto& r) {
        std::stable_sort(r.begin(), r.end(), by_size);
        return 0;
      }));
  KEEPS(std::remove_if, r.end(), small);
  KEEPS(std::unique, r.end(), like);
  IN_PLACE(std::stable_partition, r.end(), small);
  IN_PLACE(std::rotate, r.begin() + (middle - begin), r.end());
  COPIES(std::merge, sorted.begin(), sorted.end(), others.begin(), others.end(), out.begin());
  COPIES(std::set_union, sorted.begin(), sorted.end(), others.begin(), others.end(), out.begin());
  COPIES(std::inclusive_scan, begin, begin + static_cast<std::ptrdiff_t>(std::min<std::size_t>(items, 300)),
         out.begin());
  auto halves = v;
  const auto cut = halves.begin() + (middle - begin);
  std::sort(halves.begin(), cut);
  std::sort(cut, halves.end());
  SAME(alike(
      halves,
      [&](auto& r) {
        std::inplace_merge(policy, r.begin(), r.begin() + (middle - begin), r.end());
        return 0;
      },
      [&](auto& r) {
        std::inplace_merge(r.begin(), r.begin() + (middle - begin), r.end());
        return 0;
      }));

  auto part = v;
  std::nth_element(policy, part.begin(), part.begin() + (middle - begin), part.end());
  if (!v.empty()) SAME(part[items / 3] == sorted[items / 3]);
  std::partial_sort(policy, part.begin(), part.begin() + (middle - begin), part.end());
  SAME(std::equal(part.begin(), part.begin() + (middle - begin), sorted.begin()));
  std::sort(part.begin(), part.end());
  SAME(part == sorted);
}

template <class Policy>
void all(const Policy& policy, std::mt19937& random) {
  using T = int;
  const auto v = random_items<T>(random, items);
  const auto w = random_items<T>(random, items);
  const auto begin = v.begin();
  const auto end = v.end();
  const auto middle = begin + static_cast<std::ptrdiff_t>(items / 3);
  const auto n = static_cast<std::ptrdiff_t>(items);
  auto sorted = v;
  auto others = w;
  std::sort(sorted.begin(), sorted.end());
  std::sort(others.begin(), others.end());
  const T some = v.empty() ? 0 : v[random() % items];
  const T none = 1000;
  const auto is_some = [=](T x) { return x == some; };
  const auto even = [](T x) { return x % 2 == 0; };
  const auto below = [](T x) { return x < 1000; };
  const auto twice = [](T x) { return 2 * x; };
  const auto less = std::less<T>();
  const auto plus = std::plus<T>();
  const auto xor_of = [](T a, T b) { return a ^ b; };
  const std::vector<T> needle(middle, middle + std::min<std::ptrdiff_t>(2, end - middle));
  std::vector<T> flags(items);
  std::transform(begin, end, flags.begin(), [](T x) { return x % 2; });
  auto changed = v;
  if (!v.empty()) changed[items / 2] = none;

  // Searches and comparisons.
  RETURNS(std::all_of, begin, end, below);
  RETURNS(std::all_of, begin, end, even);
  RETURNS(std::any_of, begin, end, is_some);
  RETURNS(std::any_of, begin, end, [=](T x) { return x == none; });
  RETURNS(std::none_of, begin, end, is_some);
  RETURNS(std::find, begin, end, some);
  RETURNS(std::find, begin, end, none);
  RETURNS(std::find_if, begin, end, is_some);
  RETURNS(std::find_if_not, begin, end, below);
  RETURNS(std::find_end, begin, end, needle.begin(), needle.end());
  RETURNS(std::find_first_of, begin, end, needle.begin(), needle.end());
  RETURNS(std::adjacent_find, begin, end);
  RETURNS(std::count, begin, end, some);
  RETURNS(std::count_if, begin, end, even);
  RETURNS(std::mismatch, begin, end, changed.begin());
  RETURNS(std::equal, begin, end, changed.begin());
  RETURNS(std::equal, begin, end, v.begin(), v.end());
  RETURNS(std::search, begin, end, needle.begin(), needle.end());
  RETURNS(std::search_n, begin, end, 2, some);
  RETURNS(std::is_partitioned, begin, end, even);
  RETURNS(std::is_sorted, sorted.begin(), sorted.end());
  RETURNS(std::is_sorted_until, begin, end);
  RETURNS(std::is_heap, begin, end);
  RETURNS(std::is_heap_until, sorted.rbegin(), sorted.rend());
  RETURNS(std::min_element, begin, end);
  RETURNS(std::max_element, begin, end);
  RETURNS(std::minmax_element, begin, end);
  RETURNS(std::minmax_element, begin, end, std::greater<T>());
  RETURNS(std::minmax_element, sorted.rbegin(), sorted.rend(), std::less<>());
  RETURNS(std::minmax_element, flags.begin(), flags.end());
  const std::list<T> list(begin, end);
  RETURNS(std::minmax_element, list.begin(), list.end());
  RETURNS(std::lexicographical_compare, begin, end, changed.begin(), changed.end());
  RETURNS(std::includes, sorted.begin(), sorted.end(), others.begin(), others.end());
  RETURNS(std::reduce, begin, end);
  RETURNS(std::reduce, begin, end, 5);
  RETURNS(std::reduce, begin, end, 5, xor_of);
  RETURNS(std::transform_reduce, begin, end, flags.begin(), 0);
  RETURNS(std::transform_reduce, begin, end, w.begin(), 7, xor_of, plus);
  RETURNS(std::transform_reduce, begin, end, 7, xor_of, twice);

  // Copies.
  COPIES(std::copy, begin, end, out.begin());
  COPIES(std::copy_n, begin, n, out.begin());
  COPIES(std::copy_if, begin, end, out.begin(), even);
  COPIES(std::move, begin, end, out.begin());
  COPIES(std::transform, begin, end, out.begin(), twice);
  COPIES(std::transform, begin, end, w.begin(), out.begin(), plus);
  COPIES(std::replace_copy, begin, end, out.begin(), some, none);
  COPIES(std::replace_copy_if, begin, end, out.begin(), even, none);
  COPIES(std::remove_copy, begin, end, out.begin(), some);
  COPIES(std::remove_copy_if, begin, end, out.begin(), even);
  COPIES(std::unique_copy, sorted.begin(), sorted.end(), out.begin());
  COPIES(std::reverse_copy, begin, end, out.begin());
  COPIES(std::rotate_copy, begin, middle, end, out.begin());
  COPIES(std::partial_sort_copy, begin, end, out.begin(), out.begin() + n / 2);
  COPIES(std::merge, sorted.begin(), sorted.end(), others.begin(), others.end(), out.begin(), less);
  COPIES(std::set_union, sorted.begin(), sorted.end(), others.begin(), others.end(), out.begin());
  COPIES(std::set_intersection, sorted.begin(), sorted.end(), others.begin(), others.end(), out.begin());
  COPIES(std::set_difference, sorted.begin(), sorted.end(), others.begin(), others.end(), out.begin());
  COPIES(std::set_symmetric_difference, sorted.begin(), sorted.end(), others.begin(), others.end(), out.begin());
  COPIES(std::exclusive_scan, begin, end, out.begin(), 3);
  COPIES(std::exclusive_scan, begin, end, out.begin(), 3, xor_of);
  COPIES(std::inclusive_scan, begin, end, out.begin());
  COPIES(std::inclusive_scan, begin, end, out.begin(), xor_of);
  COPIES(std::inclusive_scan, begin, end, out.begin(), plus, 9);
  COPIES(std::transform_exclusive_scan, begin, end, out.begin(), 3, plus, twice);
  COPIES(std::transform_inclusive_scan, begin, end, out.begin(), plus, twice);
  COPIES(std::transform_inclusive_scan, begin, end, out.begin(), plus, twice, 4);
  COPIES(std::adjacent_difference, begin, end, out.begin());
  // To a range that has exactly enough room for the kept items.
  const auto fits = [&](const auto& call) {
    std::vector<T> expected;
    call(std::back_inserter(expected));
    std::deque<T> out(expected.size());
    SAME(call(out.begin(), policy) == out.end() && std::equal(out.begin(), out.end(), expected.begin()));
  };
  fits([&](auto out, const auto&... how) { return std::copy_if(how..., begin, end, out, even); });
  fits([&](auto out, const auto&... how) { return std::remove_copy(how..., begin, end, out, some); });
  fits([&](auto out, const auto&... how) { return std::unique_copy(how..., sorted.begin(), sorted.end(), out); });
  fits([&](auto out, const auto&... how) {
    return std::set_union(how..., sorted.begin(), sorted.end(), others.begin(), others.end(), out);
  });
  fits([&](auto out, const auto&... how) {
    return std::set_intersection(how..., sorted.begin(), sorted.end(), others.begin(), others.end(), out);
  });
  fits([&](auto out, const auto&... how) {
    return std::set_difference(how..., sorted.begin(), sorted.end(), others.begin(), others.end(), out);
  });
  fits([&](auto out, const auto&... how) {
    return std::set_symmetric_difference(how..., sorted.begin(), sorted.end(), others.begin(), others.end(), out);
  });
  {
    // Sums of small integers are exact.
    std::vector<double> a(items), b(items);
    std::exclusive_scan(policy, begin, end, a.begin(), 0.0);
    std::exclusive_scan(begin, end, b.begin(), 0.0);
    SAME(a == b);
#if __cplusplus >= 202002L
    // libstdc++'s own version starts its parts with 0.
    const auto max = [](double x, double y) { return x < y ? y : x; };
    const auto negative = [](T x) { return x - 1000.5; };
    std::transform_inclusive_scan(policy, begin, end, a.begin(), max, negative);
    std::transform_inclusive_scan(begin, end, b.begin(), max, negative);
    SAME(a == b);
    std::transform_exclusive_scan(policy, begin, end, a.begin(), -2000.0, max, negative);
    std::transform_exclusive_scan(begin, end, b.begin(), -2000.0, max, negative);
    SAME(a == b);
#endif
    std::vector<T> yes(items), no(items), yes2(items), no2(items);
    const auto x = std::partition_copy(policy, begin, end, yes.begin(), no.begin(), even);
    std::partition_copy(begin, end, yes2.begin(), no2.begin(), even);
    SAME(yes == yes2 && no == no2 && (x.first - yes.begin()) + (x.second - no.begin()) == n);
  }

  // Algorithms that change items in place.
  const auto nothing = [](auto) { return 0; };
  SAME(alike(
      v, [&](auto& r) { return nothing((std::for_each(policy, r.begin(), r.end(), [](T& x) { ++x; }), 0)); },
      [&](auto& r) { return nothing((std::for_each(r.begin(), r.end(), [](T& x) { ++x; }), 0)); }));
  SAME(alike(
      v, [&](auto& r) { return nothing((std::fill(policy, r.begin(), r.end(), 3), 0)); },
      [&](auto& r) { return nothing((std::fill(r.begin(), r.end(), 3), 0)); }));
  SAME(alike(
      v, [&](auto& r) { return nothing((std::generate(policy, r.begin(), r.end(), [] { return 4; }), 0)); },
      [&](auto& r) { return nothing((std::generate(r.begin(), r.end(), [] { return 4; }), 0)); }));
  SAME(alike(
      v, [&](auto& r) { return nothing((std::replace(policy, r.begin(), r.end(), some, none), 0)); },
      [&](auto& r) { return nothing((std::replace(r.begin(), r.end(), some, none), 0)); }));
  SAME(alike(
      v, [&](auto& r) { return nothing((std::replace_if(policy, r.begin(), r.end(), even, none), 0)); },
      [&](auto& r) { return nothing((std::replace_if(r.begin(), r.end(), even, none), 0)); }));
  SAME(alike(
      v, [&](auto& r) { return nothing((std::reverse(policy, r.begin(), r.end()), 0)); },
      [&](auto& r) { return nothing((std::reverse(r.begin(), r.end()), 0)); }));
  IN_PLACE(std::for_each_n, n, [](T& x) { x += 2; });
  IN_PLACE(std::fill_n, n, 5);
  IN_PLACE(std::generate_n, n, [] { return 6; });
  KEEPS(std::remove, r.end(), some);
  {
    auto a = v, b = w;
    std::swap_ranges(policy, a.begin(), a.end(), b.begin());
    SAME(a == w && b == v);
    const auto cut = std::partition(policy, a.begin(), a.end(), even);
    SAME(std::is_partitioned(a.begin(), a.end(), even) && cut - a.begin() == std::count_if(w.begin(), w.end(), even));
    std::sort(a.begin(), a.end());
    SAME(a == others);
    std::deque<T> d(v.begin(), v.end());
    std::sort(policy, d.begin(), d.end());
    SAME(std::equal(d.begin(), d.end(), sorted.begin()));
  }

  // Construction and destruction.
  using S = std::string;
  const auto words = random_items<S>(random, items);
  const std::unique_ptr<S[], void (*)(S*)> room(std::allocator<S>().allocate(items + 1),
                                                [](S* p) { std::allocator<S>().deallocate(p, items + 1); });
  S* const first = room.get();
  S* const last = first + n;
  const auto holds = [&](const std::vector<S>& expected) {
    SAME(std::equal(first, last, expected.begin()));
    std::destroy(policy, first, last);
  };
  SAME(std::uninitialized_copy(policy, words.begin(), words.end(), first) == last), holds(words);
  SAME(std::uninitialized_copy_n(policy, words.begin(), n, first) == last), holds(words);
  auto moved = words;
  SAME(std::uninitialized_move(policy, moved.begin(), moved.end(), first) == last), holds(words);
  moved = words;
  std::uninitialized_move_n(policy, moved.begin(), n, first), holds(words);
  std::uninitialized_fill(policy, first, last, S("x")), holds(std::vector<S>(items, "x"));
  SAME(std::uninitialized_fill_n(policy, first, n, S("y")) == last), holds(std::vector<S>(items, "y"));
  std::uninitialized_default_construct(policy, first, last), holds(std::vector<S>(items));
  SAME(std::uninitialized_default_construct_n(policy, first, n) == last), holds(std::vector<S>(items));
  std::uninitialized_value_construct(policy, first, last), holds(std::vector<S>(items));
  SAME(std::uninitialized_value_construct_n(policy, first, n) == last);
  SAME(std::destroy_n(policy, first, n) == last);
}

/// While an item waits in its own call, no other item interrupts it: the lock is not taken twice by one thread.
void locks() {
  std::vector<int> outer(64), inner(1000, 1);
  std::mutex mutex[4];
  std::for_each(std::execution::par, outer.begin(), outer.end(), [&](int& x) {
    const std::lock_guard<std::mutex> lock(mutex[(&x - outer.data()) % 4]);
    x = std::reduce(std::execution::par, inner.begin(), inner.end());
  });
  SAME(outer == std::vector<int>(64, 1000));
}

/// The task groups of calls.hpp: C++17.
void groups() {
  blitz::adaptor::TaskGroup group;
  const auto calls = std::make_shared<std::atomic<int>>(0);
  const auto call = [calls] { ++*calls; };
  for (int i = 0; i < 100; ++i) group.run([&group, call] { group.run(call); });
  group.wait();
  SAME(*calls == 100);

  group.request_stop();
  for (int i = 0; i < 100; ++i) group.run(call);
  group.wait();
  SAME(*calls == 100 && !group.stop_requested());

  group.run(call);
  group.run([calls] { throw std::runtime_error("a job"); });
  bool thrown = false;
  try {
    group.wait();
  } catch (const std::runtime_error& error) {
    thrown = std::string(error.what()) == "a job";
  }
  SAME(thrown && *calls == 101);
  group.run(call);
  group.wait();
  SAME(*calls == 102 && calls.use_count() == 2);  // the other user is `call`: each job has freed its copy
}

int throws() {
  std::set_terminate([] { std::_Exit(0); });
  std::vector<int> v(1000);
  try {
    std::for_each(std::execution::par, v.begin(), v.end(), [](int&) { throw std::runtime_error("an item"); });
  } catch (...) {
  }
  return 1;
}

/// Newer versions of libstdc++ pass a tag before the policy. This backend ignores it.
void tags(std::size_t count) {
  namespace backend = __pstl::__par_backend;
  struct Tag {
  } tag;
  const auto& par = std::execution::par;
  const auto end = static_cast<long>(count);
  std::vector<long> v(count);
  backend::__parallel_for(tag, par, 0L, end, [&](long i, long j) {
    for (; i != j; ++i) v[static_cast<std::size_t>(i)] = end - i;
  });
  const auto sum = [&](long i, long j, long value) { return std::accumulate(v.begin() + i, v.begin() + j, value); };
  const long expected = end * (end + 1) / 2;
  SAME(backend::__parallel_reduce(tag, par, 0L, end, 0L, sum, std::plus<long>()) == expected);
  std::vector<long> sums(count);
  const auto scan = [&](long i, long j, long left) {
    for (; i != j; ++i) sums[static_cast<std::size_t>(i)] = left += v[static_cast<std::size_t>(i)];
    return left;
  };
  long total = 0;
  backend::__parallel_strict_scan(
      tag, par, end, 0L, [&](long i, long n) { return sum(i, i + n, 0); }, std::plus<long>(),
      [&](long i, long n, long left) { scan(i, i + n, left); }, [&](long all) { total = all; });
  SAME(total == expected && sums.back() == expected);

  const auto less = std::less<long>();
  backend::__parallel_stable_sort(tag, par, v.begin(), v.end(), less,
                                  [](auto first, auto last, auto compare) { std::stable_sort(first, last, compare); });
  SAME(std::is_sorted(v.begin(), v.end()));
  std::vector<long> merged(2 * count);
  backend::__parallel_merge(
      tag, par, v.begin(), v.end(), v.begin(), v.end(), merged.begin(), less,
      [](auto x, auto xe, auto y, auto ye, auto out, auto compare) { return std::merge(x, xe, y, ye, out, compare); });
  SAME(std::is_sorted(merged.begin(), merged.end()) && merged[1] == 1 && merged[2] == 2);

  int left = 0;
  int right = 0;
  backend::__parallel_invoke(
      tag, par, [&] { left = 1; }, [&] { right = 2; });
  SAME(left + right == 3);
  backend::__cancel_execution(tag);  // outside every loop: no effect

#if __cplusplus >= 202002L
  namespace patterns = __pstl::__internal;
  const patterns::__parallel_tag<std::false_type> parallel;
  const auto begin = v.begin();
  std::iota(begin, v.end(), 0);
  SAME(patterns::__pattern_rotate(parallel, par, begin, begin + 1, v.end()) == v.end() - 1 && v.front() == 1);
  SAME(patterns::__pattern_mismatch(parallel, par, begin, v.end(), begin + 1, v.end(), std::less<>()).first ==
       v.end() - 2);
  SAME(patterns::__pattern_lexicographical_compare(parallel, par, begin, v.end(), begin + 1, v.end(), less));
  SAME(patterns::__pattern_remove_if(parallel, par, begin, v.end(), [](long x) { return x == 0; }) == v.end() - 1);
  SAME(patterns::__pattern_unique(parallel, par, begin, v.end() - 1, [](long x, long y) { return x / 2 == y / 2; }) ==
       begin + end / 2);
#endif
}

/// While a long item runs, all later ones can be taken by other workers.
void long_items() {
  const char* const threads = std::getenv("BLITZ_NUM_THREADS");
  const std::size_t workers = threads != nullptr ? std::strtoul(threads, nullptr, 10) : 1;
  for (const std::size_t count : {workers, workers + 1, 3 * workers + 2}) {
    std::vector<std::size_t> v(count);
    std::iota(v.begin(), v.end(), std::size_t{0});
    for (int call = 0; call < 3; ++call) {
      blitz_test::VirtualTime time(workers, std::vector<double>(count, 1), std::chrono::milliseconds(10));
      std::for_each(std::execution::par, v.begin(), v.end(), [&](std::size_t i) { time.run(i); });
      SAME(time.each_once() && time.is_greedy());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "throws") return throws();
  seed = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 1;
  std::mt19937 random(seed);
  constexpr std::size_t kCounts[] = {0, 1, 2, 3, 17, 1000, 2049, 30000};
  for (const std::size_t count : kCounts) {
    items = count;
    all(std::execution::par, random);
    moves<std::string>(std::execution::par, random);
  }
  locks();
  groups();
  tags(30000);
  long_items();
}
