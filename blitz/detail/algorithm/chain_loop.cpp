// The loop that runs a chain. A separate file, because the interleaving suite runs chain.cpp without loops.
#include <stop_token>

#include "blitz/detail/algorithm/chain.hpp"
#include "blitz/detail/loop/loop.hpp"

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

}  // namespace blitz::detail
