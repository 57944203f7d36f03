/// Random trees of joins, and their serial meaning.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <blitz/fork_join.hpp>

#include "stress.hpp"

namespace blitz_test {

/// The exception of a leaf.
struct LeafError {
  std::uint64_t leaf;
};

/// The shape of a tree is a function of its root: each node is a random number that determines its kind, its work and its
/// children.
struct Shape {
  std::uint64_t root;
  unsigned depth;     // at most
  unsigned leaves;    // one node in this many is a leaf, above that depth
  unsigned throwers;  // one leaf in this many throws; 0: none
  unsigned work;      // at most this many rounds of arithmetic in a leaf
};

inline Shape random_shape(Random& random) {
  return {random.next(), static_cast<unsigned>(random.between(0, 13)), static_cast<unsigned>(random.between(3, 64)),
          random.one_in(2) ? 0U : static_cast<unsigned>(random.between(2, 2'000)),
          static_cast<unsigned>(random.one_in(4) ? random.below(5'000) : random.below(50))};
}

inline std::uint64_t child(std::uint64_t node, std::uint64_t which) { return blitz::detail::splitmix64(node + which); }
inline std::uint64_t combine(std::uint64_t x, std::uint64_t y) { return std::rotl(x, 7) * 31 + y; }
inline bool is_leaf(const Shape& shape, std::uint64_t node, unsigned depth) {
  return depth == 0 || (node >> 8) % shape.leaves == 0;
}
inline std::uint64_t num_children(std::uint64_t node) {
  if ((node >> 16) % 8 != 0) return 2;
  return (node >> 40) % 4 == 0 ? 6 : 3;
}

inline std::uint64_t leaf(const Shape& shape, std::uint64_t node) {
  if (shape.throwers != 0 && (node >> 24) % shape.throwers == 0) throw LeafError{node};
  std::uint64_t x = node;
  if (shape.work != 0) {
    for (std::uint64_t i = (node >> 32) % shape.work; i > 0; --i) x = x * 6364136223846793005U + 1;
  }
  return x;
}

/// A value, or the leaf that threw the exception, and the number of leaves called.
struct Outcome {
  std::optional<std::uint64_t> value = std::nullopt;
  std::uint64_t thrower = 0;
  std::uint64_t leaves = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// Follows the contract literally: all branches are called, and if several throw, the leftmost exception arrives.
inline Outcome serial_tree(const Shape& shape, std::uint64_t node, unsigned depth) {
  if (is_leaf(shape, node, depth)) {
    try {
      return {leaf(shape, node), 0, 1};
    } catch (const LeafError& error) {
      return {std::nullopt, error.leaf, 1};
    }
  }
  Outcome all = serial_tree(shape, child(node, 0), depth - 1);
  for (std::uint64_t i = 1; i < num_children(node); ++i) {
    const Outcome next = serial_tree(shape, child(node, i), depth - 1);
    all.leaves += next.leaves;
    if (all.value && next.value) {
      all.value = combine(*all.value, *next.value);
    } else if (all.value) {
      all.value.reset();
      all.thrower = next.thrower;
    }
  }
  return all;
}

inline std::uint64_t parallel_tree(const Shape& shape, std::uint64_t node, unsigned depth,
                                   std::atomic<std::uint64_t>& leaves) {
  if (is_leaf(shape, node, depth)) {
    leaves.fetch_add(1, std::memory_order_relaxed);
    return leaf(shape, node);
  }
  const auto branch = [&](std::uint64_t i) { return parallel_tree(shape, child(node, i), depth - 1, leaves); };
  if (num_children(node) > 2 && (node >> 48) % 2 == 0) {
    std::vector<std::function<std::uint64_t()>> branches;
    for (std::uint64_t i = 0; i < num_children(node); ++i) branches.emplace_back([&branch, i] { return branch(i); });
    const auto values = blitz::join_all(branches);
    return std::accumulate(values.begin() + 1, values.end(), values.front(), combine);
  }
  if (num_children(node) == 6) {
    return std::apply(
        [](std::uint64_t first, auto... rest) {
          ((first = combine(first, rest)), ...);
          return first;
        },
        blitz::join([&] { return branch(0); }, [&] { return branch(1); }, [&] { return branch(2); },
                    [&] { return branch(3); }, [&] { return branch(4); }, [&] { return branch(5); }));
  }
  if (num_children(node) == 3) {
    const auto [x, y, z] = blitz::join([&] { return branch(0); }, [&] { return branch(1); }, [&] { return branch(2); });
    return combine(combine(x, y), z);
  }
  if ((node >> 20) % 8 == 0) {
    const auto worker = blitz::current_thread_index();
    bool in_a = false;  // written and read by the joining worker only
    const auto [x, y] = blitz::join_context(
        [&](blitz::JoinContext context) {
          if (context.migrated()) std::abort();
          struct Scope {
            bool& flag;
            explicit Scope(bool& f) : flag(f) { flag = true; }
            ~Scope() { flag = false; }
          } const scope(in_a);
          return branch(0);
        },
        [&](blitz::JoinContext context) {
          const bool elsewhere = blitz::current_thread_index() != worker;
          if (!context.migrated() && (elsewhere || in_a)) std::abort();
          // The default policy runs `b` either in place or on another thread, because only joins are waited for here.
          const bool by_default = blitz::detail::hot_worker != nullptr;
          if (by_default && context.migrated() != elsewhere) std::abort();
          return branch(1);
        });
    return combine(x, y);
  }
  const auto [x, y] = blitz::join([&] { return branch(0); }, [&] { return branch(1); });
  return combine(x, y);
}

/// On the caller's pool if the caller is a worker, otherwise on `pool`.
template <class Pool>
Outcome tree_on(Pool& pool, const Shape& shape) {
  std::atomic<std::uint64_t> leaves{0};
  Outcome outcome;
  try {
    outcome.value = pool.install([&] { return parallel_tree(shape, shape.root, shape.depth, leaves); });
  } catch (const LeafError& error) {
    outcome.thrower = error.leaf;
  }
  outcome.leaves = leaves;
  return outcome;
}

}  // namespace blitz_test
