/// @file
/// oneTBB's parallel algorithms on blitz.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <deque>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "blitz/adaptor/tbb/divide.hpp"
#include "blitz/adaptor/tbb/tbb_scan.hpp"
#include "blitz/algorithm/sort.hpp"
#include "blitz/join_all.hpp"
#include "blitz/parallel_for.hpp"
#include "blitz/parallel_for_each.hpp"
#include "blitz/parallel_reduce.hpp"

namespace tbb {

// --- parallel_for ---

namespace detail {

/// The end of a block of positions.
template <class Block>
[[nodiscard]] std::size_t end_of(const Block& block) {
  return *block.begin() + static_cast<std::size_t>(block.size());
}

/// Calls `f(first, last)` for blocks of [0, count).
template <class F>
void for_blocks(std::size_t count, std::size_t grain, const CallOptions& options, const F& f) {
  options.context.guard([&] {
    blitz::parallel_for_blocks(
        options.of<blitz::ForOptions>(grain), std::views::iota(std::size_t{0}, count),
        [&](const auto& block) { options.context.run([&] { f(*block.begin(), end_of(block)); }); });
  });
}

}  // namespace detail

/// Calls `body(part)` in parallel for parts that cover the range.
template <detail::SplitRange Range, class Body, class... Last>
  requires(detail::LastArguments<Last...> && std::copy_constructible<Body> && std::invocable<const Body&, Range&>)
void parallel_for(const Range& range, const Body& body, Last&&... last) {
  if (range.empty()) return;
  const detail::CallOptions options(last...);
  if constexpr (detail::kIsBlocked<Range>) {
    const std::size_t grain = std::max<std::size_t>(range.grainsize(), 1);
    detail::for_blocks(range.size(), grain, options, [&](std::size_t first, std::size_t end) {
      // With simple_partitioner, each part has between half a grain and one grain.
      std::size_t parts = options.cut == detail::Cut::kSimple ? blitz::detail::ceil_div(end - first, grain) : 1;
      for (; parts > 0; --parts) {
        Range part = range.part(first, first + (end - first) / parts);
        first += part.size();
        std::invoke(body, part);
      }
    });
  } else {
    options.context.guard([&] {
      detail::on_worker_here([&] {
        Range whole(range);
        detail::for_each_part(whole, detail::Parts(options.cut), false,
                              [&](Range& part) { options.context.run([&] { std::invoke(body, part); }); });
      });
    });
  }
}

namespace detail {

/// Integers and types that behave like integers.
template <class I>
concept Index = RangeValue<I> && std::constructible_from<I, int>;

template <Index I>
[[nodiscard]] std::size_t distance(const I& first, const I& last) {
  if constexpr (std::integral<I>) {
    return static_cast<std::size_t>(last) - static_cast<std::size_t>(first);  // may be more than I can hold
  } else {
    return static_cast<std::size_t>(last - first);
  }
}
template <Index I>
[[nodiscard]] I advanced(const I& first, std::size_t n) {
  if constexpr (std::integral<I>) {
    return static_cast<I>(static_cast<std::size_t>(first) + n);
  } else {
    return static_cast<I>(first + static_cast<decltype(first - first)>(n));
  }
}

}  // namespace detail

/// Calls `f(i)` in parallel for first, first + step, ... below `last`. Throws std::invalid_argument for a step below 1.
template <detail::Index Index, class F, class... Last>
  requires(detail::LastArguments<Last...> && std::invocable<const F&, Index>)
void parallel_for(Index first, Index last, Index step, const F& f, Last&&... last_arguments) {
  if (!(Index(0) < step)) {
    detail::terminate_if_asked();
    throw std::invalid_argument("tbb::parallel_for: the step is below 1; use at least 1");
  }
  if (!(first < last)) return;
  const detail::CallOptions options(last_arguments...);
  const std::size_t each = detail::distance(Index(0), step);
  const std::size_t count = (detail::distance(first, last) - 1) / each + 1;
  detail::for_blocks(count, 1, options, [&](std::size_t from, std::size_t to) {
    for (; from != to; ++from) std::invoke(f, detail::advanced(first, from * each));
  });
}
/// Calls `f(i)` in parallel for each i of [first, last).
template <detail::Index Index, class F, class... Last>
  requires(detail::LastArguments<Last...> && std::invocable<const F&, Index>)
void parallel_for(Index first, Index last, const F& f, Last&&... last_arguments) {
  parallel_for(first, last, Index(1), f, last_arguments...);
}

// --- parallel_reduce ---

namespace detail {

template <class Body, class Range>
concept Reduction = Splittable<Body> && requires(Body& body, const Range& range, Body& right) {
  body(range);
  body.join(right);
};
/// A function object of the functional forms.
template <class F, class Result, class... Arguments>
concept Returns = std::is_invocable_r_v<Result, const F&, Arguments...>;

/// Reduces a range into a body. If another worker takes the right part, that part uses a new body, which is joined when both
/// parts have finished. With `always`, each right part uses a new body, so that the result does not depend on the number of
/// threads.
template <class Range, class Body>
void reduce_part(Range& range, Body& body, Parts parts, bool taken, bool always, const CallContext& context) {
  if (!range.is_divisible() || !parts.want_more(taken)) return context.run([&] { body(range); });
  Parts of_right = parts;
  Range right = parts.cut(range, of_right);
  std::optional<Body> right_body;
  blitz::join_context([&](blitz::JoinContext) { reduce_part(range, body, parts, false, always, context); },
                      [&](blitz::JoinContext c) {
                        const bool alone = always || c.migrated();
                        split its_tag;
                        reduce_part(right, alone ? right_body.emplace(body, its_tag) : body, of_right, c.migrated(),
                                    always, context);
                      });
  if (right_body) context.run([&] { body.join(*right_body); });
}

template <class Range, class Body>
void reduce(const Range& range, Body& body, const CallOptions& options, bool always) {
  if (range.empty()) return;
  options.context.guard([&] {
    on_worker_here([&] {
      Range whole(range);
      reduce_part(whole, body, Parts(options.cut), false, always, options.context);
    });
  });
}

/// The functional form as a body.
template <class Range, class T, class Fold, class Combine>
class ReduceBody {
 public:
  ReduceBody(const T& identity, const Fold& fold, const Combine& combine)
      : identity_(identity), fold_(fold), combine_(combine), value_(identity) {}
  ReduceBody(ReduceBody& whole, split) : ReduceBody(whole.identity_, whole.fold_, whole.combine_) {}
  void operator()(const Range& range) { value_ = std::invoke(fold_, range, std::move(value_)); }
  void join(ReduceBody& right) { value_ = std::invoke(combine_, std::move(value_), std::move(right.value_)); }
  [[nodiscard]] T take() { return std::move(value_); }

 private:
  const T& identity_;
  const Fold& fold_;
  const Combine& combine_;
  T value_;
};

}  // namespace detail

/// Reduces the range into `body` by `body(part)`, and by `body.join(right)` with bodies that were split from it.
template <detail::SplitRange Range, detail::Reduction<Range> Body, class... Last>
  requires detail::LastArguments<Last...>
void parallel_reduce(const Range& range, Body& body, Last&&... last) {
  detail::reduce(range, body, detail::CallOptions(last...), false);
}
/// Folds parts by `fold(part, value)`, starting with the identity, and combines the values in order. Returns the identity if
/// the context is cancelled during the call.
template <detail::SplitRange Range, class T, detail::Returns<T, const Range&, T> Fold, detail::Returns<T, T, T> Combine,
          class... Last>
  requires detail::LastArguments<Last...>
T parallel_reduce(const Range& range, const T& identity, const Fold& fold, const Combine& combine, Last&&... last) {
  const detail::CallOptions options(last...);
  if constexpr (detail::kIsBlocked<Range>) {
    if (options.cut != detail::Cut::kSimple) {
      if (range.empty()) return identity;
      std::optional<T> result;
      options.context.guard([&] {
        try {
          result.emplace(blitz::parallel_reduce_blocks(
              options.of<blitz::ReduceOptions>(range.grainsize()), std::views::iota(std::size_t{0}, range.size()),
              identity,
              [&](T value, const auto& block) {
                options.context.run([&] {
                  value = std::invoke(fold, range.part(*block.begin(), detail::end_of(block)), std::move(value));
                });
                return value;
              },
              [&](T left, T right) { return std::invoke(combine, std::move(left), std::move(right)); }));
        } catch (const blitz::Stopped&) {
          if (!options.context.is_cancelled()) throw;
          result.emplace(identity);
        }
      });
      return std::move(*result);
    }
  }
  detail::ReduceBody<Range, T, Fold, Combine> body(identity, fold, combine);
  detail::reduce(range, body, options, false);
  return body.take();
}

/// Like parallel_reduce, with a result that does not depend on the number of threads: the range is always divided down to the
/// grain size, and the parts are combined in the same way.
template <detail::SplitRange Range, detail::Reduction<Range> Body, class... Last>
  requires detail::LastArguments<Last...>
void parallel_deterministic_reduce(const Range& range, Body& body, Last&&... last) {
  detail::CallOptions options(last...);
  if (options.cut == detail::Cut::kAuto) options.cut = detail::Cut::kSimple;
  detail::reduce(range, body, options, true);
}
template <detail::SplitRange Range, class T, detail::Returns<T, const Range&, T> Fold, detail::Returns<T, T, T> Combine,
          class... Last>
  requires detail::LastArguments<Last...>
T parallel_deterministic_reduce(const Range& range, const T& identity, const Fold& fold, const Combine& combine,
                                Last&&... last) {
  detail::ReduceBody<Range, T, Fold, Combine> body(identity, fold, combine);
  parallel_deterministic_reduce(range, body, last...);
  return body.take();
}

// --- parallel_scan ---

namespace detail {

template <class Body, class Range>
concept Scan = Splittable<Body> && requires(Body& body, const Range& range, Body& other) {
  body(range, pre_scan_tag());
  body(range, final_scan_tag());
  body.reverse_join(other);
  body.assign(other);
};

/// The functional form as a body.
template <class Range, class T, class Scan, class Combine>
class ScanBody {
 public:
  ScanBody(const T& identity, const Scan& scan, const Combine& combine)
      : identity_(identity), scan_(scan), combine_(combine), value_(identity) {}
  ScanBody(ScanBody& whole, split) : ScanBody(whole.identity_, whole.scan_, whole.combine_) {}
  template <class Tag>
  void operator()(const Range& range, Tag) {
    value_ = std::invoke(scan_, range, std::move(value_), Tag::is_final_scan());
  }
  void reverse_join(ScanBody& left) { value_ = std::invoke(combine_, left.value_, std::move(value_)); }
  void assign(ScanBody& last) { value_ = std::move(last.value_); }
  [[nodiscard]] T take() { return std::move(value_); }

 private:
  const T& identity_;
  const Scan& scan_;
  const Combine& combine_;
  T value_;
};

}  // namespace detail

/// A scan by `body(part, tag)`. With pre_scan_tag it only adds the part to the body's sum; with final_scan_tag it also writes
/// the results of the part. `body.reverse_join(left)` adds the sum of all items to the left; `body.assign(last)` copies the
/// final state into `body`. See ScanRun.
template <detail::SplitRange Range, detail::Scan<Range> Body, class... Last>
  requires detail::LastArguments<Last...>
void parallel_scan(const Range& range, Body& body, Last&&... last) {
  if (range.empty()) return;
  const detail::CallOptions options(last...);
  options.context.guard(
      [&] { detail::on_worker_here([&] { detail::ScanRun<Range, Body>(range, body, options.context).run(); }); });
}
/// A scan by `scan(part, sum, is_final)`, which returns `sum` plus the part, and by `combine(left, right)`. Returns the total.
template <detail::SplitRange Range, class T, detail::Returns<T, const Range&, T, bool> Scan,
          detail::Returns<T, T, T> Combine, class... Last>
  requires detail::LastArguments<Last...>
T parallel_scan(const Range& range, const T& identity, const Scan& scan, const Combine& combine, Last&&... last) {
  detail::ScanBody<Range, T, Scan, Combine> body(identity, scan, combine);
  parallel_scan(range, body, last...);
  return body.take();
}

// --- the others ---

/// Sorts by `compare` with blitz::sort. Not stable.
template <std::random_access_iterator I, class Compare = std::less<>>
  requires(std::movable<std::iter_value_t<I>> &&
           std::predicate<const Compare&, std::iter_reference_t<I>, std::iter_reference_t<I>>)
void parallel_sort(I first, I last, const Compare& compare = {}) {
  blitz::sort({.pool = detail::here()}, first, last, compare);
}
template <class R, class Compare = std::less<>>
  requires requires(R& range, const Compare& compare) { parallel_sort(std::begin(range), std::end(range), compare); }
void parallel_sort(R&& range, const Compare& compare = {}) {
  parallel_sort(std::begin(range), std::end(range), compare);
}

namespace detail {

template <class... F>
void invoke_all(const CallContext& context, F&... f) {
  context.guard([&] { on_worker_here([&] { blitz::parallel_invoke([&] { context.run(f); }...); }); });
}

}  // namespace detail

/// Calls all functions, possibly in parallel. The last argument may be a context.
template <class... F>
  requires(sizeof...(F) > 1 && (std::invocable<F&> && ...))
void parallel_invoke(F&&... f) {
  detail::invoke_all(detail::CallContext(), f...);
}
template <class... Arguments>
  requires(sizeof...(Arguments) > 2 &&
           std::same_as<std::remove_cvref_t<std::tuple_element_t<sizeof...(Arguments) - 1, std::tuple<Arguments...>>>,
                        task_group_context>)
void parallel_invoke(Arguments&&... arguments) {
  const auto all = std::tie(arguments...);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    detail::invoke_all(detail::CallContext(&std::get<sizeof...(Arguments) - 1>(all)), std::get<I>(all)...);
  }(std::make_index_sequence<sizeof...(Arguments) - 1>());
}

/// Accepts new items from a body of parallel_for_each.
template <class T>
class feeder {
 public:
  void add(const T& item) { add_(state_, T(item)); }
  void add(T&& item) { add_(state_, std::move(item)); }

  /// For the adaptor: adds by `add_to(state, item)`.
  feeder(void* state, void (*add_to)(void*, T&&)) noexcept : state_(state), add_(add_to) {}
  feeder(const feeder&) = delete;
  feeder& operator=(const feeder&) = delete;

 private:
  void* state_;
  void (*add_)(void*, T&&);
};

namespace detail {

/// Whether the items of these iterators stay valid, so that they can be visited in place.
template <class I>
inline constexpr bool kInPlace =
    std::forward_iterator<I> ||
    std::derived_from<typename std::iterator_traits<I>::iterator_category, std::forward_iterator_tag>;

/// An item of parallel_for_each that is visited in place. It may have any type.
template <class I>
class PlacedItem {
 public:
  explicit PlacedItem(const I& at) : at_(at) {}

  template <class Body>
  void call(const Body& body) {
    std::invoke(body, *at_);
  }

 private:
  I at_;
};

/// An item that was read from an input iterator or was fed, or one that is visited in place.
template <class I>
class FedItem {
 public:
  using T = std::iter_value_t<I>;

  explicit FedItem(T&& item) : item_(std::in_place_index<0>, std::move(item)) {}
  explicit FedItem(const I& at) : item_(make(at)) {}
  FedItem(FedItem&&) = default;
  /// The item itself need not be assignable.
  FedItem& operator=(FedItem&& other) {
    if (other.item_.index() == 0) {
      item_.template emplace<0>(std::get<0>(std::move(other.item_)));
    } else {
      item_.template emplace<1>(std::get<1>(std::move(other.item_)));
    }
    return *this;
  }
  ~FedItem() = default;

  /// Calls `body(item, feeder...)`.
  template <class Body, class... Feeder>
  void call(const Body& body, Feeder&... feeder) {
    if constexpr (kInPlace<I>) {
      if (item_.index() == 1) return static_cast<void>(std::invoke(body, *std::get<1>(item_), feeder...));
    }
    if constexpr (std::invocable<const Body&, T, Feeder&...>) {
      std::invoke(body, std::move(std::get<0>(item_)), feeder...);
    } else {
      std::invoke(body, std::get<0>(item_), feeder...);
    }
  }

 private:
  using Item = std::variant<T, I>;

  [[nodiscard]] static Item make(const I& at) {
    if constexpr (kInPlace<I>) {
      return Item(std::in_place_index<1>, at);
    } else {
      return Item(std::in_place_index<0>, blitz::detail::to_copy<T>(*at));
    }
  }

  Item item_;
};

/// The items of [first, last) as `Item`s, to be read once. The iterators need not satisfy C++20's concepts.
template <class I, class Item>
class EachItems {
 public:
  struct End {};
  class Iterator {
   public:
    using value_type = Item;
    using difference_type = std::ptrdiff_t;

    explicit Iterator(EachItems& items) noexcept : items_(&items) {}
    value_type operator*() const { return value_type(items_->next_); }
    Iterator& operator++() {
      ++items_->next_;
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(End) const { return items_->next_ == items_->last_; }

   private:
    EachItems* items_;
  };

  EachItems(I first, I last) : next_(std::move(first)), last_(std::move(last)) {}
  [[nodiscard]] Iterator begin() noexcept { return Iterator(*this); }
  [[nodiscard]] End end() const noexcept { return {}; }

 private:
  I next_;
  I last_;
};

}  // namespace detail

namespace detail {

/// Whether `body` accepts the items of I.
template <class Body, class I, class... More>
inline constexpr bool kTakesItem = std::invocable<const Body&, std::iter_reference_t<I>, More...> ||
                                   (!kInPlace<I> && (std::invocable<const Body&, std::iter_value_t<I>, More...> ||
                                                     std::invocable<const Body&, std::iter_value_t<I>&, More...>));
template <class Body, class I>
inline constexpr bool kTakesFeeder = kTakesItem<Body, I, feeder<std::iter_value_t<I>>&>;

/// An input iterator of C++17. It need not satisfy C++20's concepts.
template <class I>
concept ItemIterator = std::copyable<I> && requires(I& i) {
  { *i } -> std::convertible_to<std::iter_reference_t<I>>;
  ++i;
  typename std::iterator_traits<I>::iterator_category;
  requires std::derived_from<typename std::iterator_traits<I>::iterator_category, std::input_iterator_tag>;
};

}  // namespace detail

/// Calls `body(item)` or `body(item, feeder)` in parallel for each item, and for each item that the feeder adds.
template <detail::ItemIterator I, class Body, class... Last>
  requires(detail::LastArguments<Last...> && (detail::kTakesFeeder<Body, I> || detail::kTakesItem<Body, I>))
void parallel_for_each(I first, I last, const Body& body, Last&&... last_arguments) {
  const detail::CallOptions options(last_arguments...);
  const auto each = [&]<class Item>(std::type_identity<Item>, const auto& call) {
    blitz::parallel_for_each({.stop = options.context.token(), .pool = detail::here()},
                             detail::EachItems<I, Item>(first, last), call);
  };
  options.context.guard([&] {
    if constexpr (detail::kTakesFeeder<Body, I>) {
      using Item = detail::FedItem<I>;
      each(std::type_identity<Item>(), [&](Item& item, blitz::Feeder<Item>& items) {
        feeder<typename Item::T> adds(&items, [](void* to, typename Item::T&& fed) {
          static_cast<blitz::Feeder<Item>*>(to)->add(Item(std::move(fed)));
        });
        options.context.run([&] { item.call(body, adds); });
      });
    } else if constexpr (std::random_access_iterator<I>) {
      blitz::parallel_for(options.of<blitz::ForOptions>(1), first, last, [&]<class X>(X&& item) {
        options.context.run([&] { std::invoke(body, std::forward<X>(item)); });
      });
    } else {
      using Item = std::conditional_t<detail::kInPlace<I>, detail::PlacedItem<I>, detail::FedItem<I>>;
      each(std::type_identity<Item>(), [&](Item& item) { options.context.run([&] { item.call(body); }); });
    }
  });
}
template <class R, class Body, class... Last>
  requires requires(R& range, const Body& body, Last&... last) {
    parallel_for_each(std::begin(range), std::end(range), body, last...);
  }
void parallel_for_each(R&& range, const Body& body, Last&&... last) {
  parallel_for_each(std::begin(range), std::end(range), body, last...);
}

}  // namespace tbb
