/// Runs a random program on pools.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <blitz/fork_join.hpp>

#include "program.hpp"
#include "program_pools.hpp"
#include "program_trace.hpp"
#include "stress.hpp"

namespace blitz_test::program {

/// One run of a program, started by a thread outside the pools.
class Run {
 public:
  Run(Pools& pools, Trace& trace) : pools_(pools), trace_(trace) {}

  void operator()(const Program& program) {
    try {
      trace_.arrived.value =
          pools_.at(Place::kHome, [&](auto& pool) { return pool.install([&] { return execute(program.root); }); });
    } catch (const ProgramError& error) {
      trace_.arrived = {true, error.node};
    }
    trace_.wait_for_detached();
  }

 private:
  using Results = std::vector<std::uint64_t>;

  std::uint64_t execute(const Node& node) {
    Record& record = trace_.records[node.id];
    ++record.visits;
    if (!pools_.here(node.place)) record.astray = true;
    if (node.fault == Fault::kBefore) throw ProgramError{node.id, &trace_};
    try {
      record.inner.value = call(node, record);
    } catch (const ProgramError& error) {
      record.inner = {true, error.node};
      if (!node.catches) throw;
    }
    if (node.fault == Fault::kAfter) throw ProgramError{node.id, &trace_};
    return record.inner.threw ? worth_of_exception(static_cast<std::uint32_t>(record.inner.value)) : record.inner.value;
  }

  std::uint64_t call(const Node& node, Record& record) {
    switch (node.call) {
      case Call::kLeaf:
        work(node);
        return worth_of_node(node);
      case Call::kYield:
        (void)(node.member ? blitz::yield_now() : blitz::yield_local());
        return worth_of_node(node);
      case Call::kAdjust:
        adjust(node);
        return worth_of_node(node);
      case Call::kJoin:
        return join(node);
      case Call::kJoinContext:
        return join_context(node);
      case Call::kInvoke:
        return invoke(node);
      case Call::kScope:
        return node.grouped ? group(node) : scope(node, record);
      case Call::kLoop:
        return loop(node, record);
      case Call::kReduce:
        return reduce(node, record);
      case Call::kAlgorithm:
        return algorithm(node, record);
      case Call::kIsolate:
        return blitz::isolate([&] { return execute(node.children[0]); });
      case Call::kInstall:
        return pools_.at(node.target,
                         [&](auto& pool) { return pool.install([&] { return execute(node.children[0]); }); });
      case Call::kInstallBlocking:
        return pools_.at(node.target,
                         [&](auto& pool) { return pool.install_blocking([&] { return execute(node.children[0]); }); });
      case Call::kBroadcast:
        return broadcast(node, record);
      case Call::kAsync:
        return async(node);
      case Call::kDetached:
        return detached(node);
    }
    std::abort();
  }

  /// Calls `use` with the node's pool, or with the free functions.
  template <class Use>
  decltype(auto) on_target(const Node& node, Use&& use) {
    if (!node.member) return use(FreeCalls{});
    return pools_.at(node.target, use);
  }

  [[nodiscard]] static std::uint64_t sum_of(const Results& results) {
    std::uint64_t sum = 0;
    for (const std::uint64_t result : results) sum += result;
    return sum;
  }
  [[nodiscard]] static std::uint64_t sequence_of(const auto&... results) {
    std::uint64_t value = 0;
    ((value = mix(value, results)), ...);
    return value;
  }

  /// Mostly returns immediately. Sometimes it takes long enough for a steal, or for a waiting worker to fall asleep.
  static void work(const Node& node) {
    if (node.dice % 16 < 12) return;
    if (node.dice % 16 < 15) return spin_for(std::chrono::nanoseconds((node.dice >> 8) % 5'000));
    if (node.dice % 1024 == 1023) return std::this_thread::sleep_for(std::chrono::microseconds((node.dice >> 8) % 200));
    spin_for(std::chrono::microseconds((node.dice >> 8) % 50));
  }

  void adjust(const Node& node) {
    pools_.at(node.place, [&](auto& pool) {
      switch (node.dice % 3) {
        case 0:
          return pool.set_max_concurrency(1 + (node.dice >> 8) % pool.num_threads());
        case 1:
          return pool.warm_up(std::chrono::microseconds((node.dice >> 8) % 200));
        default:
          if (pool.stats().workers.size() != pool.num_threads()) std::abort();
      }
    });
  }

  std::uint64_t join(const Node& node) {
    const auto branch = [&](std::size_t i) { return [this, &child = node.children[i]] { return execute(child); }; };
    return on_target(node, [&](auto&& pool) {
      const auto in_sequence = [](const auto&... results) { return sequence_of(results...); };
      switch (node.children.size()) {
        case 2:
          return std::apply(in_sequence, pool.join(branch(0), branch(1)));
        case 3:
          return std::apply(in_sequence, pool.join(branch(0), branch(1), branch(2)));
        default:
          return std::apply(in_sequence, pool.join(branch(0), branch(1), branch(2), branch(3)));
      }
    });
  }

  std::uint64_t join_context(const Node& node) {
    return on_target(node, [&](auto&& pool) {
      const auto [x, y] = pool.join_context(
          [&](blitz::JoinContext context) {
            if (context.migrated()) std::abort();
            return execute(node.children[0]);
          },
          [&](blitz::JoinContext) { return execute(node.children[1]); });
      return sequence_of(x, y);
    });
  }

  std::uint64_t invoke(const Node& node) {
    Results results(4);
    const auto branch = [&](std::size_t i) { return [&, i] { results[i] = execute(node.children[i]); }; };
    on_target(node, [&](auto&& pool) {
      switch (node.children.size()) {
        case 2:
          return pool.parallel_invoke(branch(0), branch(1));
        case 3:
          return pool.parallel_invoke(branch(0), branch(1), branch(2));
        default:
          return pool.parallel_invoke(branch(0), branch(1), branch(2), branch(3));
      }
    });
    return sum_of(results);
  }

  // In program_scopes.hpp:
  struct Jobs;
  void spawn(blitz::Scope& scope, Jobs& jobs, std::size_t i);
  std::uint64_t scope(const Node& node, Record& record);
  void run(blitz::TaskGroup& group, Jobs& jobs, std::size_t i);
  std::uint64_t group(const Node& node);

  // In program_loops.hpp:
  std::uint64_t loop(const Node& node, Record& record);
  std::uint64_t reduce(const Node& node, Record& record);

  // In program_algorithms.hpp:
  std::uint64_t algorithm(const Node& node, Record& record);

  std::uint64_t broadcast(const Node& node, Record& record) {
    record.items.resize(pools_.num_threads(node.target));
    const auto part = [&](blitz::BroadcastContext context) {
      ++record.items[context.index()];
      return context.index() < node.children.size() ? execute(node.children[context.index()]) : 0;
    };
    return on_target(node, [&](auto&& pool) { return sum_of(pool.broadcast(part)); });
  }

  std::uint64_t async(const Node& node) {
    std::vector<blitz::AsyncHandle<std::uint64_t>> handles;
    on_target(node, [&](auto&& pool) {
      for (const Node& child : node.children) handles.push_back(pool.async([this, &child] { return execute(child); }));
    });
    // Reads the results forwards or backwards. If several jobs throw, rethrows the exception of the first one.
    Results results(handles.size());
    std::vector<std::exception_ptr> errors(handles.size());
    for (std::size_t k = 0; k < handles.size(); ++k) {
      const std::size_t i = (node.dice & 1) != 0 ? k : handles.size() - 1 - k;
      try {
        results[i] = handles[i].get();
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
    for (const std::exception_ptr& error : errors) {
      if (error != nullptr) std::rethrow_exception(error);
    }
    return sum_of(results);
  }

  std::uint64_t detached(const Node& node) {
    on_target(node, [&](auto&& pool) {
      for (const Node& child : node.children) {
        auto job = [this, &child, pending = Trace::Pending(trace_)] { static_cast<void>(execute(child)); };
        switch (node.detach) {
          case Detach::kSpawn:
            pool.spawn(std::move(job));
            break;
          case Detach::kSpawnFifo:
            pool.spawn_fifo(std::move(job));
            break;
          case Detach::kSpawnBroadcast:
            pool.spawn_broadcast([job = std::move(job)](blitz::BroadcastContext context) {
              if (context.index() == 0) job();
            });
            break;
          case Detach::kDropHandle:
            static_cast<void>(pool.async(std::move(job)));
            break;
        }
      }
    });
    return worth_of_node(node);
  }

  Pools& pools_;
  Trace& trace_;
};

}  // namespace blitz_test::program
