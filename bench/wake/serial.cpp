#include "bench/peers/serial.hpp"

#include "bench/wake/workload.hpp"

namespace bench {
namespace {

void run(Wake& work, SerialPeer&) {
  work.piece(0);
  work.piece(1);
}

const Register<run> registered("serial");

}  // namespace
}  // namespace bench
