// Loops of few, long items: no worker is idle while an item waits to begin, in every call that runs a loop.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <numeric>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include <blitz/adaptor/sender.hpp>
#include <blitz/algorithm.hpp>
#include <blitz/fork_join.hpp>
#include <blitz/pipeline.hpp>
#include <doctest/doctest.h>

#include "support/policies.hpp"
#include "support/virtual_time.hpp"

using blitz_test::Pool;
using blitz_test::VirtualTime;

namespace {

using Times = std::vector<double>;

struct Kind {
  const char* name;
  Times (*times)(std::size_t count);
};
/// One item of `count` takes five times as long as the others.
Times one_long(std::size_t count, std::size_t which) {
  Times times(count, 1);
  times[which] = 5;
  return times;
}
constexpr Kind kKinds[] = {
    {"equal", [](std::size_t count) { return Times(count, 1); }},
    {"the middle one is long", [](std::size_t count) { return one_long(count, count / 2); }},
    {"rising",
     [](std::size_t count) {
       Times times(count);
       for (std::size_t i = 0; i < count; ++i) times[i] = 0.5 + static_cast<double>(i) / static_cast<double>(count);
       return times;
     }},
};

/// One thread waits until another calls set. The waiting thread may destroy the event when its wait has ended.
class Event {
 public:
  void set() {
    const std::lock_guard lock(mutex_);
    happened_ = true;
    changed_.notify_one();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return happened_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool happened_ = false;
};

/// A receiver that signals the completion of a bulk.
struct Done {
  void set_value() && noexcept { done->set(); }
  void set_error(std::exception_ptr /*error*/) && noexcept { std::terminate(); }
  void set_stopped() && noexcept { std::terminate(); }
  Event* done;
};

/// A call that runs the items below `count`. The calling thread works for `pool`, or calls it from outside.
struct Call {
  const char* name;
  void (*run)(Pool& pool, std::size_t count, VirtualTime& time);
  bool only_from_outside = false;
};

const std::vector<Call>& calls() {
  static const std::vector<Call> all{
      {"parallel_for",
       [](Pool&, std::size_t count, VirtualTime& time) {
         blitz::parallel_for(std::size_t{0}, count, [&](std::size_t i) { time.run(i); });
       }},
      {"parallel_for_blocks",
       [](Pool&, std::size_t count, VirtualTime& time) {
         blitz::parallel_for_blocks(std::views::iota(std::size_t{0}, count), [&](auto block) {
           for (const std::size_t i : block) time.run(i);
         });
       }},
      {"parallel_for_tiles",
       [](Pool&, std::size_t count, VirtualTime& time) {
         blitz::parallel_for_tiles({count, 1}, {1, 1}, [&](const blitz::Tile<2>& tile) {
           for (const std::size_t i : tile.rows()) time.run(i);
         });
       }},
      {"parallel_reduce",
       [](Pool&, std::size_t count, VirtualTime& time) {
         const auto item = [&](std::size_t i) {
           time.run(i);
           return i;
         };
         const auto sum = blitz::parallel_transform_reduce(std::views::iota(std::size_t{0}, count), std::size_t{0},
                                                           std::plus<>(), item);
         CHECK(sum == count * (count - 1) / 2);
       }},
      {"parallel_for_each of a list",
       [](Pool&, std::size_t count, VirtualTime& time) {
         std::list<std::size_t> items(count);
         std::iota(items.begin(), items.end(), std::size_t{0});
         blitz::parallel_for_each(items, [&](std::size_t i) { time.run(i); });
       }},
      {"parallel_for_each with a feeder",
       [](Pool&, std::size_t count, VirtualTime& time) {
         const std::size_t root[] = {count};  // It adds the others.
         blitz::parallel_for_each(root, [&](std::size_t i, blitz::Feeder<std::size_t>& feeder) {
           if (i < count) return time.run(i);
           for (std::size_t each = 0; each < count; ++each) feeder.add(each);
         });
       }},
      {"for_each",
       [](Pool&, std::size_t count, VirtualTime& time) {
         blitz::for_each(std::views::iota(std::size_t{0}, count), [&](std::size_t i) { time.run(i); });
       }},
      {"transform",
       [](Pool&, std::size_t count, VirtualTime& time) {
         std::vector<std::size_t> out(count);
         blitz::transform(std::views::iota(std::size_t{0}, count), out, [&](std::size_t i) {
           time.run(i);
           return i;
         });
       }},
      {"par(...).map(...).sum()",
       [](Pool&, std::size_t count, VirtualTime& time) {
         const auto item = [&](std::size_t i) {
           time.run(i);
           return i;
         };
         CHECK(blitz::par(std::size_t{0}, count).map(item).sum() == count * (count - 1) / 2);
       }},
      {"join_all",
       [](Pool&, std::size_t count, VirtualTime& time) {
         std::vector<std::function<void()>> items;
         for (std::size_t i = 0; i < count; ++i) items.emplace_back([&time, i] { time.run(i); });
         blitz::join_all(items);
       }},
      {"bulk",
       [](Pool& pool, std::size_t count, VirtualTime& time) {
         Event done;
         auto operation = blitz::bulk(blitz::PoolScheduler(pool).schedule(), count, [&](std::size_t i) {
                            time.run(i);
                          }).connect(Done{&done});
         operation.start();
         done.wait();
       },
       true},
  };
  return all;
}

/// Runs `f` on a worker of the pool: on the calling thread, which becomes a worker, or on another thread.
template <class F>
void run_from(bool outside, Pool& pool, const F& f) {
  if (outside) return pool.install(f);
  Event done;
  pool.spawn([&] {
    f();
    done.set();
  });
  done.wait();
}

/// Graham's bound, and for equal items the number of rounds.
double bound(const Times& times, std::size_t workers) {
  const double all = std::accumulate(times.begin(), times.end(), 0.0);
  const double longest = *std::max_element(times.begin(), times.end());
  const auto p = static_cast<double>(workers);
  if (longest == 1 && all == static_cast<double>(times.size())) return std::ceil(all / p);
  return all / p + (1 - 1 / p) * longest;
}

/// Whether `run(time)` runs each of the items once, with no worker idle while an item waits to begin. If not, it is repeated
/// with longer items: on a slow machine the first ones may not be worth a wake-up.
template <class Run>
bool is_greedy(std::size_t workers, const Times& times, const Run& run) {
  for (const auto real : {std::chrono::milliseconds(1), std::chrono::milliseconds(20)}) {
    VirtualTime time(workers, times, real);
    run(time);
    REQUIRE(time.each_once());
    if (time.is_greedy()) return time.taken() <= bound(times, workers) + 1e-9;
  }
  return false;
}

}  // namespace

BACKEND_TEST_CASE("long items: no worker is idle while an item waits to begin") {
  for (const std::size_t p : {2, 4, 16}) {
    Pool pool({.num_threads = p});
    for (const Call& call : calls()) {
      for (const std::size_t count : {p, p + 1, 3 * p + 2}) {
        for (const Kind& kind : kKinds) {
          for (const bool outside : {true, false}) {
            if (call.only_from_outside && !outside) continue;
            const Times times = kind.times(count);
            for (int which = 1; which <= 2; ++which) {
              const std::string what = std::string(call.name) + ", " + kind.name;
              INFO(what << ", call " << which << (outside ? " from outside, " : " on a worker, ") << count
                        << " items on " << p << " workers");
              REQUIRE(is_greedy(p, times, [&](VirtualTime& time) {
                const auto run = [&] { call.run(pool, count, time); };
                call.only_from_outside ? run() : run_from(outside, pool, run);
              }));
            }
          }
        }
      }
    }
  }
}

BACKEND_TEST_CASE("long items: all items of nested loops run concurrently") {
  for (const auto& [outer, inner] : {std::pair{2, 1}, {2, 2}, {4, 2}, {2, 4}, {4, 4}, {2, 8}, {8, 2}}) {
    CAPTURE(outer);
    CAPTURE(inner);
    const auto count = static_cast<std::size_t>(outer * inner);
    Pool pool({.num_threads = count});
    for (int call = 0; call < 5; ++call) {
      CAPTURE(call);
      REQUIRE(is_greedy(count, Times(count, 1), [&, outer = outer, inner = inner](VirtualTime& time) {
        blitz::parallel_for({.pool = &pool}, 0, outer, [&](int i) {
          blitz::parallel_for(0, inner, [&](int j) { time.run(static_cast<std::size_t>(i * inner + j)); });
        });
      }));
    }
  }
}

// The other callable of the join is in the queue, and does not prevent the loop from offering its items.
BACKEND_TEST_CASE("long items: all items of a loop in a join run concurrently") {
  for (const std::size_t p : {2, 3, 4, 16}) {
    CAPTURE(p);
    Pool pool({.num_threads = p});
    for (int call = 0; call < 5; ++call) {
      CAPTURE(call);
      REQUIRE(is_greedy(p, Times(p, 1), [&](VirtualTime& time) {
        pool.join([&] { blitz::parallel_for(std::size_t{0}, p, [&](std::size_t i) { time.run(i); }); }, [] {});
      }));
    }
  }
}
