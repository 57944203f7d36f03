#include "bench/peers/serial.hpp"

#include "bench/nqueens/workload.hpp"

namespace bench {
namespace {

void run(NQueens& work, SerialPeer&) { work.solutions += serial_queens(work.empty); }

const Register<run> registered("serial");

}  // namespace
}  // namespace bench
