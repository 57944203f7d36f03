#include "bench/peers/serial.hpp"

#include "bench/idle/workloads.hpp"

namespace bench {
namespace {

const RegisterStyle<kIdle, Serial, SerialPeer> registered("serial");

}  // namespace
}  // namespace bench
