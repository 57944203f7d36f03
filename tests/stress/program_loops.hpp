/// The loops and reductions of a Run.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <stop_token>
#include <utility>

#include <blitz/fork_join.hpp>

#include "program.hpp"
#include "program_run.hpp"
#include "program_trace.hpp"

namespace blitz_test::program {

/// The value of a reduction: associative, but not commutative; in addition a sum with last bits that depend on the order.
struct Fold {
  std::uint64_t factor = 1;
  std::uint64_t offset = 0;
  double real = 0;

  static Fold of(std::uint64_t worth) { return {worth | 1, worth >> 7, 1.0 / static_cast<double>((worth >> 40) + 1)}; }
  friend Fold operator+(const Fold& x, const Fold& y) {
    return {x.factor * y.factor, x.offset * y.factor + y.offset, x.real + y.real};
  }
};

/// The WorkerLocal of the items of a loop: at most one job holds a value at a time.
struct Scratch {
  class Loan {
   public:
    Loan(Scratch& scratch, std::atomic<bool>& lent_twice) : scratch_(scratch) {
      if (std::exchange(scratch.lent, true)) lent_twice = true;
    }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan() { scratch_.lent = false; }

   private:
    Scratch& scratch_;
  };

  std::size_t visits = 0;
  bool lent = false;
};

inline std::uint64_t Run::loop(const Node& node, Record& record) {
  record.items.resize(node.items);
  Results results(node.children.size());
  std::stop_source stop;
  const blitz::ForOptions options{
      .min_grain = node.grain,
      .schedule = node.fixed ? blitz::Schedule::kFixed : blitz::Schedule::kAdaptive,
      .stop = node.stoppable ? stop.get_token() : std::stop_token(),
  };
  if (node.stopped_before) stop.request_stop();
  blitz::WorkerLocal<Scratch> scratch;
  std::atomic<bool> lent_twice{false};
  const auto item = [&](std::size_t i) {
    ++record.items[i];
    const auto lease = scratch.local();  // held while the child waits
    const Scratch::Loan loan(*lease, lent_twice);
    ++lease->visits;
    if (node.stoppable && i == node.stopper) stop.request_stop();
    if (const Node* const child = node.child_at(i)) {
      results[static_cast<std::size_t>(child - node.children.data())] = execute(*child);
    }
  };
  const auto complete = [&] {
    const auto add = [](std::size_t sum, const Scratch& value) { return sum + value.visits; };
    return !lent_twice &&
           scratch.combine(std::size_t{0}, add) == static_cast<std::size_t>(std::ranges::count(record.items, 1));
  };
  try {
    on_target(node, [&](auto&& pool) {
      switch (node.dice % 6) {
        case 0:
          return blitz::parallel_for(in(pool, options), std::size_t{0}, node.items, item);
        case 2:
          return blitz::parallel_for(in(pool, options), std::size_t{0}, 3 * node.items, std::size_t{3},
                                     [&](std::size_t i) { item(i / 3); });
        case 3: {
          // The last row may be longer than the number of remaining items.
          const std::size_t rows = 1 + node.dice / 6 % 7;
          const std::size_t columns = (node.items + rows - 1) / rows;
          return blitz::parallel_for_tiles(in(pool, options), {rows, columns},
                                           {1 + node.dice / 64 % 3, 1 + node.dice / 256 % 64},
                                           [&](const blitz::Tile<2>& tile) {
                                             for (const std::size_t row : tile.rows()) {
                                               for (const std::size_t column : tile.cols()) {
                                                 if (const std::size_t i = row * columns + column; i < node.items)
                                                   item(i);
                                               }
                                             }
                                           });
        }
        case 4:
          // As a tree: each item adds its two children.
          return blitz::parallel_for_each(in(pool, blitz::ForEachOptions{.stop = options.stop}),
                                          std::views::iota(std::size_t{0}, std::min<std::size_t>(node.items, 1)),
                                          [&](std::size_t i, blitz::Feeder<std::size_t>& feeder) {
                                            item(i);
                                            for (const std::size_t next : {2 * i + 1, 2 * i + 2}) {
                                              if (next < node.items) feeder.add(next);
                                            }
                                          });
        case 1:
          return blitz::parallel_for(in(pool, options), record.items, [&](const std::uint8_t& place) {
            item(static_cast<std::size_t>(&place - record.items.data()));
          });
        default:
          return blitz::parallel_for_blocks(in(pool, options), std::views::iota(std::size_t{0}, node.items),
                                            [&](auto block) {
                                              for (const std::size_t i : block) item(i);
                                            });
      }
    });
  } catch (...) {
    record.complete = complete();
    throw;
  }
  record.complete = complete();
  return sum_of(results);
}

inline std::uint64_t Run::reduce(const Node& node, Record& record) {
  record.items.resize(node.items);
  std::stop_source stop;
  const blitz::ReduceOptions options{
      .min_grain = node.grain,
      .schedule = node.fixed ? blitz::Schedule::kFixed : blitz::Schedule::kAdaptive,
      .stop = node.stoppable ? stop.get_token() : std::stop_token(),
      .deterministic = node.deterministic,
  };
  if (node.stopped_before) stop.request_stop();
  const auto transform = [&](std::size_t i) {
    ++record.items[i];
    if (node.stoppable && i == node.stopper) stop.request_stop();
    const Node* const child = node.child_at(i);
    Fold fold = Fold::of(worth_of_item(node, i));
    if (child != nullptr) fold.offset += execute(*child);
    return fold;
  };
  try {
    const Fold fold = on_target(node, [&](auto&& pool) {
      return blitz::parallel_transform_reduce(in(pool, options), std::size_t{0}, node.items, Fold(), std::plus<>(),
                                              transform);
    });
    record.real = fold.real;
    return fold.factor ^ fold.offset;
  } catch (const blitz::Stopped&) {
    record.complete = true;
    return 0;
  }
}

}  // namespace blitz_test::program
