// The positions of processors, as read from files.
#include "blitz/detail/sys/topology.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <vector>

namespace blitz::detail {
namespace {

namespace stdfs = std::filesystem;

/// A processor's position, in numbers that are the same for processors in the same place, and its ranks.
struct Position {
  unsigned processor;
  unsigned node = 0;
  unsigned cache = 0;
  unsigned core = 0;

  std::ptrdiff_t thread_rank = 0;  // among the hardware threads of its core
  std::ptrdiff_t core_rank = 0;    // among the processors of its cache with the same thread_rank
  std::ptrdiff_t cache_rank = 0;   // among the caches of its node
};

/// The first line of a file; empty if it cannot be read.
std::string line_of(const stdfs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// Calls found(first, last) for each range of a list: "0-3,8" has 0 to 3 and 8 to 8. Ends where the text is no list.
template <class Found>
void each_range(const std::string& list, Found found) {
  const char* const end = list.data() + list.size();
  for (const char* at = list.data();; ++at) {
    unsigned first = 0;
    auto result = std::from_chars(at, end, first);
    if (result.ec != std::errc{}) return;
    unsigned last = first;
    if (result.ptr != end && *result.ptr == '-') result = std::from_chars(result.ptr + 1, end, last);
    if (result.ec != std::errc{}) return;
    found(first, last);
    at = result.ptr;
    if (at == end || *at != ',') return;
  }
}

std::optional<unsigned> first_number(const stdfs::path& file) {
  std::optional<unsigned> number;
  each_range(line_of(file), [&](unsigned first, unsigned) {
    if (!number) number = first;
  });
  return number;
}

/// The first processor of its last cache.
std::optional<unsigned> cache_of(const stdfs::path& processor) {
  std::optional<unsigned> last;
  unsigned highest = 0;
  for (unsigned index = 0;; ++index) {
    const stdfs::path cache = processor / "cache" / ("index" + std::to_string(index));
    const std::optional<unsigned> level = first_number(cache / "level");
    if (!level) return last;
    if (*level < highest) continue;
    highest = *level;
    last = first_number(cache / "shared_cpu_list");
  }
}

/// Without its node.
Position position_of(unsigned number, const stdfs::path& root) {
  const stdfs::path processor = root / "sys/devices/system/cpu" / ("cpu" + std::to_string(number));
  return {.processor = number,
          .cache = cache_of(processor).value_or(0),
          .core = first_number(processor / "topology/thread_siblings_list").value_or(number)};
}

void find_nodes(std::vector<Position>& all, const stdfs::path& root) {
  constexpr unsigned kMostNodes = 1024;  // of Linux; protects from a wrong file
  const stdfs::path nodes = root / "sys/devices/system/node";
  each_range(line_of(nodes / "online"), [&](unsigned first_node, unsigned last_node) {
    for (unsigned node = first_node; node <= std::min(last_node, kMostNodes); ++node) {
      each_range(line_of(nodes / ("node" + std::to_string(node)) / "cpulist"), [&](unsigned first, unsigned last) {
        for (Position& one : all) {
          if (first <= one.processor && one.processor <= last) one.node = node;
        }
      });
    }
  });
}

/// In ascending order of the processors, with their ranks.
std::vector<Position> positions_of(const Processors& processors, const stdfs::path& root) {
  std::vector<Position> all;
  for (const unsigned number : processors) all.push_back(position_of(number, root));
  find_nodes(all, root);
  for (auto one = all.begin(); one != all.end(); ++one) {
    one->thread_rank = std::count_if(all.begin(), one, [&](const Position& p) { return p.core == one->core; });
    one->core_rank = std::count_if(all.begin(), one, [&](const Position& p) {
      return p.node == one->node && p.cache == one->cache && p.thread_rank == one->thread_rank;
    });
  }
  for (Position& one : all) {
    one.cache_rank = std::count_if(all.begin(), all.end(), [&](const Position& p) {
      const bool first_of_cache = p.thread_rank == 0 && p.core_rank == 0;
      return first_of_cache && p.node == one.node && p.cache < one.cache;
    });
  }
  return all;
}

template <class Key>
Processors sorted(std::vector<Position> all, Key key) {
  std::sort(all.begin(), all.end(), [&](const Position& a, const Position& b) { return key(a) < key(b); });
  std::vector<unsigned> numbers;
  for (const Position& one : all) numbers.push_back(one.processor);
  return processors_of(numbers.data(), numbers.size());
}

}  // namespace

Processors compact(const Processors& processors, const stdfs::path& root) {
  return sorted(positions_of(processors, root),
                [](const Position& p) { return std::tuple(p.node, p.cache, p.thread_rank, p.processor); });
}

Processors spread(const Processors& processors, const stdfs::path& root) {
  return sorted(positions_of(processors, root), [](const Position& p) {
    return std::tuple(p.thread_rank, p.core_rank, p.cache_rank, p.node, p.processor);
  });
}

}  // namespace blitz::detail
