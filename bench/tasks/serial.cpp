#include "bench/peers/serial.hpp"

#include "bench/tasks/workloads.hpp"

namespace bench {
namespace {

const RegisterStyle<kTasks, Serial, SerialPeer> registered("serial");

}  // namespace
}  // namespace bench
