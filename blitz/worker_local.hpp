/// worker_local: a value of its own for each worker.
#pragma once

#include "blitz/base/compiler.hpp"

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "blitz/base/atomic.hpp"
#include "blitz/base/cache_line.hpp"
#include "blitz/core/pool_base.hpp"
#include "blitz/core/worker.hpp"
#include "blitz/current_pool.hpp"
#include "blitz/spawn.hpp"
#include "blitz/thread_pool.hpp"

namespace blitz {

/// What makes the values: callable without arguments, and what it returns is a T, which need not be movable, or becomes one.
template <class F, class T>
concept WorkerLocalMaker =
    std::copy_constructible<F> && std::invocable<F&> &&
    (std::same_as<std::invoke_result_t<F&>, T> || std::convertible_to<std::invoke_result_t<F&>, T>);

/// Scratch for the jobs of a pool: a buffer, a generator, a partial sum. Each worker has its own, made when it first
/// asks.
///
/// There are two ways to a value. local() *lends* one, for as long as the Lease that it returns lives. While a job
/// waits, its worker runs other jobs; one that asks for a value meanwhile is lent another. So a lent value has one user
/// at a time, and there may be more values than workers, though seldom. here() is for jobs that do not wait while they
/// use the value: it returns a plain reference to the one value of the calling worker that is never lent. Iteration,
/// combine() and for_each() see all values.
///
/// @code
///   blitz::worker_local<std::vector<int>> found;
///   blitz::parallel_for(0, n, [&](int i) {
///     if (is_good(i)) found.here().push_back(i);
///   });
///   for (std::vector<int>& part : found) all.insert(all.end(), part.begin(), part.end());
/// @endcode
///
/// From oneTBB: here() is enumerable_thread_specific::local(), the same reference for all jobs of a worker, and
/// range-for, begin() and end() are the same; combinable::local() is here(), and combine() takes the initial sum as
/// well. What differs: here() is for workers of the pool only, where oneTBB has a value for every thread; and local()
/// is the lease, which oneTBB has not.
///
/// It may outlive its pool, whose memory it keeps, though not its threads.
///
/// Thread-safety: local() and here() by any thread, at once, and leases may end on any thread; the others when no value
/// is lent and no job uses a reference that here() returned. What one holder of a lease did happens before what the
/// next does.
template <class T>
class worker_local {
  struct Shelf;
  struct Value;
  template <class Item>
  class Iterator;

 public:
  /// Forward iterators over all values, by worker. Making a value, and clear(), invalidate them.
  using iterator = Iterator<T>;
  using const_iterator = Iterator<const T>;

  /// The right to use a value, given back at its end. That is cheapest on the worker that was lent it.
  class Lease {
   public:
    Lease(Lease&& other) noexcept : home_(other.home_), value_(std::exchange(other.value_, nullptr)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (value_ != nullptr) home_->give_back(value_);
    }
    [[nodiscard]] T& operator*() const noexcept { return value_->value; }
    [[nodiscard]] T* operator->() const noexcept { return &value_->value; }

   private:
    friend class worker_local;
    Lease(worker_local* home, Value* value) noexcept : home_(home), value_(value) {}

    worker_local* home_;
    Value* value_;
  };

  /// Values made by T(), for the pool that the caller works for, or else the global one. Throws std::bad_alloc, and what
  /// global_pool() throws.
  worker_local()
    requires std::default_initializable<T>
      : worker_local([] { return T(); }) {}

  /// Values made by `make()`, which may be called by several threads at once.
  template <WorkerLocalMaker<T> F>
  explicit worker_local(F make) : worker_local(detail::current_pool(), std::move(make)) {}

  /// For another pool.
  template <Policy P, WorkerLocalMaker<T> F>
  worker_local(BasicThreadPool<P>& pool, F make)
      : worker_local(static_cast<detail::PoolBase&>(detail::registry_of(pool)), std::move(make)) {}
  template <Policy P>
    requires std::default_initializable<T>
  explicit worker_local(BasicThreadPool<P>& pool) : worker_local(pool, [] { return T(); }) {}

  worker_local(const worker_local&) = delete;
  worker_local& operator=(const worker_local&) = delete;

  /// Lends a value of the calling worker; a thread that is no worker of the pool shares others with its like. Throws what
  /// making a T throws, and std::bad_alloc. O(1); no atomic operation for a worker that has a value to lend.
  [[nodiscard]] Lease local() {
    Shelf& shelf = shelf_here();
    Value* value = nullptr;
    if (is_shared(shelf)) {
      const std::lock_guard lock(mutex_);
      value = take(shelf.returned);
    } else {
      if (shelf.free == nullptr) {
        const std::lock_guard lock(mutex_);
        shelf.free = std::exchange(shelf.returned, nullptr);
      }
      value = take(shelf.free);
    }
    return Lease(this, value != nullptr ? value : make(shelf));
  }

  /// The calling worker's own value, the same at each call until clear(). It is made at the first, and never lent.
  ///
  /// The reference is for the calling job, and for as long as it does not wait. In join, scope, a loop, get or
  /// yield_now its worker may run another job, which may call here() and change the value; afterwards the reference is
  /// good again, with what that job left. Where a value must not change hands so, take a lease. Once the job has ended
  /// another thread may work in its worker's place, so keep no reference beyond that.
  ///
  /// Throws std::logic_error on a thread that is no worker of the pool, what making a T throws, and std::bad_alloc.
  /// O(1); no atomic operation.
  [[nodiscard]] T& here() {
    Shelf& shelf = shelf_here();
    if (is_shared(shelf)) [[unlikely]] {
      throw std::logic_error(
          "blitz: worker_local::here() was called by a thread that is no worker of its pool; call it in a job of the "
          "pool, or take a lease with local()");
    }
    if (shelf.own == nullptr) [[unlikely]] {
      Value* const made = make(shelf);
      // Another job may have run, and asked, while this one was made.
      if (shelf.own == nullptr) {
        shelf.own = made;
      } else {
        put(shelf.free, made);
      }
    }
    return shelf.own->value;
  }

  [[nodiscard]] iterator begin() noexcept { return {shelves_.data(), shelves_end()}; }
  [[nodiscard]] iterator end() noexcept { return {shelves_end(), shelves_end()}; }
  [[nodiscard]] const_iterator begin() const noexcept { return {shelves_.data(), shelves_end()}; }
  [[nodiscard]] const_iterator end() const noexcept { return {shelves_end(), shelves_end()}; }

  /// Calls `f(value)` for every value that was made, by worker.
  template <std::invocable<T&> F>
  void for_each(F&& f) {
    for (T& value : *this) std::invoke(f, value);
  }

  /// The fold of all values with `combine(sum, value)`, from `initial`, by worker.
  template <class U, std::invocable<U, T&> F>
    requires std::convertible_to<std::invoke_result_t<F&, U, T&>, U>
  [[nodiscard]] U combine(U initial, F&& combine_two) {
    for_each([&](T& value) { initial = std::invoke(combine_two, std::move(initial), value); });
    return initial;
  }

  /// How many values were made.
  [[nodiscard]] std::size_t size() const noexcept {
    std::size_t sum = 0;
    for (const Shelf& shelf : shelves_) sum += shelf.all.size();
    return sum;
  }

  /// Destroys all values.
  void clear() noexcept {
    for (Shelf& shelf : shelves_) {
      shelf.own = shelf.free = shelf.returned = nullptr;
      shelf.all.clear();
    }
  }

 private:
  /// The values of one worker. Its runner alone touches them, but for those that others have given back; the last
  /// shelf, for all threads that are no workers of the pool, is guarded by the mutex, and has no list but that one.
  struct alignas(detail::kCacheLine) Shelf {
    Value* own = nullptr;
    Value* free = nullptr;
    std::vector<std::unique_ptr<Value>> all;
    Value* returned = nullptr;  // guarded by mutex_
  };
  struct Value {
    Value(const std::function<T()>& make, Shelf& shelf) : value(make()), home(shelf) {}

    T value;
    Shelf& home;
    Value* next_free = nullptr;
  };

  template <class F>
  worker_local(detail::PoolBase& pool, F make)
      : pool_(pool.keep_alive(), &pool), make_(std::move(make)), shelves_(pool.num_threads() + 1) {}

  [[nodiscard]] Shelf& shelf_here() noexcept {
    const detail::WorkerBase* const worker = detail::worker_of(*pool_);
    return worker != nullptr ? shelves_[worker->index()] : shelves_.back();
  }
  [[nodiscard]] bool is_shared(const Shelf& shelf) const noexcept { return &shelf == &shelves_.back(); }
  [[nodiscard]] const Shelf* shelves_end() const noexcept { return shelves_.data() + shelves_.size(); }

  [[nodiscard]] static Value* take(Value*& list) noexcept {
    return list != nullptr ? std::exchange(list, list->next_free) : nullptr;
  }
  static void put(Value*& list, Value* value) noexcept { value->next_free = std::exchange(list, value); }

  [[nodiscard]] Value* make(Shelf& shelf) {
    auto made = std::make_unique<Value>(make_, shelf);
    std::unique_lock lock(mutex_, std::defer_lock);
    if (is_shared(shelf)) lock.lock();
    return shelf.all.emplace_back(std::move(made)).get();
  }

  void give_back(Value* value) noexcept {
    Shelf& shelf = value->home;
    if (&shelf == &shelf_here() && !is_shared(shelf)) {
      put(shelf.free, value);
    } else {
      const std::lock_guard lock(mutex_);
      put(shelf.returned, value);
    }
  }

  std::shared_ptr<const detail::PoolBase> pool_;  // its memory: no other pool comes to lie at its address
  std::function<T()> make_;
  std::vector<Shelf> shelves_;
  detail::Mutex mutex_;  // guards the last shelf, and what was given back to the others from elsewhere
};

/// Over the shelves from one up to the last, and what was made for each.
template <class T>
template <class Item>
class worker_local<T>::Iterator {
 public:
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using reference = Item&;
  using pointer = Item*;
  using iterator_category = std::forward_iterator_tag;

  Iterator() noexcept = default;
  /// An iterator is one to const values, too.
  operator Iterator<const T>() const noexcept
    requires(!std::is_const_v<Item>)
  {
    Iterator<const T> same;
    same.shelf_ = shelf_, same.end_ = end_, same.index_ = index_;
    return same;
  }

  [[nodiscard]] reference operator*() const noexcept { return shelf_->all[index_]->value; }
  [[nodiscard]] pointer operator->() const noexcept { return std::addressof(**this); }
  Iterator& operator++() noexcept {
    ++index_;
    skip_ends();
    return *this;
  }
  Iterator operator++(int) noexcept {
    const Iterator before = *this;
    ++*this;
    return before;
  }
  [[nodiscard]] friend bool operator==(const Iterator& a, const Iterator& b) noexcept {
    return a.shelf_ == b.shelf_ && a.index_ == b.index_;
  }

 private:
  friend class worker_local;
  template <class>
  friend class Iterator;

  Iterator(const Shelf* first, const Shelf* end) noexcept : shelf_(first), end_(end) { skip_ends(); }

  /// Past the last value of a shelf comes the first of the next that has one.
  void skip_ends() noexcept {
    for (; shelf_ != end_ && index_ == shelf_->all.size(); ++shelf_) index_ = 0;
  }

  const Shelf* shelf_ = nullptr;
  const Shelf* end_ = nullptr;
  std::size_t index_ = 0;
};

}  // namespace blitz
