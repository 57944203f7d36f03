#include "bench/peers/rayon.hpp"

#include "bench/tasks/workloads.hpp"

extern "C" void bench_rayon_spawn_all(const bench::rayon::Pool*, std::uint32_t* counters, std::size_t count);

namespace bench {
namespace {

struct Tasks {
  static void run(Spawn& work, RayonPeer& peer) {
    bench_rayon_spawn_all(peer.pool, work.counters.data(), work.counters.size());
  }
  static void run(FanOut& work, RayonPeer& peer) {
    peer.for_each_index(work.counters.size(), [&work](std::size_t i) { work.task(work.counters[i]); });
  }
  static void run(Inject& work, RayonPeer& peer) {
    work.submit_all([&peer](const auto& job) { peer.spawn(job); });
  }
  static void run(PingPong& work, RayonPeer& peer) {
    work.begin([&peer](const auto& stroke) { peer.spawn(stroke); });
    work.wait();
  }
};

struct Scopes {
  static void run(FanOut& work, RayonPeer& peer) {
    bench_rayon_spawn_all(peer.pool, work.counters.data(), work.counters.size());
  }
  static void run(FanOutCold&, RayonPeer&) = delete;
};

const RegisterStyle<kTasks, Tasks, RayonPeer> tasks("rayon");
const RegisterStyle<kTasks, Scopes, RayonPeer> scopes("rayon_scope");

}  // namespace
}  // namespace bench
