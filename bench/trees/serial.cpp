#include "bench/peers/serial.hpp"

#include "bench/trees/workloads.hpp"

namespace bench {
namespace {

const RegisterStyle<kTrees, Serial, SerialPeer> registered("serial");

}  // namespace
}  // namespace bench
