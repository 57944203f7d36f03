/// The queues and the injector of a pool without threads, for tests of finders.
#pragma once

#include <cstddef>
#include <vector>

#include "blitz/policy.hpp"

namespace blitz_test {

struct NoJob : blitz::policy::Job {
  NoJob() : Job([](Job*, blitz::detail::WorkerBase&) noexcept {}) {}
};

template <class Queue, class Injector>
class UnmannedPool {
 public:
  using Sources = blitz::policy::Sources<Queue, Injector>;

  explicit UnmannedPool(std::size_t slots) : queues_(slots) {}
  ~UnmannedPool() {
    while (injector.take() != nullptr) {
    }
  }

  Sources sources_of(std::size_t slot, bool searching = false) {
    const auto queue_of = [](void* pool, std::size_t s) noexcept -> Queue& {
      return static_cast<UnmannedPool*>(pool)->queue(s);
    };
    return {slot, queues_.size(), queues_[slot], injector, this, queue_of, searching};
  }
  void push(std::size_t slot, NoJob& job) { queues_[slot].push(&job, injector); }
  Queue& queue(std::size_t slot) { return queues_[slot]; }

  Injector injector;

 private:
  std::vector<Queue> queues_;
};

}  // namespace blitz_test
