/// The caches of the simulated machine. For each line of 64 bytes: the processors that have a copy, and the time at which a
/// transfer ends. The values are in the program's own memory.
///
/// Modified or exclusive lines have an owner, shared lines have readers; a cache has no other states and is never full. A line
/// goes to one processor after another: a request during a transfer waits for its end, and then its own transfer begins. A reader of
/// a shared line gets it from the nearest copy, and delays other requests only for a moment. A line without a previous user is in
/// the cache of its first user.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bench/simulation/costs.hpp"

namespace simulation {

inline constexpr unsigned kMaxProcessors = 320;
inline constexpr std::uintptr_t kLineSize = 64;

/// The statistics of all lines with one name.
struct LineCounts {
  std::uint64_t accesses = 0;
  std::uint64_t foreign_loads = 0;  // by processors other than the last writer of the line
  std::uint64_t transfers = 0;      // accesses by a processor without a copy, or without the right to write
  Time waited = 0;                  // the time of these transfers, queuing for the line included

  LineCounts& operator+=(const LineCounts& other) noexcept;
  LineCounts operator-(const LineCounts& other) const noexcept;
};

class CacheLines {
 public:
  explicit CacheLines(const Costs& costs);

  /// Lines in [begin, begin + size) get this name. Other lines are named after the file that first uses them.
  void name(const void* begin, std::size_t size, std::string_view name);
  /// From here on, no access waits for a line with this name.
  void make_free(std::string_view name) { free_ = number_of(name); }

  /// Processor `who` reads or writes at `now`. Returns the time when the line arrives: `now` if it was there.
  Time read(unsigned who, const void* address, Time now, const char* file);
  Time write(unsigned who, const void* address, Time now, const char* file);

  /// The memory was newly allocated: forgets the state of its lines.
  void forget(const void* memory, std::size_t size);

  [[nodiscard]] const std::vector<LineCounts>& counts() const noexcept { return counts_; }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  static constexpr unsigned kNobody = ~0u;
  static constexpr std::uint32_t kUnnamed = ~0u;
  static constexpr unsigned kWords = kMaxProcessors / 64;

  struct Line {
    std::uintptr_t key = 0;  // address / kLineSize; 0: no line
    Time free_at = 0;        // the end of the latest transfer
    std::uint32_t name = kUnnamed;
    unsigned owner = kNobody;
    unsigned last_writer = kNobody;
    bool arriving = false;                        // its owner had no copy when it asked, and waits until free_at
    std::array<std::uint64_t, kWords> readers{};  // including the owner

    [[nodiscard]] bool has(unsigned who) const noexcept { return readers[who / 64] >> who % 64 & 1; }
    [[nodiscard]] bool unused() const noexcept { return readers == std::array<std::uint64_t, kWords>{}; }
    void add(unsigned who) noexcept { readers[who / 64] |= std::uint64_t{1} << who % 64; }
    /// Whether a processor in [begin, end) has a copy.
    [[nodiscard]] bool any(unsigned begin, unsigned end) const noexcept;
  };

  /// The processors [begin, end).
  struct Group {
    unsigned begin, end;
  };

  Line& find(const void* address, const char* file);
  Line& place_of(std::uintptr_t key) noexcept;
  void grow();
  std::uint32_t name_of(std::uintptr_t key, const char* file);
  std::uint32_t number_of(std::string_view name);
  /// The processors with the socket of `who`, and with its last-level cache.
  [[nodiscard]] Group socket_of(unsigned who) const noexcept;
  [[nodiscard]] Group cache_of(unsigned who) const noexcept;
  /// The transfer time to `who` from the owner, or from the farthest reader.
  [[nodiscard]] Time farthest(const Line& line, unsigned who) const noexcept;
  /// The time to copy a shared line to `who` from the nearest reader.
  [[nodiscard]] Time nearest(const Line& line, unsigned who) const noexcept;
  Time finish(Line& line, Time now, Time end) noexcept;

  struct Range {
    std::uintptr_t begin, end;
    std::uint32_t name;
  };

  const Costs& costs_;
  std::vector<Line> table_;  // open addressing; a power of two
  std::size_t used_ = 0;
  std::vector<LineCounts> counts_;  // by name
  std::vector<std::string> names_;
  std::uint32_t free_ = kUnnamed;
  std::vector<Range> ranges_;
  std::unordered_map<const char*, std::uint32_t> files_;
};

}  // namespace simulation
