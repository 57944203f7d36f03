#include "bench/peers/tbb.hpp"

#include <oneapi/tbb/parallel_invoke.h>

#include "bench/sort/algorithms.hpp"

namespace bench {
namespace {

constexpr auto kFork = [](const auto& a, const auto& b) { tbb::parallel_invoke(a, b); };

void run_quicksort(Quicksort& work, TbbPeer&) { quicksort(work, kFork); }
void run_mergesort(Mergesort& work, TbbPeer&) { mergesort(work, kFork); }

const Register<run_quicksort> quick("tbb_invoke");
const Register<run_mergesort> merge("tbb_invoke");

}  // namespace
}  // namespace bench
