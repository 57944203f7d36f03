#include "bench/peers/serial.hpp"

#include "bench/skewed/workload.hpp"

namespace bench {
namespace {

void run_loop(SkewedLoop& work, SerialPeer&) {
  for (std::size_t i = 0; i < work.size(); ++i) work.add(i);
}

void run_reduce(SkewedReduce& work, SerialPeer&) {
  for (std::size_t i = 0; i < work.size(); ++i) work.sum += work.item(i);
}

const Register<run_loop> loop("serial");
const Register<run_reduce> reduce("serial");

}  // namespace
}  // namespace bench
