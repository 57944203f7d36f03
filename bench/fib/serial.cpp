#include "bench/peers/serial.hpp"

#include "bench/fib/workload.hpp"

namespace bench {
namespace {

void run(Fib& work, SerialPeer&) { work.sum += serial_fib(work.n); }

const Register<run> registered("serial");

}  // namespace
}  // namespace bench
