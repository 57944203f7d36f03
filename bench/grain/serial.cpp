#include "bench/peers/serial.hpp"

#include "bench/grain/workload.hpp"

namespace bench {
namespace {

struct Serial {
  template <std::uint64_t Nanoseconds>
  static void run(Grain<Nanoseconds>& work, SerialPeer&) {
    for (std::size_t i = 0; i < work.kItems; ++i) work.add(i);
  }
};

const RegisterGrains<Serial> registered("serial");

}  // namespace
}  // namespace bench
