/// The interface for writing interleaving tests.
///
///   INTERLEAVE_CASE("stack: each node once", .preemptions = 3) {
///     TreiberStack<Node> stack;
///     run.thread("producer", [&] { stack.push(&node); });
///     run.thread("taker", [&] { taken = stack.take(); });
///     run.go();
///     expect(taken == &node || stack.take() == &node, "the node is somewhere");
///   }
///
/// The body runs once for each schedule, from its beginning, and must be deterministic for a given schedule: no time, no random
/// numbers, no addresses. Its own actions before and after go() and settle() are not interleaved.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "tests/support/interleave/scheduler.hpp"

namespace interleave {

/// Sets of models.
inline constexpr unsigned kSequential = 1u << static_cast<unsigned>(Model::kSequential);
inline constexpr unsigned kStoreBuffer = 1u << static_cast<unsigned>(Model::kStoreBuffer);
inline constexpr unsigned kWeak = 1u << static_cast<unsigned>(Model::kWeak);
inline constexpr unsigned kAllModels = kSequential | kStoreBuffer | kWeak;

/// The search of a case.
struct Settings {
  unsigned preemptions = 2;       ///< in the systematic search, which tries 0, 1, … of them
  unsigned delays = 1;            ///< stores overtaken by loads in one schedule, in addition to the preemptions
  unsigned spurious = 0;          ///< futex waits that return without a wake-up; each is also a preemption
  bool systematic = true;         ///< false: too large for a systematic search
  unsigned random_schedules = 0;  ///< after the systematic search, under each model
  bool fences = false;            ///< the case uses asymmetric fences: searched with them and with their fallback
  unsigned models = kAllModels;   ///< the models under which it is searched
  const char* finds = nullptr;    ///< each search must fail, with a message that contains this
};

/// The test's interface to one schedule.
class Run {
 public:
  /// Adds a thread, which starts in the next go() or settle().
  void thread(std::string name, std::function<void()> body);

  /// Runs until all threads have ended. Fails if a thread never ends.
  void go();

  /// Runs until each thread has ended or is blocked permanently.
  void settle();

  /// The name of `object` and its parts in the printed schedule.
  template <class T>
  void name(const T& object, std::string text) {
    scheduler().name_object(&object, sizeof object, std::move(text));
  }

  /// Makes a thread_local variable of the code under test separate for each simulated thread, initially null. Call this before
  /// the first thread.
  template <class T>
  void own_by_thread(T*& variable) {
    scheduler().make_thread_local(&variable);
  }
};

/// Fails the case and prints its schedule unless `condition` holds.
inline void expect(bool condition, const char* what) {
  if (!condition) scheduler().fail(std::string("not true: ") + what);
}

/// A non-atomic variable. Its uses are checked: happens-before must order any two of them if one is a write. They are not
/// points for a switch.
template <class T>
class Plain {
 public:
  explicit Plain(const char* name, T value = T{}) : name_(name), value_(value) {}

  [[nodiscard]] T read() const {
    scheduler().memory().read_plain(scheduler().current(), shadow_, name_);
    return value_;
  }
  void write(T value) {
    scheduler().memory().write_plain(scheduler().current(), shadow_, name_);
    value_ = value;
  }

 private:
  const char* name_;
  T value_;
  mutable Shadow shadow_;
};

/// Adds a case to the program.
struct Registered {
  Registered(std::string name, Settings settings, std::function<void(Run&)> body);
};

#define INTERLEAVE_JOIN_(a, b) a##b
#define INTERLEAVE_JOIN(a, b) INTERLEAVE_JOIN_(a, b)
#define INTERLEAVE_CASE(name, ...)                                                           \
  static void INTERLEAVE_JOIN(interleave_case_, __LINE__)(interleave::Run & run);            \
  static const interleave::Registered INTERLEAVE_JOIN(interleave_registered_, __LINE__)(     \
      name, interleave::Settings{__VA_ARGS__}, INTERLEAVE_JOIN(interleave_case_, __LINE__)); \
  static void INTERLEAVE_JOIN(interleave_case_, __LINE__)([[maybe_unused]] interleave::Run & run)

}  // namespace interleave
