/// @file
/// split and walk_tree: sources of pipelines that divide a value, or walk a tree.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <span>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

#include "blitz/current_pool.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/to_copy.hpp"
#include "blitz/detail/pipeline/found.hpp"
#include "blitz/join.hpp"
#include "blitz/pipeline/par.hpp"

namespace blitz {

/// The callable that divides a value for blitz::split(): `f(value)` returns a pair: the value and no right half, or its left
/// and its right half.
template <class F, class T>
concept SplitFunction = std::movable<T> && std::is_invocable_r_v<std::pair<T, std::optional<T>>, const F&, T>;

/// The callable that returns the children of a node for blitz::walk_tree(): `f(node)` returns a range of nodes.
template <class F, class T>
concept TreeFunction =
    std::copy_constructible<T> && std::invocable<const F&, const T&> &&
    std::ranges::input_range<std::invoke_result_t<const F&, const T&>> &&
    std::constructible_from<T, std::ranges::range_reference_t<std::invoke_result_t<const F&, const T&>>>;

namespace detail {
BLITZ_BEGIN_BY_OPTIMIZATION

/// Appends the parts of `value`; after a stop request, only some of them.
template <class T, class F>
void append_parts(T value, const F& f, const std::stop_token& stop, std::vector<T>& parts) {
  if (stop.stop_requested()) return;
  std::pair<T, std::optional<T>> halves = std::invoke(f, std::move(value));
  if (!halves.second) return parts.push_back(std::move(halves.first));
  std::vector<T> right;
  blitz::join([&] { append_parts(std::move(halves.first), f, stop, parts); },
              [&] { append_parts(*std::move(halves.second), f, stop, right); });
  parts.insert(parts.end(), std::make_move_iterator(right.begin()), std::make_move_iterator(right.end()));
}

/// Divides the value of split.
template <class T, class F>
struct FindParts {
  std::vector<T> operator()(const AlgorithmOptions& options) const {
    std::vector<T> parts;
    on_worker(options.pool.base(), [&](WorkerBase&) { append_parts(value, f, options.stop, parts); });
    return parts;
  }
  T value;
  F f;
};

/// The children of a node.
template <class T, class F>
struct ChildrenOf {
  decltype(auto) operator()(const T& node) const { return std::invoke(f, node); }
  const F& f;
};
template <class T>
struct MakeNode {
  template <class X>
  T operator()(X&& node) const {
    return T(to_copy<T>(std::forward<X>(node)));
  }
};

/// Finds the nodes of walk_tree.
template <class T, class F>
struct FindNodes {
  std::vector<T> operator()(const AlgorithmOptions& options) const {
    std::vector<T> nodes{root};
    for (std::size_t begin = 0; begin != nodes.size();) {
      const std::span<const T> level(nodes.begin() + static_cast<std::ptrdiff_t>(begin), nodes.end());
      begin = nodes.size();
      Array<T> next = par(level).with(options).flat_map(ChildrenOf<T, F>{children}).map(MakeNode<T>()).collect();
      nodes.insert(nodes.end(), std::make_move_iterator(next.begin()), std::make_move_iterator(next.end()));
    }
    return nodes;
  }
  T root;
  F children;
};

BLITZ_END_BY_OPTIMIZATION
}  // namespace detail
BLITZ_BEGIN_BY_OPTIMIZATION

/// A pipeline of the parts of `value`: `f` divides it, and each half again, on several threads concurrently, until `f` returns
/// no right half. The parts are in order from left to right. Memory: all parts, while a terminal runs.
/// @code
///   using Range = std::pair<int, int>;
///   const auto halve = [](Range r) -> std::pair<Range, std::optional<Range>> {
///     const int middle = std::midpoint(r.first, r.second);
///     if (r.second - r.first < 10) return {r, std::nullopt};
///     return {{r.first, middle}, Range(middle, r.second)};
///   };
///   const auto sum = blitz::split(Range(0, 1000), halve).map(sum_of_range).sum();
/// @endcode
///
/// @par Source
/// Rayon's split.
/// @param value  Copied into the pipeline.
/// @param f      Called by several threads concurrently.
/// @return A Pipeline.
/// @throws The exception of copying `value`. The terminal throws all others.
/// Complexity: O(1); a terminal makes a call of `f`, and a join, for each part. Thread-safety: any thread.
template <class T, SplitFunction<T> F>
  requires std::copy_constructible<T>
[[nodiscard]] auto split(T value, F f) {
  using Find = detail::FindParts<T, F>;
  return Pipeline(detail::FoundItems<T, Find>(Find{std::move(value), std::move(f)}));
}

/// A pipeline of the nodes of a tree: `root`, its children, their children, and so on, level by level, each level from left to
/// right. `children` is called once for each node, concurrently for the nodes of a level. Memory: all nodes, while a terminal
/// runs. Use pointers or small objects as nodes.
/// @code
///   const auto folders_of = [](const Folder* f) { return std::views::all(f->folders); };
///   const auto folders = blitz::walk_tree(root, folders_of).count();
/// @endcode
///
/// @par Source
/// Rayon's walk_tree.
/// @param root      Copied into the pipeline.
/// @param children  Called by several threads concurrently; returns a range of nodes.
/// @return A Pipeline.
/// @throws The exception of copying `root`. The terminal throws all others.
/// Complexity: O(1); a terminal makes a call of `children` for each node. Thread-safety: any thread.
template <class T, TreeFunction<T> F>
[[nodiscard]] auto walk_tree(T root, F children) {
  using Find = detail::FindNodes<T, F>;
  return Pipeline(detail::FoundItems<T, Find>(Find{std::move(root), std::move(children)}));
}

BLITZ_END_BY_OPTIMIZATION
}  // namespace blitz
