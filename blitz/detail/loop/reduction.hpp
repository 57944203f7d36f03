/// @file
/// A reduction as a Loop: its parts have values of a type.
#pragma once

#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "blitz/detail/loop/loop.hpp"

namespace blitz::detail {

/// A reduction of [0, count) into one value. F defines it; several workers call its functions concurrently:
///   F::Value                       movable
///   fold.identity() -> Value       the initial value of a part
///   fold.fold(value, first, last)  folds the items [first, last), at least one, into the value. If it returns true, no further
///                                  block begins, and the result covers the blocks that ran
///   fold.combine(left, right)      combines `right`, an rvalue, into the value `left`
/// An exception of one of these ends the reduction.
///
/// All workers run the same machine code of a fold: compilers that fuse multiplications and additions may do so differently in
/// each copy.
template <class F>
class Reduction final : Loop {
 public:
  using Value = typename F::Value;

  Reduction(const F& fold, LoopIndex items, LoopCut how, LoopIndex least_block, const std::stop_token& token) noexcept
      : Loop(&run_block_of, items, how, least_block, token), fold_(fold) {
    combine = &combine_values;
    with_value = &with_new_value;
  }

  /// See Loop::run. The result is the identity if a stop request came before the first block.
  Value run(PoolBase* pool) const {
    Slot slot;
    Loop::run(pool, &slot);
    if (!slot) return fold_.identity();
    return std::move(*slot);
  }

 private:
  /// The value of a part; empty before its first block.
  using Slot = std::optional<Value>;

  static bool run_block_of(const Loop& self, void* value, LoopIndex first, LoopIndex last) {
    const F& fold = static_cast<const Reduction&>(self).fold_;
    Slot& slot = *static_cast<Slot*>(value);
    if (!slot) slot.emplace(fold.identity());
    if constexpr (std::is_same_v<decltype(fold.fold(*slot, first, last)), bool>) {
      return fold.fold(*slot, first, last);
    } else {
      fold.fold(*slot, first, last);
      return false;
    }
  }
  static void combine_values(const Loop& self, void* left_value, void* right_value) {
    Slot& left = *static_cast<Slot*>(left_value);
    Slot& right = *static_cast<Slot*>(right_value);
    if (left && right) {
      static_cast<const Reduction&>(self).fold_.combine(*left, std::move(*right));
    } else if (right) {
      left.emplace(std::move(*right));
    }
  }
  static void with_new_value(void (*call)(void* argument, void* value) noexcept, void* argument) {
    Slot slot;
    call(argument, &slot);
  }

  const F& fold_;
};

}  // namespace blitz::detail
