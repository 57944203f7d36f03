#include "blitz/algorithm/chain.hpp"

#include <optional>
#include <stop_token>

#include "blitz/core/loop.hpp"

namespace blitz::detail {

void Chain::run(const AlgorithmOptions& options, std::uintptr_t name) {
  struct Tickets final : Loop {
    Tickets(Chain& its_chain, const std::stop_token& stop_token, std::uintptr_t its_name)
        : Loop(&use, its_chain.runs_.positions(), LoopCut::kAdaptive, its_chain.grain_, stop_token), chain(its_chain) {
      name = its_name;
    }
    static bool use(const Loop& self, void* /*value*/, LoopIndex first, LoopIndex last) {
      return static_cast<const Tickets&>(self).chain.use_ticket(last - first);
    }
    Chain& chain;
  };
  if (runs_.positions() > grain_) return Tickets(*this, options.stop, name).run(options.pool.base());
  if (runs_.positions() > 0 && !options.stop.stop_requested()) run_whole({0, runs_.positions()});
}

bool Chain::use_ticket(LoopIndex length) {
  bool ends = false;
  const LoopIndex each = alike_ ? 1 : length;
  for (; length > 0; length -= each) {
    ends |= begin(runs_.claim(each));
    const auto is_free = [this](const Run& run) { return needed(run) <= runs_.done_below(); };
    while (const auto run = runs_.take_linked(is_free)) {
      ends |= finish(*run);
      runs_.done(*run);
    }
  }
  return ends;
}

bool Chain::begin(const Run& run) {
  if (!alike_ && runs_.left_known(run) && needed(run) <= runs_.done_below()) {
    const bool ends = run_whole(run);
    runs_.done(run);
    if (const auto next = runs_.linked(run)) link_from(*next);
    return ends;
  }
  sum_up(run);
  if (runs_.summed(run)) link_from(run);
  return false;
}

void Chain::link_from(const Run& run) {
  std::optional<Run> next = run;
  while (next) {
    link(*next);
    next = runs_.linked(*next);
  }
}

}  // namespace blitz::detail
