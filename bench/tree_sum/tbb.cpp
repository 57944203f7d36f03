#include "bench/peers/tbb.hpp"

#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_group.h>

#include "bench/tree_sum/workload.hpp"

namespace bench {
namespace {

BENCH_NOINLINE std::uint64_t sum_by_invoke(std::uint64_t node, unsigned height) {
  if (height == 1) return node_value(node);
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  tbb::parallel_invoke([&a, node, height] { a = sum_by_invoke(2 * node, height - 1); },
                       [&b, node, height] { b = sum_by_invoke(2 * node + 1, height - 1); });
  return node_value(node) + a + b;
}

BENCH_NOINLINE std::uint64_t sum_by_group(std::uint64_t node, unsigned height) {
  if (height == 1) return node_value(node);
  std::uint64_t b = 0;
  tbb::task_group group;
  group.run([&b, node, height] { b = sum_by_group(2 * node + 1, height - 1); });
  const std::uint64_t a = sum_by_group(2 * node, height - 1);
  group.wait();
  return node_value(node) + a + b;
}

template <class W>
void run_invoke(W& work, TbbPeer&) {
  work.sum += sum_by_invoke(W::kRoot, work.height);
}

void run_group(TreeSum& work, TbbPeer&) { work.sum += sum_by_group(TreeSum::kRoot, work.height); }

const Register<run_invoke<TreeSum>> large_invoke("tbb_invoke");
const Register<run_group> large_group("tbb_group");
const Register<run_invoke<TreeHuge>> huge_invoke("tbb_invoke");
const Register<run_invoke<TreeSmall>> small_invoke("tbb_invoke");

}  // namespace
}  // namespace bench
