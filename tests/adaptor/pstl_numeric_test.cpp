// The numeric algorithms of <execution> on blitz, compared with serial definitions written here: in place, with values and
// items of different types, and with operations that are not commutative. Compiled like pstl_test.cpp.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <execution>
#include <functional>
#include <iterator>
#include <list>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#if !defined(BLITZ_PSTL)
#error "the compiler's own <execution> was found first"
#endif

namespace {

const char* what = "";

void check(bool right, int line) {
  if (right) return;
  std::fprintf(stderr, "pstl_numeric_test.cpp:%d: not the serial result; %s\n", line, what);
  std::exit(1);
}
#define SAME(...) check((__VA_ARGS__), __LINE__)

// --- the definitions ---

template <class T, class V, class Op>
T fold(const V& items, T value, Op op) {
  for (const auto& item : items) value = static_cast<T>(op(value, item));
  return value;
}
template <class Out, class V, class Op, class T>
std::vector<Out> inclusive(const V& items, Op op, T value) {
  std::vector<Out> out;
  for (const auto& item : items) out.push_back(static_cast<Out>(value = static_cast<T>(op(value, item))));
  return out;
}
template <class Out, class V, class Op, class T>
std::vector<Out> exclusive(const V& items, Op op, T value) {
  std::vector<Out> out;
  for (const auto& item : items) {
    out.push_back(static_cast<Out>(value));
    value = static_cast<T>(op(value, item));
  }
  return out;
}
template <class Out, class V, class Op>
std::vector<Out> differences(const V& items, Op op) {
  std::vector<Out> out;
  for (std::size_t i = 0; i != items.size(); ++i)
    out.push_back(static_cast<Out>(i == 0 ? items[0] : op(items[i], items[i - 1])));
  return out;
}
template <class V, class F>
auto mapped(const V& items, F f) {
  std::vector<std::decay_t<decltype(f(*items.begin()))>> out;
  for (const auto& item : items) out.push_back(f(item));
  return out;
}

/// The last operand that is not 0: associative, not commutative, and 0 is its identity on both sides.
struct Last {
  template <class A, class B>
  std::common_type_t<A, B> operator()(const A& a, const B& b) const {
    return b == B() ? static_cast<std::common_type_t<A, B>>(a) : static_cast<std::common_type_t<A, B>>(b);
  }
};
struct Max {
  template <class A, class B>
  std::common_type_t<A, B> operator()(const A& a, const B& b) const {
    return std::max<std::common_type_t<A, B>>(a, b);
  }
};

// --- each algorithm, of items U with values T and results Out ---

template <class Policy, class T, class Out, class U, class Op>
void with_operation(const Policy& policy, const std::vector<U>& v, T init, Op op) {
  const auto begin = v.begin();
  const auto end = v.end();
  const auto first_item = [&] { return v.empty() ? U() : v[0]; };
  const std::vector<U> rest(v.empty() ? begin : begin + 1, end);
  SAME(std::reduce(policy, begin, end, init, op) == fold(v, init, op));
  SAME(std::transform_reduce(policy, begin, end, init, op, [](const U& x) { return x; }) == fold(v, init, op));

  std::vector<Out> out(v.size());
  SAME(std::inclusive_scan(policy, begin, end, out.begin(), op, init) == out.end());
  SAME(out == inclusive<Out>(v, op, init));
  SAME(std::exclusive_scan(policy, begin, end, out.begin(), init, op) == out.end());
  SAME(out == exclusive<Out>(v, op, init));
  SAME(std::inclusive_scan(policy, begin, end, out.begin(), op) == out.end());
  auto expected = inclusive<Out>(rest, op, first_item());
  if (!v.empty()) expected.insert(expected.begin(), static_cast<Out>(v[0]));
  SAME(out == expected);

  const auto twice = [](const U& x) { return x + x; };
  const auto doubled = mapped(v, twice);
  SAME(std::transform_inclusive_scan(policy, begin, end, out.begin(), op, twice, init) == out.end());
  SAME(out == inclusive<Out>(doubled, op, init));
  SAME(std::transform_exclusive_scan(policy, begin, end, out.begin(), init, op, twice) == out.end());
  SAME(out == exclusive<Out>(doubled, op, init));

  // In place, with one iterator type and with two.
  auto in = v;
  SAME(std::inclusive_scan(policy, in.begin(), in.end(), in.begin(), op, init) == in.end());
  SAME(in == inclusive<U>(v, op, init));
  in = v;
  SAME(std::exclusive_scan(policy, in.begin(), in.end(), in.begin(), init, op) == in.end());
  SAME(in == exclusive<U>(v, op, init));
  in = v;
  SAME(std::exclusive_scan(policy, in.cbegin(), in.cend(), in.begin(), init, op) == in.end());
  SAME(in == exclusive<U>(v, op, init));
  in = v;
  SAME(std::transform_exclusive_scan(policy, in.begin(), in.end(), in.begin(), init, op, twice) == in.end());
  SAME(in == exclusive<U>(doubled, op, init));
  in = v;
  SAME(std::transform_inclusive_scan(policy, in.begin(), in.end(), in.begin(), op, twice, init) == in.end());
  SAME(in == inclusive<U>(doubled, op, init));
  in = v;
  SAME(std::inclusive_scan(policy, in.begin(), in.end(), in.begin(), op) == in.end());
  auto same = inclusive<U>(rest, op, first_item());
  if (!v.empty()) same.insert(same.begin(), v[0]);
  SAME(in == same);

  // Forward iterators.
  std::list<U> list(begin, end);
  SAME(std::reduce(policy, list.begin(), list.end(), init, op) == fold(v, init, op));
  SAME(std::exclusive_scan(policy, list.begin(), list.end(), list.begin(), init, op) == list.end());
  SAME(std::equal(list.begin(), list.end(), exclusive<U>(v, op, init).begin()));
}

template <class Policy, class T, class Out, class U>
void with_defaults(const Policy& policy, const std::vector<U>& v, T init) {
  const auto begin = v.begin();
  const auto end = v.end();
  SAME(std::reduce(policy, begin, end, init) == fold(v, init, std::plus<>()));
  SAME(std::reduce(policy, begin, end) == fold(v, U(), std::plus<>()));
  std::vector<Out> out(v.size());
  SAME(std::exclusive_scan(policy, begin, end, out.begin(), init) == out.end());
  SAME(out == exclusive<Out>(v, std::plus<>(), init));
  SAME(std::inclusive_scan(policy, begin, end, out.begin()) == out.end());
  SAME(out == inclusive<Out>(v, std::plus<>(), U()));
  auto in = v;
  SAME(std::exclusive_scan(policy, in.begin(), in.end(), in.begin(), init) == in.end());
  SAME(in == exclusive<U>(v, std::plus<>(), init));
  in = v;
  SAME(std::inclusive_scan(policy, in.begin(), in.end(), in.begin()) == in.end());
  SAME(in == inclusive<U>(v, std::plus<>(), U()));
}

/// The sums of products, and differences.
template <class Policy, class T, class Out, class U, class W>
void with_numbers(const Policy& policy, const std::vector<U>& v, const std::vector<W>& w, T init) {
  const auto begin = v.begin();
  const auto end = v.end();
  std::vector<decltype(U() * W())> products;
  for (std::size_t i = 0; i != v.size(); ++i) products.push_back(v[i] * w[i]);
  SAME(std::transform_reduce(policy, begin, end, w.begin(), init) == fold(products, init, std::plus<>()));
  SAME(std::transform_reduce(policy, begin, end, w.begin(), init, std::plus<>(), std::multiplies<>()) ==
       fold(products, init, std::plus<>()));
  SAME(std::transform_reduce(policy, begin, end, init, std::plus<>(), [](U x) { return x; }) ==
       fold(v, init, std::plus<>()));
  const std::list<W> list(w.begin(), w.end());
  SAME(std::transform_reduce(policy, begin, end, list.begin(), init) == fold(products, init, std::plus<>()));

  std::vector<Out> out(v.size());
  SAME(std::adjacent_difference(policy, begin, end, out.begin()) == out.end());
  SAME(out == differences<Out>(v, std::minus<>()));
  const auto weighted = [](U a, U b) { return 2 * a - b; };
  SAME(std::adjacent_difference(policy, begin, end, out.begin(), weighted) == out.end());
  SAME(out == differences<Out>(v, weighted));
  auto in = v;
  SAME(std::adjacent_difference(policy, in.begin(), in.end(), in.begin()) == in.end());
  SAME(in == differences<U>(v, std::minus<>()));
  in = v;
  SAME(std::adjacent_difference(policy, in.cbegin(), in.cend(), in.begin(), weighted) == in.end());
  SAME(in == differences<U>(v, weighted));
  std::list<U> items(begin, end);
  SAME(std::adjacent_difference(policy, items.begin(), items.end(), items.begin()) == items.end());
  SAME(std::equal(items.begin(), items.end(), differences<U>(v, std::minus<>()).begin()));
}

std::vector<int> random_items(std::mt19937& random, std::size_t count, int least, int greatest) {
  std::vector<int> v(count);
  for (int& x : v) x = static_cast<int>(random() % static_cast<unsigned>(greatest - least + 1)) + least;
  return v;
}
template <class To>
std::vector<To> as(const std::vector<int>& v) {
  return mapped(v, [](int x) { return static_cast<To>(x); });
}

/// Types that are tested with each policy: each has its own kernel.
template <class Policy>
void kernels(const Policy& policy, std::size_t count, std::mt19937& random) {
  const auto bytes = as<unsigned char>(random_items(random, count, 0, 255));
  what = "unsigned char to long";
  with_defaults<Policy, long, long>(policy, bytes, 5L);
  with_operation<Policy, long, long>(policy, bytes, 5L, std::plus<>());
  with_numbers<Policy, long, int>(policy, bytes, bytes, 3L);
  what = "double to double";
  with_operation<Policy, double, double>(policy, as<double>(random_items(random, count, -20, -10)), -50.0, Max());

  what = "large ints to long long";  // The sum of two overflows an int.
  const auto large = random_items(random, count, 1000000000, 1000000020);
  const auto sum = fold(large, 0LL, std::plus<>());
  SAME(std::reduce(policy, large.begin(), large.end(), 0LL) == sum);
  SAME(std::reduce(policy, large.begin(), large.end(), 0LL, std::plus<>()) == sum);
  SAME(std::transform_reduce(policy, large.begin(), large.end(), 0LL, std::plus<>(), [](int x) { return x; }) == sum);
  SAME(std::transform_reduce(policy, large.begin(), large.end(), std::vector<int>(count, 2).begin(), 0LL) == 2 * sum);
  std::vector<long long> sums(count);
  std::inclusive_scan(policy, large.begin(), large.end(), sums.begin(), std::plus<>(), 0LL);
  SAME(sums == inclusive<long long>(large, std::plus<>(), 0LL));
  std::exclusive_scan(policy, large.begin(), large.end(), sums.begin(), 0LL);
  SAME(sums == exclusive<long long>(large, std::plus<>(), 0LL));

  what = "double to int";  // Each loses its fraction.
  const std::vector<double> halves(count, 1.5);
  const std::vector<double> fractions(count, 0.5);
  SAME(std::reduce(policy, halves.begin(), halves.end(), 0) == fold(halves, 0, std::plus<>()));
  SAME(std::reduce(policy, fractions.begin(), fractions.end(), 0, std::plus<>()) == 0);
  SAME(std::transform_reduce(policy, fractions.begin(), fractions.end(), halves.begin(), 0) == 0);
  std::vector<int> whole(count);
  std::exclusive_scan(policy, halves.begin(), halves.end(), whole.begin(), 0);
  SAME(whole == exclusive<int>(halves, std::plus<>(), 0));
  std::inclusive_scan(policy, fractions.begin(), fractions.end(), whole.begin(), std::plus<>(), 4);
  SAME(whole == std::vector<int>(count, 4));
}

/// Other types.
void numbers(std::size_t count, std::mt19937& random) {
  const auto& policy = std::execution::par;
  using Policy = std::execution::parallel_policy;
  const auto ints = random_items(random, count, -1000, 1000);
  const auto small = random_items(random, count, -20, 20);  // Their sums are exact, in a float as well.
  auto sparse = random_items(random, count, 0, 1000);
  for (int& x : sparse) x = random() % 8 == 0 ? x : 0;

  what = "unsigned char to unsigned char";
  const auto bytes = as<unsigned char>(random_items(random, count, 0, 255));
  with_defaults<Policy, unsigned char, unsigned char>(policy, bytes, 7);
  with_numbers<Policy, unsigned char, unsigned char>(policy, bytes, bytes, 3);
  what = "int to unsigned char";
  with_operation<Policy, unsigned char, int>(policy, as<int>(ints), static_cast<unsigned char>(9), std::plus<>());
  what = "long to int, not commutative";
  with_operation<Policy, int, long>(policy, as<long>(sparse), 0, Last());
  what = "int to int";
  with_defaults<Policy, int, int>(policy, ints, 3);
  with_numbers<Policy, int, int>(policy, ints, small, 3);
  what = "double to float";
  with_defaults<Policy, float, float>(policy, as<double>(small), 3.0F);
  what = "float to double";
  with_numbers<Policy, double, double>(policy, as<float>(small), ints, 0.5);
  what = "products of doubles";
  with_operation<Policy, double, double>(policy, std::vector<double>(count, -1.0), -0.5, std::multiplies<>());
}

/// A value type: no item converts to it.
struct Count {
  std::size_t odd;
  friend Count operator+(Count a, Count b) { return {a.odd + b.odd}; }
  friend bool operator==(Count a, Count b) { return a.odd == b.odd; }
};
struct Item {
  unsigned value;
  friend Count operator+(Item a, Item b) { return {std::size_t{a.value % 2} + b.value % 2}; }
  friend Count operator+(Count a, Item b) { return {a.odd + b.value % 2}; }
  [[maybe_unused]] friend Count operator+(Item a, Count b) { return b + a; }
};

void classes(std::size_t count, std::mt19937& random) {
  const auto& policy = std::execution::par;
  using Policy = std::execution::parallel_policy;
  what = "strings";
  std::vector<std::string> words;
  for (std::size_t i = 0; i != std::min<std::size_t>(count, 300); ++i) words.push_back(std::to_string(random() % 1000));
  with_defaults<Policy, std::string, std::string>(policy, words, std::string("from "));
  with_operation<Policy, std::string, std::string>(policy, words, std::string("from "), std::plus<>());
  const auto joined = [](const std::string& a, const std::string& b) { return b + a.substr(0, 3); };
  std::vector<std::string> out(words.size());
  std::adjacent_difference(policy, words.begin(), words.end(), out.begin(), joined);
  SAME(out == differences<std::string>(words, joined));
  out = words;
  std::adjacent_difference(policy, out.begin(), out.end(), out.begin(), joined);
  SAME(out == differences<std::string>(words, joined));

  what = "a value that no item can be converted to";
  std::vector<Item> items;
  for (std::size_t i = 0; i != count; ++i) items.push_back({static_cast<unsigned>(random())});
  SAME(std::reduce(policy, items.begin(), items.end(), Count{2}) == fold(items, Count{2}, std::plus<>()));
  SAME(std::reduce(policy, items.begin(), items.end(), Count{2}, std::plus<>()) ==
       fold(items, Count{2}, std::plus<>()));

  what = "bits";
  std::vector<bool> bits;
  for (std::size_t i = 0; i != count; ++i) bits.push_back(random() % 2 == 0);
  SAME(std::reduce(policy, bits.begin(), bits.end(), 0L) == std::count(bits.begin(), bits.end(), true));
  SAME(std::transform_reduce(policy, bits.begin(), bits.end(), bits.begin(), 0L) ==
       std::count(bits.begin(), bits.end(), true));
  std::vector<long> ranks(count);
  std::exclusive_scan(policy, bits.begin(), bits.end(), ranks.begin(), 0L);
  SAME(ranks == exclusive<long>(bits, std::plus<>(), 0L));
}

/// A scan of several strips.
void strips(std::mt19937& random) {
  const auto& policy = std::execution::par;
  what = "many items";
  const auto v = random_items(random, 1000003, 0, 99);
  auto in = v;
  std::exclusive_scan(policy, in.begin(), in.end(), in.begin(), 0);
  SAME(in == exclusive<int>(v, std::plus<>(), 0));
  in = v;
  std::inclusive_scan(policy, in.begin(), in.end(), in.begin());
  SAME(in == inclusive<int>(v, std::plus<>(), 0));
  in = v;
  std::adjacent_difference(policy, in.begin(), in.end(), in.begin());
  SAME(in == differences<int>(v, std::minus<>()));
}

}  // namespace

int main(int argc, char** argv) {
  std::mt19937 random(argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 1);
  for (const std::size_t count : {0, 1, 2, 3, 5, 17, 1000, 20001}) {
    kernels(std::execution::par, count, random);
    kernels(std::execution::par_unseq, count, random);
    kernels(std::execution::seq, count, random);
#if __cplusplus >= 202002L
    kernels(std::execution::unseq, count, random);
#endif
    numbers(count, random);
    classes(count, random);
  }
  strips(random);
}
