#include <string_view>

#include "bench/simulation/machine.hpp"

namespace simulation {
namespace {

/// Returns "file.hpp: function" for a path and the compiler's name of the function.
std::string short_name(std::string_view path, std::string_view function) {
  const auto slash = path.rfind('/');
  if (slash != path.npos) path.remove_prefix(slash + 1);
  // From the last name before the parameters; drops its template arguments.
  const auto end = function.find('(');
  if (end != function.npos) function = function.substr(0, end);
  const auto begin = function.find_last_of(": *&");
  if (begin != function.npos) function.remove_prefix(begin + 1);
  return std::string(path) + ": " + std::string(function);
}

}  // namespace

Counts Machine::counts() const {
  Counts counts = counts_;
  counts.time = now();
  counts.heavy_fences.clear();
  for (const auto& [key, count] : counts_.heavy_fences) {
    const auto end = key.find('\n');
    counts.heavy_fences[short_name(std::string_view(key).substr(0, end), std::string_view(key).substr(end + 1))] +=
        count;
  }
  for (std::size_t i = 0; i < lines_.names().size(); ++i) counts.lines[lines_.names()[i]] = lines_.counts()[i];
  for (const auto& processor : processors_) {
    Time busy = processor->busy;
    if (processor->status == Status::kReady && counts.time > processor->busy_since) {
      busy += counts.time - processor->busy_since;
    }
    counts.busy.push_back(busy);
    if (processor->fence_since >= 0 && counts.time > processor->fence_since) {
      counts.heavy_fence_time += counts.time - processor->fence_since;
    }
  }
  return counts;
}

Counts Counts::operator-(const Counts& before) const {
  Counts difference = *this;
  difference.time -= before.time;
  for (const auto& [name, counts] : before.lines) difference.lines[name] = difference.lines[name] - counts;
  for (const auto& [name, count] : before.heavy_fences) difference.heavy_fences[name] -= count;
  difference.heavy_fence_time -= before.heavy_fence_time;
  difference.membarriers -= before.membarriers;
  difference.interrupts -= before.interrupts;
  difference.wakes -= before.wakes;
  difference.waits -= before.waits;
  for (std::size_t i = 0; i < before.busy.size(); ++i) difference.busy[i] -= before.busy[i];
  return difference;
}

std::uint64_t Counts::heavy_fences_in_all() const {
  std::uint64_t sum = 0;
  for (const auto& [name, count] : heavy_fences) sum += count;
  return sum;
}

LineCounts Counts::line(const std::string& name) const {
  const auto found = lines.find(name);
  return found != lines.end() ? found->second : LineCounts{};
}

Time Counts::busy_in_all() const {
  Time sum = 0;
  for (const Time busy_one : busy) sum += busy_one;
  return sum;
}

}  // namespace simulation
