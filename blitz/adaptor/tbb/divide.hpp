/// @file
/// How oneTBB's algorithms divide their ranges on blitz: the partitioners, and a function that divides any range.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "blitz/adaptor/tbb/context.hpp"
#include "blitz/adaptor/tbb/ranges.hpp"
#include "blitz/join.hpp"
#include "blitz/parallel_for.hpp"

namespace tbb {

class simple_partitioner {};    ///< Cuts down to the grain size.
class auto_partitioner {};      ///< Cuts when workers are idle. The default.
class static_partitioner {};    ///< Cuts into one part for each worker.
class affinity_partitioner {};  ///< Like auto_partitioner.

namespace detail {

enum class Cut : unsigned char { kSimple, kAuto, kStatic, kAffinity };

template <class P>
concept Partitioner = std::same_as<P, simple_partitioner> || std::same_as<P, auto_partitioner> ||
                      std::same_as<P, static_partitioner> || std::same_as<P, affinity_partitioner>;

/// Whether these types may be the last arguments of a call: a partitioner, a context, or both in that order.
template <class... Last>
inline constexpr bool kAreLast = false;
template <>
inline constexpr bool kAreLast<> = true;
template <Partitioner P>
inline constexpr bool kAreLast<P> = true;
template <>
inline constexpr bool kAreLast<task_group_context> = true;
template <Partitioner P>
inline constexpr bool kAreLast<P, task_group_context> = true;

template <class... Last>
concept LastArguments = kAreLast<std::remove_cvref_t<Last>...>;

/// The values of these arguments.
struct CallOptions {
  template <class... Last>
  explicit CallOptions(Last&... last) noexcept : CallOptions(context_of(last...), cut_of(last...)) {}

  /// Options for blitz's loops and reductions, which divide further when workers are idle.
  template <class Options>
  [[nodiscard]] Options of(std::size_t grain) const {
    return {.min_grain = grain,
            .schedule = cut == Cut::kStatic ? blitz::Schedule::kFixed : blitz::Schedule::kAdaptive,
            .stop = context.token(),
            .pool = here()};
  }

  CallContext context;
  Cut cut;

 private:
  CallOptions(task_group_context* given, Cut its_cut) noexcept : context(given), cut(its_cut) {}

  static task_group_context* context_of() noexcept { return nullptr; }
  static task_group_context* context_of(task_group_context& context) noexcept { return &context; }
  template <Partitioner P, class... Context>
  static task_group_context* context_of(const P&, Context&... context) noexcept {
    return context_of(context...);
  }

  template <class... None>
  static Cut cut_of(const None&...) noexcept {
    return Cut::kAuto;
  }
  template <class... Context>
  static Cut cut_of(const simple_partitioner&, const Context&...) noexcept {
    return Cut::kSimple;
  }
  template <class... Context>
  static Cut cut_of(const static_partitioner&, const Context&...) noexcept {
    return Cut::kStatic;
  }
  template <class... Context>
  static Cut cut_of(const affinity_partitioner&, const Context&...) noexcept {
    return Cut::kAffinity;
  }
};

/// The number of parts that a range must still be divided into. A stolen part is divided again, as in Rayon's splitter.
class Parts {
 public:
  /// Must be called on a worker.
  explicit Parts(Cut cut)
      : least_(cut == Cut::kAuto || cut == Cut::kAffinity ? kForEach * blitz::current_num_threads() : 0),
        left_(cut == Cut::kSimple   ? std::numeric_limits<std::size_t>::max()
              : cut == Cut::kStatic ? blitz::current_num_threads()
                                    : least_),
        in_proportion_(cut == Cut::kStatic || cut == Cut::kAffinity) {}

  /// Whether to divide a part. `taken`: another worker has taken it.
  [[nodiscard]] bool want_more(bool taken) noexcept {
    if (taken) left_ = std::max(left_, least_);
    return left_ > 1;
  }
  /// Divides the range in two and returns the second part. `parts` gets the number of parts for it.
  template <class Range>
  [[nodiscard]] Range cut(Range& range, Parts& parts) {
    parts.left_ = left_ / 2;
    left_ -= parts.left_;
    if constexpr (std::constructible_from<Range, Range&, proportional_split&>) {
      if (in_proportion_) {
        proportional_split tag(left_, parts.left_);
        return Range(range, tag);
      }
    }
    split tag;
    return Range(range, tag);
  }

 private:
  static constexpr std::size_t kForEach = 8;  // so that uneven parts are shared evenly

  std::size_t least_;
  std::size_t left_;
  bool in_proportion_;
};

/// A range that blitz can divide by positions.
template <class R>
inline constexpr bool kIsBlocked = false;
template <class Value>
inline constexpr bool kIsBlocked<blocked_range<Value>> = true;

/// Calls `leaf(range)` for the parts of a range. Must be called on a worker.
template <class Range, class Leaf>
void for_each_part(Range& range, Parts parts, bool taken, const Leaf& leaf) {
  if (!range.is_divisible() || !parts.want_more(taken)) return leaf(range);
  Parts of_right = parts;
  Range right = parts.cut(range, of_right);
  blitz::join_context([&](blitz::JoinContext) { for_each_part(range, parts, false, leaf); },
                      [&](blitz::JoinContext c) { for_each_part(right, of_right, c.migrated(), leaf); });
}

}  // namespace detail
}  // namespace tbb
