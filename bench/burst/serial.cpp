#include "bench/peers/serial.hpp"

#include "bench/burst/workload.hpp"

namespace bench {
namespace {

struct Serial {
  template <unsigned Milliseconds>
  static void run(Burst<Milliseconds>& work, SerialPeer&) {
    for (std::size_t i = 0; i < work.kItems; ++i) work.add(i);
  }
};

const RegisterBursts<Serial> registered("serial");

}  // namespace
}  // namespace bench
