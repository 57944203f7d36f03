/// The scopes and task groups of a Run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <stop_token>

#include <blitz/fork_join.hpp>

#include "program.hpp"
#include "program_run.hpp"
#include "program_trace.hpp"

namespace blitz_test::program {

/// The jobs of one scope, and their results.
struct Run::Jobs {
  const Node& node;
  Results results;
  std::stop_source outside{};

  [[nodiscard]] bool stops_itself() const { return (node.dice & 1) != 0; }
  void stop(blitz::Scope& scope) {
    if (stops_itself()) {
      scope.request_stop();
    } else {
      outside.request_stop();
    }
  }
};

inline void Run::spawn(blitz::Scope& scope, Jobs& jobs, std::size_t i) {
  if (i >= jobs.results.size()) return;
  const auto job = [this, &jobs, i](blitz::Scope& same) {
    if (jobs.node.nested) {
      spawn(same, jobs, 2 * i);
      spawn(same, jobs, 2 * i + 1);
    }
    if (jobs.node.stoppable && jobs.node.stopper == i) jobs.stop(same);
    jobs.results[i] = execute(jobs.node.children[i]);
  };
  switch ((jobs.node.dice >> i) % 4) {
    case 0:
      return scope.spawn(job);
    case 1:
      return scope.spawn_fifo(job);
    default:
      return scope.spawn([job, &scope] { job(scope); });
  }
}

inline std::uint64_t Run::scope(const Node& node, Record& record) {
  record.items.resize(pools_.num_threads(node.target));
  Jobs jobs{node, Results(node.children.size())};
  const bool by_token = node.stopped_before || !jobs.stops_itself();
  const blitz::ScopeOptions options{.order = node.fifo ? blitz::Order::kFifo : blitz::Order::kLifo,
                                    .in_place = node.in_place,
                                    .stop = by_token ? jobs.outside.get_token() : std::stop_token()};
  if (node.stopped_before) jobs.outside.request_stop();
  const auto body = [&](blitz::Scope& scope) {
    if (node.broadcasts) {
      scope.spawn_broadcast([&](blitz::BroadcastContext context) { ++record.items[context.index()]; });
    }
    if (node.nested) {
      spawn(scope, jobs, 1);
    } else {
      for (std::size_t i = 1; i < node.children.size(); ++i) spawn(scope, jobs, i);
    }
    if (node.stoppable && node.stopper == 0) jobs.stop(scope);
    return execute(node.children[0]);
  };
  jobs.results[0] = on_target(node, [&](auto&& pool) { return blitz::scope(in(pool, options), body); });
  return sum_of(jobs.results);
}

inline void Run::run(blitz::TaskGroup& group, Jobs& jobs, std::size_t i) {
  if (i >= jobs.results.size()) return;
  group.run([this, &group, &jobs, i] {
    if (jobs.node.nested) {
      run(group, jobs, 2 * i);
      run(group, jobs, 2 * i + 1);
    }
    if (jobs.node.stoppable && jobs.node.stopper == i) group.request_stop();
    jobs.results[i] = execute(jobs.node.children[i]);
  });
}

/// Like a scope that is opened in place: the first child is called here, while the group runs the others.
inline std::uint64_t Run::group(const Node& node) {
  Jobs jobs{node, Results(node.children.size())};
  const auto use = [&](blitz::TaskGroup& group) {
    if (node.nested) {
      run(group, jobs, 1);
    } else {
      for (std::size_t i = 1; i < node.children.size(); ++i) run(group, jobs, i);
    }
    if (node.stoppable && node.stopper == 0) group.request_stop();
    std::exception_ptr error;
    try {
      jobs.results[0] = execute(node.children[0]);
    } catch (...) {
      error = std::current_exception();
    }
    group.wait();
    if (error != nullptr) std::rethrow_exception(error);
  };
  if (node.member) {
    pools_.at(node.target, [&](auto& pool) {
      blitz::TaskGroup group(pool);
      use(group);
    });
  } else {
    blitz::TaskGroup group;
    use(group);
  }
  return sum_of(jobs.results);
}

}  // namespace blitz_test::program
