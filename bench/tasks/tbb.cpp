#include "bench/peers/tbb.hpp"

#include <oneapi/tbb/task_group.h>

#include "bench/tasks/workloads.hpp"

namespace bench {
namespace {

struct Group {
  static void run(Spawn& work, TbbPeer&) {
    tbb::task_group group;
    for (std::uint32_t& counter : work.counters) group.run([&counter] { ++counter; });
    group.wait();
  }
  static void run(FanOut& work, TbbPeer&) {
    tbb::task_group group;
    for (std::uint32_t& counter : work.counters) group.run([&counter] { FanOut::task(counter); });
    group.wait();
  }
  static void run(FanOutCold&, TbbPeer&) = delete;
  static void run(PingPong& work, TbbPeer&) {
    tbb::task_group group;
    work.begin([&group](const auto& stroke) { group.run(stroke); });
    group.wait();
  }
};

struct Enqueue {
  static void run(Inject& work, TbbEnqueuePeer& peer) {
    work.submit_all([&arena = peer.arena](const auto& job) { arena.enqueue(job); });
  }
  static void run(PingPong& work, TbbEnqueuePeer& peer) {
    work.begin([&arena = peer.arena](const auto& stroke) { arena.enqueue(stroke); });
    work.wait();
  }
};

template <class Partitioner>
struct Loops {
  static void run(FanOut& work, TbbPeer& peer) {
    peer.for_each_index<Partitioner>(work.counters.size(), 1, [&work](std::size_t i) { work.task(work.counters[i]); });
  }
};

struct StaticLoops : Loops<tbb::static_partitioner> {
  using Loops<tbb::static_partitioner>::run;
  static void run(FanOutCold&, TbbPeer&) = delete;
};

const RegisterStyle<kTasks, Group, TbbPeer> group("tbb_group");
const RegisterStyle<kTasks, Enqueue, TbbEnqueuePeer> enqueue("tbb_enqueue");
const RegisterStyle<kTasks, Loops<tbb::auto_partitioner>, TbbPeer> by_auto("tbb_auto");
const RegisterStyle<kTasks, StaticLoops, TbbPeer> by_static("tbb_static");

}  // namespace
}  // namespace bench
