#include "bench/peers/serial.hpp"

#include "bench/memory/workloads.hpp"

namespace bench {
namespace {

struct ByInt {
  static void run(Saxpy& work, SerialPeer&) { work.run<int>(); }
  static void run(Triad& work, SerialPeer&) { work.run<int>(); }
  static void run(Reduce& work, SerialPeer&) {
    const double* const values = work.values.data();
    const int size = static_cast<int>(work.values.size());
    double sum = 0;
    for (int i = 0; i < size; ++i) sum += values[i];
    work.sum += sum;
  }
};

const RegisterStyle<kMemory, Serial, SerialPeer> registered("serial");
const RegisterStyle<kMemory, ByInt, SerialPeer> by_int("serial_int");

}  // namespace
}  // namespace bench
