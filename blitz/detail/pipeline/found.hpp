/// A source that finds all its items before they are processed.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/loop/items.hpp"
#include "blitz/detail/pipeline/source.hpp"

namespace blitz::detail {
BLITZ_BEGIN_BY_OPTIMIZATION

/// The items of the std::vector that `find(options)` returns, in the first pass of each terminal. After a stop request it may
/// return some of them, or throw Stopped.
template <class T, class Find>
class FoundItems : public Source {
 public:
  using Items = Pack<const T&>;
  static constexpr bool kIndexed = false;
  static constexpr bool kTwoPasses = true;

  explicit FoundItems(Find find) : find_(std::move(find)) {}

  void first_pass(const AlgorithmOptions& options) {
    items_ = nullptr;
    try {
      items_ = std::make_shared<const std::vector<T>>(find_(options));
    } catch (const Stopped&) {
      // After a stop request no block begins: the terminal decides whether that is an error.
      if (!options.stop.stop_requested()) throw;
    }
  }
  [[nodiscard]] LoopIndex positions() const noexcept { return items_ == nullptr ? 0 : items_->size(); }
  template <class Sink>
  BLITZ_ALWAYS_INLINE bool for_each(LoopIndex first, LoopIndex last, const Sink& sink) const {
    for (; first != last; ++first) {
      if (sink((*items_)[first])) return true;
    }
    return false;
  }

 private:
  Find find_;
  std::shared_ptr<const std::vector<T>> items_;
};

BLITZ_END_BY_OPTIMIZATION
}  // namespace blitz::detail
