#include <algorithm>
#include <array>
#include <ostream>
#include <string>

#include "bench/compare/break_even.hpp"
#include "bench/compare/geometric_mean.hpp"
#include "bench/compare/report.hpp"
#include "bench/compare/text.hpp"

namespace bench {
namespace {

using Cells = std::array<std::string, 9>;
constexpr std::array<std::size_t, 9> kWidths{19, 11, 8, 10, 10, 10, 10, 10, 10};

void write_line(std::ostream& out, const Cells& cells) {
  std::string line = "  ";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string padding(kWidths[i] - std::min(kWidths[i], cells[i].size()), ' ');
    line += i == 0 ? cells[i] + padding : padding + cells[i];
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out << line << '\n';
}

void write_row(std::ostream& out, const Row& row, double ratio) {
  write_line(out, {row.peer, number_text(row.median), percent_text(row.spread()), number_text(row.p99),
                   time_text(row.wall_seconds), time_text(row.cpu_seconds), time_text(row.cpu_after_seconds),
                   number_text(row.peak_bytes / (1024 * 1024)), row.correct ? number_text(ratio) : "WRONG"});
}

// The serial form is measured once and shown with every thread count.
void write_workload(std::ostream& out, const Results& results, const Spec& spec) {
  out << '\n' << spec.name << ": " << spec.title << '\n';
  for (const unsigned threads : results.threads) {
    write_line(out, {std::to_string(threads) + (threads == 1 ? " thread" : " threads"), figure_name(spec), "spread",
                     "p99", "wall", "CPU", "CPU after", "peak MiB", "x blitz"});
    const Row* blitz = results.find(spec.name, "blitz", threads);
    for (const auto& row : results.rows) {
      if (row.spec == &spec && (!row.threaded || row.threads == threads)) {
        write_row(out, row, times_slower(&row, blitz));
      }
    }
  }
}

std::string break_even_text(double nanoseconds) {
  if (nanoseconds == 0) return "below all lengths measured";
  return std::isfinite(nanoseconds) ? time_text(nanoseconds * 1e-9) : "above all lengths measured";
}

void write_break_evens(std::ostream& out, const Results& results) {
  const auto all = grain_curves(results);
  if (all.empty()) return;
  out << "\nbreak-even: the body from which on a loop of 32 items is faster than the serial loop\n";
  for (const auto& curve : all) {
    out << "  " << curve.peer << " on " << curve.threads << " threads: " << break_even_text(curve.break_even()) << '\n';
  }
}

void write_geometric_means(std::ostream& out, const Results& results) {
  const auto all = geometric_means(results);
  if (all.empty()) return;
  out << "\ngeometric mean of \"x blitz\" over the workloads that each has\n";
  write_line(out, {"", "threads", "mean", "workloads"});
  for (const auto& mean : all) {
    write_line(out, {mean.peer, std::to_string(mean.threads), number_text(mean.times_slower_than_blitz),
                     std::to_string(mean.workloads)});
  }
}

constexpr const char* kLegend =
    "\n"
    "Each line has the median of the repetitions, in the unit above it. Lower is better, except for GB/s.\n"
    "  spread      between the quartiles of the repetitions; a smaller difference means nothing\n"
    "  p99         99th percentile of single calls\n"
    "  wall, CPU   time of one unit of work, and CPU time of all threads for it\n"
    "  CPU after   CPU time of all threads after the last run, until they are idle\n"
    "  peak MiB    memory of one run\n"
    "  x blitz     times slower than blitz on as many threads: above 1, blitz is faster\n"
    "serial is the plain code, by_hand a division of it by hand, tbb_* oneTBB, openmp_* g++'s OpenMP, clang_* clang's\n"
    "OpenMP, rayon* Rayon, blitz_async the other backend of blitz. bench/README.md has all names and workloads.\n";

}  // namespace

void write_targets(std::ostream& out, const std::vector<Target>& all) {
  out << "\naims\n";
  std::size_t unknown = 0;
  for (const auto& target : all) {
    if (!target.known()) {
      ++unknown;
      continue;
    }
    out << (target.met() ? "  PASS  " : "  MISS  ") << target.aim << ": " << number_text(target.measured) << target.unit
        << " (" << (target.at_least ? "at least " : "at most ") << number_text(target.limit) << target.unit << ")\n";
  }
  if (unknown != 0) out << "  " << unknown << " more need rows that this run did not measure\n";
}

void write_table(std::ostream& out, const Results& results) {
  const Machine machine = this_machine();
  out << machine.processor << ", " << machine.processors << " processors, " << machine.compiler << ", "
      << results.repetitions << " repetitions, " << results.scale << " inputs\n"
      << kLegend;
  const Spec* shown = nullptr;
  for (const auto& row : results.rows) {
    if (row.spec != shown) write_workload(out, results, *row.spec);
    shown = row.spec;
  }
  write_geometric_means(out, results);
  write_break_evens(out, results);
}

}  // namespace bench
