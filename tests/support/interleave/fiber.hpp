/// A thread of control with a stack of its own, that runs until it hands over to another: what the threads of an
/// interleaving test are made of, so that nothing but the scheduler decides which thread runs.
///
/// Not for sanitizers that follow stacks (thread, address).
#pragma once

#include <cstddef>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace interleave {

class Fiber {
 public:
  Fiber() = default;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  /// Makes the next switch to this fiber call `entry`, which must not return, on a stack that is kept for the fiber's
  /// next use. Whatever ran on the stack before is forgotten, nothing on it destroyed.
  void start(void (*entry)());

  /// Goes on with this fiber, and leaves `from` where it is.
  void switch_from(Fiber& from) noexcept;

 private:
  std::byte* stack_ = nullptr;  // with a page in front that may not be touched; none for the program's own stack
#if defined(__x86_64__)
  void* stack_pointer_ = nullptr;
#else
  ucontext_t context_{};
#endif
};

}  // namespace interleave
