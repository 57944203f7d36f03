#include "tests/support/interleave/memory.hpp"

#include <utility>

namespace interleave {
namespace {

bool acquires(std::memory_order order) noexcept {
  return order == std::memory_order_acquire || order == std::memory_order_consume ||
         order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}

bool releases(std::memory_order order) noexcept {
  return order == std::memory_order_release || order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}

/// Identifies corresponding atomics of different executions.
std::uint64_t sharing_key(const Cell& cell) noexcept {
  if (cell.execution == Cell::kStatic) return reinterpret_cast<std::uintptr_t>(&cell) | std::uint64_t{1} << 63;
  return std::uint64_t{cell.creator} << 32 | cell.ordinal;
}

void raise(View& view, std::uint32_t location, std::int16_t stamp) noexcept {
  if (view.stamp[location] < stamp) view.stamp[location] = stamp;
}

}  // namespace

void Memory::reset(Model model, Fences fences) {
  model_ = model;
  fences_ = fences;
  for (State& state : states_) state = State{};
  for (std::uint32_t i = 0; i < count_; ++i) locations_[i].history.clear();
  count_ = 0;
  ++execution_;
  locations_.resize(kMaxLocations);
  sequential_view_ = light_view_ = heavy_view_ = futex_view_ = View{};
  tick(0);
}

void Memory::begin_thread(Thread thread) {
  drain(0);
  State& state = states_[thread];
  state.clock = states_[0].clock;
  state.view = states_[0].view;
  tick(thread);
  tick(0);
}

void Memory::join_all_to(Thread thread) {
  for (State& state : states_) states_[thread].clock.join(state.clock);
  tick(thread);
}

void Memory::arrive() {
  for (Thread thread = 0; thread < kMaxThreads; ++thread) drain(thread);
  if (model_ != Model::kWeak) return;
  View newest;
  for (std::uint32_t i = 0; i < count_; ++i) {
    newest.stamp[i] = static_cast<std::int16_t>(locations_[i].history.size() - 1);
  }
  for (State& state : states_) state.view.join(newest);
}

void Memory::create(Thread thread, Cell& cell, std::uint64_t value) {
  State& state = states_[thread];
  tick(thread);
  cell = {Cell::kNone, execution_, state.clock.time[thread], thread, state.created++, value};
}

void Memory::destroy(Thread thread, Cell& cell) {
  if (cell.execution == Cell::kStatic) return;  // The program ends.
  // A schedule uses few of the slots of its queues, and destroys thousands.
  const bool unused = cell.location == Cell::kNone && cell.execution == execution_;
  if (!unused || states_[thread].clock.time[cell.creator] < cell.created) check_alive(thread, cell);
  if (has_location(cell)) {
    for (Thread each = 0; each < kMaxThreads; ++each) {
      if (states_[thread].clock.time[each] >= locations_[cell.location].used.time[each]) continue;
      oracle_.fail("data race: an atomic is destroyed by a thread before which its last use did not happen");
    }
    locations_[cell.location].cell = nullptr;
    for (State& state : states_) {
      if (state.buffer.empty()) continue;
      std::erase_if(state.buffer, [&](const Delayed& delayed) { return delayed.location == cell.location; });
    }
  }
  cell.location = Cell::kDestroyed;
}

void Memory::check_alive(Thread thread, const Cell& cell) {
  const bool made = cell.execution == Cell::kStatic || (cell.execution == execution_ && cell.location == Cell::kNone);
  if (!made && !(cell.execution == execution_ && has_location(cell))) {
    oracle_.fail("an atomic is used that has been destroyed, or was made outside of the body of the test");
  }
  if (states_[thread].clock.time[cell.creator] < cell.created) {
    oracle_.fail("an atomic is used by a thread before which its construction did not happen");
  }
}

Memory::Location& Memory::use(Thread thread, const Cell& cell) {
  check_alive(thread, cell);
  if (!has_location(cell)) {
    if (count_ == kMaxLocations) oracle_.fail("more atomics than kMaxLocations");
    cell.location = count_++;
    Location& location = locations_[cell.location];
    location.cell = &cell;
    location.users = &sharing_[sharing_key(cell)];
    location.history.clear();
    location.history.emplace_back();
    location.history.back().value = cell.initial;
    location.used = Clock{};
  }
  Location& location = locations_[cell.location];
  if (thread != 0) {
    const unsigned before = *location.users;
    *location.users |= 1u << thread;
    if (*location.users != before && (before & (before - 1)) == 0 && before != 0) sharing_changed_ = true;
  }
  return location;
}

bool Memory::shared(const Cell& cell) const {
  unsigned users = 0;
  if (has_location(cell)) {
    users = *locations_[cell.location].users;
  } else if (cell.execution == Cell::kStatic || (cell.execution == execution_ && cell.location == Cell::kNone)) {
    const auto known = sharing_.find(sharing_key(cell));
    if (known != sharing_.end()) users = known->second;
  } else {
    return true;
  }
  return (users & (users - 1)) != 0;
}

Memory::Location& Memory::begin(Thread thread, const Cell& cell) {
  Location& location = use(thread, cell);
  tick(thread);
  location.used.time[thread] = states_[thread].clock.time[thread];
  return location;
}

void Memory::acquire(State& state, const Message& message, std::memory_order order) noexcept {
  const bool now = acquires(order);
  (now ? state.clock : state.acquire_clock).join(message.clock);
  if (model_ == Model::kWeak) (now ? state.view : state.acquire_view).join(message.view);
}

void Memory::publish(State& state, std::uint32_t location, Message& message, std::memory_order order) const noexcept {
  message.clock.join(releases(order) ? state.clock : state.release_clock);
  if (model_ != Model::kWeak) return;
  const auto stamp = static_cast<std::int16_t>(locations_[location].history.size());
  raise(state.view, location, stamp);
  message.view.join(releases(order) ? state.view : state.release_view);
  raise(message.view, location, stamp);
}

void Memory::append(Location& location, Message&& message) {
  if (model_ == Model::kWeak) {
    location.history.push_back(std::move(message));
  } else {
    location.history.back() = std::move(message);
  }
}

/// Before a thread uses a location: all, some or none of the stores to it leave other threads' buffers.
void Memory::let_out(Thread self, std::uint32_t location) {
  if (model_ != Model::kStoreBuffer) return;
  for (Thread thread = 0; thread < kMaxThreads; ++thread) {
    State& state = states_[thread];
    if (thread == self || state.draining) continue;
    unsigned waiting = 0;
    bool overtaken = true;
    for (const Delayed& delayed : state.buffer) {
      if (delayed.location != location) continue;
      ++waiting;
      overtaken &= delayed.overtaken;
    }
    if (waiting == 0) continue;
    unsigned out = waiting - oracle_.staleness(waiting + 1, overtaken);
    std::size_t count = 0;
    for (std::size_t i = 0; i < state.buffer.size(); ++i) {
      if (state.buffer[i].location != location) continue;
      if (out > 0) {
        --out;
        count = i + 1;
      } else {
        state.buffer[i].overtaken = true;
      }
    }
    drain(thread, count);
  }
}

void Memory::drain(Thread thread, std::size_t count) {
  State& state = states_[thread];
  if (state.draining) return;
  state.draining = true;
  for (; count > 0; --count) {
    Delayed first = std::move(state.buffer.front());
    state.buffer.pop_front();
    let_out(thread, first.location);
    oracle_.note(thread, "    its store of " + std::to_string(static_cast<std::int64_t>(first.message.value)) +
                             " reaches memory");
    append(locations_[first.location], std::move(first.message));
  }
  state.draining = false;
}

std::uint64_t Memory::load(Thread thread, const Cell& cell, std::memory_order order) {
  return read(thread, cell, order == std::memory_order_seq_cst ? &sequential_view_ : nullptr, order);
}

std::uint64_t Memory::read(Thread thread, const Cell& cell, const View* floor, std::memory_order order) {
  Location& location = begin(thread, cell);
  State& state = states_[thread];
  if (model_ == Model::kStoreBuffer) {
    for (auto delayed = state.buffer.rbegin(); delayed != state.buffer.rend(); ++delayed) {
      if (delayed->location == cell.location) return delayed->message.value;
    }
    let_out(thread, cell.location);
  }
  std::size_t stamp = location.history.size() - 1;
  if (model_ == Model::kWeak) {
    std::int16_t oldest = state.view.stamp[cell.location];
    if (floor != nullptr && floor->stamp[cell.location] > oldest) oldest = floor->stamp[cell.location];
    const bool again = state.stale.stamp[cell.location] == oldest + 1;
    const unsigned behind = oracle_.staleness(static_cast<unsigned>(stamp - oldest) + 1, again);
    stamp -= behind;
    state.stale.stamp[cell.location] = behind > 0 ? static_cast<std::int16_t>(stamp + 1) : std::int16_t{0};
    raise(state.view, cell.location, static_cast<std::int16_t>(stamp));
    if (order == std::memory_order_seq_cst) {
      raise(sequential_view_, cell.location, static_cast<std::int16_t>(stamp));
    }
  }
  acquire(state, location.history[stamp], order);
  return location.history[stamp].value;
}

void Memory::store(Thread thread, const Cell& cell, std::uint64_t value, std::memory_order order) {
  Location& location = begin(thread, cell);
  State& state = states_[thread];
  Message message;
  message.value = value;
  publish(state, cell.location, message, order);
  if (model_ == Model::kStoreBuffer) {
    if (order != std::memory_order_seq_cst) {
      state.buffer.push_back({cell.location, false, std::move(message)});
      return;
    }
    drain(thread);
    let_out(thread, cell.location);
  }
  append(location, std::move(message));
  if (order == std::memory_order_seq_cst) {
    raise(sequential_view_, cell.location, static_cast<std::int16_t>(location.history.size() - 1));
  }
}

std::uint64_t Memory::modify_read(Thread thread, const Cell& cell) {
  Location& location = begin(thread, cell);
  drain(thread);
  let_out(thread, cell.location);
  return location.history.back().value;
}

void Memory::modify_write(Thread thread, const Cell& cell, std::uint64_t value, std::memory_order order) {
  Location& location = use(thread, cell);
  State& state = states_[thread];
  acquire(state, location.history.back(), order);
  Message message;
  message.value = value;
  // Continues the release sequence of the value that it read.
  message.clock = location.history.back().clock;
  if (model_ == Model::kWeak) message.view = location.history.back().view;
  publish(state, cell.location, message, order);
  append(location, std::move(message));
  if (order == std::memory_order_seq_cst) {
    raise(sequential_view_, cell.location, static_cast<std::int16_t>(location.history.size() - 1));
  }
}

void Memory::modify_refuse(Thread thread, const Cell& cell, std::memory_order order) {
  Location& location = use(thread, cell);
  State& state = states_[thread];
  acquire(state, location.history.back(), order);
  const auto stamp = static_cast<std::int16_t>(location.history.size() - 1);
  raise(state.view, cell.location, stamp);
  if (order == std::memory_order_seq_cst) raise(sequential_view_, cell.location, stamp);
}

void Memory::fence(Thread thread, std::memory_order order) {
  State& state = states_[thread];
  tick(thread);
  const bool sequential = order == std::memory_order_seq_cst;
  if (sequential) drain(thread);
  if (acquires(order)) {
    state.clock.join(state.acquire_clock);
    state.view.join(state.acquire_view);
  }
  if (sequential) {
    state.view.join(sequential_view_);
    sequential_view_.join(state.view);
  }
  if (releases(order)) {
    state.release_clock = state.clock;
    state.release_view = state.view;
  }
}

void Memory::light_fence(Thread thread) {
  if (fences_ == Fences::kFallback) return fence(thread, std::memory_order_seq_cst);
  // Ordered with heavy fences, not with other light fences.
  State& state = states_[thread];
  state.view.join(heavy_view_);
  light_view_.join(state.view);
}

void Memory::heavy_fence(Thread thread) {
  if (fences_ == Fences::kFallback) return fence(thread, std::memory_order_seq_cst);
  State& state = states_[thread];
  for (Thread each = 0; each < kMaxThreads; ++each) drain(each);
  if (model_ != Model::kWeak) return;
  state.view.join(sequential_view_);
  state.view.join(light_view_);
  state.view.join(heavy_view_);
  heavy_view_.join(state.view);
  sequential_view_.join(state.view);
}

std::uint64_t Memory::futex_load(Thread thread, const Cell& cell) {
  drain(thread);
  return read(thread, cell, &futex_view_, std::memory_order_relaxed);
}

void Memory::futex_wake(Thread thread) {
  drain(thread);
  futex_view_.join(states_[thread].view);
}

// Actions after a release have a later time than the release. Otherwise they would appear to be published.

void Memory::read_plain(Thread thread, Shadow& shadow, const char* what) {
  const State& state = states_[thread];
  tick(thread);
  if (state.clock.time[shadow.writer] < shadow.written) {
    oracle_.fail(std::string("data race: ") + what + " is read, and its last write did not happen before");
  }
  shadow.read.time[thread] = state.clock.time[thread];
}

void Memory::write_plain(Thread thread, Shadow& shadow, const char* what) {
  const State& state = states_[thread];
  tick(thread);
  bool ordered = state.clock.time[shadow.writer] >= shadow.written;
  for (Thread each = 0; each < kMaxThreads; ++each) ordered &= state.clock.time[each] >= shadow.read.time[each];
  if (!ordered) {
    oracle_.fail(std::string("data race: ") + what + " is written, and its last use did not happen before");
  }
  shadow.writer = thread;
  shadow.written = state.clock.time[thread];
  shadow.read = Clock{};
}

}  // namespace interleave
