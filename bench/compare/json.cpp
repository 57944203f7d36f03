#include <cmath>
#include <cstdio>
#include <ostream>
#include <string>
#include <string_view>

#include "bench/compare/break_even.hpp"
#include "bench/compare/geometric_mean.hpp"
#include "bench/compare/report.hpp"

namespace bench {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    char escaped[8];
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.9g", value);
  return buffer;
}

std::string boolean(bool value) { return value ? "true" : "false"; }

template <class Range, class Format>
std::string array(const Range& range, std::string_view separator, Format format) {
  std::string out;
  for (const auto& element : range) {
    if (!out.empty()) out += separator;
    out += format(element);
  }
  return "[" + out + "]";
}

std::string row_json(const Results& results, const Row& row) {
  return "\n    {\"workload\": " + quoted(row.spec->name) + ", \"title\": " + quoted(row.spec->title) +
         ", \"peer\": " + quoted(row.peer) + ", \"threads\": " + std::to_string(row.threads) +
         ", \"unit\": " + quoted(figure_name(*row.spec)) + ", \"median\": " + number(row.median) +
         ", \"quartiles\": [" + number(row.low) + ", " + number(row.high) + "], \"p99\": " + number(row.p99) +
         ", \"wall_seconds_per_unit\": " + number(row.wall_seconds) +
         ", \"cpu_seconds_per_unit\": " + number(row.cpu_seconds) +
         ", \"cpu_seconds_after\": " + number(row.cpu_after_seconds) + ", \"peak_bytes\": " + number(row.peak_bytes) +
         ", \"times_slower_than_blitz\": " + number(results.times_slower_than_blitz(row)) +
         ", \"speed_up\": " + number(results.speed_up(row)) + ", \"correct\": " + boolean(row.correct) +
         ", \"samples\": " + array(row.repetitions, ", ", [](const Repetition& r) { return number(r.figure); }) + "}";
}

std::string geometric_mean_json(const GeometricMean& mean) {
  return "\n    {\"peer\": " + quoted(mean.peer) + ", \"threads\": " + std::to_string(mean.threads) +
         ", \"times_slower_than_blitz\": " + number(mean.times_slower_than_blitz) +
         ", \"workloads\": " + std::to_string(mean.workloads) + "}";
}

std::string break_even_json(const GrainCurve& curve) {
  return "\n    {\"peer\": " + quoted(curve.peer) + ", \"threads\": " + std::to_string(curve.threads) +
         ", \"nanoseconds\": " + number(curve.break_even()) + "}";
}

std::string target_json(const Target& target) {
  return "\n    {\"aim\": " + quoted(target.aim) + ", \"measured\": " + number(target.measured) +
         ", \"limit\": " + number(target.limit) + ", \"bound\": " + quoted(target.at_least ? "least" : "most") +
         ", \"met\": " + (target.known() ? boolean(target.met()) : "null") + "}";
}

}  // namespace

void write_json(std::ostream& out, const Results& results, const std::vector<Target>& all_targets) {
  const Machine machine = this_machine();
  out << "{\n  \"format\": 1,\n  \"machine\": {\"processor\": " << quoted(machine.processor)
      << ", \"processors\": " << machine.processors << ", \"compiler\": " << quoted(machine.compiler) << "},\n"
      << "  \"scale\": " << quoted(results.scale) << ",\n  \"repetitions\": " << results.repetitions << ",\n"
      << "  \"threads\": " << array(results.threads, ", ", [](unsigned n) { return std::to_string(n); }) << ",\n"
      << "  \"results\": " << array(results.rows, ",", [&](const Row& row) { return row_json(results, row); }) << ",\n"
      << "  \"geometric_means\": " << array(geometric_means(results), ",", geometric_mean_json) << ",\n"
      << "  \"break_even\": " << array(grain_curves(results), ",", break_even_json) << ",\n"
      << "  \"aims\": " << array(all_targets, ",", target_json) << "\n}\n";
}

}  // namespace bench
