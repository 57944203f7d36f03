#include "bench/peers/serial.hpp"

#include "bench/tree_sum/workload.hpp"

namespace bench {
namespace {

void run(TreeSum& work, SerialPeer&) { work.sum += serial_tree_sum(TreeSum::kRoot, work.height); }

const Register<run> registered("serial");

}  // namespace
}  // namespace bench
