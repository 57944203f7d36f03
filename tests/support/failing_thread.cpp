#include "support/failing_thread.hpp"

#include <atomic>
#include <cerrno>
#include <limits>

#if defined(_WIN32)
#include <process.h>
#include <windows.h>
#else
#include <dlfcn.h>
#include <pthread.h>
#endif

namespace blitz_test {
namespace {

constexpr int kNoLimit = std::numeric_limits<int>::max();
std::atomic<int> left{kNoLimit};

bool is_one_too_many() {
  return left.load(std::memory_order_relaxed) != kNoLimit && left.fetch_sub(1, std::memory_order_relaxed) <= 0;
}

}  // namespace

ThreadLimit::ThreadLimit(int successes) noexcept { left.store(successes, std::memory_order_relaxed); }
ThreadLimit::~ThreadLimit() { left.store(kNoLimit, std::memory_order_relaxed); }

}  // namespace blitz_test

#if defined(_WIN32)

using Create = decltype(_beginthreadex);

namespace {

std::uintptr_t begin_thread(void* security, unsigned stack, unsigned(__stdcall* entry)(void*), void* argument,
                            unsigned flags, unsigned* id) {
  if (blitz_test::is_one_too_many()) {
    errno = EAGAIN;
    return 0;
  }
  static const auto next = reinterpret_cast<Create*>(
      reinterpret_cast<void*>(::GetProcAddress(::GetModuleHandleW(L"msvcrt.dll"), "_beginthreadex")));
  return next(security, stack, entry, argument, flags, id);
}

}  // namespace

/// Replaces the pointer that the linker would take from the import library: the address of the C library's function.
extern "C" Create* const __imp__beginthreadex = begin_thread;

#else

using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) noexcept;

/// The sanitizer's function. If its runtime is linked into the program itself, RTLD_NEXT does not find it.
extern "C" [[gnu::weak]] Create __interceptor_pthread_create;

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*entry)(void*),
                              void* argument) noexcept {
  if (blitz_test::is_one_too_many()) return EAGAIN;
  static Create* const next = __interceptor_pthread_create != nullptr
                                  ? &__interceptor_pthread_create
                                  : reinterpret_cast<Create*>(dlsym(RTLD_NEXT, "pthread_create"));
  return next(thread, attributes, entry, argument);
}

#endif
