#include "blitz/detail/algorithm/sort/parts.hpp"

#include <algorithm>
#include <array>
#include <new>

#include "blitz/current_pool.hpp"
#include "blitz/detail/algorithm/blocks.hpp"

namespace blitz::detail {

void with_threads(const AlgorithmOptions& options, std::size_t n, std::size_t least,
                  FunctionRef<void(std::size_t threads)> f) {
  if (n <= least) return f(1);
  on_worker(options.pool.base(), [&](WorkerBase& worker) { f(worker.num_threads()); });
}

void for_parts(const AlgorithmOptions& options, std::size_t n, std::size_t parts,
               FunctionRef<void(std::size_t part, std::size_t begin, std::size_t end)> f) {
  if (parts == 1) return f(0, 0, n);
  enum class State : unsigned char { kWaits, kBegun, kDone };
  std::array<State, kMostParts> states;
  std::fill_n(states.begin(), parts, State::kWaits);
  const auto run = [&](std::size_t part) {
    states[part] = State::kBegun;
    throw_if_stopped(options);
    f(part, part_begin(n, parts, part), part_begin(n, parts, part + 1));
    states[part] = State::kDone;
  };
  try {
    for_blocks({.pool = options.pool}, parts, 1, [&](LoopIndex first, LoopIndex last) {
      for (std::size_t part = first; part != last; ++part) run(part);
    });
  } catch (const std::bad_alloc&) {
    const auto end = states.begin() + static_cast<std::ptrdiff_t>(parts);
    if (std::find(states.begin(), end, State::kBegun) != end) throw;
    for (std::size_t part = 0; part != parts; ++part) {
      if (states[part] == State::kWaits) run(part);
    }
  }
}

}  // namespace blitz::detail
