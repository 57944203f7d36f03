/// A machine with many processors, simulated by one thread. Each simulated thread has its own processor with its own clock, and
/// the thread with the earliest clock runs next. So all interactions of threads happen in the order of the clocks, and a run is
/// reproducible.
///
/// The program's own instructions take no time, except the time that it passes to work(). Each operation on shared memory and
/// each system call takes the time that Costs states.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/simulation/cache_lines.hpp"
#include "bench/simulation/costs.hpp"
#include "tests/support/interleave/fiber.hpp"

namespace simulation {

using Where = std::source_location;

/// Statistics since the start of the machine. The difference of two gives the statistics between them.
struct Counts {
  Time time = 0;
  std::map<std::string, LineCounts> lines;            // by name
  std::map<std::string, std::uint64_t> heavy_fences;  // by the function that asked for them
  Time heavy_fence_time = 0;                          // spent in them, by all processors together
  std::uint64_t membarriers = 0;                      // the system calls of these fences
  std::uint64_t interrupts = 0;                       // by these system calls
  std::uint64_t wakes = 0;                            // futex wakes that found a sleeper
  std::uint64_t waits = 0;                            // futex waits that blocked
  std::vector<Time> busy;                             // time not asleep, by processor

  [[nodiscard]] Counts operator-(const Counts& before) const;
  [[nodiscard]] std::uint64_t heavy_fences_in_all() const;
  [[nodiscard]] LineCounts line(const std::string& name) const;
  [[nodiscard]] Time busy_in_all() const;
};

class Machine {
 public:
  /// `seed` determines the differences between the latencies of wake-ups.
  explicit Machine(const Costs& costs, std::uint64_t seed = 1);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Runs `body` as the first thread, on processor 0. Throws std::runtime_error if all threads are blocked, if a thread is left
  /// when the body returns, or after an hour of simulated time. The machine cannot be used after an error.
  void run(const std::function<void()>& body);

  /// Each thread gets its own value of this pointer. Must be called before run().
  void make_thread_local(void** pointer);

  // --- called by the threads ---

  /// The machine that runs this simulated thread; null outside of simulated threads.
  [[nodiscard]] static Machine* current() noexcept { return running_; }
  /// The processor of the running thread.
  [[nodiscard]] unsigned processor() const noexcept { return current_; }
  [[nodiscard]] Time now() const noexcept { return here().clock; }

  /// The running thread works without touching anything shared.
  void work(Time time) noexcept { here().clock += time; }
  /// The same for the program's own work, which takes longer on a slow processor.
  void work_of_program(Time time) noexcept { work(costs_.is_slow(current_) ? 2 * time : time); }
  void sleep(Time time);
  /// Returns when the running thread's clock is the earliest.
  void take_turn();

  // Each of these waits for its turn. Its effect is visible on return, before any other thread runs.
  void load(const void* address, const Where& where);
  /// Returns whether the value waits in the store buffer until its line arrives.
  [[nodiscard]] bool store(void* address, const void* value, std::size_t size, const Where& where);
  void modify(const void* address, const Where& where);
  /// Must follow load(). Replaces `value` if the running thread has a newer one in its store buffer.
  void forward(const void* address, void* value, std::size_t size) const noexcept {
    if (here().buffered > 0) forward_buffered(address, value, size);
  }
  /// The object at this address is destroyed.
  void forget(const void* address) noexcept {
    if (!buffer_.empty()) drop_buffered(address);
  }
  void fence();
  /// A full fence on each processor that runs a thread: membarrier(2).
  void membarrier();
  /// For the counts: the running thread begins a heavy fence, and ends it.
  void begin_heavy_fence();
  void end_heavy_fence() noexcept;

  /// `expected()` returns whether the word has the value that the waiter expects.
  template <class Expected>
  void futex_wait(const void* word, Expected&& expected) {
    here().clock += costs_.futex_empty;
    finish_stores();
    if (!expected()) return;
    block(word, -1);
  }
  void futex_wake(const void* word);

  /// Starts a thread that runs `entry(argument)`. Returns its processor.
  unsigned start_thread(void (*entry)(void*), void* argument);
  void join_thread(unsigned processor);

  /// The length of the chain of wake-ups that ended with this thread's latest wake-up.
  [[nodiscard]] unsigned wake_depth(unsigned processor) const noexcept { return processors_[processor]->depth; }
  /// From here on, wake-ups by the running thread are the first of their chains.
  void begin_wake_chain() noexcept { here().depth = 0; }

  [[nodiscard]] Counts counts() const;
  [[nodiscard]] CacheLines& lines() noexcept { return lines_; }
  [[nodiscard]] const Costs& costs() const noexcept { return costs_; }

  /// Ends the run with an error. Called from within a thread.
  [[noreturn]] void fail(std::string message);

  /// The running thread has allocated this memory, or, with a size of 0, has freed some. Ignored if the memory is the machine's
  /// own.
  void allocated(const void* memory, std::size_t size);

 private:
  enum class Status : unsigned char { kReady, kBlocked, kTimed, kEnded };

  static constexpr std::size_t kStoreBuffer = 56;
  static constexpr std::size_t kThreadLocals = 4;

  /// The C++ runtime's state for each thread: its current exceptions (__cxa_eh_globals of the Itanium ABI).
  struct Exceptions {
    void* caught;
    unsigned uncaught;
  };

  struct Processor {
    interleave::Fiber fiber;
    Status status = Status::kReady;
    Time clock = 0;   // of a thread in a timed sleep: the end of the sleep
    Time stored = 0;  // when the last of its stores leaves the store buffer
    std::array<Time, kStoreBuffer> stores{};
    std::size_t store_count = 0;
    std::size_t buffered = 0;  // the number of these with values that are not in memory yet
    std::size_t place = 0;     // its position in the queue
    const void* word = nullptr;
    unsigned depth = 0;
    Time busy = 0, busy_since = 0;
    Time fence_since = -1;      // the begin of its heavy fence; negative if there is none
    const char* file = "";      // of its last operation on memory
    const char* function = "";  // of its last operation on memory
    void (*entry)(void*) = nullptr;
    void* argument = nullptr;
    std::array<void*, kThreadLocals> thread_locals{};
    Exceptions exceptions{};
  };

  /// A value on its way to memory.
  struct Buffered {
    Time at;              // the time of the write: the line has arrived, and all earlier stores are written
    std::uint64_t order;  // among all stores
    unsigned processor;
    unsigned size;
    void* address;
    std::uint64_t value;

    [[nodiscard]] static bool later(const Buffered& a, const Buffered& b) noexcept {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };

  /// While this exists, allocations are the machine's, not the program's.
  class Inside {
   public:
    explicit Inside(bool& inside) noexcept : inside_(inside) { inside_ = true; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() { inside_ = false; }

   private:
    bool& inside_;
  };

  static void thread_entry();

  [[nodiscard]] Processor& here() const noexcept { return *processors_[current_]; }
  [[nodiscard]] bool earlier(unsigned a, unsigned b) const noexcept;
  void arrive(Time at) noexcept;
  /// Returns when the store buffer of the running thread is empty, and it is its turn.
  void finish_stores();
  void write_buffered() noexcept;
  void forward_buffered(const void* address, void* value, std::size_t size) const noexcept;
  void drop_buffered(const void* address) noexcept;
  [[nodiscard]] Time read_line(const void* address);
  [[nodiscard]] Time write_line(const void* address);
  /// A `timeout` below 0 means none.
  void block(const void* word, Time timeout);
  void wake(unsigned sleeper, Time at);
  [[nodiscard]] Time wake_latency() noexcept;
  void leave();
  void switch_to(unsigned next);
  void enqueue(unsigned processor);
  void dequeue(unsigned processor);
  void sift_up(std::size_t place) noexcept;
  void sift_down(std::size_t place) noexcept;

  friend class Aside;
  static Machine* running_;

  Costs costs_;
  CacheLines lines_;
  std::uint64_t random_;
  std::vector<std::unique_ptr<Processor>> processors_;
  std::vector<unsigned> queue_;   // a heap of the threads with a time at which they continue, except the running one
  std::vector<Buffered> buffer_;  // a heap of the stores of all processors that are not in memory yet
  std::uint64_t stores_ = 0;
  unsigned current_ = 0;
  interleave::Fiber outside_;
  std::vector<void**> thread_locals_;
  std::string failure_;
  Time membarrier_free_at_ = 0;
  mutable bool inside_ = false;  // allocations are the machine's own
  Counts counts_;
};

/// While this exists, the running thread accesses objects without a simulated access.
class Aside {
 public:
  Aside() noexcept : machine_(std::exchange(Machine::running_, nullptr)) {}
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
  ~Aside() { Machine::running_ = machine_; }

 private:
  Machine* machine_;
};

/// The program works for `time` on the running thread of the machine.
inline void simulate_work(Time time) noexcept { Machine::current()->work_of_program(time); }

}  // namespace simulation
