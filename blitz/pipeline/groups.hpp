/// @file
/// ItemGroups: the result of group_by of a pipeline.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <cstddef>
#include <ranges>
#include <utility>

#include "blitz/algorithm/group_by.hpp"
#include "blitz/pipeline/array.hpp"

namespace blitz {

/// The items of a pipeline in groups of equal keys: the groups in the order of their first items, the items of a group in the
/// order of the pipeline. Move-only. Each member is O(1). Throws nothing.
/// @code
///   const auto groups =
///       blitz::par(words).group_by([](const std::string& word) { return word.size(); });
///   for (const std::string& word : groups[0]) std::puts(word.c_str());
/// @endcode
///
/// Thread-safety: as for an int.
template <class T>
class ItemGroups {
 public:
  ItemGroups() = default;  ///< Makes an object with no groups.
  /// For the library: `groups` contains positions in `items`.
  ItemGroups(Array<T> items, Groups groups) noexcept : items_(std::move(items)), groups_(std::move(groups)) {}

  [[nodiscard]] std::size_t size() const noexcept { return groups_.size(); }  ///< The number of groups.
  [[nodiscard]] bool empty() const noexcept { return groups_.empty(); }       ///< Whether there is no group.
  /// The items of group i, which must be below size(): a view of random access, never empty, into this object.
  [[nodiscard]] auto operator[](std::size_t i) const noexcept {
    return groups_[i] |
           std::views::transform([items = items_.data()](std::size_t at) -> const T& { return items[at]; });
  }
  [[nodiscard]] const Array<T>& items() const noexcept { return items_; }  ///< All items, in the pipeline's order.
  [[nodiscard]] const Groups& groups() const noexcept { return groups_; }  ///< Their positions, by group.

 private:
  Array<T> items_;
  Groups groups_;
};

}  // namespace blitz
