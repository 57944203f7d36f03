/// What an interleaving test is written with.
///
///   INTERLEAVE_CASE("stack: each node once", .preemptions = 3) {
///     TreiberStack<Node> stack;
///     run.thread("producer", [&] { stack.push(&node); });
///     run.thread("taker", [&] { taken = stack.take(); });
///     run.go();
///     expect(taken == &node || stack.take() == &node, "the node is somewhere");
///   }
///
/// The body runs once for each schedule, from its beginning, and must do the same whenever the schedule is the same: no
/// time, no random numbers, no addresses. What it does itself, before and after go() and settle(), is not interleaved.
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

/// How a case is searched.
struct Settings {
  unsigned preemptions = 2;       ///< of the systematic search, which tries 0, 1, … of them
  unsigned delays = 1;            ///< stores overtaken by loads in one schedule, beside the preemptions
  unsigned spurious = 0;          ///< futex waits that return without cause; each is a preemption too
  bool systematic = true;         ///< false: too large for it
  unsigned random_schedules = 0;  ///< after the systematic search, under each model
  bool fences = false;            ///< asymmetric fences are used: searched with them and with their fall-back
  unsigned models = kAllModels;   ///< the models under which it is searched
  const char* finds = nullptr;    ///< each search must fail, with a message that contains this
};

/// The test's grip on one schedule.
class Run {
 public:
  /// Adds a thread, which starts in the next go() or settle().
  void thread(std::string name, std::function<void()> body);

  /// Runs until all threads have ended. Fails if some never do.
  void go();

  /// Runs until each thread has ended or is blocked for good.
  void settle();

  /// The name by which the printed schedule calls what lies in `object`.
  template <class T>
  void name(const T& object, std::string text) {
    scheduler().name_object(&object, sizeof object, std::move(text));
  }

  /// A thread_local variable of the code under test, which the threads here would share. Null in each at first. Before
  /// the first thread.
  template <class T>
  void own_by_thread(T*& variable) {
    scheduler().make_thread_local(&variable);
  }
};

/// Fails the case, with the schedule that led here, unless `condition` holds.
inline void expect(bool condition, const char* what) {
  if (!condition) scheduler().fail(std::string("not true: ") + what);
}

/// A variable that is not atomic: that each two uses of it, one of them a write, are ordered by happens-before is
/// checked, and they are no place for a switch.
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
