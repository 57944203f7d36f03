#include "support/failing_thread.hpp"

#include <atomic>
#include <cerrno>
#include <limits>

#include <dlfcn.h>
#include <pthread.h>

namespace blitz_test {
namespace {

constexpr int kNoLimit = std::numeric_limits<int>::max();
constinit std::atomic<int> left{kNoLimit};

}  // namespace

ThreadLimit::ThreadLimit(int successes) noexcept { left.store(successes, std::memory_order_relaxed); }
ThreadLimit::~ThreadLimit() { left.store(kNoLimit, std::memory_order_relaxed); }

}  // namespace blitz_test

using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) noexcept;

/// A sanitizer's, where its runtime is linked into the program itself, and so does not come next.
extern "C" [[gnu::weak]] Create __interceptor_pthread_create;

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*entry)(void*),
                              void* argument) noexcept {
  using blitz_test::left;
  if (left.load(std::memory_order_relaxed) != blitz_test::kNoLimit &&
      left.fetch_sub(1, std::memory_order_relaxed) <= 0) {
    return EAGAIN;
  }
  static Create* const next = __interceptor_pthread_create != nullptr
                                  ? &__interceptor_pthread_create
                                  : reinterpret_cast<Create*>(dlsym(RTLD_NEXT, "pthread_create"));
  return next(thread, attributes, entry, argument);
}
