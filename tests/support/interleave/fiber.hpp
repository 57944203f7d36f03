/// A thread of control with its own stack, which runs until it switches to another. The threads of an interleaving test are
/// fibers, so that only the scheduler decides which thread runs.
///
/// Not for sanitizers that track stacks (thread, address).
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

  /// Makes the next switch to this fiber call `entry`, which must not return. The stack is reused at the fiber's next start. A
  /// previous call on the stack is abandoned without destructors.
  void start(void (*entry)());

  /// Continues this fiber, and suspends `from` at its current point.
  void switch_from(Fiber& from) noexcept;

 private:
  std::byte* stack_ = nullptr;  // with a guard page below it; null for the program's own stack
#if defined(__x86_64__)
  void* stack_pointer_ = nullptr;
#else
  ucontext_t context_{};
#endif
};

}  // namespace interleave
