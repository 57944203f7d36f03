/// The machine's memory operations: cache lines, store buffers, and the fence on all processors.
#include <algorithm>
#include <cstring>
#include <string>

#include "bench/simulation/machine.hpp"

namespace simulation {

/// Advances the running thread's clock to `at`, when its line arrives or its operation ends.
void Machine::arrive(Time at) noexcept {
  if (at <= here().clock) return;
  here().clock = at;
  take_turn();
}

Time Machine::read_line(const void* address) {
  const Inside guard(inside_);
  return lines_.read(current_, address, here().clock, here().file);
}

Time Machine::write_line(const void* address) {
  const Inside guard(inside_);
  return lines_.write(current_, address, here().clock, here().file);
}

void Machine::allocated(const void* memory, std::size_t size) {
  if (inside_) return;
  here().clock += costs_.allocation;
  if (size == 0) return;
  const Inside guard(inside_);
  lines_.forget(memory, size);
}

void Machine::load(const void* address, const Where& where) {
  take_turn();
  Processor& mine = here();
  mine.file = where.file_name();
  mine.function = where.function_name();
  const auto is_it = [&](const Buffered& store) { return store.processor == current_ && store.address == address; };
  if (mine.buffered == 0 || std::none_of(buffer_.begin(), buffer_.end(), is_it)) arrive(read_line(address));
  write_buffered();
  mine.clock += costs_.hit;
}

bool Machine::store(void* address, const void* value, std::size_t size, const Where& where) {
  take_turn();
  Processor& mine = here();
  mine.file = where.file_name();
  mine.function = where.function_name();
  // The store waits in the store buffer for its line, and the thread continues. Stores leave in order, one by one.
  Time& oldest = mine.stores[mine.store_count++ % kStoreBuffer];
  arrive(oldest);
  write_buffered();
  mine.stored = std::max(mine.stored, write_line(address));
  oldest = mine.stored;
  const bool waits = mine.stored > mine.clock;
  if (waits) {
    Buffered store{mine.stored, stores_++, current_, static_cast<unsigned>(size), address, 0};
    std::memcpy(&store.value, value, size);
    buffer_.push_back(store);
    std::push_heap(buffer_.begin(), buffer_.end(), Buffered::later);
    ++mine.buffered;
  }
  mine.clock += costs_.hit;
  return waits;
}

void Machine::modify(const void* address, const Where& where) {
  finish_stores();
  Processor& mine = here();
  mine.file = where.file_name();
  mine.function = where.function_name();
  arrive(write_line(address));
  write_buffered();
  mine.clock += costs_.modify;
}

void Machine::fence() {
  finish_stores();
  here().clock += costs_.fence;
}

void Machine::finish_stores() {
  here().clock = std::max(here().clock, here().stored);
  take_turn();
  write_buffered();
}

/// Writes all stores to memory with lines that have arrived by now.
void Machine::write_buffered() noexcept {
  while (!buffer_.empty() && buffer_.front().at <= here().clock) {
    const Buffered& store = buffer_.front();
    if (store.address != nullptr) std::memcpy(store.address, &store.value, store.size);
    --processors_[store.processor]->buffered;
    std::pop_heap(buffer_.begin(), buffer_.end(), Buffered::later);
    buffer_.pop_back();
  }
}

void Machine::forward_buffered(const void* address, void* value, std::size_t size) const noexcept {
  const Buffered* newest = nullptr;
  for (const Buffered& store : buffer_) {
    if (store.processor != current_ || store.address != address) continue;
    if (newest == nullptr || store.order > newest->order) newest = &store;
  }
  if (newest != nullptr) std::memcpy(value, &newest->value, size);
}

void Machine::drop_buffered(const void* address) noexcept {
  for (Buffered& store : buffer_) {
    if (store.address == address) store.address = nullptr;
  }
}

void Machine::begin_heavy_fence() {
  const Inside guard(inside_);
  ++counts_.heavy_fences[std::string(here().file) + '\n' + here().function];
  here().fence_since = here().clock;
}

void Machine::end_heavy_fence() noexcept {
  counts_.heavy_fence_time += here().clock - here().fence_since;
  here().fence_since = -1;
}

void Machine::membarrier() {
  finish_stores();
  Processor& mine = here();
  ++counts_.membarriers;
  const auto is_target = [this](unsigned i) { return i != current_ && processors_[i]->status == Status::kReady; };
  unsigned targets = 0;
  for (unsigned i = 0; i < processors_.size(); ++i) targets += is_target(i);
  Time begin = mine.clock;
  if (costs_.membarrier_serial && targets > 0) begin = std::max(begin, membarrier_free_at_);
  Time end = begin + costs_.membarrier_alone;
  if (targets > 0) end = begin + costs_.membarrier_wait + targets * costs_.membarrier_target;
  // An interrupted processor empties its store buffer before it answers.
  for (unsigned i = 0; i < processors_.size(); ++i) {
    if (is_target(i)) end = std::max(end, processors_[i]->stored);
  }
  membarrier_free_at_ = std::max(membarrier_free_at_, end);
  counts_.interrupts += targets;
  if (targets > 0) {
    for (unsigned i = 0; i < processors_.size(); ++i) {
      if (is_target(i)) processors_[i]->clock += costs_.membarrier_interrupt;
    }
    for (std::size_t i = queue_.size() / 2; i-- > 0;) sift_down(i);
  }
  mine.clock = end;
  take_turn();
  write_buffered();
}

}  // namespace simulation
