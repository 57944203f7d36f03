#include "blitz/detail/algorithm/chain.hpp"

namespace blitz::detail {

bool Chain::use_ticket(LoopIndex length) {
  bool ends = false;
  const LoopIndex each = alike_ ? 1 : length;
  for (; length > 0; length -= each) {
    ends |= begin(runs_.claim(each));
    const auto is_free = [this](const Run& run) { return needed(run) <= runs_.done_below(); };
    while (const Run run = runs_.take_linked(is_free)) {
      ends |= finish(run);
      runs_.done(run);
    }
  }
  return ends;
}

bool Chain::begin(const Run& run) {
  if (!alike_ && runs_.left_known(run) && needed(run) <= runs_.done_below()) {
    const bool ends = run_whole(run);
    runs_.done(run);
    if (const Run next = runs_.linked(run)) link_from(next);
    return ends;
  }
  sum_up(run);
  if (runs_.summed(run)) link_from(run);
  return false;
}

void Chain::link_from(const Run& run) {
  for (Run next = run; next; next = runs_.linked(next)) link(next);
}

}  // namespace blitz::detail
