/// @file
/// oneTBB's mutexes. The spinning mutexes are small; the others are implemented by std::mutex and std::shared_mutex.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "blitz/adaptor/tbb/tbb_version.hpp"
#include "blitz/detail/base/atomic.hpp"

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

/// Waits between two attempts: pauses, longer each time, then yields.
class Backoff {
 public:
  void wait() noexcept {
    if (rounds_ == kRounds) return blitz::detail::yield_thread();
    for (int i = 1 << rounds_++; i > 0; --i) blitz::detail::cpu_relax();
  }

 private:
  static constexpr int kRounds = 5;  // 1 to 16 pauses: about a microsecond
  int rounds_ = 0;
};

/// A mutex of one byte.
///
/// Pairs:
///   [spin]  unlock: locked_.store (release)  ->  try_lock: locked_.exchange (acquire)
class SpinMutex {
 public:
  SpinMutex() noexcept = default;
  SpinMutex(const SpinMutex&) = delete;
  SpinMutex& operator=(const SpinMutex&) = delete;
  ~SpinMutex() = default;

  void lock() noexcept {
    for (Backoff backoff; !try_lock();) backoff.wait();
  }
  [[nodiscard]] bool try_lock() noexcept {
    // Relaxed: the exchange decides.
    return !locked_.load(std::memory_order_relaxed) && !locked_.exchange(true, std::memory_order_acquire);  // [spin]
  }
  void unlock() noexcept { locked_.store(false, std::memory_order_release); }  // [spin]

 private:
  blitz::detail::Atomic<bool> locked_{false};  // written by the threads that try it, and by its holder
};

/// A mutex for readers and writers, of eight bytes. A waiting writer blocks new readers. `mutex_` guards the rest; it is held
/// only for a few instructions at a time.
class SpinSharedMutex {
 public:
  SpinSharedMutex() noexcept = default;
  SpinSharedMutex(const SpinSharedMutex&) = delete;
  SpinSharedMutex& operator=(const SpinSharedMutex&) = delete;
  ~SpinSharedMutex() = default;

  void lock() noexcept {
    if (try_lock()) return;
    add(waiting_writers_, 1);
    for (Backoff backoff; !try_lock();) backoff.wait();
    add(waiting_writers_, -1);
  }
  [[nodiscard]] bool try_lock() noexcept {
    const std::lock_guard lock(mutex_);
    if (written_ || readers_ != 0) return false;
    written_ = true;
    return true;
  }
  void unlock() noexcept {
    const std::lock_guard lock(mutex_);
    written_ = false;
  }
  void lock_shared() noexcept {
    for (Backoff backoff; !try_lock_shared();) backoff.wait();
  }
  [[nodiscard]] bool try_lock_shared() noexcept {
    const std::lock_guard lock(mutex_);
    if (written_ || waiting_writers_ != 0) return false;
    ++readers_;
    return true;
  }
  void unlock_shared() noexcept { add(readers_, -1); }

 private:
  template <class Count>
  void add(Count& count, int n) noexcept {
    const std::lock_guard lock(mutex_);
    count = static_cast<Count>(count + n);
  }

  SpinMutex mutex_;
  bool written_ = false;
  std::int16_t waiting_writers_ = 0;
  std::int32_t readers_ = 0;
};

/// A mutex with oneTBB's names. `Self` is the class that derives from it.
template <class Self, class M, bool kNull = false>
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

/// A mutex for readers and writers with oneTBB's names. `Self` is the class that derives from it.
template <class Self, class M, bool kNull = false>
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
    /// Returns whether no writer can have intervened: here, only if the lock already was a writer's.
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

class mutex : public detail::ExclusiveMutex<mutex, std::mutex> {};
class spin_mutex : public detail::ExclusiveMutex<spin_mutex, detail::SpinMutex> {};
class queuing_mutex : public detail::ExclusiveMutex<queuing_mutex, std::mutex> {};
class speculative_spin_mutex : public detail::ExclusiveMutex<speculative_spin_mutex, detail::SpinMutex> {};
class null_mutex : public detail::ExclusiveMutex<null_mutex, detail::NoMutex, true> {};
class rw_mutex : public detail::SharedMutex<rw_mutex, std::shared_mutex> {};
class spin_rw_mutex : public detail::SharedMutex<spin_rw_mutex, detail::SpinSharedMutex> {};
class queuing_rw_mutex : public detail::SharedMutex<queuing_rw_mutex, std::shared_mutex> {};
class speculative_spin_rw_mutex : public detail::SharedMutex<speculative_spin_rw_mutex, detail::SpinSharedMutex> {};
class null_rw_mutex : public detail::SharedMutex<null_rw_mutex, detail::NoMutex, true> {};

/// Names are for oneTBB's tools only.
namespace profiling {
template <class Mutex>
void set_name(Mutex& /*mutex*/, const char* /*name*/) {}
}  // namespace profiling

}  // namespace tbb
