/// @file
/// oneTBB's mutexes, allocators and clock, by those of the standard library.
#pragma once

#include "blitz/base/compiler.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <utility>

#include "blitz/base/cache_line.hpp"

namespace tbb {
namespace detail {

struct NoMutex {
  void lock() noexcept {}
  bool try_lock() noexcept { return true; }
  void unlock() noexcept {}
  void lock_shared() noexcept {}
  bool try_lock_shared() noexcept { return true; }
  void unlock_shared() noexcept {}
};

/// A mutex with oneTBB's names.
template <class M, bool kNull = false>
class ExclusiveMutex : public M {
 public:
  static constexpr bool is_rw_mutex = false;
  static constexpr bool is_recursive_mutex = kNull;
  static constexpr bool is_fair_mutex = kNull;

  class scoped_lock {
   public:
    scoped_lock() = default;
    explicit scoped_lock(ExclusiveMutex& mutex) : lock_(mutex) {}
    void acquire(ExclusiveMutex& mutex) { lock_ = std::unique_lock<M>(mutex); }
    bool try_acquire(ExclusiveMutex& mutex) {
      lock_ = std::unique_lock<M>(mutex, std::try_to_lock);
      return lock_.owns_lock();
    }
    void release() { lock_ = {}; }

   private:
    std::unique_lock<M> lock_;
  };
};

/// A mutex for readers and writers with oneTBB's names.
template <class M, bool kNull = false>
class SharedMutex : public M {
 public:
  static constexpr bool is_rw_mutex = true;
  static constexpr bool is_recursive_mutex = kNull;
  static constexpr bool is_fair_mutex = kNull;

  class scoped_lock {
   public:
    scoped_lock() = default;
    explicit scoped_lock(SharedMutex& mutex, bool write = true) { acquire(mutex, write); }
    scoped_lock(const scoped_lock&) = delete;
    scoped_lock& operator=(const scoped_lock&) = delete;
    ~scoped_lock() {
      if (mutex_ != nullptr) release();
    }

    void acquire(SharedMutex& mutex, bool write = true) {
      write ? mutex.lock() : mutex.lock_shared();
      mutex_ = &mutex;
      write_ = write;
    }
    bool try_acquire(SharedMutex& mutex, bool write = true) {
      if (!(write ? mutex.try_lock() : mutex.try_lock_shared())) return false;
      mutex_ = &mutex;
      write_ = write;
      return true;
    }
    void release() {
      SharedMutex& mutex = *std::exchange(mutex_, nullptr);
      write_ ? mutex.unlock() : mutex.unlock_shared();
    }
    /// Returns whether nobody can have written meanwhile; here, only if it was a writer already.
    bool upgrade_to_writer() { return change(true); }
    bool downgrade_to_reader() { return change(false); }
    [[nodiscard]] bool is_writer() const noexcept { return write_; }

   private:
    bool change(bool write) {
      if (write_ == write || kNull) {
        write_ = write;
        return true;
      }
      SharedMutex& mutex = *mutex_;
      release();
      acquire(mutex, write);
      return false;
    }

    SharedMutex* mutex_ = nullptr;
    bool write_ = false;
  };
};

}  // namespace detail

using mutex = detail::ExclusiveMutex<std::mutex>;
using spin_mutex = detail::ExclusiveMutex<std::mutex>;
using queuing_mutex = detail::ExclusiveMutex<std::mutex>;
using speculative_spin_mutex = detail::ExclusiveMutex<std::mutex>;
using null_mutex = detail::ExclusiveMutex<detail::NoMutex, true>;
using rw_mutex = detail::SharedMutex<std::shared_mutex>;
using spin_rw_mutex = detail::SharedMutex<std::shared_mutex>;
using queuing_rw_mutex = detail::SharedMutex<std::shared_mutex>;
using speculative_spin_rw_mutex = detail::SharedMutex<std::shared_mutex>;
using null_rw_mutex = detail::SharedMutex<detail::NoMutex, true>;

/// Memory that shares no cache line with other memory.
template <class T>
class cache_aligned_allocator {
 public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using is_always_equal = std::true_type;

  cache_aligned_allocator() = default;
  template <class U>
  cache_aligned_allocator(const cache_aligned_allocator<U>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(-1) / sizeof(T) - kAlignment) throw std::bad_array_new_length();
    const std::size_t bytes = (n * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    return static_cast<T*>(::operator new(bytes, std::align_val_t(kAlignment)));
  }
  void deallocate(T* p, std::size_t) noexcept { ::operator delete(p, std::align_val_t(kAlignment)); }
  template <class U>
  bool operator==(const cache_aligned_allocator<U>&) const noexcept {
    return true;
  }

 private:
  static constexpr std::size_t kAlignment = alignof(T) > blitz::detail::kCacheLine ? alignof(T)
                                                                                   : blitz::detail::kCacheLine;
};

template <class T>
class tbb_allocator : public std::allocator<T> {
 public:
  enum malloc_type : unsigned char { scalable, standard };
  [[nodiscard]] static malloc_type allocator_type() noexcept { return standard; }

  tbb_allocator() = default;
  template <class U>
  tbb_allocator(const tbb_allocator<U>&) noexcept {}
};
template <class T>
using scalable_allocator = tbb_allocator<T>;

/// A moment, by a clock that never goes back.
class tick_count {
 public:
  class interval_t {
   public:
    interval_t() = default;
    explicit interval_t(double seconds) : length_(seconds) {}
    [[nodiscard]] double seconds() const noexcept { return length_.count(); }
    interval_t& operator+=(const interval_t& other) noexcept { return length_ += other.length_, *this; }
    interval_t& operator-=(const interval_t& other) noexcept { return length_ -= other.length_, *this; }
    friend interval_t operator+(interval_t a, const interval_t& b) noexcept { return a += b; }
    friend interval_t operator-(interval_t a, const interval_t& b) noexcept { return a -= b; }

   private:
    std::chrono::duration<double> length_{0};
  };

  tick_count() = default;
  [[nodiscard]] static tick_count now() noexcept {
    tick_count moment;
    moment.at_ = std::chrono::steady_clock::now();
    return moment;
  }
  [[nodiscard]] static double resolution() noexcept {
    using Period = std::chrono::steady_clock::period;
    return static_cast<double>(Period::num) / static_cast<double>(Period::den);
  }
  friend interval_t operator-(const tick_count& a, const tick_count& b) noexcept {
    return interval_t(std::chrono::duration<double>(a.at_ - b.at_).count());
  }

 private:
  std::chrono::steady_clock::time_point at_{};
};

}  // namespace tbb
