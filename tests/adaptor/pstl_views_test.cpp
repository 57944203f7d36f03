// The algorithms of <execution> over C++20 iterators that model a random-access concept, but have the input iterator category:
// they run in parallel, and give the results of a std::vector with equal items. Compiled like pstl_test.cpp.
#include <algorithm>
#include <atomic>
#include <compare>
#include <cstdio>
#include <cstdlib>
#include <execution>
#include <iterator>
#include <memory>
#include <numeric>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include "blitz/current_pool.hpp"

#if !defined(BLITZ_PSTL)
#error "the compiler's own <execution> was found first"
#endif

namespace {

const char* what = "";

void check(bool right, int line) {
  if (right) return;
  std::fprintf(stderr, "pstl_views_test.cpp:%d: %s\n", line, what);
  std::exit(1);
}
#define SAME(...) check((__VA_ARGS__), __LINE__)

/// The items of two ranges as pairs of references, like std::views::zip of C++23.
template <class I, class J>
class Pairs {
 public:
  using iterator_category = std::input_iterator_tag;
  using iterator_concept = std::random_access_iterator_tag;
  using value_type = std::pair<std::iter_value_t<I>, std::iter_value_t<J>>;
  using reference = std::pair<std::iter_reference_t<I>, std::iter_reference_t<J>>;
  using pointer = void;
  using difference_type = std::ptrdiff_t;

  Pairs() = default;
  Pairs(I i, J j) : i_(i), j_(j) {}
  reference operator*() const { return {*i_, *j_}; }
  reference operator[](difference_type n) const { return {i_[n], j_[n]}; }
  Pairs& operator+=(difference_type n) {
    i_ += n;
    j_ += n;
    return *this;
  }
  Pairs& operator-=(difference_type n) { return *this += -n; }
  Pairs& operator++() { return *this += 1; }
  Pairs& operator--() { return *this += -1; }
  Pairs operator++(int) {
    Pairs before = *this;
    ++*this;
    return before;
  }
  Pairs operator--(int) {
    Pairs before = *this;
    --*this;
    return before;
  }
  friend Pairs operator+(Pairs a, difference_type n) { return a += n; }
  friend Pairs operator+(difference_type n, Pairs a) { return a += n; }
  friend Pairs operator-(Pairs a, difference_type n) { return a -= n; }
  friend difference_type operator-(const Pairs& a, const Pairs& b) { return a.i_ - b.i_; }
  friend bool operator==(const Pairs& a, const Pairs& b) { return a.i_ == b.i_; }
  friend auto operator<=>(const Pairs& a, const Pairs& b) { return a.i_ <=> b.i_; }

 private:
  I i_{};
  J j_{};
};

/// Whether a worker runs the calling item: a serial algorithm runs on the calling thread, which is not a worker.
bool on_worker() { return blitz::current_thread_index().has_value(); }

template <class Policy, class I>
void on_workers(const Policy& policy, I first, I last) {
  what = "not in parallel";
  const auto count = static_cast<std::size_t>(last - first);
  std::atomic<std::size_t> calls{0};
  const auto call = [&](const auto&) { return calls += on_worker() ? 1 : 0, true; };
  const auto called = [&](int line) { check(calls.exchange(0) == count, line); };
  std::for_each(policy, first, last, call);
  called(__LINE__);
  SAME(static_cast<std::size_t>(std::count_if(policy, first, last, call)) == count);
  called(__LINE__);
  static_cast<void>(std::transform_reduce(policy, first, last, 0, std::plus<>(), call));
  called(__LINE__);
  if constexpr (!std::is_void_v<typename std::iterator_traits<I>::value_type>) {
    SAME(std::all_of(policy, first, last, call));
    called(__LINE__);
    std::vector<char> out(count);
    std::transform(policy, first, last, out.begin(), call);
    called(__LINE__);
    std::transform_exclusive_scan(policy, first, last, out.begin(), 0, std::plus<>(), call);
    SAME(calls.exchange(0) >= count);
  }
}

/// All algorithms that read. `first` is the iterator to test, and `v` a vector of equal items, in ascending order.
template <class Policy, class I, class V>
void read(const Policy& policy, I first, I last, const V& v) {
  using T = typename V::value_type;
  const auto begin = v.begin();
  const auto end = v.end();
  const std::size_t count = v.size();
  const T some = v[count / 3];
  const auto is_some = [=](const T& x) { return x == some; };
  const auto even = [](const T& x) { return x % 2 == 0; };
  const auto below = [=](const T& x) { return x < some; };
  const auto twice = [](const T& x) { return static_cast<T>(x + x); };
  const I middle = first + static_cast<std::iter_difference_t<I>>(count / 3);
  const auto at = [&](I i) { return begin + static_cast<std::ptrdiff_t>(i - first); };

  SAME(std::all_of(policy, first, last, below) == std::all_of(begin, end, below));
  SAME(std::any_of(policy, first, last, is_some) && !std::none_of(policy, first, last, is_some));
  SAME(at(std::find(policy, first, last, some)) == std::find(begin, end, some));
  SAME(at(std::find_if(policy, first, last, is_some)) == std::find_if(begin, end, is_some));
  SAME(at(std::find_if_not(policy, first, last, below)) == std::find_if_not(begin, end, below));
  SAME(at(std::find_first_of(policy, first, last, begin + 5, begin + 7)) == begin + 5);
  SAME(at(std::search(policy, first, last, begin + 5, begin + 7)) == begin + 5);
  SAME(at(std::search_n(policy, first, last, 1, some)) == std::search_n(begin, end, 1, some));
  SAME(std::adjacent_find(policy, first, last) == last);
  SAME(std::count(policy, first, last, some) == 1);
  SAME(std::count_if(policy, first, last, even) == std::count_if(begin, end, even));
  SAME(std::equal(policy, first, last, begin) && std::equal(policy, first, last, begin, end));
  SAME(std::mismatch(policy, first, last, begin).second == end);
  SAME(std::mismatch(policy, first, last, begin, end).first == last);
  SAME(!std::lexicographical_compare(policy, first, last, begin, end));
  SAME(std::includes(policy, first, last, begin + 3, end - 3));
  SAME(std::is_sorted(policy, first, last) && std::is_sorted_until(policy, first, last) == last);
  SAME(std::is_partitioned(policy, first, last, below));
  SAME(!std::is_heap(policy, first, last) && at(std::is_heap_until(policy, first, last)) == begin + 1);
  SAME(std::min_element(policy, first, last) == first && at(std::max_element(policy, first, last)) == end - 1);
  const auto both = std::minmax_element(policy, first, last);
  SAME(both.first == first && at(both.second) == end - 1);

  std::vector<T> out(2 * count), expected(2 * count);
  const auto same = [&](auto out_end, auto expected_end, int line) {
    check(out_end - out.begin() == expected_end - expected.begin() && out == expected, line);
    std::fill(out.begin(), out.end(), T());
    std::fill(expected.begin(), expected.end(), T());
  };
#define COPIES(CALL, READ, ...) same(CALL(policy, READ), CALL(__VA_ARGS__), __LINE__)
#define LIST(...) __VA_ARGS__
  auto o = out.begin();
  auto e = expected.begin();
  COPIES(std::copy, LIST(first, last, o), begin, end, e);
  COPIES(std::copy_n, LIST(first, static_cast<int>(count), o), begin, static_cast<int>(count), e);
  COPIES(std::move, LIST(first, last, o), begin, end, e);
  COPIES(std::copy_if, LIST(first, last, o, even), begin, end, e, even);
  COPIES(std::remove_copy, LIST(first, last, o, some), begin, end, e, some);
  COPIES(std::remove_copy_if, LIST(first, last, o, even), begin, end, e, even);
  COPIES(std::replace_copy, LIST(first, last, o, some, T(1)), begin, end, e, some, T(1));
  COPIES(std::replace_copy_if, LIST(first, last, o, even, T(1)), begin, end, e, even, T(1));
  COPIES(std::unique_copy, LIST(first, last, o), begin, end, e);
  COPIES(std::transform, LIST(first, last, o, twice), begin, end, e, twice);
  COPIES(std::transform, LIST(first, last, begin, o, std::plus<>()), begin, end, begin, e, std::plus<>());
  COPIES(std::reverse_copy, LIST(first, last, o), begin, end, e);
  COPIES(std::rotate_copy, LIST(first, middle, last, o), begin, at(middle), end, e);
  COPIES(std::partial_sort_copy, LIST(first, last, o, o + 9), begin, end, e, e + 9);
  COPIES(std::merge, LIST(first, last, begin, end, o), begin, end, begin, end, e);
  COPIES(std::set_union, LIST(first, last, begin, end, o), begin, end, begin, end, e);
  COPIES(std::set_intersection, LIST(first, last, begin, end, o), begin, end, begin, end, e);
  COPIES(std::set_difference, LIST(first, last, begin + 2, end, o), begin, end, begin + 2, end, e);
  COPIES(std::set_symmetric_difference, LIST(first, last, begin + 2, end, o), begin, end, begin + 2, end, e);
  COPIES(std::inclusive_scan, LIST(first, last, o), begin, end, e);
  COPIES(std::exclusive_scan, LIST(first, last, o, T(3)), begin, end, e, T(3));
  COPIES(std::transform_inclusive_scan, LIST(first, last, o, std::plus<>(), twice), begin, end, e, std::plus<>(),
         twice);
  COPIES(std::transform_exclusive_scan, LIST(first, last, o, T(3), std::plus<>(), twice), begin, end, e, T(3),
         std::plus<>(), twice);
  COPIES(std::adjacent_difference, LIST(first, last, o), begin, end, e);
  const auto x = std::partition_copy(policy, first, last, o, o + static_cast<std::ptrdiff_t>(count), below);
  const auto y = std::partition_copy(begin, end, e, e + static_cast<std::ptrdiff_t>(count), below);
  same(x.first, y.first, __LINE__);
  std::uninitialized_copy(policy, first, last, o);
  std::uninitialized_copy(begin, end, e);
  same(o, e, __LINE__);

  SAME(std::reduce(policy, first, last) == std::reduce(begin, end));
  SAME(std::reduce(policy, first, last, 5L) == std::reduce(begin, end, 5L));
  SAME(std::transform_reduce(policy, first, last, begin, 0L) == std::transform_reduce(begin, end, begin, 0L));
  SAME(std::transform_reduce(policy, begin, end, first, 0L) == std::transform_reduce(begin, end, begin, 0L));
}

template <class Policy, class R>
void both(const Policy& policy, const char* name, R&& range) {
  using I = std::ranges::iterator_t<R>;
  static_assert(std::random_access_iterator<I>);
  static_assert(std::is_same_v<typename std::iterator_traits<I>::iterator_category, std::input_iterator_tag>);
  what = name;
  std::vector<std::ranges::range_value_t<R>> v;
  for (auto&& item : range) v.push_back(item);
  read(policy, range.begin(), range.end(), v);
}

/// The differences of such iterators are __int128. If the library does not treat it as an integer (-std=c++20, not gnu++20),
/// the iterators have the output iterator category, and even the serial algorithms do not search them.
template <class R>
void indices(R range) {
  const auto& par = std::execution::par;
  what = "indices";
  const auto first = range.begin();
  const auto last = range.end();
  const auto count = static_cast<std::size_t>(last - first);
  std::vector<std::size_t> v(count);
  std::for_each(par, first, last, [&](std::size_t i) { v[i] = 2 * i; });
  for (std::size_t i = 0; i != count; ++i) SAME(v[i] == 2 * i);
  SAME(std::transform_reduce(par, first, last, std::size_t{0}, std::plus<>(), [](std::size_t i) { return 2 * i; }) ==
       count * (count - 1));
  SAME(std::reduce(par, first, last, std::size_t{0}) == count * (count - 1) / 2);
  SAME(static_cast<std::size_t>(std::count_if(par, first, last, [](std::size_t i) { return i % 2 == 0; })) ==
       (count + 1) / 2);
  on_workers(par, first, last);
  if constexpr (!std::is_void_v<typename std::iterator_traits<decltype(range.begin())>::value_type>) {
    const std::size_t some = count / 2;
    const auto is_some = [=](std::size_t i) { return i == some; };
    SAME(static_cast<std::size_t>(std::find(par, first, last, some) - first) == some);
    SAME(static_cast<std::size_t>(std::find_if(par, first, last, is_some) - first) == some);
    SAME(std::any_of(par, first, last, is_some) && !std::all_of(par, first, last, is_some));
    SAME(std::min_element(par, first, last) == first);
    std::vector<std::size_t> out(count);
    std::transform(par, first, last, out.begin(), [](std::size_t i) { return 2 * i; });
    SAME(out == v);
    std::copy(par, first, last, out.begin());
    SAME(out.back() == count - 1);
  }
}

/// Items that are written through pairs of references.
void pairs(std::size_t count) {
  const auto& par = std::execution::par;
  what = "pairs";
  std::vector<int> keys(count), values(count);
  std::iota(keys.begin(), keys.end(), 0);
  const Pairs first(keys.begin(), values.begin());
  const Pairs last(keys.end(), values.end());
  using I = std::remove_const_t<decltype(first)>;
  static_assert(std::random_access_iterator<I>);
  std::for_each(par, first, last, [](auto&& pair) { pair.second = 2 * pair.first; });
  SAME(std::transform_reduce(par, first, last, 0L, std::plus<>(),
                             [](auto&& pair) { return pair.second - 2 * pair.first; }) == 0);
  std::vector<int> sums(count);
  std::transform(par, first, last, sums.begin(), [](const auto& pair) { return pair.first + pair.second; });
  for (std::size_t i = 0; i != count; ++i) SAME(sums[i] == static_cast<int>(3 * i));
  SAME(std::count_if(par, first, last, [](const auto& pair) { return pair.second % 4 == 0; }) ==
       static_cast<std::ptrdiff_t>((count + 1) / 2));
  SAME(std::find_if(par, first, last, [&](const auto& pair) { return pair.first == static_cast<int>(count / 2); }) ==
       first + static_cast<std::ptrdiff_t>(count / 2));
}

}  // namespace

int main() {
  const auto numbers = std::views::iota(0, 5000);
  const auto squares = numbers | std::views::transform([](int i) { return i * 3; });
  both(std::execution::par, "iota", numbers);
  both(std::execution::par_unseq, "iota, unsequenced", numbers);
  indices(std::views::iota(std::size_t{0}, std::size_t{5000}));
  both(std::execution::par, "transform", squares);
  pairs(5000);
  on_workers(std::execution::par, numbers.begin(), numbers.end());
  on_workers(std::execution::par_unseq, numbers.begin(), numbers.end());
  on_workers(std::execution::par, squares.begin(), squares.end());
}
