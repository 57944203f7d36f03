/// The simulated memory of the atomics of an interleaving test, under three models, and the happens-before relation of the
/// stated memory orders, which does not depend on the model.
///
/// kSequential   every operation takes effect immediately.
/// kStoreBuffer  x86 (P. Sewell et al., "x86-TSO", CACM 2010): a store that is not sequentially consistent waits in a FIFO
///               buffer that only its own thread sees. A read-modify-write or a fence flushes the buffer, and a store may
///               leave it at any time. The simulation decides this when another thread accesses the location, the only
///               moment at which it makes a difference.
/// kWeak         the C++ model: a load may return any store to its location that its thread's knowledge does not hide.
///               Knowledge is a *view*, the earliest store that may still be read in each location; release publishes it
///               and acquire takes it over. (The views of J. Kang et al., "A promising semantics", POPL 2017, without
///               promises: no load returns a store that is executed after it, and stores to one location are ordered as
///               they are executed.)
///
/// Happens-before is stored in vector clocks. As in the standard, fences and sequential consistency restrict the values that
/// can be read, but by themselves order nothing.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

namespace interleave {

enum class Model : unsigned char { kSequential, kStoreBuffer, kWeak };

/// The asymmetric fences: real ones, or full fences on both sides.
enum class Fences : unsigned char { kAsymmetric, kFallback };

inline constexpr unsigned kMaxThreads = 8;      // including the body of the test, thread 0
inline constexpr unsigned kMaxLocations = 160;  // used in one execution

using Thread = unsigned;

/// For each thread, a time: its actions until then happened before.
struct Clock {
  std::array<std::uint32_t, kMaxThreads> time{};

  void join(const Clock& __restrict other) noexcept {
    for (unsigned i = 0; i < kMaxThreads; ++i) time[i] = time[i] < other.time[i] ? other.time[i] : time[i];
  }
};

/// For each location, the earliest store that may still be read. Most of a search's time goes into join(): signed numbers and no
/// overlap, so that the compiler takes a vector at a time.
struct View {
  std::array<std::int16_t, kMaxLocations> stamp{};

  void join(const View& __restrict other) noexcept {
    for (unsigned i = 0; i < kMaxLocations; ++i) stamp[i] = stamp[i] < other.stamp[i] ? other.stamp[i] : stamp[i];
  }
};

/// The memory's data of an atomic, stored in the object that the code under test sees.
struct Cell {
  static constexpr std::uint32_t kNone = ~0u;
  static constexpr std::uint32_t kDestroyed = ~0u - 1;
  /// Value of `execution` for a constant-initialised object, which is new in each execution.
  static constexpr std::uint32_t kStatic = ~0u;

  mutable std::uint32_t location = kNone;  // given at the first use
  std::uint32_t execution = kStatic;       // the execution that created it
  std::uint32_t created = 0;               // the creator's clock at its creation
  Thread creator = 0;
  std::uint64_t ordinal = 0;  // among the atomics of its creator
  std::uint64_t initial = 0;
};

/// The last uses of a plain variable, by thread; see Plain in explore.hpp.
struct Shadow {
  Thread writer = 0;
  std::uint32_t written = 0;
  Clock read;
};

/// Interface of the memory to the search and the test.
class Oracle {
 public:
  /// The age of the store that a load returns: 0 for the newest, less than `options`. `free`: the delay began earlier and
  /// continues.
  virtual unsigned staleness(unsigned options, bool free) = 0;
  [[noreturn]] virtual void fail(const std::string& message) = 0;
  virtual void note(Thread thread, const std::string& text) = 0;

 protected:
  ~Oracle() = default;
};

class Memory {
 public:
  explicit Memory(Oracle& oracle) : oracle_(oracle) {}

  void reset(Model model, Fences fences);
  void begin_thread(Thread thread);
  /// Everything so far happens before the next actions of this thread: for the body, which is not interleaved, and for order
  /// that is not simulated.
  void join_all_to(Thread thread);
  /// All delayed stores arrive.
  void arrive();

  void create(Thread thread, Cell& cell, std::uint64_t value);
  void destroy(Thread thread, Cell& cell);

  std::uint64_t load(Thread thread, const Cell& cell, std::memory_order order);
  void store(Thread thread, const Cell& cell, std::uint64_t value, std::memory_order order);
  /// A read-modify-write is modify_read() and then one of the others.
  std::uint64_t modify_read(Thread thread, const Cell& cell);
  void modify_write(Thread thread, const Cell& cell, std::uint64_t value, std::memory_order order);
  void modify_refuse(Thread thread, const Cell& cell, std::memory_order order);

  void fence(Thread thread, std::memory_order order);
  void light_fence(Thread thread);
  void heavy_fence(Thread thread);

  /// The kernel's read in a futex wait. A wake and a later wait are ordered, and each is a fence on its own side.
  std::uint64_t futex_load(Thread thread, const Cell& cell);
  void futex_wake(Thread thread);

  void read_plain(Thread thread, Shadow& shadow, const char* what);
  void write_plain(Thread thread, Shadow& shadow, const char* what);

  /// True if more than one thread has used this location, in this or an earlier execution since the last forget_sharing().
  /// Locations of different executions correspond if the same thread created them at the same point of its sequence.
  [[nodiscard]] bool shared(const Cell& cell) const;
  void forget_sharing() { sharing_.clear(); }
  /// True if a location has become shared since the last call.
  bool sharing_changed() noexcept {
    const bool changed = sharing_changed_;
    sharing_changed_ = false;
    return changed;
  }

 private:
  struct Message {
    std::uint64_t value = 0;
    Clock clock;
    View view;
  };
  struct Location {
    const Cell* cell = nullptr;
    std::vector<Message> history;  // only the newest, except under kWeak
    unsigned* users = nullptr;     // bits
    Clock used;                    // by each thread, the last time
  };
  struct Delayed {
    std::uint32_t location;
    bool overtaken;
    Message message;
  };
  struct State {
    Clock clock;
    View view;
    Clock release_clock, acquire_clock;  // of the last release fence; for the next acquire fence
    View release_view, acquire_view;
    View stale;  // the store of the thread's last load of each location, plus 1, if it was not the newest
    std::deque<Delayed> buffer;
    bool draining = false;
    std::uint32_t created = 0;
  };

  [[nodiscard]] bool has_location(const Cell& cell) const noexcept {
    return cell.location < count_ && locations_[cell.location].cell == &cell;
  }
  void check_alive(Thread thread, const Cell& cell);
  Location& use(Thread thread, const Cell& cell);
  /// Like use(), for an operation that begins now.
  Location& begin(Thread thread, const Cell& cell);
  void tick(Thread thread) noexcept { ++states_[thread].clock.time[thread]; }
  void acquire(State& state, const Message& message, std::memory_order order) noexcept;
  void publish(State& state, std::uint32_t location, Message& message, std::memory_order order) const noexcept;
  void append(Location& location, Message&& message);
  void let_out(Thread self, std::uint32_t location);
  void drain(Thread thread, std::size_t count);
  void drain(Thread thread) { drain(thread, states_[thread].buffer.size()); }
  std::uint64_t read(Thread thread, const Cell& cell, const View* floor, std::memory_order order);

  Oracle& oracle_;
  Model model_ = Model::kSequential;
  Fences fences_ = Fences::kAsymmetric;
  std::array<State, kMaxThreads> states_;
  std::vector<Location> locations_;
  std::uint32_t count_ = 0;  // locations in use
  std::uint32_t execution_ = 0;
  View sequential_view_;  // of sequentially consistent operations and fences
  View light_view_, heavy_view_, futex_view_;
  std::unordered_map<std::uint64_t, unsigned> sharing_;
  bool sharing_changed_ = false;
};

}  // namespace interleave
