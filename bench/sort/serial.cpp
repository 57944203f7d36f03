#include "bench/peers/serial.hpp"

#include "bench/sort/algorithms.hpp"

namespace bench {
namespace {

constexpr auto kFork = [](const auto& a, const auto& b) {
  a();
  b();
};

void run_quicksort(Quicksort& work, SerialPeer&) { quicksort(work, kFork); }
void run_mergesort(Mergesort& work, SerialPeer&) { mergesort(work, kFork); }

const Register<run_quicksort> quick("serial");
const Register<run_mergesort> merge("serial");

}  // namespace
}  // namespace bench
