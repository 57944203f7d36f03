/// @file
/// Ropes: ordered sequences of unknown length. They know the item type only by its ItemKind, so that they are compiled once.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/function_ref.hpp"
#include "blitz/detail/loop/items.hpp"
#include "blitz/pipeline/array.hpp"

namespace blitz::detail {

/// The objects of type T in that memory.
template <class T>
[[nodiscard]] BLITZ_ALWAYS_INLINE T* objects_in(char* memory) noexcept {
  return static_cast<T*>(static_cast<void*>(memory));
}

/// The size of a type's objects, and the operations on them.
struct ItemKind {
  std::size_t size = 0;
  std::size_t alignment = 0;
  void (*destroy)(char* first, char* last) noexcept = nullptr;  ///< Null: there is nothing to do.
  void (*move)(char* first, char* last, char*& to) = nullptr;   ///< Advances `to` by each. Null: bytes are copied.
};

template <class T>
[[nodiscard]] consteval ItemKind item_kind() {
  ItemKind kind{.size = sizeof(T), .alignment = alignof(T)};
  if constexpr (!std::is_trivially_destructible_v<T>) {
    kind.destroy = [](char* first, char* last) noexcept { std::destroy(objects_in<T>(first), objects_in<T>(last)); };
  }
  if constexpr (!std::is_trivially_copyable_v<T>) {
    kind.move = [](char* first, char* last, char*& to) {
      for (T* item = objects_in<T>(first); item != objects_in<T>(last); ++item, to += sizeof(T)) {
        ::new (static_cast<void*>(to)) T(std::move(*item));
      }
    };
  }
  return kind;
}
template <class T>
inline constexpr ItemKind kItemKind = item_kind<T>();

/// Objects in [begin, end), which this destroys: like Constructed, for any kind.
class BLITZ_API MadeItems {
 public:
  MadeItems(const ItemKind& kind, char* begin) noexcept : kind_(&kind), begin_(begin), end_(begin) {}
  MadeItems(MadeItems&& other) noexcept : kind_(other.kind_), begin_(other.begin_), end_(other.release()) {}
  MadeItems& operator=(MadeItems&& other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(begin_, other.begin_);
    std::swap(end_, other.end_);
    return *this;
  }
  ~MadeItems() {
    if (kind_->destroy != nullptr) kind_->destroy(begin_, end_);
  }

  [[nodiscard]] const ItemKind& kind() const noexcept { return *kind_; }
  [[nodiscard]] char* begin() const noexcept { return begin_; }
  [[nodiscard]] char* end() const noexcept { return end_; }
  [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }
  [[nodiscard]] LoopIndex size() const noexcept { return static_cast<LoopIndex>(end_ - begin_) / kind_->size; }

  /// Makes one more object of the kind.
  template <class T, class... X>
  BLITZ_ALWAYS_INLINE void emplace_back(X&&... x) {
    ::new (static_cast<void*>(end_)) T(std::forward<X>(x)...);
    end_ += sizeof(T);
  }
  /// The objects up to `end` have been made.
  void extend_to(void* end) noexcept { end_ = static_cast<char*>(end); }
  /// Makes objects from those in [first, last).
  void move_from(char* first, char* last);
  /// Takes over the objects of `next` if they directly follow; otherwise `next` keeps and destroys them.
  void append(MadeItems&& next) noexcept;
  /// Gives the objects up. Returns their end.
  char* release() noexcept { return std::exchange(end_, begin_); }

 private:
  const ItemKind* kind_;
  char* begin_;
  char* end_;
};

/// The interface for appending items. It contains no container: a program's containers may differ from the library's, for
/// example under _GLIBCXX_DEBUG.
class RopeEnd {
 public:
  /// The last piece of memory, with room for at least one more item.
  [[nodiscard]] BLITZ_ALWAYS_INLINE MadeItems& open_piece() {
    if (open_ == nullptr || open_->end() == end_) [[unlikely]]
      grow();
    return *open_;
  }
  /// The end of its memory.
  [[nodiscard]] char* end_of_piece() const noexcept { return end_; }

 protected:
  RopeEnd() = default;
  RopeEnd(RopeEnd&&) = default;
  ~RopeEnd() = default;

  MadeItems* open_ = nullptr;
  char* end_ = nullptr;

 private:
  virtual void grow() = 0;
};

/// Contiguous objects, for an Array.
struct CollectedItems {
  ArrayMemory<char> memory;
  std::size_t count = 0;
};

/// The items that `append(rope, first, last)` makes from the positions. Each part collects its own items; afterwards all are
/// moved to their places in one pass.
[[nodiscard]] BLITZ_API CollectedItems collect_blocks(const AlgorithmOptions& options, const ItemKind& kind,
                                                      LoopIndex positions, bool at_most_one,
                                                      FunctionRef<void(RopeEnd&, LoopIndex, LoopIndex)> append);

/// Like collect_blocks, for items of two kinds in one pass: `append(rope, other_rope, first, last)`. If `at_most_one`, a
/// position has at most one of each.
[[nodiscard]] BLITZ_API std::pair<CollectedItems, CollectedItems> collect_two(
    const AlgorithmOptions& options, const ItemKind& kind, const ItemKind& other_kind, LoopIndex positions,
    bool at_most_one, FunctionRef<void(RopeEnd&, RopeEnd&, LoopIndex, LoopIndex)> append);

}  // namespace blitz::detail
