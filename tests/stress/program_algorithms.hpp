/// The parallel algorithms of random programs. One function that is no template hides them, so they are compiled only once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include <blitz/algorithm/algorithm_options.hpp>
#include <blitz/fork_join.hpp>

#include "program.hpp"
#include "program_run.hpp"
#include "program_trace.hpp"

namespace blitz_test::program {

/// Calls `rank_of(i)` once for each i below `count` in one algorithm, and passes the ranks to another; `dice` chooses both.
/// Returns whether the result of the second algorithm equals its serial form in the standard library.
///
/// Throws the exceptions of `rank_of`, and blitz::Stopped. After a stop request the result is unspecified.
[[nodiscard]] bool algorithms_agree(const blitz::AlgorithmOptions& options, std::uint64_t dice, std::size_t count,
                                    const std::function<std::uint64_t(std::size_t)>& rank_of);

/// The items call the children, as in a loop.
inline std::uint64_t Run::algorithm(const Node& node, Record& record) {
  record.items.resize(node.items);
  Results results(node.children.size());
  std::stop_source stop;
  blitz::AlgorithmOptions options{
      .min_grain = node.grain,
      .stop = node.stoppable ? stop.get_token() : std::stop_token(),
      .deterministic = node.deterministic,
  };
  if (node.member) {
    options.pool = pools_.at(node.target, [](auto& pool) { return blitz::PoolRef(&pool); });
  }
  if (node.stopped_before) stop.request_stop();
  const auto rank_of = [&](std::size_t i) {
    ++record.items[i];
    if (node.stoppable && i == node.stopper) stop.request_stop();
    if (const Node* const child = node.child_at(i)) {
      results[static_cast<std::size_t>(child - node.children.data())] = execute(*child);
    }
    return worth_of_item(node, i);
  };
  record.complete = true;
  try {
    const bool agree = algorithms_agree(options, node.dice, node.items, rank_of);
    record.complete = agree || stop.stop_requested();
  } catch (const blitz::Stopped&) {
    record.complete = stop.stop_requested();
  }
  return sum_of(results);
}

}  // namespace blitz_test::program
