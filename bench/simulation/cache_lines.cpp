#include "bench/simulation/cache_lines.hpp"

#include <algorithm>
#include <utility>

namespace simulation {

LineCounts& LineCounts::operator+=(const LineCounts& other) noexcept {
  accesses += other.accesses;
  foreign_loads += other.foreign_loads;
  transfers += other.transfers;
  waited += other.waited;
  return *this;
}

LineCounts LineCounts::operator-(const LineCounts& other) const noexcept {
  return {accesses - other.accesses, foreign_loads - other.foreign_loads, transfers - other.transfers,
          waited - other.waited};
}

CacheLines::CacheLines(const Costs& costs) : costs_(costs), table_(1 << 12) {}

void CacheLines::name(const void* begin, std::size_t size, std::string_view name) {
  const auto first = reinterpret_cast<std::uintptr_t>(begin) / kLineSize;
  const auto last = (reinterpret_cast<std::uintptr_t>(begin) + size - 1) / kLineSize;
  const std::uint32_t number = number_of(name);
  ranges_.push_back({first, last + 1, number});
  for (Line& line : table_) {
    if (line.key >= first && line.key <= last) line.name = number;
  }
}

std::uint32_t CacheLines::number_of(std::string_view name) {
  const auto known = std::find(names_.begin(), names_.end(), name);
  if (known != names_.end()) return static_cast<std::uint32_t>(known - names_.begin());
  names_.emplace_back(name);
  counts_.emplace_back();
  return static_cast<std::uint32_t>(names_.size() - 1);
}

std::uint32_t CacheLines::name_of(std::uintptr_t key, const char* file) {
  for (const Range& range : ranges_) {
    if (key >= range.begin && key < range.end) return range.name;
  }
  const auto [known, added] = files_.try_emplace(file, 0);
  if (added) {
    const std::string_view path = file;
    const auto slash = path.rfind('/');
    known->second = number_of(slash == path.npos ? path : path.substr(slash + 1));
  }
  return known->second;
}

CacheLines::Line& CacheLines::find(const void* address, const char* file) {
  const std::uintptr_t key = reinterpret_cast<std::uintptr_t>(address) / kLineSize;
  Line* line = &place_of(key);
  if (line->key == 0) {
    if (2 * ++used_ > table_.size()) {
      grow();
      line = &place_of(key);
    }
    line->key = key;
  }
  if (line->name == kUnnamed) line->name = name_of(key, file);
  return *line;
}

/// The line, or its free place in the table.
CacheLines::Line& CacheLines::place_of(std::uintptr_t key) noexcept {
  const std::size_t mask = table_.size() - 1;
  std::size_t i = key * 0x9E3779B97F4A7C15 >> 20 & mask;
  while (table_[i].key != key && table_[i].key != 0) i = (i + 1) & mask;
  return table_[i];
}

void CacheLines::grow() {
  std::vector<Line> old(2 * table_.size());
  old.swap(table_);
  for (const Line& line : old) {
    if (line.key != 0) place_of(line.key) = line;
  }
}

void CacheLines::forget(const void* memory, std::size_t size) {
  const auto first = reinterpret_cast<std::uintptr_t>(memory) / kLineSize;
  const auto last = (reinterpret_cast<std::uintptr_t>(memory) + size - 1) / kLineSize;
  for (std::uintptr_t key = first; key <= last; ++key) {
    Line& line = place_of(key);
    if (line.key == 0) continue;
    line = Line{};
    line.key = key;
  }
}

bool CacheLines::Line::any(unsigned begin, unsigned end) const noexcept {
  for (unsigned word = begin / 64; word < kWords && 64 * word < end; ++word) {
    std::uint64_t copies = readers[word];
    if (word == begin / 64) copies &= ~std::uint64_t{0} << begin % 64;
    if (end - 64 * word < 64) copies &= ~(~std::uint64_t{0} << end % 64);
    if (copies != 0) return true;
  }
  return false;
}

CacheLines::Group CacheLines::socket_of(unsigned who) const noexcept {
  const unsigned begin = who / costs_.socket * costs_.socket;
  return {begin, begin + costs_.socket};
}

CacheLines::Group CacheLines::cache_of(unsigned who) const noexcept {
  const Group socket = socket_of(who);
  const unsigned begin = who / costs_.cache * costs_.cache;
  return {std::max(begin, socket.begin), std::min(begin + costs_.cache, socket.end)};
}

Time CacheLines::farthest(const Line& line, unsigned who) const noexcept {
  const auto is_beyond = [&line](Group group) {
    return line.any(0, group.begin) || line.any(group.end, kMaxProcessors);
  };
  if (is_beyond(socket_of(who))) return costs_.socket_transfer;
  return is_beyond(cache_of(who)) ? costs_.cache_transfer : costs_.transfer;
}

Time CacheLines::nearest(const Line& line, unsigned who) const noexcept {
  const auto is_in = [&line](Group group) { return line.any(group.begin, group.end); };
  if (is_in(cache_of(who))) return costs_.shared_read;
  return is_in(socket_of(who)) ? costs_.cache_transfer : costs_.socket_transfer;
}

Time CacheLines::finish(Line& line, Time now, Time end) noexcept {
  LineCounts& counts = counts_[line.name];
  ++counts.transfers;
  counts.waited += end - now;
  return end;
}

Time CacheLines::read(unsigned who, const void* address, Time now, const char* file) {
  Line& line = find(address, file);
  ++counts_[line.name].accesses;
  if (line.name == free_) return now;
  if (line.last_writer != who) ++counts_[line.name].foreign_loads;
  if (line.has(who)) return line.owner == who && line.arriving ? std::max(now, line.free_at) : now;
  const Time begin = std::max(now, line.free_at);
  Time end = 0;
  if (line.owner != kNobody) {
    end = begin + farthest(line, who);
    line.free_at = end;
    line.owner = kNobody;
    line.arriving = false;
  } else if (line.unused()) {
    line.owner = who;
    line.add(who);
    return now;
  } else {
    end = begin + nearest(line, who);
    line.free_at = begin + costs_.shared_busy;
  }
  line.add(who);
  return finish(line, now, end);
}

Time CacheLines::write(unsigned who, const void* address, Time now, const char* file) {
  Line& line = find(address, file);
  ++counts_[line.name].accesses;
  if (line.name == free_) return now;
  line.last_writer = who;
  if (line.owner == who) return line.arriving ? std::max(now, line.free_at) : now;
  line.owner = who;
  if (line.unused()) {
    line.add(who);
    return now;
  }
  line.arriving = !line.has(who);
  line.free_at = std::max(now, line.free_at) + farthest(line, who);
  line.readers = {};
  line.add(who);
  return finish(line, now, line.free_at);
}

}  // namespace simulation
