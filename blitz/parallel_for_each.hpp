/// @file
/// parallel_for_each: a loop over any input range, and over work that is added while it runs.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/saturated.hpp"
#include "blitz/detail/base/ticks.hpp"
#include "blitz/detail/base/to_copy.hpp"
#include "blitz/detail/loop/items.hpp"
#include "blitz/detail/loop/mistake.hpp"
#include "blitz/detail/worker/worker.hpp"
#include "blitz/parallel_for.hpp"
#include "blitz/pool_ref.hpp"
#include "blitz/scope.hpp"

namespace blitz {

/// @brief Takes the items that a body of parallel_for_each() adds to its loop.
///
/// @code
///   blitz::parallel_for_each(roots, [](Node* node, blitz::Feeder<Node*>& feeder) {
///     for (Node* child : node->children) feeder.add(child);
///   });
/// @endcode
///
/// Thread-safety: only the call of the body that received the Feeder may use it, on one thread, until that call returns.
template <class T>
class Feeder {
 public:
  /// For the library: adds to `items`.
  explicit Feeder(std::vector<T>& items) noexcept : items_(items) {}
  Feeder(const Feeder&) = delete;
  Feeder& operator=(const Feeder&) = delete;

  /// Adds an item. The body is called with it after this call of the body has returned, possibly on another thread. Throws
  /// std::bad_alloc. O(1), without synchronisation.
  void add(T item) { items_.push_back(std::move(item)); }

 private:
  std::vector<T>& items_;
};

namespace detail {

/// Whether a body takes an item that the work list owns: as an rvalue, or by reference.
template <class F, class T, class... More>
concept TakesOwned = std::invocable<F&, T, More...> || std::invocable<F&, T&, More...>;

template <class F, class T, class... More>
bool stops_with_owned(const F& f, T& item, More&... more) {
  if constexpr (std::invocable<const F&, T, More&...>) {
    return stops_loop(f, std::move(item), more...);
  } else {
    return stops_loop(f, item, more...);
  }
}

template <class F, class T>
concept TakesFeeder = std::movable<T> && TakesOwned<F, T, Feeder<T>&>;

template <class F, class R>
concept TakesItems = TakesFeeder<F, std::ranges::range_value_t<R>> ||
                     (std::ranges::forward_range<R> && std::invocable<F&, RangeItem<R>>) ||
                     (!std::ranges::forward_range<R> && TakesOwned<F, std::ranges::range_value_t<R>>);

}  // namespace detail

/// The body of parallel_for_each() over R: callable with an item, or with an item and a Feeder. Several threads call it
/// concurrently.
template <class F, class R>
concept ForEachFunction = detail::TakesItems<const std::remove_reference_t<F>, R>;

/// The options of parallel_for_each(), which come first in a call. Plain data.
/// @code
///   blitz::parallel_for_each({.stop = token}, items, work_on);
/// @endcode
struct ForEachOptions {
  /// After a stop request the body is called for no further item, and the loop returns as if it were complete.
  std::stop_token stop{};
  PoolRef pool{};  ///< The pool that runs the loop.
};

namespace detail {

/// One run of parallel_for_each over a range that cannot be cut, or with work that may grow. `read(from)` makes an entry of the
/// item at an iterator. `call(entry, entries)` calls the body, which may add to the entries, and returns whether the loop must
/// end.
///
/// Each worker does its own entries first, the newest first, so that a tree of work takes the memory of its depth. If it has
/// none, it reads a batch of the range, unless another worker is reading: then it leaves the rest to that worker. When all its
/// offered jobs have been taken, or an idle worker would take one more, it offers a job: the oldest half of its entries,
/// possibly none, and the right to read. An unwanted job is cheap, because no other is offered while it waits and no worker is
/// idle. Before an entry that may be long, a worker offers all other entries, half of the rest at a time, and reads one entry
/// at a time, because another worker may run out of work during that entry.
///
/// Pairs:
///   [read]  read: reading_.store(release)  ->  read: reading_.exchange(acquire)
template <class Entry, class It, class End, class Read, class Call>
class WorkList {
 public:
  WorkList(It next, End end, const Read& read, const Call& call) noexcept
      : next_(std::move(next)), end_(std::move(end)), read_(read), call_(call) {}
  WorkList(const WorkList&) = delete;
  WorkList& operator=(const WorkList&) = delete;

  /// The body of the scope.
  void run(Scope& scope) {
    scope_ = &scope;
    WorkerBase& worker = *current_worker;
    float& usual = worker.history()[reinterpret_cast<std::uintptr_t>(&kKnownBy)];
    usual_ = saturated(usual);
    const Ticks begun = ticks_now();
    Share(*this, {}, worker.num_threads() > 1 ? kSure : 0)();
    usual = static_cast<float>(ticks_between(begun, ticks_now()));
  }

 private:
  using Entries = std::vector<Entry>;

  static constexpr std::size_t kLargestBatch = 256;
  static constexpr unsigned kSure = 2;  // short entries in a row: the first may be a root, unlike the others
  static constexpr char kKnownBy = 0;   // Its address identifies the loop in the worker's history.

  /// A job of the scope.
  class Share {
   public:
    Share(WorkList& list, Entries entries, unsigned unsure) noexcept
        : list_(&list), entries_(std::move(entries)), unsure_(unsure) {}

    void operator()() {
      WorkerBase& worker = *current_worker;
      Scope& scope = *list_->scope_;
      const bool shared = worker.num_threads() > 1;
      const Ticks begun = ticks_now();
      try {
        while (!scope.stop_requested() && (!entries_.empty() || list_->read(entries_, may_be_long()))) {
          bool is_timed = may_be_long();
          if (shared && has_more() && may_offer(worker) && is_worth_offering(worker, begun)) {
            offer_half();
            is_timed = true;
          }
          while (may_be_long() && entries_.size() > 1 && is_worth_offering(worker, begun)) offer_half();
          Entry entry = std::move(entries_.back());
          entries_.pop_back();
          const Ticks start = is_timed ? ticks_now() : 0;
          if (list_->call_(entry, entries_)) scope.request_stop();
          if (is_timed) took(ticks_between(start, ticks_now()));
        }
      } catch (...) {
        scope.request_stop();
        throw;
      }
    }

   private:
    /// Whether nothing is on offer, or an idle worker would take one share more.
    [[nodiscard]] static bool may_offer(const WorkerBase& worker) noexcept {
      const std::size_t offered = worker.offered();
      return offered == 0 || worker.audience(offered) != Audience::kNobody;
    }
    [[nodiscard]] bool has_more() const noexcept { return entries_.size() > 1 || list_->unread(); }
    /// Whether the next entry may take long, judged by the previous ones.
    [[nodiscard]] bool may_be_long() const noexcept { return unsure_ > 0; }
    void took(Ticks ticks) noexcept {
      if (ticks > kLittleWork * ticks_per_microsecond()) {
        unsure_ = kSure;
      } else if (unsure_ > 0) {
        --unsure_;
      }
    }

    /// Whether to wake a sleeping worker: yes if the list took long enough in its previous run, or has already run that long.
    /// Without a previous run, the first offer is always made, because the entries may take long.
    [[nodiscard]] bool is_worth_offering(WorkerBase& worker, Ticks begun) noexcept {
      if (worker.audience(0) != Audience::kSleeps) return true;
      if (list_->usual_ == 0 && !offered_) return true;
      const Ticks lasted = ticks_between(begun, ticks_now());
      return worker.weigh_help(lasted < list_->usual_ ? list_->usual_ : lasted) != 0;
    }

    void offer_half() {
      offered_ = true;
      const auto middle = entries_.begin() + std::ssize(entries_) / 2;
      Entries oldest(std::move_iterator(entries_.begin()), std::move_iterator(middle));
      entries_.erase(entries_.begin(), middle);
      list_->scope_->spawn(Share(*list_, std::move(oldest), unsure_));
    }

    WorkList* list_;
    Entries entries_;
    unsigned unsure_;  // number of short entries still needed before the next one counts as short; 0 on one thread
    bool offered_ = false;
  };

  /// A hint. Relaxed: a batch that is missed here is offered again by the worker that reads it.
  [[nodiscard]] bool unread() const noexcept { return unread_.load(std::memory_order_relaxed); }

  /// Reads a batch into `entries`, which are empty; one entry if it may be long. Returns false if there is nothing to read, or
  /// another worker is reading. No worker waits for the reader, because it may run other jobs if reading itself makes a
  /// parallel call.
  bool read(Entries& entries, bool may_be_long) {
    if (!unread() || reading_.exchange(true, std::memory_order_acquire)) return false;  // [read]
    struct Reader {
      Atomic<bool>& reading;
      ~Reader() { reading.store(false, std::memory_order_release); }  // [read]
    } reader{reading_};
    if (may_be_long) batch_ = 1;
    for (; next_ != end_ && entries.size() < batch_; ++next_) entries.push_back(read_(next_));
    if (next_ == end_) unread_.store(false, std::memory_order_relaxed);  // See unread().
    if (batch_ < kLargestBatch) batch_ *= 2;
    // Reverse them: the last entry runs first.
    for (std::size_t i = 0, j = entries.size(); i + 1 < j; ++i) std::swap(entries[i], entries[--j]);
    return !entries.empty();
  }

  It next_;  // this and the next two: guarded by reading_
  End end_;
  std::size_t batch_ = 1;  // number of entries to read; doubles, so that the first ones need not wait for many others
  const Read& read_;
  const Call& call_;
  Scope* scope_ = nullptr;
  Ticks usual_ = 0;              // duration of the list's previous run; 0: unknown
  Atomic<bool> reading_{false};  // written by the worker that reads
  Atomic<bool> unread_{true};    // written by the worker that reads; read by all workers
};

/// The body of a work list's scope.
template <class List>
struct RunList {
  void operator()(Scope& scope) const { list.run(scope); }
  List& list;
};

template <class Entry, class R, class Read, class Call>
void run_work_list(const ForEachOptions& options, R& range, const Read& read, const Call& call) {
  auto next = std::ranges::begin(range);
  const auto end = std::ranges::end(range);
  if (next == end) return;
  using List = WorkList<Entry, decltype(next), std::ranges::sentinel_t<R>, Read, Call>;
  List list(std::move(next), end, read, call);
  const ScopeOptions scope_options{.stop = options.stop, .pool = options.pool};
  OpenScope{scope_options}.on_worker(RunList<List>{list});
}

/// The entry that a work list makes of an iterator: a copy of the item, or of the iterator.
template <class T>
struct ReadItem {
  template <class It>
  T operator()(const It& from) const {
    return T(to_copy<T>(*from));
  }
};
struct ReadPlace {
  template <class It>
  It operator()(const It& from) const {
    return from;
  }
};

/// How a work list calls its body: with a copy of an item and optionally a feeder, or with the item of an iterator.
template <class T, class F>
struct CallWithFeeder {
  bool operator()(T& item, std::vector<T>& items) const {
    Feeder<T> feeder(items);
    return stops_with_owned(f, item, feeder);
  }
  const F& f;
};
template <class T, class F>
struct CallWithOwned {
  bool operator()(T& item, std::vector<T>& /*items*/) const { return stops_with_owned(f, item); }
  const F& f;
};
template <class It, class F>
struct CallWithPlace {
  bool operator()(It& item, std::vector<It>& /*items*/) const { return stops_loop(f, *item); }
  const F& f;
};

template <class R, class F>
void for_each_of(const ForEachOptions& options, R& range, const F& f) {
  using T = std::ranges::range_value_t<R>;
  using It = std::ranges::iterator_t<R>;
  if constexpr (TakesFeeder<const F, T>) {
    run_work_list<T>(options, range, ReadItem<T>(), CallWithFeeder<T, F>{f});
  } else if constexpr (LoopRange<R>) {
    run_loop(ForOptions{.stop = options.stop, .pool = options.pool}, items_of(range), f);
  } else if constexpr (std::ranges::forward_range<R>) {
    run_work_list<It>(options, range, ReadPlace(), CallWithPlace<It, F>{f});
  } else {
    run_work_list<T>(options, range, ReadItem<T>(), CallWithOwned<T, F>{f});
  }
}

}  // namespace detail

/// @brief Calls `f(x)` or `f(x, feeder)` for every x of `range`, and for every item that these calls add, in any order,
/// possibly in parallel.
///
/// Accepts any input range: a list, a map, a generator, a view of a stream. One thread at a time reads a batch of the range
/// while other threads work, so a call should take longer than reading an item. A range with random access is cut as by
/// parallel_for().
///
/// With a Feeder the work may grow while it runs: a traversal, a search, a refinement. Breadth first, a graph:
/// @code
///   std::vector<std::atomic<bool>> seen(graph.size());
///   seen[start] = true;
///   auto visit = [&](Vertex v, blitz::Feeder<Vertex>& feeder) {
///     for (Vertex w : graph[v]) {
///       if (!seen[w].exchange(true, std::memory_order_relaxed)) feeder.add(w);
///     }
///   };
///   blitz::parallel_for_each(std::views::single(start), visit);
/// @endcode
/// With a Feeder the loop owns its items: it copies the items of the range, or moves them if the range yields rvalues. `f` may
/// take an item by value, as an rvalue, or by reference. Each worker runs its newest items first, and offers the oldest half of
/// its items to other workers.
///
/// An exception ends the loop early: no further call begins, and the first exception is rethrown when the running calls have
/// finished. An `f` that returns Flow::kStop, or a stop request, ends the loop in the same way without an exception. Items that
/// have not begun are destroyed.
///
/// @par Source
/// oneTBB's `parallel_for_each` and its feeder.
///
/// @param range  Read once. An empty range costs nothing.
/// @param f      The body, called through a reference by several threads concurrently. A mutable lambda is refused. A call that
///               adds an item happens before the call with that item.
/// @throws The first exception of `f`, of the range's iterators, and of the items' moves; std::bad_alloc.
/// Complexity: O(1) for each item in addition to its call. Memory: each waiting item once, and occasionally a job of some
/// hundred bytes for each worker. Thread-safety: any thread.
template <std::ranges::input_range R, ForEachFunction<R> F>
void parallel_for_each(R&& range, F&& f) {
  detail::for_each_of(ForEachOptions{}, range, f);
}
/// @copydoc blitz::parallel_for_each(R&&, F&&)
/// @param options  The stop token and the pool.
template <std::ranges::input_range R, ForEachFunction<R> F>
void parallel_for_each(const ForEachOptions& options, R&& range, F&& f) {
  detail::for_each_of(options, range, f);
}

/// @cond
namespace detail {

/// The arguments of parallel_for_each.
struct ForEachArguments {
  template <class R, class F>
  [[nodiscard]] static consteval Mistake of() {
    if constexpr (!std::ranges::input_range<R>) {
      return Mistake::kRange;
    } else if constexpr (ForEachFunction<F, R>) {
      return Mistake::kNone;
    } else if constexpr (TakesItems<F, R>) {
      return Mistake::kMutable;
    } else {
      return BodyOfSharedWords<F, std::ranges::iterator_t<R>> ? Mistake::kWords : Mistake::kBody;
    }
  }
  template <class First, class Last, class F>
  [[nodiscard]] static consteval Mistake of() {
    return std::input_or_output_iterator<std::remove_cvref_t<First>> ? Mistake::kBounds : Mistake::kArguments;
  }
};

}  // namespace detail

BLITZ_REFUSE_OPTIONS(parallel_for_each, ForEachOptions, detail::ForEachArguments, ".stop and .pool, in this order",
                     "range, f)");
BLITZ_REFUSE_CALL(parallel_for_each, ForEachOptions, detail::ForEachArguments, kArguments,
                  "these arguments fit no form of parallel_for_each; pass its options, if any, a range and a body: "
                  "blitz::parallel_for_each(range, f)");
BLITZ_REFUSE_CALL(parallel_for_each, ForEachOptions, detail::ForEachArguments, kRange,
                  "parallel_for_each got no range; use a container, a view or a generator");
BLITZ_REFUSE_CALL(parallel_for_each, ForEachOptions, detail::ForEachArguments, kBounds,
                  "parallel_for_each got two iterators instead of a range; use "
                  "blitz::parallel_for_each(std::ranges::subrange(first, last), f)");
BLITZ_REFUSE_CALL(
    parallel_for_each, ForEachOptions, detail::ForEachArguments, kBody,
    "the body of parallel_for_each cannot be called with one item, and perhaps a blitz::Feeder for more of them; "
    "let it take that type, or const auto&");
BLITZ_REFUSE_CALL(parallel_for_each, ForEachOptions, detail::ForEachArguments, kMutable, BLITZ_MUTABLE_BODY);
BLITZ_REFUSE_CALL(parallel_for_each, ForEachOptions, detail::ForEachArguments, kWords,
                  BLITZ_SHARED_WORDS "; a body that only reads takes a bool");
/// @endcond

}  // namespace blitz
