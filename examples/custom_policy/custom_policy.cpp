// Answers requests on two pools. The first has this program's scheduling policy, which begins requests in their order of
// arrival. The second is the default pool: a worker begins with its newest job. Each request asks for the number of primes in
// some intervals, and splits its work by `scope` and `join`.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <numeric>
#include <random>
#include <vector>

#include <blitz/blitz.hpp>

#include "custom_policy/first_come_policy.hpp"
#include "support/options.hpp"
#include "support/pool.hpp"

namespace {

struct Interval {
  std::uint64_t first;
  std::uint64_t last;
};

using Request = std::array<Interval, 4>;

struct Answer {
  std::size_t primes;
  std::size_t turn;  // the number of requests that were begun before this one
};

struct Outcome {
  std::vector<Answer> answers;
  double first_ms = 0;  // until the first request was answered
  double all_ms = 0;
};

bool is_prime(std::uint64_t n) {
  if (n < 2) return false;
  for (std::uint64_t divisor = 2; divisor * divisor <= n; ++divisor) {
    if (n % divisor == 0) return false;
  }
  return true;
}

std::size_t count_primes(Interval interval) {
  std::size_t primes = 0;
  for (std::uint64_t n = interval.first; n < interval.last; ++n) primes += is_prime(n) ? 1 : 0;
  return primes;
}

std::size_t answer_serially(const Request& request) {
  std::size_t primes = 0;
  for (const Interval interval : request) primes += count_primes(interval);
  return primes;
}

// Several microseconds of work: many times the cost of a join on a queue with a lock.
constexpr std::uint64_t kCutOff = 128;

std::size_t count_primes_by_join(Interval interval) {
  if (interval.last - interval.first <= kCutOff) return count_primes(interval);
  const std::uint64_t middle = std::midpoint(interval.first, interval.last);
  const auto [low, high] = blitz::join(
      [=] {
        return count_primes_by_join({interval.first, middle});
      },
      [=] {
        return count_primes_by_join({middle, interval.last});
      });
  return low + high;
}

std::size_t answer(const Request& request) {
  std::array<std::size_t, std::tuple_size_v<Request>> primes{};
  blitz::scope([&](blitz::Scope& scope) {
    for (std::size_t i = 0; i < request.size(); ++i) {
      scope.spawn([&, i] { primes[i] = count_primes_by_join(request[i]); });
    }
  });
  return std::reduce(primes.begin(), primes.end());
}

// Submits all requests to the pool without waiting, then collects the answers in the order of the requests.
template <class Pool>
Outcome serve(Pool& pool, const std::vector<Request>& requests) {
  using Clock = std::chrono::steady_clock;
  using Milliseconds = std::chrono::duration<double, std::milli>;
  Outcome outcome;
  std::atomic<std::size_t> turn{0};
  pool.install([&] {
    const Clock::time_point start = Clock::now();
    std::vector<blitz::AsyncHandle<Answer>> handles;
    handles.reserve(requests.size());
    for (const Request& request : requests) {
      handles.push_back(pool.async([&] {
        const std::size_t mine = turn.fetch_add(1, std::memory_order_relaxed);
        return Answer{answer(request), mine};
      }));
    }
    for (auto& handle : handles) {
      outcome.answers.push_back(handle.get());
      outcome.all_ms = Milliseconds(Clock::now() - start).count();
      if (outcome.answers.size() == 1) outcome.first_ms = outcome.all_ms;
    }
  });
  return outcome;
}

// The number of requests that were begun after a later one.
std::size_t count_overtaken(const std::vector<Answer>& answers) {
  std::size_t overtaken = 0;
  std::size_t first_turn = SIZE_MAX;  // of the later requests
  for (auto request = answers.rbegin(); request != answers.rend(); ++request) {
    if (first_turn < request->turn) ++overtaken;
    first_turn = std::min(first_turn, request->turn);
  }
  return overtaken;
}

// Returns whether the answers are right.
template <class Pool>
bool serve_and_report(const char* name, Pool& pool, const std::vector<Request>& requests,
                      const std::vector<std::size_t>& right) {
  const Outcome outcome = serve(pool, requests);
  std::printf("  %-24s %10.2f ms   first answer %8.2f ms   %zu of %zu overtaken\n", name, outcome.all_ms,
              outcome.first_ms, count_overtaken(outcome.answers), requests.size());
  return std::ranges::equal(outcome.answers, right, {}, &Answer::primes);
}

int run(std::size_t count, std::size_t seed, std::size_t threads) {
  blitz::BasicThreadPool<example::FirstComePolicy> first_come({.num_threads = threads});
  blitz::ThreadPool newest_first({.num_threads = threads});

  std::vector<Request> requests(count);
  blitz::parallel_for({.pool = &first_come}, std::size_t{0}, count, [&](std::size_t i) {
    std::mt19937_64 random(seed + i);
    for (Interval& interval : requests[i]) {
      interval.first = random() % 1'000'000;
      interval.last = interval.first + random() % 512;
    }
  });
  std::vector<std::size_t> right(count);
  const double serial_ms = example::time_ms([&] { std::ranges::transform(requests, right.begin(), answer_serially); });

  std::printf("time to answer %zu requests on %zu threads, seed %zu:\n", count, first_come.num_threads(), seed);
  std::printf("  %-24s %10.2f ms\n", "serial", serial_ms);
  if (!serve_and_report("first come, first served", first_come, requests, right) ||
      !serve_and_report("the default policy", newest_first, requests, right)) {
    std::fprintf(stderr, "custom_policy: an answer is not that of the serial run\n");
    return 1;
  }
  std::printf("all answers are right\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  std::size_t count = 1000;
  std::size_t seed = 1;
  std::size_t threads = 0;
  example::Options options("custom_policy",
                           "Answers requests on a pool with a scheduling policy of the program's own.");
  options.number("--count", "how many requests to answer", count, 0, 1'000'000'000);
  options.number("--seed", "seed of the random requests", seed, 0, SIZE_MAX);
  example::add_threads_option(options, threads);
  if (const auto status = options.parse(argc, argv)) return *status;
  return run(count, seed, threads);
} catch (const std::exception& error) {
  std::fprintf(stderr, "custom_policy: %s\n", error.what());
  return 1;
}
