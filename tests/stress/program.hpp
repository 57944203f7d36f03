/// Random programs: trees of the library's calls. Each node is a call, and its children are the calls that it makes.
///
/// A program is a function of the seed and of its number: it is identical on every pool and in every run.
///
/// Three pools take part, and three rules prevent a program from waiting for itself:
///   - a call that runs in `kLast` never leaves it;
///   - a *confined* call may run on a worker that refuses unrelated jobs while it waits (below isolate and install_blocking,
///     and in the jobs of a broadcast): it goes to no other pool than `kLast`;
///   - a confined broadcast goes only to `kLast`: a thread of another pool may be confined in a third pool, and does not see
///     the broadcast there. Two such threads could wait for each other.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <blitz/fork_join.hpp>

#include "support/seed.hpp"

namespace blitz_test::program {

enum class Call : std::uint8_t {
  kLeaf,
  kYield,
  kAdjust,  // set_max_concurrency, warm_up, stats
  kJoin,
  kJoinContext,
  kInvoke,
  kScope,
  kLoop,
  kReduce,
  kAlgorithm,
  kIsolate,
  kInstall,
  kInstallBlocking,
  kBroadcast,
  kAsync,
  kDetached,
};

[[nodiscard]] inline const char* name_of(Call call) {
  static constexpr std::array kNames{
      "leaf",   "yield",     "adjust",  "join",    "join_context",     "invoke",    "scope", "loop",
      "reduce", "algorithm", "isolate", "install", "install_blocking", "broadcast", "async", "detached"};
  return kNames[static_cast<std::size_t>(call)];
}

enum class Place : std::uint8_t { kHome, kOther, kLast };

/// When a node itself throws an exception.
enum class Fault : std::uint8_t { kNone, kBefore, kAfter };

/// The calls for detached jobs.
enum class Detach : std::uint8_t { kSpawn, kSpawnFifo, kSpawnBroadcast, kDropHandle };

struct Node {
  std::uint32_t id = 0;
  Call call = Call::kLeaf;
  Fault fault = Fault::kNone;
  bool catches = false;         // catches the exceptions of its children
  Place place = Place::kHome;   // the place of its execution
  bool member = false;          // a call of the pool `target`, not a free function
  Place target = Place::kHome;  // the place of its children; for an in_place_scope, of all except the first
  std::uint64_t dice = 0;       // random bits for all choices that have no field
  std::vector<Node> children{};
  Detach detach = Detach::kSpawn;

  // For loops, reductions, algorithms and scopes:
  std::size_t items = 0;
  std::size_t grain = 1;
  bool fixed = false;
  bool deterministic = false;
  bool stoppable = false;
  bool stopped_before = false;
  std::size_t stopper = 0;  // the item, or the child, that requests a stop
  bool nested = false;      // the jobs of the scope spawn one another
  bool broadcasts = false;
  bool in_place = false;
  bool fifo = false;
  bool grouped = false;  // a task group of the pool instead of a scope

  /// The child that an item of a loop calls, or null. Most items have no child.
  [[nodiscard]] const Node* child_at(std::size_t item) const {
    if (children.empty()) return nullptr;
    const std::size_t stride = items / children.size();
    return item % stride == 0 && item / stride < children.size() ? &children[item / stride] : nullptr;
  }
};

/// Hashes that define the values of nodes, items and exceptions.
[[nodiscard]] inline std::uint64_t mix(std::uint64_t x, std::uint64_t y) {
  return blitz::detail::splitmix64(x * 31 + blitz::detail::splitmix64(y));
}
[[nodiscard]] inline std::uint64_t worth_of_node(const Node& node) { return mix(node.dice, 1); }
[[nodiscard]] inline std::uint64_t worth_of_item(const Node& node, std::size_t item) {
  return mix(node.dice + 2, item);
}
[[nodiscard]] inline std::uint64_t worth_of_exception(std::uint32_t thrower) { return mix(3, thrower); }

struct Program {
  Node root;
  std::size_t nodes;
};

/// Calls `use(node)` for a node and all its descendants.
template <class Use>
void for_each_node(const Node& node, const Use& use) {
  use(node);
  for (const Node& child : node.children) for_each_node(child, use);
}

class Generator {
 public:
  explicit Generator(std::uint64_t number) : random_(number) {
    budget_ = random_.between(1, random_.one_in(8) ? 600 : 80);
    throwers_ = random_.one_in(3) ? 0 : random_.between(3, 60);
  }

  Program make() {
    const auto depth = static_cast<unsigned>(random_.between(1, 12));
    Node root = make({Place::kHome, false}, depth);
    return {std::move(root), next_id_};
  }

 private:
  struct Context {
    Place place;
    bool confined;
  };

  [[nodiscard]] Place random_target(Context context) {
    if (context.confined || context.place == Place::kLast) return random_.one_in(2) ? context.place : Place::kLast;
    return static_cast<Place>(random_.below(3));
  }

  [[nodiscard]] static bool may_broadcast(bool confined, Place target) { return !confined || target == Place::kLast; }

  [[nodiscard]] Call random_call() {
    using enum Call;
    static constexpr std::array kCalls{
        kLeaf,  kYield, kAdjust,  kJoin,   kJoin,      kJoinContext, kInvoke,  kScope,   kScope,           kScope,
        kLoop,  kLoop,  kReduce,  kReduce, kAlgorithm, kAlgorithm,   kIsolate, kInstall, kInstallBlocking, kBroadcast,
        kAsync, kAsync, kDetached};
    return kCalls[random_.below(kCalls.size())];
  }

  Node make(Context context, unsigned depth) {
    Node node;
    node.id = next_id_++;
    node.place = node.target = context.place;
    node.dice = random_.next();
    node.catches = random_.one_in(3);
    if (throwers_ != 0 && random_.one_in(throwers_)) node.fault = random_.one_in(2) ? Fault::kBefore : Fault::kAfter;
    node.call = depth == 0 || next_id_ >= budget_ ? static_cast<Call>(random_.below(3)) : random_call();
    node.member = random_.one_in(2);
    if (node.member) node.target = random_target(context);
    if (node.call == Call::kBroadcast && !may_broadcast(context.confined, node.target)) {
      node.member = true;
      node.target = Place::kLast;
    }
    fill(node, context, depth);
    return node;
  }

  void fill(Node& node, Context context, unsigned depth) {
    Context inner{node.target, context.confined};
    switch (node.call) {
      case Call::kLeaf:
      case Call::kYield:
      case Call::kAdjust:
        break;
      case Call::kJoin:
      case Call::kInvoke:
        add_children(node, inner, depth, random_.between(2, 4));
        break;
      case Call::kJoinContext:
        add_children(node, inner, depth, 2);
        break;
      case Call::kScope:
        fill_scope(node, context, depth);
        break;
      case Call::kLoop:
      case Call::kReduce:
      case Call::kAlgorithm:
        fill_loop(node, inner, depth);
        break;
      case Call::kIsolate:
        node.target = context.place;
        add_children(node, {context.place, true}, depth, 1);
        break;
      case Call::kInstallBlocking:
        node.target = random_.one_in(4) ? context.place : Place::kLast;
        add_children(node, {node.target, true}, depth, 1);
        break;
      case Call::kInstall:
        node.target = random_target(context);
        add_children(node, {node.target, context.confined}, depth, 1);
        break;
      case Call::kBroadcast:
        add_children(node, {node.target, true}, depth, random_.below(3));
        break;
      case Call::kDetached:
        node.detach = static_cast<Detach>(random_.below(4));
        inner.confined |= node.detach == Detach::kSpawnBroadcast;
        add_children(node, inner, depth, random_.between(1, 5));
        break;
      case Call::kAsync:
        add_children(node, inner, depth, random_.between(1, 5));
        break;
    }
  }

  void fill_scope(Node& node, Context context, unsigned depth) {
    node.grouped = random_.one_in(4);
    node.in_place = node.grouped || random_.one_in(3);
    node.fifo = random_.one_in(3);
    node.nested = random_.one_in(2);
    node.broadcasts = !node.grouped && random_.one_in(6) && may_broadcast(context.confined, node.target);
    // The body first, and then the jobs.
    add_children(node, {node.in_place ? context.place : node.target, context.confined}, depth, 1);
    add_children(node, {node.target, context.confined}, depth, random_.below(8));
    node.stoppable = random_.one_in(4);
    node.stopper = random_.below(node.children.size());
    // A stop is requested either by the scope, or by a token from outside.
    node.stopped_before = !node.grouped && node.stoppable && random_.one_in(8);
  }

  void fill_loop(Node& node, Context context, unsigned depth) {
    add_children(node, context, depth, random_.below(5));
    const std::size_t count = node.children.size();
    node.items = count + random_.below(random_.one_in(4) ? 600 : 12);
    node.grain = random_.one_in(2) ? 1 : random_.below(node.items + 2);
    node.fixed = random_.one_in(3);
    node.deterministic = random_.one_in(2);
    node.stoppable = random_.one_in(4);
    node.stopper = random_.below(node.items + 1);  // may be one past the end: then no item requests a stop
    node.stopped_before = node.stoppable && random_.one_in(8);
  }

  void add_children(Node& node, Context context, unsigned depth, std::uint64_t count) {
    node.children.reserve(node.children.size() + count);
    for (; count > 0; --count) node.children.push_back(make(context, depth - 1));
  }

  Random random_;
  std::uint64_t budget_;    // nodes beyond it have no children
  std::uint64_t throwers_;  // one node in this many throws; 0: none
  std::uint32_t next_id_ = 0;
};

}  // namespace blitz_test::program
