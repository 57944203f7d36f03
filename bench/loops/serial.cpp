#include "bench/peers/serial.hpp"

#include "bench/loops/workloads.hpp"

namespace bench {
namespace {

struct ByInt {
  static void run(Loop<1000>& work, SerialPeer&) {
    auto* const visits = work.visits.data();
    for (int i = 0; i < 1000; ++i) visits[i] += 1;
  }
};

struct ByRange {
  static void run(Loop<1000>& work, SerialPeer&) {
    for (std::uint32_t& count : work.visits) count += 1;
  }
};

const RegisterStyle<kLoops, Serial, SerialPeer> registered("serial");
const RegisterStyle<kLoops, ByInt, SerialPeer> by_int("serial_int");
const RegisterStyle<kLoops, ByRange, SerialPeer> by_range("serial_range");

}  // namespace
}  // namespace bench
