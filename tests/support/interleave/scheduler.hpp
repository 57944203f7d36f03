/// Runs the threads of an interleaving test one at a time. Before each operation on an atomic, each fence, futex call and yield
/// it may switch to another thread, as the search decides.
///
/// A switch away from a thread that could continue is a *preemption*; a systematic search makes a bounded number of them (M.
/// Musuvathi, S. Qadeer, "Iterative context bounding for systematic testing of multithreaded programs", PLDI 2007). Switches
/// away from threads that are blocked, have yielded or have ended cost nothing.
///
/// A thread that yields does not run again before every other thread has yielded, blocked or ended, except by a preemption. So
/// a loop that waits for another thread ends if it yields. The random search gives threads priorities and changes them at a few
/// random moments (S. Burckhardt et al., "A randomized scheduler with probabilistic guarantees of finding bugs", ASPLOS 2010).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/interleave/choices.hpp"
#include "tests/support/interleave/fiber.hpp"
#include "tests/support/interleave/memory.hpp"
#include "tests/support/interleave/orders.hpp"

namespace interleave {

/// The number of unusual events in one execution.
struct Budget {
  unsigned preemptions;
  unsigned delays;    // stores that a load overtakes
  unsigned spurious;  // futex waits that return without a wake-up
};

/// The way to make new decisions.
enum class Search : unsigned char { kSystematic, kRandom, kReplay };

class Scheduler final : private Oracle {
 public:
  enum class Outcome : unsigned char { kPassed, kFailed };

  Scheduler();
  ~Scheduler();

  Model model = Model::kSequential;
  Fences fences = Fences::kAsymmetric;
  Budget budget{};
  Search search = Search::kSystematic;
  std::uint64_t seed = 0;
  unsigned change_points = 3;
  bool tracing = false;
  Orders orders;

  /// Runs `body` once, with the decisions in choices().
  Outcome execute(const std::function<void()>& body);

  [[nodiscard]] Choices& choices() noexcept { return choices_; }
  [[nodiscard]] Memory& memory() noexcept { return memory_; }
  [[nodiscard]] const std::string& message() const noexcept { return message_; }
  [[nodiscard]] const std::string& trace() const noexcept { return trace_; }
  [[nodiscard]] unsigned steps() const noexcept { return steps_; }

  // --- for the body ---

  void add_thread(std::string name, std::function<void()> run);
  /// Runs the threads until each has ended or is blocked. Returns true if all have ended.
  bool settle();
  /// The blocked threads, as text.
  [[nodiscard]] std::string blocked() const;
  void name_object(const void* object, std::size_t size, std::string name);
  /// From now on each thread has its own value of this pointer, initially null.
  void make_thread_local(void* pointer);

  // --- for the code under test ---

  [[nodiscard]] Thread current() const noexcept { return current_; }
  [[nodiscard]] bool executing() const noexcept { return executing_; }

  /// Call this before an operation on this atomic.
  void before(const Cell* cell);
  /// Call this after the operation.
  void after(const char* what, const Cell* cell, std::uint64_t value, const char* more, const Where& where);
  void yield(const char* what, const Where& where);
  /// Blocks on a futex word.
  void block(const void* word);
  void wake_one(const void* word);
  [[noreturn]] void fail(const std::string& message) override;

 private:
  enum class Status : unsigned char { kUnused, kReady, kBlocked, kEnded };

  static constexpr std::size_t kMaxThreadLocals = 4;

  /// The C++ runtime's state of each thread: its current exceptions. (__cxa_eh_globals of the Itanium ABI.)
  struct Exceptions {
    void* caught;
    unsigned uncaught;
  };

  struct Task {
    Fiber fiber;
    std::function<void()> run;
    std::string name;
    Status status = Status::kUnused;
    bool yielded = false;
    bool others_ran = false;  // since it yielded
    const void* word = nullptr;
    int priority = 0;
    std::array<void*, kMaxThreadLocals> thread_locals{};
    Exceptions exceptions{};
  };

  static void body_entry();
  static void task_entry();

  unsigned staleness(unsigned options, bool free) override;
  void note(Thread thread, const std::string& text) override;

  void reschedule(bool preemptible);
  [[nodiscard]] bool pick(bool current_goes_on, bool preemptible, Thread& next);
  unsigned pick_by_priority(const Thread* options, unsigned count);
  void resume(Thread next);
  void switch_to(Thread next);
  [[nodiscard]] std::string describe(const void* object) const;

  Choices choices_;
  Memory memory_;
  Random random_{0};
  std::array<Task, kMaxThreads> tasks_;
  Fiber explorer_;
  Thread current_ = 0;
  unsigned count_ = 1;
  bool executing_ = false;
  bool settled_ = false;
  Outcome outcome_ = Outcome::kPassed;
  const std::function<void()>* body_ = nullptr;
  Budget left_{};
  unsigned steps_ = 0;
  unsigned longest_ = 64;
  std::vector<unsigned> changes_;
  unsigned stale_in_ = 4;  // the random search offers an old value to one load in this many
  int lowest_ = 0;
  std::string message_;
  std::string trace_;
  struct Named {
    const std::byte* begin;
    std::size_t size;
    std::string name;
  };
  std::vector<Named> named_;
  std::vector<void*> thread_locals_;
};

/// The only scheduler of this program.
inline Scheduler the_scheduler;
inline Scheduler& scheduler() noexcept { return the_scheduler; }

}  // namespace interleave
