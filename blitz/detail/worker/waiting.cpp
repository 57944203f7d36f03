#include "blitz/detail/worker/waiting.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "blitz/detail/wake/linger.hpp"
#include "blitz/detail/worker/worker.hpp"

namespace blitz::detail {

ApartWorkers::ApartWorkers(std::size_t workers)
    : workers_(workers), slots_(make_array<ApartSlot>(workers)), max_concurrency_(workers) {}

void ApartWorkers::set_max_concurrency(std::size_t count) {
  if (count == 0 || count > workers_) {
    throw std::invalid_argument("blitz: a maximal concurrency of " + std::to_string(count) +
                                " is impossible in a pool of " + std::to_string(workers_) + " threads; use 1 to " +
                                std::to_string(workers_));
  }
  max_concurrency_.store(count, std::memory_order_seq_cst);
  for (std::size_t slot = 0; slot < workers_; ++slot) slots_[slot].wake();
}

void ApartWorkers::enter() noexcept {
  if (count_.fetch_add(1, std::memory_order_seq_cst) + 1 < workers_) return;  // [all]
  for (std::size_t slot = 0; slot < workers_; ++slot) slots_[slot].wake_unless_all();
}

CountedApart::CountedApart(WorkerBase* first, const WorkerBase* end) noexcept : first_(first), end_(end) {
  for (WorkerBase* worker = first_; worker != end_; worker = worker->below()) {
    if (worker->counted_apart()++ == 0) worker->team().apart.enter();
  }
}

CountedApart::~CountedApart() {
  for (WorkerBase* worker = first_; worker != end_; worker = worker->below()) {
    if (--worker->counted_apart() == 0) worker->team().apart.leave();
  }
}

NotCountedApart::NotCountedApart(WorkerBase& worker) noexcept
    : worker_(worker), count_(std::exchange(worker.counted_apart(), 0)) {
  if (count_ != 0) worker_.team().apart.leave();
}

NotCountedApart::~NotCountedApart() {
  if (count_ != 0) worker_.team().apart.enter();
  worker_.counted_apart() = count_;
}

bool wait_apart(WorkerBase& worker, CoreLatch& latch) noexcept {
  ApartWorkers& apart = worker.team().apart;
  for (unsigned round = 0; !latch.probe();) {
    Job* job = worker.take_own();
    if (job == nullptr) job = worker.take_mail();
    if (job != nullptr) {
      worker.execute(job);
      round = 0;
    } else if (round++ < rounds_of_search(worker.index())) {
      pause_search(worker.index(), latch);
    } else if (!apart.try_sleep(worker.index(), latch, [&]() noexcept { return worker.has_mail(); })) {
      return false;
    }
  }
  return true;
}

void stay_apart(WorkerBase& worker, CoreLatch& latch) noexcept {
  ApartWorkers& apart = worker.team().apart;
  const auto is_wanted = [&]() noexcept { return worker.has_mail() || !apart.is_surplus(worker.index()); };
  while (!latch.probe() && apart.is_surplus(worker.index())) {
    if (Job* const job = worker.take_mail()) {
      worker.execute(job);
    } else {
      apart.sleep(worker.index(), latch, is_wanted);
    }
  }
}

}  // namespace blitz::detail
