#include "bench/simulation/machine.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include <cxxabi.h>

namespace simulation {
namespace {

/// More than any scenario takes.
constexpr Time kLimit = Time{3600} * 1000 * kMillisecond;

}  // namespace

Machine* Machine::running_ = nullptr;

Machine::Machine(const Costs& costs, std::uint64_t seed) : costs_(costs), lines_(costs_), random_(2 * seed + 1) {
  queue_.reserve(kMaxProcessors);
  processors_.reserve(kMaxProcessors);
  buffer_.reserve(kMaxProcessors * kStoreBuffer);
}
Machine::~Machine() = default;

void Machine::make_thread_local(void** pointer) {
  if (thread_locals_.size() == kThreadLocals) throw std::runtime_error("more thread_local pointers than kThreadLocals");
  thread_locals_.push_back(pointer);
}

void Machine::run(const std::function<void()>& body) {
  const auto call = [](void* argument) { (*static_cast<const std::function<void()>*>(argument))(); };
  start_thread(call, const_cast<void*>(static_cast<const void*>(&body)));
  queue_.clear();
  Exceptions* const exceptions = reinterpret_cast<Exceptions*>(abi::__cxa_get_globals());
  const Exceptions saved = *exceptions;
  running_ = this;
  current_ = 0;
  processors_[0]->fiber.switch_from(outside_);
  running_ = nullptr;
  for (void** const pointer : thread_locals_) *pointer = nullptr;
  *exceptions = saved;
  if (!failure_.empty()) throw std::runtime_error("simulation: " + failure_);
}

void Machine::thread_entry() {
  Machine& machine = *running_;
  const unsigned self = machine.current_;
  Processor& mine = machine.here();
  mine.entry(mine.argument);
  machine.finish_stores();
  mine.status = Status::kEnded;
  mine.busy += mine.clock - mine.busy_since;
  for (unsigned other = 0; other < machine.processors_.size(); ++other) {
    Processor& processor = *machine.processors_[other];
    if (processor.status == Status::kBlocked && processor.word == &mine) {
      machine.wake(other, mine.clock + machine.wake_latency());
    }
  }
  if (self == 0) {
    for (const auto& processor : machine.processors_) {
      if (processor->status != Status::kEnded) machine.fail("a thread is left when the program ends");
    }
    machine.outside_.switch_from(mine.fiber);
  }
  machine.leave();
}

void Machine::fail(std::string message) {
  failure_ = std::move(message);
  // Nothing in this run continues; memory owned by its stacks is leaked.
  outside_.switch_from(here().fiber);
  std::abort();
}

// --- the order of the threads ---

bool Machine::earlier(unsigned a, unsigned b) const noexcept {
  const Time first = processors_[a]->clock;
  const Time second = processors_[b]->clock;
  return first != second ? first < second : a < b;
}

void Machine::take_turn() {
  if (queue_.empty() || earlier(current_, queue_[0])) return;
  if (here().clock > kLimit) fail("no end after an hour");
  const unsigned next = queue_[0];
  queue_[0] = current_;
  here().place = 0;
  sift_down(0);
  switch_to(next);
}

/// Switches to the next thread. The running thread cannot continue.
void Machine::leave() {
  if (queue_.empty()) {
    std::string message = "deadlock: every thread is blocked, those of the processors";
    for (unsigned i = 0; i < processors_.size(); ++i) {
      if (processors_[i]->status != Status::kEnded) message += ' ' + std::to_string(i);
    }
    fail(message);
  }
  const unsigned next = queue_[0];
  dequeue(next);
  switch_to(next);
}

void Machine::switch_to(unsigned next) {
  Processor& from = here();
  Processor& to = *processors_[next];
  if (to.status == Status::kTimed) {  // Its sleep ends.
    to.clock += wake_latency();
    to.status = Status::kReady;
    to.busy_since = to.clock;
    to.word = nullptr;
    if (!queue_.empty() && !earlier(next, queue_[0])) {
      const unsigned first = queue_[0];
      queue_[0] = next;
      to.place = 0;
      sift_down(0);
      switch_to(first);
      return;
    }
  }
  if (&from == &to) return;
  current_ = next;
  for (std::size_t i = 0; i < thread_locals_.size(); ++i) {
    from.thread_locals[i] = *thread_locals_[i];
    *thread_locals_[i] = to.thread_locals[i];
  }
  auto* const exceptions = reinterpret_cast<Exceptions*>(abi::__cxa_get_globals());
  from.exceptions = *exceptions;
  *exceptions = to.exceptions;
  to.fiber.switch_from(from.fiber);
  // The fiber that resumed this one has made it the current thread.
}

void Machine::enqueue(unsigned processor) {
  queue_.push_back(processor);
  processors_[processor]->place = queue_.size() - 1;
  sift_up(queue_.size() - 1);
}

void Machine::dequeue(unsigned processor) {
  const std::size_t place = processors_[processor]->place;
  const unsigned last = queue_.back();
  queue_.pop_back();
  if (last == processor) return;
  queue_[place] = last;
  processors_[last]->place = place;
  sift_up(place);
  sift_down(processors_[last]->place);
}

void Machine::sift_up(std::size_t place) noexcept {
  while (place > 0) {
    const std::size_t parent = (place - 1) / 2;
    if (!earlier(queue_[place], queue_[parent])) return;
    std::swap(queue_[place], queue_[parent]);
    processors_[queue_[place]]->place = place;
    processors_[queue_[parent]]->place = parent;
    place = parent;
  }
}

void Machine::sift_down(std::size_t place) noexcept {
  for (;;) {
    std::size_t first = 2 * place + 1;
    if (first >= queue_.size()) return;
    if (first + 1 < queue_.size() && earlier(queue_[first + 1], queue_[first])) ++first;
    if (!earlier(queue_[first], queue_[place])) return;
    std::swap(queue_[place], queue_[first]);
    processors_[queue_[place]]->place = place;
    processors_[queue_[first]]->place = first;
    place = first;
  }
}

// --- threads ---

unsigned Machine::start_thread(void (*entry)(void*), void* argument) {
  if (running_ == this) finish_stores();
  if (processors_.size() == kMaxProcessors) throw std::runtime_error("more threads than kMaxProcessors");
  const Inside guard(inside_);
  const auto processor = static_cast<unsigned>(processors_.size());
  auto made = std::make_unique<Processor>();
  made->entry = entry;
  made->argument = argument;
  made->fiber.start(thread_entry);
  if (running_ == this) {
    here().clock += costs_.thread_start;
    made->clock = here().clock;
    made->busy_since = made->clock;
  }
  processors_.push_back(std::move(made));
  enqueue(processor);
  return processor;
}

void Machine::join_thread(unsigned processor) {
  finish_stores();
  const Processor& other = *processors_[processor];
  if (other.status != Status::kEnded) block(&other, -1);
}

}  // namespace simulation
