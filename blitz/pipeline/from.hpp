/// @file
/// from: any input range as the source of a pipeline.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <ranges>
#include <stop_token>
#include <utility>
#include <vector>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/export.hpp"
#include "blitz/detail/base/refuse.hpp"
#include "blitz/detail/base/to_copy.hpp"
#include "blitz/detail/pipeline/found.hpp"
#include "blitz/detail/pipeline/source.hpp"
#include "blitz/isolate.hpp"
#include "blitz/pipeline/par.hpp"

namespace blitz {

/// The options of `from`, which come first in a call. Plain data.
/// @code
///   const auto sum = blitz::from({.batch = 16}, list).map(costly).sum();
/// @endcode
struct FromOptions {
  std::size_t batch = 256;  ///< The number of items that a worker takes in one batch; 0 counts as 1.
};

namespace detail {
BLITZ_BEGIN_BY_OPTIMIZATION

/// The items of an input range, read in batches. A position is a worker's turn, which lasts until the range is exhausted or no
/// more items are needed.
template <std::ranges::view V>
class InputSource : public Source {
 public:
  using Items = Pack<std::ranges::range_value_t<V>&&>;
  static constexpr bool kIndexed = false;
  static constexpr bool kTwoPasses = true;

  InputSource(V view, const FromOptions& options)
      : input_(std::make_shared<Input>(std::move(view))), batch_(std::max<std::size_t>(options.batch, 1)) {}

  [[nodiscard]] LoopIndex positions() const noexcept { return kTurns; }
  void first_pass(const AlgorithmOptions& options) {
    stop_ = options.stop;
    input_->next.emplace(std::ranges::begin(input_->view));
    input_->ended.store(false, std::memory_order_relaxed);  // No other worker has begun.
  }
  /// Relaxed: a worker that sees it late only reads one more batch.
  void end_early() const noexcept { input_->ended.store(true, std::memory_order_relaxed); }

  /// The source that keeps the order of the range.
  [[nodiscard]] auto ordered() const { return FoundItems<std::ranges::range_value_t<V>, ReadAll>(ReadAll{input_}); }
  template <class Sink>
  bool for_each(LoopIndex first, LoopIndex last, const Sink& sink) const {
    std::vector<std::ranges::range_value_t<V>> items;
    for (; first != last; ++first) {
      while (take(items)) {
        for (auto&& item : items) {
          if (!sink(static_cast<std::ranges::range_value_t<V>&&>(item))) continue;
          end_early();  // There is no order, so no other turn has an earlier item.
          return true;
        }
        items.clear();
      }
    }
    return false;
  }

 private:
  static constexpr LoopIndex kTurns = 1024;  // more than the workers that could share the items

  struct Input {
    explicit Input(V its_view) : view(std::move(its_view)) {}
    V view;
    Mutex mutex;                                     // guards `next`, and the range
    std::optional<std::ranges::iterator_t<V>> next;  // empty after the end of the range or an exception
    Atomic<bool> ended{false};                       // no more batches may be read
  };

  /// All items.
  struct ReadAll {
    std::vector<std::ranges::range_value_t<V>> operator()(const AlgorithmOptions& options) const {
      using T = std::ranges::range_value_t<V>;
      std::vector<T> items;
      for (auto&& x : input->view) {
        if (options.stop.stop_requested()) break;
        items.emplace_back(to_copy<T>(std::forward<decltype(x)>(x)));
      }
      return items;
    }
    std::shared_ptr<Input> input;
  };

  /// Reads the next batch; returns false if there is none. The range may use the pool during the read. The read is isolated, so
  /// that this worker does not run an unrelated job that waits for the mutex.
  bool take(std::vector<std::ranges::range_value_t<V>>& items) const {
    Input& input = *input_;
    const auto has_ended = [&] { return input.ended.load(std::memory_order_relaxed) || stop_.stop_requested(); };
    if (has_ended()) return false;
    isolate([&] {
      const std::lock_guard lock(input.mutex);
      if (!input.next || has_ended()) return;
      auto next = *std::exchange(input.next, std::nullopt);
      const auto end = std::ranges::end(input.view);
      for (; next != end && items.size() < batch_; ++next)
        items.emplace_back(to_copy<std::ranges::range_value_t<V>>(*next));
      if (next == end) {
        end_early();
      } else {
        input.next.emplace(std::move(next));
      }
    });
    return !items.empty();
  }

  std::shared_ptr<Input> input_;
  std::size_t batch_;
  std::stop_token stop_;
};

BLITZ_END_BY_OPTIMIZATION
}  // namespace detail
BLITZ_BEGIN_BY_OPTIMIZATION

/// A pipeline of the items of any input range: a list, a stream, a generator. One worker at a time reads a batch: it copies the
/// items, or moves them if the range returns values. The following stages run concurrently on several batches and in no order:
/// the order of the items of collect() is unspecified, too. With .ordered() the range is first read completely into memory, and
/// the order is kept. Each terminal reads the range once. An exception of the range ends the terminal, which rethrows it. A
/// terminal that ends early, by an exception, a stop request or because it has found its item, reads no further batch, so the
/// range may be endless.
/// @code
///   const auto sum = blitz::from(list).map(costly).sum();
/// @endcode
/// @param range    Read by one thread at a time; an lvalue must live until the terminal has returned.
/// @return A Pipeline.
/// @throws The exceptions of the range's move. The terminal throws all others.
/// Complexity: O(1); a terminal makes O(n) moves for n items. Thread-safety: any thread.
template <std::ranges::input_range R>
  requires std::ranges::viewable_range<R>
[[nodiscard]] auto from(R&& range) {
  return Pipeline(detail::InputSource(std::views::all(std::forward<R>(range)), FromOptions{}));
}
/// @copydoc blitz::from(R&&)
/// @param options  The size of a batch.
template <std::ranges::input_range R>
  requires std::ranges::viewable_range<R>
[[nodiscard]] auto from(const FromOptions& options, R&& range) {
  return Pipeline(detail::InputSource(std::views::all(std::forward<R>(range)), options));
}

/// @cond
template <class R>
BLITZ_REFUSE("the options come first: blitz::from({.batch = 16}, range)")
from(R&& range, const FromOptions& options) BLITZ_REFUSED;
/// @endcond

BLITZ_END_BY_OPTIMIZATION
}  // namespace blitz
