#include "bench/simulation/scenario.hpp"

namespace simulation {

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> all{
      {"tree", "join", "a tree of joins whose nodes take 50 ns", run_tree},
      {"tree_fine", "join", "a tree of joins whose nodes take 2 ns", run_fine_tree},
      {"loop_1000", "item", "loops of 1000 items of 1 us, 5 us apart", run_loop_of_1000},
      {"loop_100000", "item", "a loop of 100,000 items of 100 ns", run_loop_of_100000},
      {"loop_repeated", "item", "loops of 256 items of 10 us, 20 us apart", run_repeated_loop},
      {"wake", "item", "all asleep, then a loop of 8 items of 20 us for each worker", run_wake},
      {"busy", "join", "one worker makes joins of 2 x 20 ns, and the others look on", run_busy},
      {"spawn_1", "job", "jobs of 1 us, spawned by a thread outside", run_spawn_1},
      {"spawn_4", "job", "jobs of 1 us, spawned by 4 threads outside", run_spawn_4},
      {"spawn_16", "job", "jobs of 1 us, spawned by 16 threads outside", run_spawn_16},
      {"join_alone", "join", "a small tree of joins whose nodes take 1 ns", run_join_alone},
      {"grain_1e3", "item", "loops of 32 items of 1 us, back to back", run_loop_32_of_1us},
      {"grain_1e4", "item", "loops of 32 items of 10 us, back to back", run_loop_32_of_10us},
      {"wake_pair", "piece", "two pieces of 200 us after 50 ms of idling", run_wake_pair},
  };
  return all;
}

}  // namespace simulation
