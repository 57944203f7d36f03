// Loops in every spelling that the library supports, and the equivalent plain loops. Callgrind counts their instructions; see
// spellings.py.
//
// Calls `counted` three times for each row of the table below and number of items: with the plain loop, with the call as one
// block, and with the call cut into blocks. Prints a line for each of these calls: the row, the items, and the kind of call.
// Fails if the results differ.
//
// A row is a type with two static functions and a number:
//   plain(data, n)            the loop that a user would write without the library, of n items; returns its result
//   call(pool, data, n, cut)  the same loop by the library
//   kMost                     the maximum number of its items
// The results are compared, so both begin with the state that reset() makes.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <deque>
#include <functional>
#include <limits>
#include <ranges>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include <blitz/fork_join.hpp>

namespace {

constexpr std::size_t kFew = 1000;
constexpr std::size_t kMany = 100'000;
constexpr std::size_t kBlocks = 4;

using Pool = blitz::ThreadPool;

/// The form of a call: one block, or, if it can be stopped, at most kBlocks blocks.
struct Cut {
  std::size_t min_grain = 1;
  std::stop_token stop{};

  operator blitz::ForOptions() const { return {.min_grain = min_grain, .stop = stop}; }
  operator blitz::ReduceOptions() const { return {.min_grain = min_grain, .stop = stop}; }
};

template <class T>
struct Data {
  std::vector<T> a = std::vector<T>(kMany);
  std::vector<T> b = std::vector<T>(kMany);
  std::vector<T> c = std::vector<T>(kMany);
  std::deque<T> deque = std::deque<T>(kMany);
  T k{};

  void reset() {
    for (std::size_t i = 0; i < kMany; ++i) {
      a[i] = static_cast<T>(i % 100);
      b[i] = static_cast<T>(i % 7);
      c[i] = deque[i] = a[i];
    }
    k = 3;
  }
};

template <class T>
constexpr const char* kName = nullptr;
template <>
constexpr const char* kName<int> = "int";
template <>
constexpr const char* kName<unsigned> = "unsigned";
template <>
constexpr const char* kName<short> = "short";
template <>
constexpr const char* kName<long> = "long";
template <>
constexpr const char* kName<std::size_t> = "size_t";
template <>
constexpr const char* kName<float> = "float";
template <>
constexpr const char* kName<double> = "double";

template <class T>
T sum_of(const auto& items) {
  T sum{};
  for (const T& x : items) sum += x;
  return sum;
}

// --- maps: c[i] = k * a[i] + b[i], or, without an index, x = k - x ---

/// Over integers of type I.
template <class T, class I>
struct Map {
  static constexpr std::size_t kMost = std::numeric_limits<I>::max();
  static std::string name() { return std::string("map of ") + kName<T> + " by " + kName<I>; }
  static T plain(Data<T>& data, std::size_t n) {
    const T k = data.k;
    for (I i = 0; i < static_cast<I>(n); ++i) data.c[i] = k * data.a[i] + data.b[i];
    return T{};
  }
  static T call(Pool& pool, Data<T>& data, std::size_t n, const Cut& cut) {
    const T k = data.k;
    const auto body = [&](I i) { data.c[i] = k * data.a[i] + data.b[i]; };
    blitz::parallel_for({.pool = &pool}, I{0}, static_cast<I>(n), body, cut);
    return T{};
  }
};

template <class T, class I>
struct MapIota : Map<T, I> {
  static std::string name() { return std::string("map of ") + kName<T> + " by iota of " + kName<I>; }
  static T call(Pool& pool, Data<T>& data, std::size_t n, const Cut& cut) {
    const T k = data.k;
    const auto body = [&](I i) { data.c[i] = k * data.a[i] + data.b[i]; };
    blitz::parallel_for({.pool = &pool}, std::views::iota(I{0}, static_cast<I>(n)), body, cut);
    return T{};
  }
};

/// Over the items that iterators refer to.
template <class T>
struct MapInPlace {
  static constexpr std::size_t kMost = kMany;

  static T plain(Data<T>& data, std::size_t n) { return plain_of(data, std::span(data.c).first(n)); }
  static T plain_of(Data<T>& data, auto items) {
    const T k = data.k;
    for (T& x : items) x = k - x;
    return T{};
  }
  static auto body(Data<T>& data) {
    return [k = data.k](T& x) { x = k - x; };
  }
};

template <class T>
struct MapPointers : MapInPlace<T> {
  static std::string name() { return std::string("map of ") + kName<T> + " by pointer"; }
  static T call(Pool& pool, Data<T>& data, std::size_t n, const Cut& cut) {
    blitz::parallel_for({.pool = &pool}, data.c.data(), data.c.data() + n, MapInPlace<T>::body(data), cut);
    return T{};
  }
};

template <class T>
struct MapIterators : MapInPlace<T> {
  static std::string name() { return std::string("map of ") + kName<T> + " by iterator"; }
  static T call(Pool& pool, Data<T>& data, std::size_t n, const Cut& cut) {
    const auto first = data.c.begin();
    blitz::parallel_for({.pool = &pool}, first, first + static_cast<std::ptrdiff_t>(n), MapInPlace<T>::body(data), cut);
    return T{};
  }
};

template <class T>
struct MapRange : MapInPlace<T> {
  static std::string name() { return std::string("map of ") + kName<T> + " by range"; }
  static T call(Pool& pool, Data<T>& data, std::size_t n, const Cut& cut) {
    blitz::parallel_for({.pool = &pool}, std::span(data.c).first(n), MapInPlace<T>::body(data), cut);
    return T{};
  }
};

template <class T>
struct MapBlocks : MapInPlace<T> {
  static std::string name() { return std::string("map of ") + kName<T> + " by block"; }
  static T call(Pool& pool, Data<T>& data, std::size_t n, const Cut& cut) {
    const auto body = [k = data.k](auto block) {
      for (T& x : block) x = k - x;
    };
    blitz::parallel_for_blocks({.pool = &pool}, std::span(data.c).first(n), body, cut);
    return T{};
  }
};

template <class T>
auto first_of(std::deque<T>& deque, std::size_t n) {
  return std::ranges::subrange(deque.begin(), deque.begin() + static_cast<std::ptrdiff_t>(n));
}

template <class T>
struct MapDeque : MapInPlace<T> {
  static std::string name() { return std::string("map of ") + kName<T> + " by iterator of a deque"; }
  static T plain(Data<T>& data, std::size_t n) { return MapInPlace<T>::plain_of(data, first_of(data.deque, n)); }
  static T call(Pool& pool, Data<T>& data, std::size_t n, const Cut& cut) {
    const auto items = first_of(data.deque, n);
    blitz::parallel_for({.pool = &pool}, items.begin(), items.end(), MapInPlace<T>::body(data), cut);
    return T{};
  }
};

// --- reductions ---

struct Sum {
  static constexpr const char* kWhat = "sum of ";
  static constexpr std::plus<> kOf{};
  template <class T>
  static constexpr T kNone{};
};
struct SumByLambda : Sum {
  static constexpr const char* kWhat = "sum by a lambda of ";
  static constexpr auto kOf = [](auto a, auto b) { return a + b; };
};
struct Least {
  static constexpr const char* kWhat = "least of ";
  static constexpr auto kOf = [](auto a, auto b) { return b < a ? b : a; };
  template <class T>
  static constexpr T kNone = std::numeric_limits<T>::max();
};
struct RangesMin : Least {
  static constexpr const char* kWhat = "std::ranges::min of ";
  static constexpr auto kOf = std::ranges::min;
};

/// Over integers of type I.
template <class T, class Op, class I>
struct Reduce {
  static constexpr std::size_t kMost = std::numeric_limits<I>::max();
  static std::string name() { return Op::kWhat + std::string(kName<T>) + " by " + kName<I>; }
  static T plain(Data<T>& data, std::size_t n) {
    T value = Op::template kNone<T>;
    for (I i = 0; i < static_cast<I>(n); ++i) value = Op::kOf(value, data.a[i]);
    return value;
  }
  static T call(Pool& pool, Data<T>& data, std::size_t n, const Cut& cut) {
    const auto item = [&](I i) { return data.a[i]; };
    return blitz::parallel_transform_reduce({.pool = &pool}, I{0}, static_cast<I>(n), Op::template kNone<T>, Op::kOf,
                                            item, cut);
  }
};

template <class T, class Op, class I>
struct ReduceView : Reduce<T, Op, I> {
  static std::string name() { return Reduce<T, Op, I>::name() + " through a view"; }
  static T call(Pool& pool, Data<T>& data, std::size_t n, const Cut& cut) {
    const auto items =
        std::views::iota(I{0}, static_cast<I>(n)) | std::views::transform([&](I i) { return data.a[i]; });
    return blitz::parallel_reduce({.pool = &pool}, items, Op::template kNone<T>, Op::kOf, cut);
  }
};

template <class T, class Op>
struct ReduceRange {
  static constexpr std::size_t kMost = kMany;
  static std::string name() { return Op::kWhat + std::string(kName<T>) + " by range"; }
  static T plain(Data<T>& data, std::size_t n) {
    T value = Op::template kNone<T>;
    for (const T& x : std::span(data.a).first(n)) value = Op::kOf(value, x);
    return value;
  }
  static T call(Pool& pool, Data<T>& data, std::size_t n, const Cut& cut) {
    return blitz::parallel_reduce({.pool = &pool}, std::span(data.a).first(n), Op::template kNone<T>, Op::kOf, cut);
  }
};

template <class T, class Op>
struct ReduceIterators : ReduceRange<T, Op> {
  static std::string name() { return Op::kWhat + std::string(kName<T>) + " by iterator"; }
  static T call(Pool& pool, Data<T>& data, std::size_t n, const Cut& cut) {
    const auto first = data.a.begin();
    const auto last = first + static_cast<std::ptrdiff_t>(n);
    return blitz::parallel_reduce({.pool = &pool}, first, last, Op::template kNone<T>, Op::kOf, cut);
  }
};

}  // namespace

/// Callgrind counts the function of this name.
extern "C" [[gnu::noinline]] void counted(const std::function<void()>& call);
void counted(const std::function<void()>& call) { call(); }

namespace {

bool good = true;

/// Runs a call on n items twice, counts the second, and returns the sum of its result and of the data that it wrote.
template <class T>
T result(Data<T>& data, const char* what, const std::string& row, std::size_t n, const auto& call) {
  data.reset();
  call();  // Resolves symbols, and fills memory caches.
  data.reset();
  T returned{};
  counted([&] { returned = call(); });
  std::printf("%s, %zu items, %s\n", row.c_str(), n, what);
  return returned + sum_of<T>(data.c) + sum_of<T>(data.deque);
}

template <class T, class Row>
void measure(Pool& pool, Data<T>& data) {
  const std::string row = Row::name();
  const std::stop_source never;
  for (const std::size_t items : {kFew, kMany}) {
    const std::size_t n = std::min(items, Row::kMost);
    const Cut one;
    const Cut blocks{.min_grain = n / kBlocks, .stop = never.get_token()};
    const T plain = result(data, "plain", row, n, [&] { return Row::plain(data, n); });
    const T whole = result(data, "whole", row, n, [&] { return Row::call(pool, data, n, one); });
    const T cut = result(data, "blocks", row, n, [&] { return Row::call(pool, data, n, blocks); });
    if (whole != plain || cut != plain) {
      std::fprintf(stderr, "%s, %zu items: wrong results\n", row.c_str(), n);
      good = false;
    }
  }
}

template <class T, class... Rows>
void measure_all(Pool& pool) {
  Data<T> data;
  (measure<T, Rows>(pool, data), ...);
}

}  // namespace

int main() {
  Pool pool({.num_threads = 1});
  pool.install([&] {
    measure_all<int, Map<int, int>, Map<int, unsigned>, Map<int, long>, Map<int, std::size_t>, Map<int, short>,
                MapIota<int, int>, MapIota<int, unsigned>, MapIota<int, std::size_t>, MapPointers<int>,
                MapIterators<int>, MapRange<int>, MapBlocks<int>, MapDeque<int>>(pool);
    // For floating-point numbers, only the loops that are compiled differently.
    measure_all<float, Map<float, int>, Map<float, unsigned>, Map<float, std::size_t>, Map<float, short>,
                MapIota<float, int>, MapIota<float, unsigned>, MapPointers<float>, MapRange<float>>(pool);
    measure_all<int, Reduce<int, Sum, int>, Reduce<int, Sum, unsigned>, Reduce<int, Sum, std::size_t>,
                ReduceView<int, Sum, int>, ReduceRange<int, Sum>, ReduceIterators<int, Sum>, Reduce<int, Least, int>,
                ReduceRange<int, RangesMin>>(pool);
    measure_all<long, Reduce<long, Sum, int>, ReduceRange<long, Sum>, Reduce<long, Least, int>>(pool);
    // Without the sum of floats by unsigned: g++ -O3 does not vectorize it, and the blitz loop takes 1.5 times the
    // instructions.
    measure_all<float, Reduce<float, Sum, int>, Reduce<float, Sum, std::size_t>, ReduceView<float, Sum, int>,
                ReduceRange<float, Sum>, ReduceIterators<float, Sum>, ReduceRange<float, SumByLambda>,
                Reduce<float, Least, int>, Reduce<float, Least, unsigned>, ReduceRange<float, RangesMin>>(pool);
    measure_all<double, Reduce<double, Sum, int>, Reduce<double, Sum, unsigned>, ReduceRange<double, Sum>,
                ReduceRange<double, SumByLambda>, Reduce<double, Least, int>, ReduceRange<double, RangesMin>>(pool);
  });
  return good ? 0 : 1;
}
