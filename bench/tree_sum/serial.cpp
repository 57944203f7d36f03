#include "bench/peers/serial.hpp"

#include "bench/tree_sum/workload.hpp"

namespace bench {
namespace {

template <class W>
void run(W& work, SerialPeer&) {
  work.sum += serial_tree_sum(W::kRoot, work.height);
}

const Register<run<TreeSum>> large("serial");
const Register<run<TreeHuge>> huge("serial");
const Register<run<TreeSmall>> small("serial");

}  // namespace
}  // namespace bench
