/// The meaning of a random program: a serial interpreter that follows the contract literally.
///
/// Some outcomes are unspecified: which of several exceptions is the first, and which blocks of a loop that ends early had
/// begun. For these the interpreter reads the choice from the trace of a run, and checks that the contract allows it. It
/// computes all other results itself, and compares them with the node's trace.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "program.hpp"
#include "program_algorithms.hpp"
#include "program_loops.hpp"
#include "program_run.hpp"
#include "program_trace.hpp"

namespace blitz_test::program {

/// The results of deterministic reductions by node: bitwise equal in every run of a program.
using Bits = std::map<std::uint32_t, std::uint64_t>;

class Interpreter {
 public:
  Interpreter(const Trace& trace, Bits& bits) : trace_(trace), bits_(bits) {}

  /// The errors found in the run; empty if there are none.
  std::string check(const Program& program) {
    if (meaning(program.root) != trace_.arrived) complain(program.root, "its outcome did not arrive at the caller");
    std::vector<std::uint32_t> handled = trace_.handled;
    std::ranges::sort(handled);
    std::ranges::sort(to_handle_);
    if (handled != to_handle_) complain(program.root, "the exception handler was not given what detached jobs threw");
    return std::move(complaints_);
  }

 private:
  using Children = std::vector<Node>;

  void complain(const Node& node, const std::string& what) {
    complaints_ += "node " + std::to_string(node.id) + ", " + name_of(node.call) + ": " + what + "\n";
  }

  [[nodiscard]] const Record& record_of(const Node& node) const { return trace_.records[node.id]; }
  [[nodiscard]] bool visited(const Node& node) const { return record_of(node).visits != 0; }

  /// The outcome of a node that must be executed exactly once.
  Outcome meaning(const Node& node) {
    const Record& record = record_of(node);
    if (record.visits != 1) complain(node, "executed " + std::to_string(record.visits) + " times");
    if (record.astray) complain(node, "executed outside its pool");
    if (node.fault == Fault::kBefore) {
      for (const Node& child : node.children) untouched(child);
      return {true, node.id};
    }
    const Outcome inner = call(node, record);
    if (record.visits == 1 && inner != record.inner) {
      complain(node, describe(record.inner) + ", and should have " + describe(inner));
    }
    if (inner.threw && !node.catches) return inner;
    if (node.fault == Fault::kAfter) return {true, node.id};
    return {false, inner.threw ? worth_of_exception(static_cast<std::uint32_t>(inner.value)) : inner.value};
  }

  [[nodiscard]] static std::string describe(const Outcome& outcome) {
    return (outcome.threw ? "thrown what node " : "returned ") + std::to_string(outcome.value) +
           (outcome.threw ? " throws" : "");
  }

  /// Checks that a node and its descendants were not executed.
  void untouched(const Node& node) {
    if (visited(node)) complain(node, "executed, and should not have been");
    for (const Node& child : node.children) untouched(child);
  }

  Outcome call(const Node& node, const Record& record) {
    switch (node.call) {
      case Call::kLeaf:
      case Call::kYield:
      case Call::kAdjust:
        return {false, worth_of_node(node)};
      case Call::kJoin:
      case Call::kJoinContext:
        return leftmost(node.children, [](std::uint64_t all, std::uint64_t next) { return mix(all, next); });
      case Call::kInvoke:
      case Call::kAsync:
        return leftmost(node.children, std::plus<>());
      case Call::kIsolate:
      case Call::kInstall:
      case Call::kInstallBlocking:
        return meaning(node.children[0]);
      case Call::kScope:
        return scope(node, record);
      case Call::kLoop:
      case Call::kAlgorithm:
        return loop(node, record);
      case Call::kReduce:
        return reduce(node, record);
      case Call::kBroadcast:
        return broadcast(node, record);
      case Call::kDetached:
        return detached(node);
    }
    return {};
  }

  /// All children are called. If several throw, the leftmost exception arrives.
  template <class Combine>
  Outcome leftmost(const Children& children, Combine&& combine) {
    Outcome all;
    for (const Node& child : children) {
      const Outcome next = meaning(child);
      if (all.threw) continue;
      all = next.threw ? next : Outcome{false, combine(all.value, next.value)};
    }
    return all;
  }

  /// If several throw, any of their exceptions may arrive: the trace says which one did.
  Outcome any_of(const Node& node, const std::vector<std::uint64_t>& throwers, std::uint64_t otherwise) {
    if (throwers.empty()) return {false, otherwise};
    const Outcome& arrived = record_of(node).inner;
    if (arrived.threw && std::ranges::count(throwers, arrived.value) > 0) return arrived;
    return {true, throwers.front()};
  }

  Outcome scope(const Node& node, const Record& record) {
    const bool stopped =
        node.stopped_before || (node.stoppable && (node.stopper == 0 || visited(node.children[node.stopper])));
    std::vector<std::uint64_t> throwers;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const Node& child = node.children[i];
      const bool spawned = !node.nested || i < 2 || visited(node.children[i / 2]);
      // The body runs even after a stop request.
      if (i > 0 && (node.stopped_before || !spawned || (stopped && !visited(child)))) {
        untouched(child);
        continue;
      }
      const Outcome outcome = meaning(child);
      if (outcome.threw) throwers.push_back(outcome.value);
      sum += outcome.threw ? 0 : outcome.value;
    }
    const auto least = static_cast<std::uint8_t>(node.broadcasts && !stopped ? 1 : 0);
    const auto most = static_cast<std::uint8_t>(node.broadcasts && !node.stopped_before ? 1 : 0);
    for (const std::uint8_t times : record.items) {
      if (times < least || times > most) complain(node, "its broadcast has run " + std::to_string(times) + " times");
    }
    return any_of(node, throwers, sum);
  }

  /// Checks which items were visited. Calls `each(i, outcome of its child)` for each visited item that did not throw.
  template <class Each>
  std::vector<std::uint64_t> items(const Node& node, const Record& record, const Each& each) {
    if (record.items.size() != node.items) {
      complain(node, "has not begun");
      return {};
    }
    std::vector<std::uint64_t> throwers;
    bool stopped = node.stopped_before;
    for (std::size_t i = 0; i < node.items; ++i) {
      if (record.items[i] == 0) {
        if (const Node* const child = node.child_at(i)) untouched(*child);
        continue;
      }
      if (record.items[i] != 1) complain(node, "has visited item " + std::to_string(i) + " more than once");
      if (node.stopped_before) complain(node, "has visited an item after a stop request");
      if (node.stoppable && i == node.stopper) stopped = true;
      const Node* const child = node.child_at(i);
      const Outcome outcome = child != nullptr ? meaning(*child) : Outcome();
      if (outcome.threw) throwers.push_back(outcome.value);
      if (!outcome.threw) each(i, outcome.value);
    }
    const bool all = std::ranges::count(record.items, 0) == 0;
    if (!all && !stopped && throwers.empty()) complain(node, "has left items out");
    return throwers;
  }

  Outcome loop(const Node& node, const Record& record) {
    if (!record.complete) complain(node, "its scratch has not seen all visits, or its result is wrong");
    std::uint64_t sum = 0;
    const auto throwers = items(node, record, [&](std::size_t, std::uint64_t value) { sum += value; });
    return any_of(node, throwers, sum);
  }

  Outcome reduce(const Node& node, const Record& record) {
    Fold fold;
    const auto throwers = items(node, record, [&](std::size_t i, std::uint64_t value) {
      Fold next = Fold::of(worth_of_item(node, i));
      next.offset += value;
      fold = fold + next;
    });
    if (throwers.empty() && node.deterministic && !node.stoppable) {
      const auto real = std::bit_cast<std::uint64_t>(record.real);
      if (bits_.try_emplace(node.id, real).first->second != real) complain(node, "has other bits than before");
    }
    const bool stopped = node.stopped_before ||
                         (node.stoppable && node.stopper < record.items.size() && record.items[node.stopper] != 0);
    if (throwers.empty() && stopped != record.complete)
      complain(node, "has thrown Stopped, or has not, without reason");
    return any_of(node, throwers, stopped ? 0 : fold.factor ^ fold.offset);
  }

  /// Runs on every worker. If several throw, the exception of the lowest index arrives.
  Outcome broadcast(const Node& node, const Record& record) {
    for (const std::uint8_t times : record.items) {
      if (times != 1) complain(node, "has called a worker " + std::to_string(times) + " times");
    }
    const std::size_t called = std::min(node.children.size(), record.items.size());
    for (std::size_t i = called; i < node.children.size(); ++i) untouched(node.children[i]);
    return leftmost({node.children.begin(), node.children.begin() + static_cast<std::ptrdiff_t>(called)},
                    std::plus<>());
  }

  /// Exceptions of detached jobs go to the exception handler, except those of a dropped handle, which are discarded.
  Outcome detached(const Node& node) {
    for (const Node& child : node.children) {
      const Outcome outcome = meaning(child);
      if (outcome.threw && node.detach != Detach::kDropHandle) {
        to_handle_.push_back(static_cast<std::uint32_t>(outcome.value));
      }
    }
    return {false, worth_of_node(node)};
  }

  const Trace& trace_;
  Bits& bits_;
  std::vector<std::uint32_t> to_handle_;
  std::string complaints_;
};

}  // namespace blitz_test::program
