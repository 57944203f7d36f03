#include "tests/support/interleave/fiber.hpp"

#include <cstdint>
#include <new>

#include <sys/mman.h>

namespace interleave {
namespace {

constexpr std::size_t kGuard = 64 * 1024;  // no machine has larger pages
constexpr std::size_t kStack = 256 * 1024;

}  // namespace

Fiber::~Fiber() {
  if (stack_ != nullptr) ::munmap(stack_, kGuard + kStack);
}

#if defined(__x86_64__)

// Saves the registers that a call must preserve on the old stack, and restores them from the new one.
extern "C" void interleave_switch_stack(void** save, void* load) noexcept;

asm(R"(
  .text
  .globl interleave_switch_stack
  .hidden interleave_switch_stack
  .type interleave_switch_stack, @function
interleave_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size interleave_switch_stack, . - interleave_switch_stack
)");

namespace {

void prepare(void*& stack_pointer, std::byte* top, void (*entry)()) {
  // From the top: a null return address, which ends stack traces and makes the stack aligned as after a call; the address of
  // `entry`; and six registers.
  auto* const words = reinterpret_cast<std::uintptr_t*>(top);
  words[-1] = 0;
  words[-2] = reinterpret_cast<std::uintptr_t>(entry);
  for (int i = 3; i <= 8; ++i) words[-i] = 0;
  stack_pointer = words - 8;
}

}  // namespace

void Fiber::switch_from(Fiber& from) noexcept { interleave_switch_stack(&from.stack_pointer_, stack_pointer_); }

#else

void Fiber::switch_from(Fiber& from) noexcept { ::swapcontext(&from.context_, &context_); }

#endif

void Fiber::start(void (*entry)()) {
  if (stack_ == nullptr) {
    void* const memory =
        ::mmap(nullptr, kGuard + kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    stack_ = static_cast<std::byte*>(memory);
    ::mprotect(stack_, kGuard, PROT_NONE);
  }
#if defined(__x86_64__)
  prepare(stack_pointer_, stack_ + kGuard + kStack, entry);
#else
  ::getcontext(&context_);
  context_.uc_stack.ss_sp = stack_ + kGuard;
  context_.uc_stack.ss_size = kStack;
  context_.uc_link = nullptr;
  ::makecontext(&context_, entry, 0);
#endif
}

}  // namespace interleave
