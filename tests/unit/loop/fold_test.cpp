#include "blitz/detail/loop/fold.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <numeric>
#include <ranges>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using blitz::detail::Commutes;
using blitz::detail::Fold;
using blitz::detail::IntegerItems;
using blitz::detail::IteratorItems;
using blitz::detail::LoopIndex;

namespace {

template <class T, class Items, class Combine, class Transform = const std::identity>
T fold_all(const Items& items, LoopIndex first, LoopIndex last, T value, T identity, Combine combine,
           Transform transform = {}) {
  const Fold<T, Items, T, Combine, Combine, Transform> fold(items, identity, combine, combine, transform);
  fold.fold(value, first, last);
  return value;
}

}  // namespace

TEST_CASE_TEMPLATE("fold: includes every item once for runs of every length and offset", T, float, double, long double,
                   int, std::int8_t, std::uint64_t) {
  // Sums that are exact in every type, or wrap.
  std::vector<T> numbers(700);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<T>(i % 3);
  const std::deque<T> pieces(numbers.begin(), numbers.end());
  const auto lambda = [](T a, T b) { return static_cast<T>(a + b); };
  const auto doubled = [](T x) { return static_cast<T>(x + x); };
  for (const LoopIndex first : {0, 1, 13}) {
    for (LoopIndex last = first + 1; last <= numbers.size(); ++last) {
      T sum = 5;
      for (LoopIndex i = first; i < last; ++i) sum = lambda(sum, numbers[i]);
      const IteratorItems items(numbers.cbegin());
      REQUIRE(fold_all<T>(items, first, last, 5, 0, std::plus<>{}) == sum);
      REQUIRE(fold_all<T>(items, first, last, 5, 0, std::plus<T>{}) == sum);
      REQUIRE(fold_all<T>(items, first, last, 5, 0, lambda) == sum);
      REQUIRE(fold_all<T>(IteratorItems(pieces.begin()), first, last, 5, 0, std::plus<>{}) == sum);
      REQUIRE(fold_all<T>(items, first, last, 10, 0, std::plus<>{}, doubled) == doubled(sum));
      REQUIRE(fold_all<T>(items, first, last, 10, 0, lambda, doubled) == doubled(sum));
    }
  }
}

TEST_CASE("fold: passes items in order to an operation that does not commute") {
  // "The last number" and "the first number": associative, with "no number" as the identity.
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto latest = [](double a, double b) { return std::isnan(b) ? a : b; };
  const auto earliest = [](double a, double b) { return std::isnan(a) ? b : a; };
  std::vector<double> numbers(700);
  std::iota(numbers.begin(), numbers.end(), 1.0);
  const IteratorItems items(numbers.begin());
  for (std::size_t count = 1; count <= numbers.size(); ++count) {
    REQUIRE(fold_all<double>(items, 0, count, none, none, latest) == static_cast<double>(count));
    REQUIRE(fold_all<double>(items, 0, count, none, none, earliest) == 1.0);
    REQUIRE(fold_all<double>(items, 0, count, 0.5, none, earliest) == 0.5);
  }
}

TEST_CASE("fold: computes products") {
  const std::vector<double> twos(100, 2.0);
  const IteratorItems items(twos.begin());
  CHECK(fold_all<double>(items, 0, 100, 3.0, 1.0, std::multiplies<>{}) == std::ldexp(3.0, 100));
  CHECK(fold_all<double>(items, 0, 100, 3.0, 1.0, std::multiplies<double>{}) == std::ldexp(3.0, 100));
}

TEST_CASE("fold: equal runs give equal bits at any offset") {
  std::vector<double> numbers(2000);
  for (std::size_t i = 0; i < 1000; ++i) numbers[i] = 1.0 / static_cast<double>(i + 1);
  for (std::size_t offset : {1, 3, 1000}) {
    std::vector<double> moved(2000);
    std::copy_n(numbers.begin(), 1000, moved.begin() + static_cast<std::ptrdiff_t>(offset));
    const auto lambda = [](double a, double b) { return a + b; };
    CHECK(fold_all<double>(IteratorItems(numbers.begin()), 0, 1000, 0.0, 0.0, std::plus<>{}) ==
          fold_all<double>(IteratorItems(moved.begin()), offset, offset + 1000, 0.0, 0.0, std::plus<>{}));
    CHECK(fold_all<double>(IteratorItems(numbers.begin()), 0, 1000, 0.0, 0.0, lambda) ==
          fold_all<double>(IteratorItems(moved.begin()), offset, offset + 1000, 0.0, 0.0, lambda));
  }
}

TEST_CASE("fold: accepts integers of any type") {
  const IntegerItems<int> from_below(static_cast<LoopIndex>(-500));
  CHECK(from_below[0] == -500);
  CHECK(fold_all<long>(from_below, 0, 1001, 0, 0, std::plus<>{}) == 0);
  const IntegerItems<std::int8_t> bytes(static_cast<LoopIndex>(std::int8_t{-128}));
  CHECK(fold_all<double>(bytes, 0, 255, 0.0, 0.0, std::plus<>{}) == -255.0);
}

TEST_CASE("fold: accepts an operation that returns a reference to its argument") {
  using Numbers = std::vector<int>;
  const auto append = [](Numbers&& all, int x) -> Numbers&& {
    all.push_back(x);
    return std::move(all);
  };
  struct Append {
    decltype(append) one;
    Numbers&& operator()(Numbers&& all, int x) const { return one(std::move(all), x); }
    Numbers&& operator()(Numbers&& all, const Numbers& more) const {
      all.insert(all.end(), more.begin(), more.end());
      return std::move(all);
    }
  };
  const auto all = fold_all<Numbers>(IntegerItems<int>(0), 0, 4, {}, {}, Append{append});
  CHECK(all == Numbers{0, 1, 2, 3});
}

TEST_CASE_TEMPLATE("fold: passes integers up to the limits of their type in order", I, std::int8_t, std::uint8_t,
                   std::int16_t, std::uint16_t, int, unsigned, long, std::size_t) {
  using Limits = std::numeric_limits<I>;
  const auto latest = [](double, double b) { return b; };
  const auto offset = [](I from) { return [from](I i) { return static_cast<double>(i - from); }; };
  for (const LoopIndex count : {1, 15, 16, 17, 31, 32, 33, 47, 64, 100, 127}) {
    const auto first = static_cast<LoopIndex>(Limits::max()) - count;  // The type's greatest value is the end.
    const double sum = static_cast<double>(count * (count - 1)) / 2;
    for (const auto& [begin, from] :
         {std::pair{static_cast<LoopIndex>(Limits::min()), Limits::min()}, std::pair{first, static_cast<I>(first)}}) {
      const IntegerItems<I> items(begin);
      CHECK(fold_all<double>(items, 0, count, 0.0, 0.0, std::plus<>{}, offset(from)) == sum);
      CHECK(fold_all<float>(items, 0, count, 0.0f, 0.0f, std::plus<>{},
                            [&](I i) { return static_cast<float>(offset(from)(i)); }) == static_cast<float>(sum));
      CHECK(fold_all<double>(items, 0, count, -1.0, -1.0, latest, offset(from)) == static_cast<double>(count - 1));
    }
  }
  // From -3 to 96; as unsigned numbers the first three are the greatest.
  if constexpr (std::is_same_v<I, unsigned> || std::is_same_v<I, std::size_t>) {
    const IntegerItems<I, true> wrapping(static_cast<LoopIndex>(-3));
    const auto number = [](I i) { return static_cast<double>(static_cast<std::make_signed_t<I>>(i)); };
    CHECK(fold_all<double>(wrapping, 0, 100, 0.0, 0.0, std::plus<>{}, number) == 4650.0);
    CHECK(fold_all<double>(wrapping, 0, 100, 0.0, 0.0, latest, number) == 96.0);
  }
}

TEST_CASE("fold: accepts views that make their items on access") {
  const auto halves = std::views::iota(0, 700) | std::views::transform([](int i) { return i / 2.0; });
  const auto latest = [](double, double b) { return b; };
  for (const LoopIndex count : {1, 16, 40, 700}) {
    const IteratorItems items(halves.begin());
    CHECK(fold_all<double>(items, 0, count, 0.0, 0.0, std::plus<>{}) == static_cast<double>(count * (count - 1)) / 4);
    CHECK(fold_all<double>(items, 0, count, 0.0, 0.0, latest) == static_cast<double>(count - 1) / 2);
  }
}

TEST_CASE_TEMPLATE("fold: one operation takes items and another combines values", T, double, int, std::vector<int>) {
  // A value is the number of items that it contains. Values of neighbours are added.
  struct Count {
    T operator()(T value, const std::vector<int>&) const {
      if constexpr (std::is_arithmetic_v<T>) {
        return value + 1;
      } else {
        value.push_back(1);
        return value;
      }
    }
  };
  struct Add {
    T operator()(T left, T right) const {
      if constexpr (std::is_arithmetic_v<T>) {
        return left + right;
      } else {
        left.insert(left.end(), right.begin(), right.end());
        return left;
      }
    }
  };
  const std::vector<std::vector<int>> lists(100);
  const IteratorItems items(lists.begin());
  const T none{};
  const Count count;
  const Add add;
  const std::identity as_it_is;
  const Fold<T, IteratorItems<std::vector<std::vector<int>>::const_iterator>, const T, const Count, const Add,
             const std::identity>
      fold(items, none, count, add, as_it_is);
  T left{};
  T right{};
  fold.fold(left, 0, 63);
  fold.fold(right, 63, 100);
  fold.combine(left, std::move(right));
  if constexpr (std::is_arithmetic_v<T>) {
    CHECK(left == 100);
  } else {
    CHECK(left.size() == 100);
  }
}

TEST_CASE("fold: Commutes holds for sums and products without a loss of precision") {
  static_assert(Commutes<std::plus<>, double, double>);
  static_assert(Commutes<std::plus<>, double, float>);
  static_assert(Commutes<std::plus<>, double, int>);
  static_assert(!Commutes<std::plus<>, float, double>);  // The sum is rounded after the addition, not before.
  static_assert(Commutes<std::plus<float>, float, double>);
  static_assert(!Commutes<std::plus<double>, float, float>);
  static_assert(Commutes<std::multiplies<>, float, float>);
  static_assert(!Commutes<std::minus<>, double, double>);
  struct Number {
    operator double() const { return 1; }
  };
  static_assert(!Commutes<std::plus<>, double, Number>);
}
