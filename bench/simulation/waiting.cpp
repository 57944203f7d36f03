/// The machine's sleeping threads.
#include <algorithm>

#include "bench/simulation/machine.hpp"

namespace simulation {

Time Machine::wake_latency() noexcept {
  random_ ^= random_ >> 12;
  random_ ^= random_ << 25;
  random_ ^= random_ >> 27;
  const auto draw = static_cast<Time>(random_ * 0x2545F4914F6CDD1D >> 48);  // 16 bits
  return costs_.wake_latency - costs_.wake_latency / 5 + 2 * (costs_.wake_latency / 5) * draw / 65536;
}

void Machine::block(const void* word, Time timeout) {
  Processor& mine = here();
  ++counts_.waits;
  mine.clock += costs_.futex_wait;
  mine.busy += mine.clock - mine.busy_since;
  mine.word = word;
  mine.status = timeout < 0 ? Status::kBlocked : Status::kTimed;
  if (timeout >= 0) {
    mine.clock += timeout;
    enqueue(current_);
  }
  leave();
}

void Machine::sleep(Time time) {
  finish_stores();
  block(nullptr, time);
}

void Machine::wake(unsigned sleeper, Time at) {
  Processor& processor = *processors_[sleeper];
  // It may not have fallen asleep yet.
  processor.clock = std::max(processor.clock, at);
  processor.status = Status::kReady;
  processor.word = nullptr;
  processor.busy_since = processor.clock;
  enqueue(sleeper);
}

void Machine::futex_wake(const void* word) {
  finish_stores();
  Processor& mine = here();
  unsigned sleeper = 0;
  const auto waits = [&](const Processor& processor) {
    return processor.word == word && processor.status == Status::kBlocked;
  };
  while (sleeper < processors_.size() && !waits(*processors_[sleeper])) ++sleeper;
  if (sleeper == processors_.size()) {
    mine.clock += costs_.futex_empty;
    return;
  }
  ++counts_.wakes;
  processors_[sleeper]->depth = mine.depth + 1;
  wake(sleeper, mine.clock + wake_latency());
  mine.clock += costs_.futex_wake;
}

}  // namespace simulation
