#include "bench/compare/results.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <thread>

#include "bench/harness/statistics.hpp"

namespace bench {
namespace {

std::vector<double> column(const std::vector<Repetition>& repetitions, double Repetition::*member) {
  std::vector<double> values;
  for (const auto& r : repetitions) values.push_back(r.*member);
  return values;
}

bool is_rate(Metric metric) { return metric == Metric::gigabytes_per_second; }

}  // namespace

Row::Row(const Entry& entry, unsigned thread_count, std::vector<Repetition> measured)
    : spec(entry.spec),
      peer(entry.peer),
      threaded(entry.threaded),
      threads(thread_count),
      repetitions(std::move(measured)),
      median(bench::median(column(repetitions, &Repetition::figure))),
      low(quantile(column(repetitions, &Repetition::figure), 0.25)),
      high(quantile(column(repetitions, &Repetition::figure), 0.75)),
      p99(bench::median(column(repetitions, &Repetition::p99))),
      wall_seconds(bench::median(column(repetitions, &Repetition::wall_seconds))),
      cpu_seconds(bench::median(column(repetitions, &Repetition::cpu_seconds))),
      cpu_after_seconds(bench::median(column(repetitions, &Repetition::cpu_after_seconds))) {}

double times_slower(const Row* row, const Row* base) {
  if (row == nullptr || base == nullptr || !(row->median > 0) || !(base->median > 0)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return is_rate(row->spec->metric) ? base->median / row->median : row->median / base->median;
}

const Row* Results::find(std::string_view workload, std::string_view peer, unsigned thread_count) const {
  for (const auto& row : rows) {
    if (row.spec->name == workload && row.peer == peer && (row.threads == thread_count || !row.threaded)) return &row;
  }
  return nullptr;
}

const Row* Results::best(std::string_view workload, std::string_view library, unsigned thread_count) const {
  const Row* found = nullptr;
  for (const auto& row : rows) {
    if (row.spec->name != workload || row.threads != thread_count || !row.peer.starts_with(library)) continue;
    const bool better =
        found == nullptr || (is_rate(row.spec->metric) ? row.median > found->median : row.median < found->median);
    if (better) found = &row;
  }
  return found;
}

double Results::times_slower_than_blitz(const Row& row) const {
  return times_slower(&row, find(row.spec->name, "blitz", row.threaded ? row.threads : threads.front()));
}

double Results::speed_up(const Row& row) const {
  if (row.spec->timing == Timing::wake || is_cpu_time(*row.spec)) return std::numeric_limits<double>::quiet_NaN();
  return times_slower(find(row.spec->name, "serial", row.threads), &row);
}

bool Results::all_correct() const {
  return std::all_of(rows.begin(), rows.end(), [](const Row& r) { return r.correct; });
}

std::string_view unit_name(Metric metric) {
  switch (metric) {
    case Metric::nanoseconds:
      return "ns";
    case Metric::microseconds:
      return "us";
    case Metric::milliseconds:
      return "ms";
    case Metric::gigabytes_per_second:
      break;
  }
  return "GB/s";
}

std::string figure_name(const Spec& spec) {
  std::string name(unit_name(spec.metric));
  if (is_cpu_time(spec)) name.insert(0, "CPU ");
  return is_rate(spec.metric) ? name : name + "/" + std::string(spec.unit_of_work);
}

Machine this_machine() {
  Machine machine{"unknown processor", std::thread::hardware_concurrency(), {}};
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.starts_with("model name") && line.find(": ") != std::string::npos) {
      machine.processor = line.substr(line.find(": ") + 2);
      break;
    }
  }
#if defined(__clang__)
  machine.compiler = "clang " __clang_version__;
#else
  machine.compiler = "g++ " __VERSION__;
#endif
  return machine;
}

}  // namespace bench
