/// A pool on a machine, and the measured part of its life.
#pragma once

#include <utility>

#include "bench/simulation/machine.hpp"
#include "bench/simulation/scenario.hpp"
#include "blitz/detail/async/async_policy.hpp"
#include "blitz/detail/fork_join/fork_join_policy.hpp"
#include "blitz/detail/pool/registry_impl.hpp"
#include "blitz/thread_pool.hpp"

namespace simulation {

template <class P>
class Session {
 public:
  using Pool = blitz::BasicThreadPool<P>;

  /// Runs `body(session)` as the first thread of a new machine.
  template <class Body>
  static Outcome run(const Setup& setup, Body&& body) {
    Machine machine(setup.costs, setup.seed);
    machine.make_thread_local(reinterpret_cast<void**>(&blitz::detail::current_worker));
    machine.make_thread_local(reinterpret_cast<void**>(&blitz::detail::own_pool));
    machine.make_thread_local(reinterpret_cast<void**>(&blitz::detail::hot_worker));
    machine.make_thread_local(&blitz::detail::outside_memory);
    if (!setup.free_line.empty()) machine.lines().make_free(setup.free_line);
    Outcome outcome;
    outcome.speed = setup.costs.speed_of(setup.threads);
    machine.run([&] {
      Pool pool({.num_threads = setup.threads, .seed = 0});
      Session session(setup, machine, pool, outcome);
      session.name_lines();
      machine.sleep(kMillisecond);  // All workers have begun to wait.
      body(session);
    });
    return outcome;
  }

  [[nodiscard]] Pool& pool() noexcept { return pool_; }
  [[nodiscard]] Machine& machine() noexcept { return machine_; }
  [[nodiscard]] Outcome& outcome() noexcept { return outcome_; }
  [[nodiscard]] unsigned threads() const noexcept { return setup_.threads; }
  [[nodiscard]] bool tiny() const noexcept { return setup_.size == Size::kTiny; }

  /// The measured part is between begin() and end().
  void begin() {
    machine_.take_turn();
    const Aside aside;
    stats_ = pool_.stats().total;
    counts_ = machine_.counts();
  }
  void end() {
    machine_.take_turn();
    const Aside aside;
    outcome_.counts = machine_.counts() - counts_;
    outcome_.time = outcome_.counts.time;
    const blitz::WorkerStats now = pool_.stats().total;
    outcome_.stats.jobs_pushed = now.jobs_pushed - stats_.jobs_pushed;
    outcome_.stats.jobs_stolen = now.jobs_stolen - stats_.jobs_stolen;
    outcome_.stats.steals_tried = now.steals_tried - stats_.steals_tried;
    outcome_.stats.injected_taken = now.injected_taken - stats_.injected_taken;
    outcome_.stats.times_slept = now.times_slept - stats_.times_slept;
    outcome_.stats.times_woken = now.times_woken - stats_.times_woken;
  }

 private:
  static constexpr std::size_t kLine = blitz::detail::kCacheLine;

  Session(const Setup& setup, Machine& machine, Pool& pool, Outcome& outcome)
      : setup_(setup), machine_(machine), pool_(pool), outcome_(outcome) {}

  void name(const void* object, std::size_t offset, std::size_t size, const char* name) {
    machine_.lines().name(static_cast<const std::byte*>(object) + offset, size, name);
  }

  void name_queue(const blitz::detail::ForkJoinQueue& queue) {
    name(&queue, 0, kLine, "steal end");
    name(&queue, kLine, sizeof queue - kLine, "push end");
  }
  void name_queue(const blitz::detail::AsyncQueue& queue) {
    using Ring = blitz::detail::WorkStealQueue<blitz::detail::Job>;
    static_assert(sizeof(Ring) == 2 * kLine + 256 * sizeof(void*));
    name(&queue, 0, kLine, "LIFO slot");
    name(&queue, kLine, kLine, "steal end");
    name(&queue, 2 * kLine, sizeof(Ring) - kLine, "push end");
    name(&queue, kLine + sizeof(Ring), sizeof queue - kLine - sizeof(Ring), "fetched jobs");
  }
  void name_idle(const blitz::detail::Sleep& idle) { name(&idle, 0, kLine, "idle word"); }
  void name_idle(const blitz::detail::IdleState&) {}  // Its words are on several lines; only idle_word.hpp uses them.

  void name_lines() {
    const Aside aside;
    auto& registry = static_cast<blitz::detail::Registry<P>&>(blitz::detail::base_of(pool_));
    for (std::size_t slot = 0; slot < registry.num_threads(); ++slot) name_queue(registry.worker(slot).queue());
    name_idle(registry.idle());
    machine_.lines().name(&registry.injector(), sizeof registry.injector(), "injector");
  }

  const Setup& setup_;
  Machine& machine_;
  Pool& pool_;
  Outcome& outcome_;
  Counts counts_;
  blitz::WorkerStats stats_;
};

/// Calls `body(session)` with a session of the requested backend.
template <class Body>
Outcome simulate(const Setup& setup, Body&& body) {
  if (setup.backend == Backend::kAsync) return Session<blitz::AsyncPolicy>::run(setup, std::forward<Body>(body));
  return Session<blitz::ForkJoinPolicy>::run(setup, std::forward<Body>(body));
}

}  // namespace simulation
