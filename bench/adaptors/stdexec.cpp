// Senders on a pool under stdexec, compared with exec::static_thread_pool on the same number of threads: nanoseconds, the
// minimum of several rounds. The two take turns. Needs stdexec, https://github.com/NVIDIA/stdexec, in FOLDER.
//
//   g++ -std=c++20 -O3 -isystem FOLDER/include bench/adaptors/stdexec.cpp $(pkg-config --cflags --libs blitz) -o stdexec
//   ./stdexec [threads]
#include "blitz/adaptor/stdexec.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <exec/static_thread_pool.hpp>
#include <stdexec/execution.hpp>

#include "blitz/blitz.hpp"

namespace {

using Clock = std::chrono::steady_clock;

/// Schedules itself `left` times: each completion starts the next operation, in the memory of the one before the last.
template <class Scheduler>
struct Hops {
  struct Receiver {
    using receiver_concept = stdexec::receiver_tag;
    void set_value() && noexcept { hops->next(); }
    template <class Error>
    void set_error(Error&&) && noexcept {
      std::abort();
    }
    void set_stopped() && noexcept { std::abort(); }
    Hops* hops;
  };
  using Operation = stdexec::connect_result_t<stdexec::schedule_result_t<Scheduler&>, Receiver>;
  struct Made {  // lets an optional construct the operation in place
    operator Operation() const { return stdexec::connect(stdexec::schedule(*scheduler), Receiver{hops}); }
    Scheduler* scheduler;
    Hops* hops;
  };

  void next() noexcept {
    if (left-- == 0) return latch.store(true), latch.notify_one();
    auto& operation = operations[static_cast<std::size_t>(left % 2)];
    operation.emplace(Made{&scheduler, this});
    stdexec::start(*operation);
  }

  Scheduler scheduler;
  int left;
  std::atomic<bool> latch = false;
  std::array<std::optional<Operation>, 2> operations{};
};

double hop(auto scheduler) {
  constexpr int kCount = 300'000;
  Hops<decltype(scheduler)> hops{.scheduler = scheduler, .left = kCount};
  const auto start = Clock::now();
  hops.next();
  hops.latch.wait(false);
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / kCount;
}

double bulk(auto scheduler, std::vector<float>& items, int rounds) {
  const auto start = Clock::now();
  for (int round = 0; round < rounds; ++round) {
    stdexec::sync_wait(stdexec::schedule(scheduler) | stdexec::bulk(stdexec::par, items.size(), [&](std::size_t i) {
                         items[i] = items[i] * 0.5f + 1.0f;
                       }));
  }
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / rounds;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t threads = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 2;
  exec::static_thread_pool theirs(static_cast<unsigned>(threads));
  blitz::AsyncThreadPool ours({.num_threads = threads});
  const auto compare = [&](const char* name, auto&& f) {
    std::array<double, 2> least{std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
    for (int round = 0; round < 7; ++round) {
      least[0] = std::min(least[0], f(theirs.get_scheduler()));
      least[1] = std::min(least[1], f(blitz::StdexecScheduler(ours)));
    }
    std::printf("| %s | %.0f ns | %.0f ns | %.2f |\n", name, least[0], least[1], least[1] / least[0]);
  };
  std::printf("| %zu threads | static_thread_pool | blitz | ratio |\n|---|---:|---:|---:|\n", threads);
  compare("a hop: `schedule`, from its own completion", [](auto scheduler) { return hop(scheduler); });
  std::vector<float> few(1000, 1.0f);
  compare("`bulk` of 1000 items, by `sync_wait`", [&](auto scheduler) { return bulk(scheduler, few, 1000); });
  std::vector<float> many(1'000'000, 1.0f);
  compare("`bulk` of 1,000,000 items, by `sync_wait`", [&](auto scheduler) { return bulk(scheduler, many, 50); });
}
