/// The events of one run of a random program.
///
/// The records are not atomic: the library promises that no data race occurs, and ThreadSanitizer checks it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "program.hpp"

namespace blitz_test::program {

/// How a call ends.
struct Outcome {
  bool threw = false;
  std::uint64_t value = 0;  // or the number of the node that threw
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

struct Record {
  unsigned visits = 0;
  bool astray = false;              // executed by a thread that is not a worker of its pool
  Outcome inner;                    // of the call, before the node catches or throws
  std::vector<std::uint8_t> items;  // how often each item, or each worker, was visited
  double real = 0;                  // of a reduction
  // Loop: its scratch has seen all visits, and only one job held it at a time. Algorithm: its result is right.
  bool complete = false;
};

class Trace;

/// The exception of a node.
struct ProgramError {
  std::uint32_t node;
  Trace* trace;
};

class Trace {
 public:
  explicit Trace(const Program& program) : records(program.nodes) {}

  /// The exception handler of all pools.
  static void handle(const std::exception_ptr& error) {
    try {
      std::rethrow_exception(error);
    } catch (const ProgramError& e) {
      const std::lock_guard lock(e.trace->mutex_);
      e.trace->handled.push_back(e.node);
    }
  }

  /// Lives as long as the closure of a detached job.
  class Pending {
   public:
    explicit Pending(Trace& trace) : trace_(&trace) {
      const std::lock_guard lock(trace.mutex_);
      ++trace.pending_;
    }
    Pending(Pending&& other) noexcept : trace_(std::exchange(other.trace_, nullptr)) {}
    Pending& operator=(Pending&&) = delete;
    ~Pending() {
      if (trace_ == nullptr) return;
      const std::lock_guard lock(trace_->mutex_);
      if (--trace_->pending_ == 0) trace_->none_pending_.notify_one();
    }

   private:
    Trace* trace_;
  };

  void wait_for_detached() {
    std::unique_lock lock(mutex_);
    none_pending_.wait(lock, [this] { return pending_ == 0; });
  }

  std::vector<Record> records;
  Outcome arrived;                     // at the caller outside
  std::vector<std::uint32_t> handled;  // nodes with exceptions that reached the handler; read after wait_for_detached()

 private:
  std::mutex mutex_;  // guards `handled` and the members below
  std::condition_variable none_pending_;
  std::size_t pending_ = 0;
};

}  // namespace blitz_test::program
