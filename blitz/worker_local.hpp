/// @file
/// WorkerLocal: one value for each worker.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <concepts>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "blitz/current_pool.hpp"
#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"
#include "blitz/detail/base/owned.hpp"
#include "blitz/detail/worker/pool_base.hpp"
#include "blitz/detail/worker/worker.hpp"
#include "blitz/pool_ref.hpp"

namespace blitz {

namespace detail {

struct Shelf;

/// A value of a WorkerLocal, without the value.
struct ShelvedValue {
  Shelf* const home;
  ShelvedValue* next = nullptr;  // in the order of the shelves
  ShelvedValue* next_free = nullptr;
};

/// The free values of a worker. Only the worker's runner uses a shelf, except the list of values returned by other threads. The
/// last shelf of workers serves all threads that are no workers of the pool, and uses only that list.
struct alignas(kCacheLine) Shelf {
  std::size_t place = 0;  // among all shelves
  ShelvedValue* own = nullptr;
  ShelvedValue* free = nullptr;
  ShelvedValue* returned = nullptr;  // guarded by a mutex
};

}  // namespace detail

/// Makes the values of a blitz::WorkerLocal: callable without arguments. It returns a T, which need not be movable, or a value
/// that converts to T.
template <class F, class T>
concept WorkerLocalFunction =
    std::copy_constructible<F> && std::invocable<F&> &&
    (std::same_as<std::invoke_result_t<F&>, T> || std::convertible_to<std::invoke_result_t<F&>, T>);

/// Scratch values for the jobs of a pool: buffers, generators, partial sums. Each worker has its own value, created on first
/// use.
///
/// here() returns a reference to the calling worker's value, for jobs that do not wait while they use it. local() *lends* a
/// value for the lifetime of the returned Lease, for jobs that wait: other jobs that the worker runs during the wait borrow
/// other values. A lent value therefore has one user at a time, and there may be more values than workers. here() never returns
/// a value that local() lends. Iteration, combine() and for_each() visit all values.
///
/// @code
///   blitz::WorkerLocal<std::vector<int>> found;
///   blitz::parallel_for(0, n, [&](int i) {
///     if (is_good(i)) found.here().push_back(i);
///   });
///   for (std::vector<int>& part : found) all.insert(all.end(), part.begin(), part.end());
/// @endcode
///
/// @par Source
/// oneTBB. here() is enumerable_thread_specific::local() and combinable::local(), but only for workers of the pool.
/// begin() and end() are as there; combine() also takes an initial sum. oneTBB has no leases.
///
/// It may outlive its pool: it keeps the pool's memory, but not its threads.
///
/// Thread-safety: any thread may call local() and here() concurrently, and a lease may end on any thread. The other members
/// must be called only while no value is lent and no job uses a reference from here(). The end of a lease happens before the
/// next lease of its value.
template <class T>
class WorkerLocal {
  struct Value;
  template <class Item>
  class Iterator;

 public:
  /// Forward iterators over all values, in the order of the workers. Creating a value, and clear(), invalidate them.
  using iterator = Iterator<T>;
  using const_iterator = Iterator<const T>;  ///< Iterators over constant values.

  /// The right to use a value, which ends when the Lease is destroyed; cheapest on the worker that borrowed the value. Each
  /// member is O(1).
  /// @code
  ///   const auto scratch = buffers.local();
  ///   scratch->clear();
  /// @endcode
  ///
  /// Thread-safety: one thread at a time.
  class Lease {
   public:
    /// The value.
    [[nodiscard]] T& operator*() const noexcept { return value_->value; }
    /// Access to the value's members.
    [[nodiscard]] T* operator->() const noexcept { return detail::address_of(value_->value); }

   private:
    /// @cond
    friend class WorkerLocal;
    /// @endcond
    struct GiveBack {
      WorkerLocal* home;
      void operator()(Value* value) const noexcept { home->give_back(value); }
    };
    Lease(WorkerLocal* home, Value* value) noexcept : value_(value, GiveBack{home}) {}

    detail::Owned<Value, GiveBack> value_;
  };

  /// Makes a value by `T()` for each worker of the caller's pool, or, outside every pool, of the global pool. Throws
  /// std::bad_alloc, and the exceptions of global_pool().
  WorkerLocal()
    requires std::default_initializable<T>
      : WorkerLocal([] { return T(); }) {}

  /// Makes a value by `make()` for each worker of the caller's pool, or, outside every pool, of the global pool. Several
  /// threads may call `make` concurrently. Throws std::bad_alloc, and the exceptions of global_pool().
  template <WorkerLocalFunction<T> F>
  explicit WorkerLocal(F make) : WorkerLocal(detail::current_pool(), std::move(make)) {}

  /// Makes a value by `make()` for each worker of `pool`. Throws std::bad_alloc.
  /// @param pool  The pool; each of its workers has a value.
  /// @param make  Makes a value; several threads may call it concurrently.
  template <class P, WorkerLocalFunction<T> F>
  WorkerLocal(BasicThreadPool<P>& pool, F make) : WorkerLocal(detail::base_of(pool), std::move(make)) {}
  /// Makes a value by `T()` for each worker of `pool`. Throws std::bad_alloc.
  template <class P>
    requires std::default_initializable<T>
  explicit WorkerLocal(BasicThreadPool<P>& pool) : WorkerLocal(pool, [] { return T(); }) {}

  WorkerLocal(const WorkerLocal&) = delete;
  WorkerLocal& operator=(const WorkerLocal&) = delete;
  ~WorkerLocal() { clear(); }

  /// Lends a value of the calling worker. Threads that are no workers of the pool share a separate set of values. Throws the
  /// exception of making a T, and std::bad_alloc. O(1) and no atomic operation, if the worker has a free value; creating one of
  /// n values takes O(n).
  [[nodiscard]] Lease local() {
    Shelf& shelf = shelf_here();
    detail::ShelvedValue* value = take(shelf.free);
    if (value == nullptr) {
      const std::lock_guard lock(mutex_);
      value = take(shelf.returned);
    }
    return Lease(this, value != nullptr ? static_cast<Value*>(value) : make(shelf));
  }

  /// The calling worker's own value, which is never lent. The first call creates it; later calls return the same value until
  /// clear().
  ///
  /// Keep the reference only while the calling job runs and does not wait. In join, scope, a loop, get or yield_now() the
  /// worker may run another job, which may call here() and change the value. After the job has ended, another thread may run
  /// the worker's slot.
  ///
  /// Throws std::logic_error on a thread that is no worker of the pool, the exception of making a T, and std::bad_alloc. O(1)
  /// and no atomic operation, after the first call.
  [[nodiscard]] T& here() {
    Shelf& shelf = shelf_here();
    if (is_shared(shelf)) [[unlikely]] {
      throw std::logic_error(
          "blitz: WorkerLocal::here() was called by a thread that is no worker of its pool; call it in a job of the "
          "pool, or take a lease with local()");
    }
    if (shelf.own == nullptr) [[unlikely]] {
      Value* const made = make(shelf);
      // make() may have run another job, which called here().
      if (shelf.own == nullptr) {
        shelf.own = made;
      } else {
        put(shelf.free, made);
      }
    }
    return static_cast<Value*>(shelf.own)->value;
  }

  /// The first value.
  [[nodiscard]] iterator begin() noexcept { return iterator(first_); }
  /// One after the last value.
  [[nodiscard]] iterator end() noexcept { return iterator(); }
  /// The first value.
  [[nodiscard]] const_iterator begin() const noexcept { return const_iterator(first_); }
  /// One after the last value.
  [[nodiscard]] const_iterator end() const noexcept { return const_iterator(); }

  /// Calls `f(value)` for every value, in the order of the workers. O(n) calls for n values. Throws the exception of `f`.
  template <std::invocable<T&> F>
  void for_each(F&& f) {
    for (T& value : *this) std::invoke(f, value);
  }

  /// Folds all values with `combine_two(sum, value)`, from `initial`, in the order of the workers. O(n) calls for n values.
  /// Throws the exception of `combine_two`.
  /// @return The last sum.
  template <class U, std::invocable<U, T&> F>
    requires std::convertible_to<std::invoke_result_t<F&, U, T&>, U>
  [[nodiscard]] U combine(U initial, F&& combine_two) {
    for_each([&](T& value) { initial = std::invoke(combine_two, std::move(initial), value); });
    return initial;
  }

  /// The number of values.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Destroys all values.
  void clear() noexcept {
    for (std::size_t place = 0; place < shelves_.size() + guests_.size(); ++place) shelf_at(place) = {.place = place};
    while (first_ != nullptr) delete static_cast<Value*>(std::exchange(first_, first_->next));
    size_ = 0;
  }

 private:
  using Shelf = detail::Shelf;

  struct Value : detail::ShelvedValue {
    Value(const std::function<T()>& make, Shelf* shelf) : ShelvedValue{shelf}, value(make()) {}

    T value;
  };

  template <class Item>
  class Iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;

    Iterator() noexcept = default;
    explicit Iterator(detail::ShelvedValue* value) noexcept : value_(value) {}
    operator Iterator<const T>() const noexcept
      requires(!std::is_const_v<Item>)
    {
      return Iterator<const T>(value_);
    }

    [[nodiscard]] Item& operator*() const noexcept { return static_cast<Value*>(value_)->value; }
    [[nodiscard]] Item* operator->() const noexcept { return detail::address_of(**this); }
    Iterator& operator++() noexcept {
      value_ = value_->next;
      return *this;
    }
    Iterator operator++(int) noexcept { return Iterator(std::exchange(value_, value_->next)); }
    [[nodiscard]] bool operator==(const Iterator&) const noexcept = default;

   private:
    detail::ShelvedValue* value_ = nullptr;
  };

  template <class F>
  WorkerLocal(detail::PoolBase& pool, F make)
      : pool_(detail::share(pool)), make_(std::move(make)), shelves_(pool.num_threads() + 1) {
    for (std::size_t place = 0; place < shelves_.size(); ++place) shelves_[place].place = place;
  }

  /// The index of the calling thread's shelf. The shelves of guests come after all others.
  [[nodiscard]] std::size_t place_here() const noexcept {
    detail::WorkerBase* const worker = detail::worker_of(*pool_);
    if (worker == nullptr) return shelves_.size() - 1;
    const detail::WorkerBase* const home = worker->at_home();
    return home != nullptr ? home->index() : shelves_.size() + worker->team().number;
  }
  [[nodiscard]] Shelf& shelf_here() {
    const std::size_t place = place_here();
    if (place < shelves_.size()) return shelves_[place];
    const std::lock_guard lock(mutex_);
    while (shelves_.size() + guests_.size() <= place) guests_.push_back({.place = shelves_.size() + guests_.size()});
    return shelf_at(place);
  }
  [[nodiscard]] Shelf& shelf_at(std::size_t place) noexcept {
    return place < shelves_.size() ? shelves_[place] : guests_[place - shelves_.size()];
  }
  [[nodiscard]] bool is_shared(const Shelf& shelf) const noexcept { return shelf.place == shelves_.size() - 1; }

  [[nodiscard]] static detail::ShelvedValue* take(detail::ShelvedValue*& list) noexcept {
    return list != nullptr ? std::exchange(list, list->next_free) : nullptr;
  }
  static void put(detail::ShelvedValue*& list, detail::ShelvedValue* value) noexcept {
    value->next_free = std::exchange(list, value);
  }

  [[nodiscard]] Value* make(Shelf& shelf) {
    Value* const made = new Value(make_, &shelf);
    const std::lock_guard lock(mutex_);
    detail::ShelvedValue** place = &first_;
    while (*place != nullptr && (*place)->home->place <= shelf.place) place = &(*place)->next;
    made->next = std::exchange(*place, made);
    ++size_;
    return made;
  }

  void give_back(Value* value) noexcept {
    Shelf& shelf = *value->home;
    if (shelf.place == place_here() && !is_shared(shelf)) {
      put(shelf.free, value);
    } else {
      const std::lock_guard lock(mutex_);
      put(shelf.returned, value);
    }
  }

  detail::Shared<detail::PoolBase> pool_;  // keeps the pool's memory, so that no other pool gets its address
  std::function<T()> make_;
  std::vector<Shelf> shelves_;
  std::deque<Shelf> guests_;  // of guests, by the numbers of their teams
  detail::Mutex mutex_;       // guards `returned` of each shelf, and the list of all values while one is added
  detail::ShelvedValue* first_ = nullptr;
  std::size_t size_ = 0;
};

/// @cond
template <class T>
class worker_local {
  static_assert(!std::same_as<T, T>, "blitz: it is called blitz::WorkerLocal");
};
/// @endcond

}  // namespace blitz
