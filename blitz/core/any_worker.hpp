/// @file
/// A worker whose policy the caller does not know, or that is confined to a region, with the calls that Worker<P> has
/// inline: code that is a template over the kind of worker takes either.
#pragma once

#include <cstddef>

#include "blitz/core/worker.hpp"

namespace blitz::detail {

/// Refers to a worker. Every call is a virtual call of WorkerBase.
class AnyWorker {
 public:
  /// Where an offered job lies: not known.
  struct Place {};

  explicit AnyWorker(WorkerBase& worker) noexcept : worker_(worker) {}
  operator WorkerBase&() const noexcept { return worker_; }

  /// Offers a job to the pool, or to the region. Throws std::bad_alloc, and has then not taken the job.
  Place offer(Job* job) {
    worker_.push(job);
    return {};
  }
  /// Never finds the job at once; see reclaim.
  [[nodiscard]] bool take_back(Place /*place*/) noexcept { return false; }
  [[nodiscard]] bool queue_empty() const noexcept { return worker_.queue_empty(); }
  [[nodiscard]] Audience audience() const noexcept { return worker_.audience(); }
  [[nodiscard]] bool worth_waking(Ticks work) noexcept { return worker_.worth_waking(work); }
  [[nodiscard]] LoopHistory& history() noexcept { return worker_.history(); }
  [[nodiscard]] std::size_t num_threads() const noexcept { return worker_.num_threads(); }
  [[nodiscard]] std::size_t index() const noexcept { return worker_.index(); }

 private:
  WorkerBase& worker_;
};

}  // namespace blitz::detail
