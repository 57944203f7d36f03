// Calls of blitz under callgrind, which counts their instructions; see instructions.py.
//
//   instructions POOL WORKLOAD COUNT
//   instructions algorithm NAME ITEMS
//   instructions list                    prints pools and workloads, and the algorithms, two words per line
//
// The pool has one thread. It makes the calls, or the calling thread makes them in its place, so nothing waits, and nothing
// depends on the time. There, a loop that cannot be stopped is one block. A loop that can be stopped normally adapts its blocks
// to the time, but with a minimum grain of half its items it makes two, whatever the time.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <latch>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <blitz/algorithm.hpp>
#include <blitz/fork_join.hpp>

#include "bench/harness/hash.hpp"
#include "bench/harness/workload.hpp"

namespace {

constexpr std::size_t kItems = 1000;
constexpr std::size_t kBlocks = 2;
constexpr std::size_t kSpawnsInScope = 100;

std::array<std::uint32_t, kItems> visits{};

constexpr auto kVisit = [](std::size_t i) { visits[i] += 1; };

// A tree of `joins` joins.
BENCH_NOINLINE void join(std::size_t joins) {
  if (joins == 0) return;
  const std::size_t left = (joins - 1) / 2;
  blitz::join([left] { join(left); }, [right = joins - 1 - left] { join(right); });
}

void spawn(std::size_t spawns) {
  for (std::size_t done = 0; done < spawns; done += kSpawnsInScope) {
    blitz::scope([](blitz::Scope& scope) {
      for (std::size_t i = 0; i < kSpawnsInScope; ++i) scope.spawn([i] { kVisit(i); });
    });
  }
}

// Blocks with almost empty bodies, and their shares of the call.
void block(std::size_t blocks) {
  const std::stop_source never;
  const blitz::ForOptions options{.min_grain = kItems / kBlocks, .stop = never.get_token()};
  for (std::size_t done = 0; done < blocks; done += kBlocks)
    blitz::parallel_for_blocks(options, visits, [](auto items) { items.front() += 1; });
}

template <std::size_t Items>
void loop(std::size_t calls) {
  for (std::size_t i = 0; i < calls; ++i) blitz::parallel_for(std::size_t{0}, Items, kVisit);
}

template <std::size_t Items, class Pool>
void loop_from_main(Pool& pool, std::size_t calls) {
  for (std::size_t i = 0; i < calls; ++i) blitz::parallel_for({.pool = &pool}, std::size_t{0}, Items, kVisit);
}

template <class Pool>
void install_from_main(Pool& pool, std::size_t calls) {
  for (std::size_t i = 0; i < calls; ++i) pool.install([i] { kVisit(i % kItems); });
}

template <class Pool, void (*Calls)(std::size_t)>
void inside(Pool& pool, std::size_t count) {
  pool.install([count] { Calls(count); });
}

template <class Pool>
struct Workload {
  const char* name;  // the unit of the count
  void (*run)(Pool&, std::size_t count);
  bool on_resident = false;  // called by the pool's own thread
};

template <class Pool>
constexpr std::array<Workload<Pool>, 10> kWorkloads{{
    {"join", inside<Pool, join>},
    {"join_on_resident", inside<Pool, join>, true},
    {"spawn", inside<Pool, spawn>},
    {"spawn_on_resident", inside<Pool, spawn>, true},
    {"block", inside<Pool, block>},
    {"loop_2", inside<Pool, loop<2>>},
    {"loop_1000", inside<Pool, loop<1000>>},
    {"loop_2_from_main", loop_from_main<2, Pool>},
    {"loop_1000_from_main", loop_from_main<1000, Pool>},
    {"install_from_main", install_from_main<Pool>},
}};

using Numbers = std::vector<std::uint64_t>;

Numbers random_numbers(std::size_t items) {
  Numbers numbers(items);
  for (std::size_t i = 0; i < items; ++i) numbers[i] = bench::mix(i + 1);
  return numbers;
}
Numbers sorted_numbers(std::size_t items) {
  Numbers numbers(items);
  for (std::size_t i = 0; i < items; ++i) numbers[i] = i;
  return numbers;
}
std::vector<std::string> random_strings(std::size_t items) {
  std::vector<std::string> strings(items);
  for (std::size_t i = 0; i < items; ++i) strings[i] = "a common prefix, " + std::to_string(bench::mix(i + 1));
  return strings;
}

// The calls that callgrind counts, on `items` made before.
template <class Items, class F>
std::function<void()> call(Items items, F f) {
  return [out = Items(items.size()), items = std::move(items), f]() mutable { f(items, out); };
}

// A comparison that blitz does not recognise, so that it cannot sort by digits.
constexpr auto kBelow = [](std::uint64_t a, std::uint64_t b) { return a < b; };

struct Algorithm {
  const char* name;
  std::function<void()> (*make)(std::size_t items);
};
constexpr std::array<Algorithm, 9> kAlgorithms{{
    {"sort_random",
     [](std::size_t n) { return call(random_numbers(n), [](Numbers& in, Numbers&) { blitz::sort(in); }); }},
    {"sort_by_less",
     [](std::size_t n) { return call(random_numbers(n), [](Numbers& in, Numbers&) { blitz::sort(in, kBelow); }); }},
    {"sort_sorted",
     [](std::size_t n) { return call(sorted_numbers(n), [](Numbers& in, Numbers&) { blitz::sort(in); }); }},
    {"sort_strings", [](std::size_t n) { return call(random_strings(n), [](auto& in, auto&) { blitz::sort(in); }); }},
    {"stable_sort_by_less",
     [](std::size_t n) {
       return call(random_numbers(n), [](Numbers& in, Numbers&) { blitz::stable_sort(in, kBelow); });
     }},
    {"merge",
     [](std::size_t n) {
       Numbers numbers = random_numbers(n);
       std::sort(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(n / 2));
       std::sort(numbers.begin() + static_cast<std::ptrdiff_t>(n / 2), numbers.end());
       return call(std::move(numbers), [](Numbers& in, Numbers& out) {
         const auto middle = in.begin() + static_cast<std::ptrdiff_t>(in.size() / 2);
         blitz::merge(in.begin(), middle, middle, in.end(), out.begin(), out.end());
       });
     }},
    {"copy_if",
     [](std::size_t n) {
       return call(random_numbers(n), [](Numbers& in, Numbers& out) {
         blitz::copy_if(in, out, [](std::uint64_t x) { return x % 2 == 0; });
       });
     }},
    {"inclusive_scan",
     [](std::size_t n) {
       return call(random_numbers(n), [](Numbers& in, Numbers& out) { blitz::inclusive_scan(in, out); });
     }},
    {"find",
     [](std::size_t n) {
       return call(sorted_numbers(n), [](Numbers& in, Numbers& out) { out[0] = *blitz::find(in, in.back()); });
     }},
}};

}  // namespace

/// Callgrind collects in the function of this name.
extern "C" [[gnu::noinline]] void counted(const std::function<void()>& calls);
void counted(const std::function<void()>& calls) { calls(); }

namespace {

template <class Pool>
bool run(std::string_view name, std::size_t count) {
  for (const auto& workload : kWorkloads<Pool>) {
    if (workload.name != name) continue;
    Pool pool({.num_threads = 1});
    const auto run_it = [&] {
      workload.run(pool, count);  // Resolves symbols, and fills memory caches.
      counted([&] { workload.run(pool, count); });
      return std::this_thread::get_id();
    };
    if (!workload.on_resident) return run_it() == std::this_thread::get_id();
    std::thread::id resident;
    std::latch done(1);  // With async, the wait on its handle would let this thread run the job.
    pool.spawn([&] {
      resident = run_it();
      done.count_down();
    });
    done.wait();
    return resident != std::this_thread::get_id();
  }
  return false;
}

bool run_algorithm(std::string_view name, std::size_t items) {
  for (const Algorithm& algorithm : kAlgorithms) {
    if (algorithm.name != name) continue;
    blitz::ThreadPool pool({.num_threads = 1});
    pool.install([&] {
      algorithm.make(items)();  // Resolves symbols.
      counted(algorithm.make(items));
    });
    return true;
  }
  return false;
}

template <class Pool>
void list(const char* pool) {
  for (const auto& workload : kWorkloads<Pool>) std::printf("%s %s\n", pool, workload.name);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1 && arguments[0] == "list") {
    list<blitz::ThreadPool>("fork_join");
    list<blitz::AsyncThreadPool>("async");
    for (const Algorithm& algorithm : kAlgorithms) std::printf("algorithm %s\n", algorithm.name);
    return 0;
  }
  if (arguments.size() == 3) {
    const std::string_view number = arguments[2];
    std::size_t count = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), count);
    if (error == std::errc() && end == number.data() + number.size()) {
      if (arguments[0] == "fork_join" && run<blitz::ThreadPool>(arguments[1], count)) return 0;
      if (arguments[0] == "async" && run<blitz::AsyncThreadPool>(arguments[1], count)) return 0;
      if (arguments[0] == "algorithm" && run_algorithm(arguments[1], count)) return 0;
    }
  }
  std::fprintf(stderr, "usage: instructions fork_join|async|algorithm WORKLOAD COUNT, or instructions list\n");
  return 2;
}
