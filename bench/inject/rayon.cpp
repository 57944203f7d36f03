#include "bench/peers/rayon.hpp"

#include "bench/inject/workload.hpp"

namespace bench {
namespace {

template <unsigned Threads>
void run(Inject<Threads>& work, RayonPeer& peer) {
  work.submit_all([&peer](const auto& job) { peer.spawn(job); });
}

const Register<run<1>> from_one("rayon");
const Register<run<2>> from_two("rayon");
const Register<run<4>> from_four("rayon");

}  // namespace
}  // namespace bench
