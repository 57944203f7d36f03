/// worker_local: a value of its own for each worker.
#pragma once

#include "blitz/base/compiler.hpp"

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "blitz/base/atomic.hpp"
#include "blitz/base/cache_line.hpp"
#include "blitz/core/pool_base.hpp"
#include "blitz/core/worker.hpp"
#include "blitz/current_pool.hpp"
#include "blitz/thread_pool.hpp"

namespace blitz {

/// What makes the values: callable without arguments, and what it returns is a T, which need not be movable, or becomes one.
template <class F, class T>
concept WorkerLocalMaker =
    std::copy_constructible<F> && std::invocable<F&> &&
    (std::same_as<std::invoke_result_t<F&>, T> || std::convertible_to<std::invoke_result_t<F&>, T>);

/// Scratch for the jobs of a pool: a buffer, a generator, a partial sum. Each worker has its own, made when it first asks.
///
/// A value is *lent*, for as long as the handle that local() returns lives. A job that waits while it holds one may find
/// itself under another job of the same worker, which asks too: that one is lent another value. So there may be more
/// values than workers, though seldom; combine() and for_each() see all of them.
///
/// It may outlive its pool, whose memory it keeps, though not its threads.
///
/// Thread-safety: local() by any thread, at once; the others when no value is lent. What one holder of a value did
/// happens before what the next does.
template <class T>
class worker_local {
  struct Value;

 public:
  /// The right to use a value. Give it back where it was lent: on the same thread.
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
  /// making a T throws, and std::bad_alloc. O(1); no atomic operation for a worker.
  [[nodiscard]] Lease local() {
    Shelf& shelf = shelf_here();
    const auto take = [&]() -> Value* {
      if (shelf.free == nullptr) return nullptr;
      return std::exchange(shelf.free, shelf.free->next_free);
    };
    Value* value = nullptr;
    if (is_shared(shelf)) {
      const std::lock_guard lock(mutex_);
      value = take();
    } else {
      value = take();
    }
    if (value != nullptr) return Lease(this, value);
    auto made = std::make_unique<Value>(make_, shelf);
    value = made.get();
    if (is_shared(shelf)) {
      const std::lock_guard lock(mutex_);
      shelf.all.push_back(std::move(made));
    } else {
      shelf.all.push_back(std::move(made));
    }
    return Lease(this, value);
  }

  /// Calls `f(value)` for every value that was made, by worker.
  template <std::invocable<T&> F>
  void for_each(F&& f) {
    for (Shelf& shelf : shelves_) {
      for (const auto& value : shelf.all) std::invoke(f, value->value);
    }
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
      shelf.free = nullptr;
      shelf.all.clear();
    }
  }

 private:
  /// The values of one worker; its runner alone touches it.
  struct alignas(detail::kCacheLine) Shelf {
    Value* free = nullptr;
    std::vector<std::unique_ptr<Value>> all;
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

  /// The last shelf is for all who are no workers of the pool.
  [[nodiscard]] Shelf& shelf_here() noexcept {
    const detail::WorkerBase* const worker = detail::current_worker;
    return worker != nullptr && worker->pool() == pool_.get() ? shelves_[worker->index()] : shelves_.back();
  }
  [[nodiscard]] bool is_shared(const Shelf& shelf) const noexcept { return &shelf == &shelves_.back(); }

  void give_back(Value* value) noexcept {
    Shelf& shelf = value->home;
    const auto put = [&] { value->next_free = std::exchange(shelf.free, value); };
    if (is_shared(shelf)) {
      const std::lock_guard lock(mutex_);
      put();
    } else {
      put();
    }
  }

  std::shared_ptr<const detail::PoolBase> pool_;  // its memory: no other pool comes to lie at its address
  std::function<T()> make_;
  std::vector<Shelf> shelves_;
  detail::Mutex mutex_;  // guards the last shelf
};

}  // namespace blitz
