#include "blitz/yield.hpp"

namespace blitz {
namespace {

Yield run(detail::WorkerBase& worker, detail::Job* job) noexcept {
  if (job == nullptr) return Yield::idle;
  job->execute(job, worker);
  return Yield::executed;
}

}  // namespace

Yield yield_now() noexcept {
  detail::WorkerBase* const worker = detail::current_worker;
  return worker == nullptr ? Yield::idle : run(*worker, worker->find_work());
}

Yield yield_local() noexcept {
  detail::WorkerBase* const worker = detail::current_worker;
  return worker == nullptr ? Yield::idle : run(*worker, worker->take_newest());
}

}  // namespace blitz
