#include "bench/peers/serial.hpp"

#include "bench/cadence/workload.hpp"

namespace bench {
namespace {

template <class W>
void run(W& work, SerialPeer&) {
  work.add(0, work.items());
}

const Register<run<CadenceLoop>> loop("serial");
const Register<run<CadenceJoin>> join("serial");
const Register<run<CadenceTree>> tree("serial");

}  // namespace
}  // namespace bench
