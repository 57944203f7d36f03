#include "blitz/detail/sys/futex.hpp"

#include "blitz/detail/sys/windows.hpp"

#if defined(__linux__) && !defined(BLITZ_PORTABLE)

#include <cerrno>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace blitz::detail {
namespace {

static_assert(sizeof(Atomic<std::uint32_t>) == sizeof(std::uint32_t), "the kernel reads the bare word");

long futex(const Atomic<std::uint32_t>* word, int operation, std::uint32_t value) noexcept {
  return ::syscall(SYS_futex, word, operation, value, nullptr, nullptr, 0);
}

}  // namespace

void futex_wait(const Atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  const int saved = errno;
  const bool returned = futex(&word, FUTEX_WAIT_PRIVATE, expected) == 0;
  // The kernel, or a filter, may refuse to block: each call returns at once.
  if (!returned && errno != EAGAIN && errno != EINTR) yield_thread();
  errno = saved;
}

void futex_wake_one(const Atomic<std::uint32_t>* word) noexcept {
  const int saved = errno;
  futex(word, FUTEX_WAKE_PRIVATE, 1);
  errno = saved;
}

}  // namespace blitz::detail

#elif defined(BLITZ_WINDOWS)

namespace blitz::detail {

static_assert(sizeof(Atomic<std::uint32_t>) == sizeof(std::uint32_t), "the system reads the bare word");

void futex_wait(const Atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  // volatile is in the system's declaration; it does not write.
  auto* const address = const_cast<Atomic<std::uint32_t>*>(&word);
  if (!::WaitOnAddress(address, &expected, sizeof expected, INFINITE)) yield_thread();
}

void futex_wake_one(const Atomic<std::uint32_t>* word) noexcept {
  ::WakeByAddressSingle(const_cast<Atomic<std::uint32_t>*>(word));
}

}  // namespace blitz::detail

#else

#include <condition_variable>
#include <mutex>

namespace blitz::detail {
namespace {

/// The waiters of all words whose addresses hash to this bucket. A wake-up reaches all of them; those of other words
/// block again.
struct Bucket {
  std::mutex mutex;
  std::condition_variable changed;
};

/// Never destroyed: threads may wait here until the program's end, and a condition variable's destructor would wait for
/// them.
union Buckets {
  Buckets() : all() {}
  ~Buckets() {}
  Bucket all[64];
};

Bucket& bucket_of(const void* address) noexcept {
  static Buckets buckets;
  const auto bits = reinterpret_cast<std::uintptr_t>(address);
  return buckets.all[(bits >> 6 ^ bits >> 12) % 64];
}

}  // namespace

void futex_wait(const Atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  Bucket& bucket = bucket_of(&word);
  std::unique_lock lock(bucket.mutex);
  if (word.load(std::memory_order_relaxed) == expected) bucket.changed.wait(lock);
}

void futex_wake_one(const Atomic<std::uint32_t>* word) noexcept {
  Bucket& bucket = bucket_of(word);
  // Locked and unlocked: a waiter either has not tested its word yet, and will see the new value, or is waiting.
  { const std::lock_guard lock(bucket.mutex); }
  bucket.changed.notify_all();
}

}  // namespace blitz::detail

#endif
