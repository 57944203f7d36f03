/// The library's system interface on the simulated machine: the functions of detail/sys and detail/fence that make system
/// calls, the clock, and the allocator.

#include <cstdlib>
#include <ctime>
#include <new>

#include <sys/syscall.h>
#include <unistd.h>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/fence/asymmetric_fence.hpp"
#include "blitz/detail/fence/coalesced_fence.hpp"
#include "blitz/detail/sys/futex.hpp"
#include "blitz/detail/sys/placement.hpp"
#include "blitz/detail/sys/thread.hpp"

namespace blitz::detail {
namespace {

using simulation::Machine;

constinit CoalescedFence membarriers;

}  // namespace

// --- asymmetric_fence.hpp ---

constinit bool membarrier_registered = true;

bool register_asymmetric_fences() noexcept { return true; }

void membarrier_all() noexcept {
  Machine* const machine = Machine::current();
  if (machine == nullptr) return;
  machine->begin_heavy_fence();
  membarriers.execute([machine] { machine->membarrier(); });
  machine->end_heavy_fence();
}

// --- futex.hpp ---

void futex_wait(const Atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  Machine::current()->futex_wait(&word, [&] { return word.value() == expected; });
}

void futex_wake_one(const Atomic<std::uint32_t>* word) noexcept { Machine::current()->futex_wake(word); }

// --- atomic.hpp ---

void Mutex::lock() noexcept {
  std::uint32_t seen = kFree;
  if (state_.compare_exchange_strong(seen, kTaken, std::memory_order_acquire)) return;
  while (state_.exchange(kAwaited, std::memory_order_acquire) != kFree) futex_wait(state_, kAwaited);
}

bool Mutex::try_lock() noexcept {
  std::uint32_t seen = kFree;
  return state_.compare_exchange_strong(seen, kTaken, std::memory_order_acquire);
}

void Mutex::unlock() noexcept {
  if (state_.exchange(kFree, std::memory_order_release) == kAwaited) futex_wake_one(&state_);
}

// --- placement.hpp: each thread has its own processor anyway, so only the costs of the calls are simulated ---

void Placement::adopt() noexcept { thread_.store(1, std::memory_order_relaxed); }

void Placement::keep_off_this_processor() noexcept {
  Machine& machine = *Machine::current();
  machine.work(2 * machine.costs().affinity);
  narrowed_ = true;
  without_ = 0;
  mask_[0] = 0;
}

void Placement::undo() noexcept {
  Machine& machine = *Machine::current();
  machine.work(2 * machine.costs().affinity);
  narrowed_ = false;
}

// --- thread.hpp ---

ThreadHandle start_thread(ThreadEntry entry, void* argument, const ThreadOptions& /*options*/) {
  return Machine::current()->start_thread(entry, argument);
}

void join_thread(ThreadHandle processor) noexcept { Machine::current()->join_thread(static_cast<unsigned>(processor)); }

void forget_thread(ThreadHandle /*processor*/) noexcept {}

}  // namespace blitz::detail

/// The clock of a simulated thread is the clock of its processor.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  simulation::Machine* const machine = simulation::Machine::current();
  if (machine == nullptr) return static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  machine->work(machine->costs().read_clock);
  constexpr simulation::Time kSecond = 1000 * simulation::kMillisecond;
  time->tv_sec = static_cast<std::time_t>(1 + machine->now() / kSecond);
  time->tv_nsec = static_cast<long>(machine->now() % kSecond / simulation::kNanosecond);
  return 0;
}

// --- the allocator: no two objects share a line, so that nothing depends on other allocations ---

namespace {

void* allocate(std::size_t size, std::size_t alignment) {
  if (alignment < simulation::kLineSize) alignment = simulation::kLineSize;
  size = (size + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, size);
  if (memory == nullptr) throw std::bad_alloc();
  if (simulation::Machine* const machine = simulation::Machine::current()) machine->allocated(memory, size);
  return memory;
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  if (simulation::Machine* const machine = simulation::Machine::current()) machine->allocated(memory, 0);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size, simulation::kLineSize); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
