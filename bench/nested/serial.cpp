#include "bench/peers/serial.hpp"

#include "bench/nested/workload.hpp"

namespace bench {
namespace {

// Each outside thread makes its own plain loops: with several of them this is not one thread's work.
template <unsigned Threads>
void run(Nested<Threads>& work, SerialPeer&) {
  work.call_from_outside([&work](std::uint64_t* grid) {
    for (std::size_t row = 0; row < work.rows; ++row) {
      for (std::size_t column = 0; column < work.columns; ++column) work.add_cell(grid, row, column);
    }
  });
}

const Register<run<1>> from_one("serial");
const Register<run<4>> from_four("serial");

}  // namespace
}  // namespace bench
