#include "bench/peers/serial.hpp"

#include "bench/divide/workloads.hpp"

namespace bench {
namespace {

const RegisterStyle<kDivide, Serial, SerialPeer> registered("serial");

}  // namespace
}  // namespace bench
