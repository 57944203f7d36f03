// Several callers from outside: each works immediately, on its own thread, independent of the others.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <latch>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

#include <blitz/fork_join.hpp>
#include <doctest/doctest.h>

#include "support/crowd.hpp"
#include "support/policies.hpp"

using namespace blitz_test;
using namespace std::chrono_literals;

namespace {

/// Residents help a second caller. A policy that cannot summon them runs its jobs on its own thread.
bool is_helped() { return tested_policy != TestedPolicy::kUnhelped; }

/// During its lifetime, another thread waits in a call of `pool`.
class OtherCaller {
 public:
  explicit OtherCaller(Pool& pool)
      : thread_([this, &pool] {
          pool.install([this] {
            inside_.count_down();
            over_.wait();
          });
        }) {
    inside_.wait();
  }
  ~OtherCaller() {
    over_.count_down();
    thread_.join();
  }

 private:
  std::latch inside_{1};
  std::latch over_{1};
  std::thread thread_;
};

}  // namespace

CALLER_TEST_CASE("callers: every call completes while another caller is inside") {
  for_each_size([](Pool& pool) {
    const OtherCaller other(pool);
    std::atomic<int> items{0};
    blitz::parallel_for({.pool = &pool}, 0, 1000, [&](int) { ++items; });
    CHECK(items == 1000);
    CHECK(blitz::parallel_reduce({.pool = &pool}, 0, 1000, 0, std::plus<>()) == 499'500);
    CHECK(pool.install([] { return 1; }) == 1);
    int a = 0;
    int b = 0;
    pool.join([&] { a = 1; }, [&] { b = 2; });
    CHECK(a + b == 3);
    std::atomic<int> spawned{0};
    pool.scope([&](blitz::Scope& s) {
      for (int i = 0; i < 100; ++i) s.spawn([&] { ++spawned; });
    });
    CHECK(spawned == 100);
    CHECK(pool.install([] { return blitz::async([] { return 7; }).get(); }) == 7);
    if (pool.num_threads() > 1) {  // The pool's threads run the jobs that a call leaves.
      blitz::TaskGroup group(pool);
      pool.install([&] {
        for (int i = 0; i < 100; ++i) group.run([&] { ++spawned; });
      });
      group.wait();
      CHECK(spawned == 200);
    }
    CHECK_THROWS_WITH_AS(pool.join([] {}, [] { throw std::runtime_error("b"); }), "b", std::runtime_error);
  });
}

CALLER_TEST_CASE("callers: a call that comes back from another pool waits for no other caller") {
  for_each_size([](Pool& pool) {
    const OtherCaller first(pool);
    for (const std::size_t size : {1, 2}) {
      Pool other({.num_threads = size});
      std::atomic<int> came_back{0};
      blitz::parallel_for({.pool = &pool}, 0, 8, [&](int) {
        other.install([&] { pool.install([&] { ++came_back; }); });
        other.install_blocking([&] { pool.install([&] { ++came_back; }); });
      });
      REQUIRE(came_back == 16);
    }
  });
}

CALLER_TEST_CASE("callers: more callers than threads may be inside concurrently") {
  for_each_size([](Pool& pool) {
    constexpr int kCallers = 20;
    for (int round = 0; round < 3; ++round) {
      std::latch all(kCallers);
      std::atomic<int> items{0};
      std::vector<std::thread> callers;
      for (int c = 0; c < kCallers; ++c) {
        callers.emplace_back([&] {
          pool.install([&] {
            all.arrive_and_wait();
            blitz::parallel_for({.pool = &pool}, 0, 100, [&](int) { ++items; });
          });
        });
      }
      for (std::thread& caller : callers) caller.join();
      CHECK(items == kCallers * 100);
    }
  });
}

BACKEND_TEST_CASE("callers: all threads of the pool except one help the second caller") {
  for (const std::size_t size : {2, 4, 8}) {
    CAPTURE(size);
    Pool pool({.num_threads = size});
    const OtherCaller other(pool);
    // On a busy machine a thread may start late.
    Crowd crowd;
    for (int round = 0; round < 50 && crowd.most() < static_cast<int>(size); ++round)
      blitz::parallel_for({.pool = &pool}, 0, static_cast<int>(size), [&](int) { crowd.stay(20ms); });
    CHECK(crowd.most() == static_cast<int>(size));
  }
}

CALLER_TEST_CASE("callers: k callers use at most n + k - 1 threads") {
  for_each_size([](Pool& pool) {
    constexpr int kCallers = 3;
    const int most = static_cast<int>(pool.num_threads()) + kCallers - 1;
    Crowd crowd;
    std::latch start(kCallers);
    std::vector<std::thread> callers;
    for (int c = 0; c < kCallers; ++c) {
      callers.emplace_back([&] {
        start.arrive_and_wait();
        for (int i = 0; i < 3; ++i) blitz::parallel_for({.pool = &pool}, 0, 40, [&](int) { crowd.stay(1ms); });
      });
    }
    for (std::thread& caller : callers) caller.join();
    CHECK(crowd.most() <= most);
  });
}

CALLER_TEST_CASE("callers: a lock held over a call may be taken in another caller's bodies") {
  for_each_size([](Pool& pool) {
    std::mutex mutex;
    const auto loop = [&](auto body) {
      blitz::parallel_for({.pool = &pool}, 0, 4, [&](int) { blitz::parallel_for({.pool = &pool}, 0, 8, body); });
    };
    const auto nap = [] { std::this_thread::sleep_for(10us); };
    constexpr int kRounds = 30;
    std::vector<std::thread> takers;
    for (int t = 0; t < 2; ++t) {
      takers.emplace_back([&] {
        for (int i = 0; i < kRounds; ++i) {
          loop([&](int) {
            const std::lock_guard lock(mutex);
            nap();
          });
        }
      });
    }
    for (int i = 0; i < kRounds; ++i) {
      const std::lock_guard lock(mutex);
      loop([&](int) { nap(); });
    }
    for (std::thread& taker : takers) taker.join();
  });
}

CALLER_TEST_CASE("callers: each thread of a call has a distinct index below num_threads") {
  for_each_size([](Pool& pool) {
    std::vector<std::thread> callers;
    std::atomic<int> wrong{0};
    for (int c = 0; c < 3; ++c) {
      callers.emplace_back([&] {
        std::vector<std::atomic<bool>> taken(pool.num_threads());
        for (int i = 0; i < 3; ++i) {
          blitz::parallel_for({.pool = &pool}, 0, 100, [&](int) {
            const auto index = pool.current_thread_index();
            if (!index || *index >= taken.size() || blitz::current_num_threads() != taken.size()) {
              ++wrong;
            } else {
              wrong += taken[*index].exchange(true);
              std::this_thread::sleep_for(50us);
              taken[*index] = false;
            }
          });
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
    CHECK(wrong == 0);
  });
}

CALLER_TEST_CASE("callers: a WorkerLocal has a separate value for each caller") {
  for_each_size([](Pool& pool) {
    struct Tally {
      int items = 0;
      std::atomic<bool> in_use{false};
    };
    blitz::WorkerLocal<Tally> tallies(pool);
    std::atomic<int> wrong{0};
    constexpr int kCallers = 4;
    std::vector<std::thread> callers;
    for (int c = 0; c < kCallers; ++c) {
      callers.emplace_back([&] {
        for (int round = 0; round < 20; ++round) {
          blitz::parallel_for({.pool = &pool}, 0, 50, [&](int) {
            Tally& tally = tallies.here();
            wrong += tally.in_use.exchange(true);
            ++tally.items;
            std::this_thread::yield();
            tally.in_use = false;
            const auto lease = tallies.local();
            wrong += lease->in_use.exchange(true);
            ++lease->items;
            lease->in_use = false;
          });
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
    CHECK(wrong == 0);
    CHECK(tallies.combine(0, [](int sum, Tally& tally) { return sum + tally.items; }) == kCallers * 20 * 50 * 2);
  });
}

CALLER_TEST_CASE("callers: a broadcast by a caller or by its jobs reaches every thread of the pool") {
  for_each_size([](Pool& pool) {
    std::atomic<bool> over{false};
    std::latch inside(1);
    std::thread other([&] {
      pool.install([&] {
        inside.count_down();
        while (!over) static_cast<void>(blitz::yield_now());  // It runs its mail.
      });
    });
    inside.wait();
    const auto test = [&] {
      std::mutex mutex;
      std::set<std::thread::id> threads;
      const std::vector<std::size_t> indices = pool.broadcast([&](blitz::BroadcastContext context) {
        const std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
        CHECK(pool.current_thread_index() == context.index());
        return context.num_threads() == pool.num_threads() ? context.index() : 1000;
      });
      CHECK(threads.size() == pool.num_threads());
      for (std::size_t i = 0; i < indices.size(); ++i) CHECK(indices[i] == i);
    };
    for (int round = 0; round < 5; ++round) {
      test();
      pool.install(test);
      blitz::parallel_for({.pool = &pool}, 0, 20, [&](int i) {
        if (i % 7 == 3) test();
        std::this_thread::sleep_for(100us);
      });
    }
    over = true;
    other.join();
  });
}

CALLER_TEST_CASE("callers: jobs that a caller leaves behind are run") {
  for_each_size([](Pool& pool) {
    for (int round = 0; round < 10; ++round) {
      std::latch all(300);
      {
        const OtherCaller other(pool);
        pool.install([&] {
          for (int i = 0; i < 100; ++i) blitz::spawn([&] { all.count_down(); });
          blitz::isolate([&] {
            for (int i = 0; i < 100; ++i) blitz::spawn([&] { all.count_down(); });
          });
        });
        blitz::parallel_for({.pool = &pool}, 0, 100, [&](int) { blitz::spawn([&] { all.count_down(); }); });
      }
      all.wait();
    }
  });
}

// More jobs than a queue of the async backend holds: some overflow, and are fetched again in batches. None may remain in a
// place that no thread searches.
CALLER_TEST_CASE("callers: more jobs than a queue holds are run after their caller has left") {
  for_each_size([](Pool& pool) {
    constexpr int kJobs = 1000;
    std::atomic<int> ran{0};
    {
      const OtherCaller other(pool);
      pool.install([&] {
        for (int i = 0; i < kJobs; ++i) blitz::spawn([&] { ++ran; });
        for (int i = 0; i < kJobs / 2; ++i) static_cast<void>(blitz::yield_now());
      });
    }
    pool.shutdown();
    CHECK(ran == kJobs);
  });
}

// A thread that helps a caller spawns more jobs than its queue holds. It must then run a job from outside that waits for them.
// The caller may have left.
BACKEND_TEST_CASE("callers: a helper's jobs are run even if they overflow its queue") {
  for (int round = 0; round < 20; ++round) {
    constexpr int kJobs = 1000;
    Pool pool({.num_threads = 2});
    std::atomic<int> ran{0};
    std::latch begun(1);
    std::latch injected(1);
    {
      const OtherCaller other(pool);
      pool.install([&] {
        blitz::spawn([&] {
          begun.count_down();
          injected.wait();
          for (int i = 0; i < kJobs; ++i) blitz::spawn([&] { ++ran; });
        });
        begun.wait();
      });
      auto all = pool.async([&] {
        while (ran != kJobs) static_cast<void>(blitz::yield_now());
      });
      injected.count_down();
      while (ran != kJobs) std::this_thread::yield();  // It claims no job.
      all.get();
    }
    CHECK(ran == kJobs);
  }
}

// The thread waits, and no other thread takes that job.
BACKEND_TEST_CASE("callers: a helper that waits runs the job that its broadcast left") {
  Pool pool({.num_threads = 2});
  Pool elsewhere({.num_threads = 1});
  std::atomic<bool> ran{false};
  const auto until_it_ran = [&] {
    while (!ran) std::this_thread::yield();
  };
  blitz::AsyncHandle<void> end = elsewhere.async(until_it_ran);
  std::latch inside(1);
  std::latch begun(1);
  std::thread first([&] {
    pool.install([&] {
      inside.count_down();
      until_it_ran();
    });
  });
  inside.wait();
  std::thread second([&] {
    pool.install([&] {
      blitz::join([&] { begun.wait(); },
                  [&] {
                    begun.count_down();
                    end.get();
                  });
    });
  });
  begun.wait();
  pool.spawn_broadcast([&](const blitz::BroadcastContext& context) {
    if (context.index() == 1) blitz::spawn([&] { ran = true; });
  });
  first.join();
  second.join();
  CHECK(ran);
}

CALLER_TEST_CASE("callers: the pool may end right after their calls and runs their jobs first") {
  for (const std::size_t size : kPoolSizes) {
    CAPTURE(size);
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> ran{0};
      {
        Pool pool({.num_threads = size});
        std::vector<std::thread> callers;
        for (int c = 0; c < 4; ++c) {
          callers.emplace_back(
              [&] { blitz::parallel_for({.pool = &pool}, 0, 50, [&](int) { blitz::spawn([&] { ++ran; }); }); });
        }
        for (std::thread& caller : callers) caller.join();
      }
      CHECK(ran == 200);
    }
  }
}

CALLER_TEST_CASE("callers: max_concurrency limits the threads that help them") {
  Pool pool({.num_threads = 4});
  pool.set_max_concurrency(1);
  const OtherCaller other(pool);
  const auto here = std::this_thread::get_id();
  std::atomic<int> elsewhere{0};
  blitz::parallel_for({.pool = &pool}, 0, 20, [&](int) {
    elsewhere += std::this_thread::get_id() != here;
    std::this_thread::sleep_for(1ms);
  });
  CHECK(elsewhere == 0);
  if (is_helped()) {
    pool.set_max_concurrency(2);
    Crowd crowd;
    blitz::parallel_for({.pool = &pool}, 0, 20, [&](int) { crowd.stay(2ms); });
    CHECK(crowd.most() == 2);
  }
}

CALLER_TEST_CASE("callers: an outside job begins while the pool's threads help a caller") {
  Pool pool({.num_threads = 3});
  const OtherCaller other(pool);
  std::atomic<bool> begun{false};
  std::thread outside([&] {
    std::this_thread::sleep_for(5ms);
    pool.spawn([&] { begun = true; });
  });
  // Separate jobs, so that the threads look for other jobs between them.
  pool.install([&] {
    while (!begun) {
      blitz::scope([](blitz::Scope& s) {
        for (int i = 0; i < 8; ++i) s.spawn([] { std::this_thread::sleep_for(200us); });
      });
    }
  });
  outside.join();
}

BACKEND_TEST_CASE("callers: a wait at the nesting limit runs an outside job if all threads are busy") {
  for (const std::size_t size : {2, 3, 8}) {
    CAPTURE(size);
    Pool pool({.num_threads = size, .max_nested_waits = 0});
    blitz::TaskGroup group(pool);
    std::latch first_is_inside(1);
    std::latch all_help(static_cast<std::ptrdiff_t>(size));
    std::latch spawned(1);
    std::latch ran(1);
    std::thread first([&] {
      pool.install([&] {
        first_is_inside.count_down();
        spawned.wait();
        group.wait();
      });
    });
    first_is_inside.wait();
    std::thread outside([&] {
      all_help.wait();
      group.run([&] { ran.count_down(); });
      spawned.count_down();
    });
    // The items wait for each other, and then for the job.
    blitz::parallel_for({.pool = &pool}, 0, static_cast<int>(size), [&](int) {
      all_help.arrive_and_wait();
      ran.wait();
    });
    outside.join();
    first.join();
  }
}

BACKEND_TEST_CASE("callers: statistics count the jobs of all callers") {
  Pool pool({.num_threads = 4});
  const auto pushed_before = pool.stats().total.jobs_pushed;
  // On a busy machine a thread may start late.
  for (int round = 0; round < 50 && pool.stats().total.jobs_stolen == 0; ++round) {
    const OtherCaller other(pool);
    pool.install([] {
      blitz::scope([](blitz::Scope& s) {
        for (int i = 0; i < 100; ++i) s.spawn([] { std::this_thread::sleep_for(100us); });
      });
    });
  }
  const blitz::WorkerStats total = pool.stats().total;
  CHECK(total.jobs_pushed - pushed_before >= 100);
  CHECK(total.jobs_executed >= 100);
  CHECK(total.jobs_stolen > 0);
}
