// A loop of 32 items, called by the main thread, with bodies from a nanosecond to a millisecond: from which length on it
// pays to ask for parallelism, and what it costs below.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "bench/harness/busy_work.hpp"
#include "bench/harness/registry.hpp"
#include "bench/harness/workload.hpp"

namespace bench {

/// The lengths of the body, in nanoseconds.
using GrainSizes = std::integer_sequence<std::uint64_t, 1, 10, 100, 1'000, 10'000, 100'000, 1'000'000>;

/// Names that sort by length.
constexpr Spec grain_spec(std::uint64_t nanoseconds) {
  constexpr std::array<std::array<std::string_view, 2>, 7> kTexts{{
      {"grain_1e0", "a loop of 32 items of 1 ns each, called from main"},
      {"grain_1e1", "a loop of 32 items of 10 ns each, called from main"},
      {"grain_1e2", "a loop of 32 items of 100 ns each, called from main"},
      {"grain_1e3", "a loop of 32 items of 1 us each, called from main"},
      {"grain_1e4", "a loop of 32 items of 10 us each, called from main"},
      {"grain_1e5", "a loop of 32 items of 100 us each, called from main"},
      {"grain_1e6", "a loop of 32 items of 1 ms each, called from main"},
  }};
  std::size_t i = 0;
  for (std::uint64_t rest = nanoseconds; rest > 1; rest /= 10) ++i;
  return {.name = kTexts[i][0],
          .title = kTexts[i][1],
          .unit_of_work = "item",
          .metric = Metric::nanoseconds,
          .timing = Timing::runs,
          .quick = nanoseconds < 1'000'000 ? Quick::yes : Quick::no};
}

template <std::uint64_t Nanoseconds>
struct Grain : Workload {
  static constexpr Spec spec = grain_spec(Nanoseconds);

  explicit Grain(Scale scale) : steps_(busy_steps(static_cast<double>(Nanoseconds) * pick(scale, 1e-9, 1e-9, 1e-11))) {
    for (std::size_t i = 0; i < kItems; ++i) expected_[i] = busy_work(i + 1, steps_);
  }

  void reset() override { results.fill(0); }
  bool check(std::size_t runs) const override {
    return std::equal(results.begin(), results.end(), expected_.begin(),
                      [runs](std::uint64_t found, std::uint64_t once) { return found == runs * once; });
  }
  double units() const override { return kItems; }

  void add(std::size_t i) { results[i] += busy_work(i + 1, steps_); }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

  static constexpr std::size_t kItems = 32;
  std::array<std::uint64_t, kItems> results{};

 private:
  std::uint64_t steps_;
  std::array<std::uint64_t, kItems> expected_{};
};

/// Registers `Form::run` for every length.
template <class Form>
struct RegisterGrains {
  explicit RegisterGrains(std::string_view peer) { add(peer, GrainSizes()); }

 private:
  template <std::uint64_t... Nanoseconds>
  static void add(std::string_view peer, std::integer_sequence<std::uint64_t, Nanoseconds...>) {
    (static_cast<void>(Register<Form::template run<Nanoseconds>>(peer)), ...);
  }
};

}  // namespace bench
