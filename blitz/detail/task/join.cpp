#include "blitz/join.hpp"

#include "blitz/join_all.hpp"

namespace blitz::detail {

void run_branches(void (*first)(void*), void* data, BranchJob* const* rest, std::size_t count) {
  if (hot_worker != nullptr) return run_branches_on(*hot_worker, first, data, rest, count);
  if (current_worker == nullptr) {
    return call_on_worker(kHere, [&](WorkerBase&) { run_branches(first, data, rest, count); });
  }
  AnyOwner owner(*current_worker);
  run_branches_on(owner, first, data, rest, count);
}

void join_indices(std::size_t first, std::size_t last, void (*call)(void*, std::size_t), void* data) {
  if (last - first == 1) return call(data, first);
  const std::size_t middle = first + (last - first + 1) / 2;
  blitz::join([=] { join_indices(first, middle, call, data); }, [=] { join_indices(middle, last, call, data); });
}

}  // namespace blitz::detail
