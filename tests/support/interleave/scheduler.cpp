#include "tests/support/interleave/scheduler.hpp"

#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

#include <cxxabi.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace interleave {
namespace {

/// More steps than any test needs: beyond it no thread makes progress.
constexpr unsigned kMaxSteps = 20'000;

void on_signal(int number) {
  if (scheduler().executing()) {
    scheduler().fail(number == SIGABRT ? "abort() was called: an assertion, or a broken promise not to throw"
                                       : "an access to memory that is not there");
  }
  std::signal(number, SIG_DFL);
  std::raise(number);
}

}  // namespace

Scheduler::Scheduler() : memory_(*this) {
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS}) {
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_NODEFER;  // The handler does not return if a test fails.
    ::sigaction(number, &action, nullptr);
  }
}

Scheduler::~Scheduler() = default;

Scheduler::Outcome Scheduler::execute(const std::function<void()>& body) {
  choices_.rewind();
  if (search == Search::kRandom) choices_.clear();
  memory_.reset(model, fences);
  for (Task& task : tasks_) task.status = Status::kUnused;
  random_ = Random(seed);
  constexpr unsigned kNoLimit = ~0u;
  left_ = search == Search::kSystematic ? budget : Budget{kNoLimit, kNoLimit, kNoLimit};
  if (search == Search::kRandom) {
    changes_.clear();
    for (unsigned i = 0; i < change_points; ++i) changes_.push_back(random_.below(longest_));
    stale_in_ = 1u << (1 + random_.below(5));
  }
  current_ = 0;
  count_ = 1;
  settled_ = false;
  steps_ = 0;
  lowest_ = 0;
  named_.clear();
  thread_locals_.clear();
  tasks_[0].exceptions = {};
  // A schedule that failed may have left current exceptions.
  std::memset(abi::__cxa_get_globals(), 0, sizeof(Exceptions));
  message_.clear();
  trace_.clear();
  outcome_ = Outcome::kPassed;
  body_ = &body;
  tasks_[0].name = "(body)";
  tasks_[0].fiber.start(body_entry);
  executing_ = true;
  tasks_[0].fiber.switch_from(explorer_);
  executing_ = false;
  if (outcome_ == Outcome::kPassed && steps_ > longest_) longest_ = steps_;
  return outcome_;
}

void Scheduler::body_entry() {
  Scheduler& self = scheduler();
  (*self.body_)();
  self.explorer_.switch_from(self.tasks_[0].fiber);
}

void Scheduler::task_entry() {
  Scheduler& self = scheduler();
  Task& task = self.tasks_[self.current_];
  task.run();
  task.run = nullptr;
  task.status = Status::kEnded;
  self.reschedule(true);
}

void Scheduler::fail(const std::string& message) {
  message_ = message;
  outcome_ = Outcome::kFailed;
  if (current_ != 0) message_ += "\n  in thread " + tasks_[current_].name;
  // This execution does not continue; objects on its stacks are leaked.
  explorer_.switch_from(tasks_[current_].fiber);
  std::abort();
}

void Scheduler::add_thread(std::string name, std::function<void()> run) {
  if (count_ == kMaxThreads) fail("more threads than kMaxThreads");
  const Thread thread = count_++;
  Task& task = tasks_[thread];
  task.name = std::move(name);
  task.run = std::move(run);
  task.status = Status::kReady;
  task.yielded = false;
  task.word = nullptr;
  task.thread_locals = {};
  task.exceptions = {};
  task.priority = static_cast<int>(1 + random_.below(1000));
  task.fiber.start(task_entry);
  memory_.begin_thread(thread);
}

bool Scheduler::settle() {
  memory_.arrive();
  Thread next = 0;
  if (pick(false, true, next)) {
    resume(next);
    switch_to(next);
  }
  memory_.arrive();
  memory_.join_all_to(0);
  for (Thread thread = 1; thread < count_; ++thread) {
    if (tasks_[thread].status != Status::kEnded) return false;
  }
  return true;
}

std::string Scheduler::blocked() const {
  std::string text;
  for (Thread thread = 1; thread < count_; ++thread) {
    const Task& task = tasks_[thread];
    if (task.status != Status::kBlocked) continue;
    if (!text.empty()) text += ", ";
    text += task.name + " on " + describe(task.word);
  }
  return text;
}

void Scheduler::name_object(const void* object, std::size_t size, std::string name) {
  named_.push_back({static_cast<const std::byte*>(object), size, std::move(name)});
}

void Scheduler::make_thread_local(void* pointer) {
  for (const void* const known : thread_locals_) {
    if (known == pointer) return;
  }
  if (thread_locals_.size() == kMaxThreadLocals) fail("more thread_local variables than kMaxThreadLocals");
  thread_locals_.push_back(pointer);
  std::memset(pointer, 0, sizeof(void*));
}

std::string Scheduler::describe(const void* object) const {
  const auto* const at = static_cast<const std::byte*>(object);
  for (const Named& named : named_) {
    if (at < named.begin || at >= named.begin + named.size) continue;
    const auto offset = at - named.begin;
    return offset == 0 ? named.name : named.name + '+' + std::to_string(offset);
  }
  return "#" + std::to_string(static_cast<const Cell*>(object)->location);
}

void Scheduler::before(const Cell* cell) {
  if (current_ == 0) return;
  if (++steps_ > kMaxSteps) fail("no progress: " + std::to_string(kMaxSteps) + " steps");
  // Uses of a location that only one thread uses need no switch.
  reschedule(cell == nullptr || memory_.shared(*cell));
}

void Scheduler::after(const char* what, const Cell* cell, std::uint64_t value, const char* more, const Where& where) {
  if (!tracing) return;
  std::string text = what;
  if (cell != nullptr) text += ' ' + describe(cell) + ' ' + std::to_string(static_cast<std::int64_t>(value));
  if (*more != '\0') text += std::string(" (") + more + ')';
  if (text.size() < 56) text.resize(56, ' ');
  const char* const file = std::strstr(where.file_name(), "blitz/");
  text += std::string("  ") + (file != nullptr ? file : where.file_name()) + ':' + std::to_string(where.line());
  note(current_, text);
}

void Scheduler::note(Thread thread, const std::string& text) {
  if (!tracing) return;
  std::string number = std::to_string(steps_);
  number.insert(0, number.size() < 5 ? 5 - number.size() : 0, ' ');
  std::string name = tasks_[thread].name;
  if (name.size() < 10) name.resize(10, ' ');
  trace_ += number + "  " + name + "  " + text + '\n';
}

void Scheduler::yield(const char* what, const Where& where) {
  after(what, nullptr, 0, "", where);
  if (current_ == 0) return;
  if (++steps_ > kMaxSteps) fail("no progress: " + std::to_string(kMaxSteps) + " steps");
  Task& task = tasks_[current_];
  task.yielded = true;
  task.others_ran = false;
  task.priority = --lowest_;
  reschedule(true);
}

void Scheduler::block(const void* word) {
  if (current_ == 0) fail("the body of a test must not block");
  Task& task = tasks_[current_];
  task.status = Status::kBlocked;
  task.word = word;
  reschedule(true);
}

void Scheduler::wake_one(const void* word) {
  std::array<Thread, kMaxThreads> waiters;
  unsigned count = 0;
  for (Thread thread = 1; thread < count_; ++thread) {
    const Task& task = tasks_[thread];
    if (task.status == Status::kBlocked && task.word == word) waiters[count++] = thread;
  }
  if (count == 0) return;
  const unsigned taken =
      choices_.choose(count, count, [&] { return search == Search::kRandom ? random_.below(count) : 0u; });
  if (taken >= count) fail("the test depends on more than its schedule, or the replay is another test's");
  tasks_[waiters[taken]].status = Status::kReady;
}

unsigned Scheduler::staleness(unsigned options, bool free) {
  if (options <= 1) return 0;
  if (current_ == 0) return 0;
  const unsigned allowed = free || left_.delays > 0 ? options : 1;
  const unsigned taken = choices_.choose(options, allowed, [&] {
    if (search != Search::kRandom) return 0u;
    return random_.below(stale_in_) == 0 ? random_.below(options) : 0u;
  });
  if (taken >= options) fail("the test depends on more than its schedule, or the replay is another test's");
  if (taken > 0 && !free) --left_.delays;
  if (tracing && taken > 0) note(current_, "    overtakes a store:");
  return taken;
}

/// Continues with this thread or another. Returns when the calling thread runs again.
void Scheduler::reschedule(bool preemptible) {
  const Thread self = current_;
  const Task& task = tasks_[self];
  Thread next = self;
  const bool found = pick(task.status == Status::kReady && !task.yielded, preemptible, next);
  if (!found) next = 0;  // Back to the body, which waits in settle.
  if (found) resume(next);
  if (next != self) switch_to(next);
}

void Scheduler::switch_to(Thread next) {
  const Thread self = current_;
  current_ = next;
  for (std::size_t i = 0; i < thread_locals_.size(); ++i) {
    std::memcpy(&tasks_[self].thread_locals[i], thread_locals_[i], sizeof(void*));
    std::memcpy(thread_locals_[i], &tasks_[next].thread_locals[i], sizeof(void*));
  }
  void* const exceptions = abi::__cxa_get_globals();
  std::memcpy(&tasks_[self].exceptions, exceptions, sizeof(Exceptions));
  std::memcpy(exceptions, &tasks_[next].exceptions, sizeof(Exceptions));
  tasks_[next].fiber.switch_from(tasks_[self].fiber);
  // The fiber that switched back has made this thread the current one.
}

/// Makes this thread ready, whatever it waited for.
void Scheduler::resume(Thread next) {
  Task& task = tasks_[next];
  if (task.status == Status::kBlocked) note(next, "    its wait ends without cause");
  task.status = Status::kReady;
  task.yielded = false;
  for (Thread thread = 1; thread < count_; ++thread) {
    if (thread != next) tasks_[thread].others_ran = true;
  }
}

bool Scheduler::pick(bool current_goes_on, bool preemptible, Thread& next) {
  // First the usual options; then those that cost a preemption; then those that return without a wake-up.
  std::array<Thread, kMaxThreads> options;
  unsigned count = 0;
  const auto add_if = [&](auto&& condition) {
    for (Thread thread = 1; thread < count_; ++thread) {
      if (condition(thread, tasks_[thread])) options[count++] = thread;
    }
  };
  unsigned usual = 0;
  if (current_goes_on) {
    options[count++] = current_;
    usual = 1;
  } else {
    add_if([](Thread, const Task& task) { return task.status == Status::kReady && !task.yielded; });
    usual = count;
  }
  if (usual == 0) {
    // All threads wait: delayed stores arrive, and threads that yielded look again.
    memory_.arrive();
    for (Thread thread = 1; thread < count_; ++thread) tasks_[thread].yielded = false;
    add_if([](Thread, const Task& task) { return task.status == Status::kReady; });
    usual = count;
    if (usual == 0) return false;
  } else {
    add_if([&](Thread thread, const Task& task) {
      if (current_goes_on && thread == current_) return false;
      if (task.status != Status::kReady) return false;
      return task.yielded ? task.others_ran : current_goes_on;
    });
  }
  const unsigned with_preemptions = count;
  add_if([](Thread, const Task& task) { return task.status == Status::kBlocked; });

  unsigned allowed = usual;
  if (left_.preemptions > 0 && preemptible) {
    allowed = left_.spurious > 0 ? count : with_preemptions;
  }
  const unsigned taken = choices_.choose(count, allowed, [&]() -> unsigned {
    if (search != Search::kRandom) return 0;
    if (random_.below(256) == 0) return random_.below(count);
    return pick_by_priority(options.data(), with_preemptions);
  });
  if (taken >= count) fail("the test depends on more than its schedule, or the replay is another test's");
  if (taken >= usual) --left_.preemptions;
  if (taken >= with_preemptions) --left_.spurious;
  next = options[taken];
  return true;
}

unsigned Scheduler::pick_by_priority(const Thread* options, unsigned count) {
  for (unsigned& change : changes_) {
    if (steps_ < change || change == 0) continue;
    change = 0;
    if (current_ != 0) tasks_[current_].priority = --lowest_;
  }
  unsigned best = 0;
  const auto rank = [&](unsigned i) {
    const Task& task = tasks_[options[i]];
    return std::pair(task.status == Status::kReady && !task.yielded, task.priority);
  };
  for (unsigned i = 1; i < count; ++i) {
    if (rank(i) > rank(best)) best = i;
  }
  return best;
}

}  // namespace interleave

/// No time passes for the code under test, so its behaviour depends only on the schedule.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (!interleave::scheduler().executing()) return static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  *time = {.tv_sec = 1, .tv_nsec = 0};
  return 0;
}
