#include "bench/peers/serial.hpp"

#include "bench/nqueens/workload.hpp"

namespace bench {
namespace {

template <unsigned Count>
void run(NQueens<Count>& work, SerialPeer&) {
  work.solutions += serial_queens(work.empty);
}

const Register<run<12>> twelve("serial");
const Register<run<13>> thirteen("serial");
const Register<run<14>> fourteen("serial");

}  // namespace
}  // namespace bench
