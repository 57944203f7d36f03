// Systems other than Linux and Windows. Systems without the POSIX interface use the threads of the standard library.
#include "blitz/detail/sys/system.hpp"

#if !defined(BLITZ_LINUX) && !defined(BLITZ_WINDOWS)

#include <cerrno>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "blitz/detail/sys/cpu_count.hpp"
#include "blitz/detail/sys/fork.hpp"
#include "blitz/detail/sys/futex.hpp"
#include "blitz/detail/sys/thread.hpp"
#include "blitz/detail/sys/thread_start.hpp"

namespace blitz::detail {

// --- futex.hpp ---

namespace {

/// The waiters of all words with addresses that hash to this bucket. A wake-up reaches all of them; waiters of other words
/// block again.
struct Bucket {
  std::mutex mutex;
  std::condition_variable changed;
};

/// Never destroyed: threads may wait here until the program's end, and a condition variable's destructor would wait for them.
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
  // Locked and unlocked: each waiter either has not tested its word yet, and will see the new value, or is waiting.
  { const std::lock_guard lock(bucket.mutex); }
  bucket.changed.notify_all();
}

// --- system.hpp ---

void ask_for_huge_pages(void* /*memory*/, std::size_t /*size*/) noexcept {}
void let_go(void* /*memory*/, std::size_t /*size*/) noexcept {}

bool have_process_fence() noexcept { return false; }
void process_fence() noexcept {}

// --- cpu_count.hpp ---

Processors allowed_processors() { return {}; }

std::optional<double> cpu_limit() noexcept { return cgroup_cpu_limit("/"); }

#if !defined(BLITZ_POSIX)

// --- thread.hpp ---

ThreadHandle start_thread(ThreadEntry entry, void* argument, const ThreadOptions& options) {
  if (options.stack_size != 0) refuse_thread(ENOTSUP, "stack_size cannot be chosen on this system");
  if (options.processor) refuse_thread(ENOTSUP, "affinity cannot be chosen on this system");
  try {
    return reinterpret_cast<ThreadHandle>(std::make_unique<std::thread>(entry, argument).release());
  } catch (const std::system_error& error) {
    throw std::system_error(error.code(), "blitz: cannot start a thread: there are too many threads: ask for fewer");
  }
}

void join_thread(ThreadHandle handle) noexcept {
  const std::unique_ptr<std::thread> thread(reinterpret_cast<std::thread*>(handle));
  thread->join();
}

void forget_thread(ThreadHandle handle) noexcept {
  const std::unique_ptr<std::thread> thread(reinterpret_cast<std::thread*>(handle));
  thread->detach();
}

std::size_t default_stack_size() noexcept { return 0; }

// --- fork.hpp ---

bool at_fork(const ForkHandlers& /*handlers*/) noexcept { return false; }

#endif

}  // namespace blitz::detail

#endif
