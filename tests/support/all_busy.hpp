/// Keeps all threads of a pool busy with other jobs.
#pragma once

#include <cstddef>
#include <latch>
#include <memory>

namespace blitz_test {

/// While the object exists, each thread of `pool` runs a job that blocks.
template <class Pool>
class AllBusy {
 public:
  explicit AllBusy(Pool& pool) : state_(std::make_shared<State>(pool.num_threads())) {
    for (std::size_t i = 0; i < pool.num_threads(); ++i) {
      pool.spawn([state = state_] {
        state->inside.count_down();
        state->over.wait();
      });
    }
    state_->inside.wait();
  }
  AllBusy(const AllBusy&) = delete;
  AllBusy& operator=(const AllBusy&) = delete;
  ~AllBusy() { state_->over.count_down(); }

 private:
  struct State {
    explicit State(std::size_t threads) : inside(static_cast<std::ptrdiff_t>(threads)) {}
    std::latch inside;
    std::latch over{1};
  };
  std::shared_ptr<State> state_;
};

}  // namespace blitz_test
