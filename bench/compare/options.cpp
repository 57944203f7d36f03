#include "bench/compare/options.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "bench/harness/registry.hpp"

namespace bench {
namespace {

constexpr unsigned kMostThreads = 1024;
constexpr unsigned kMostRepetitions = 10'000;

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  for (std::size_t comma; (comma = list.find(',')) != std::string_view::npos; list.remove_prefix(comma + 1)) {
    parts.emplace_back(list.substr(0, comma));
  }
  parts.emplace_back(list);
  return parts;
}

unsigned number(std::string_view option, std::string_view text, unsigned most) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0 || value > most) {
    throw BadOptions(std::string(option) + ": '" + std::string(text) + "' is not a number from 1 to " +
                     std::to_string(most));
  }
  return value;
}

std::vector<unsigned> thread_counts(std::string_view option, std::string_view text) {
  std::vector<unsigned> counts;
  for (const auto& part : split(text)) counts.push_back(number(option, part, kMostThreads));
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

std::vector<std::string> workload_names(std::string_view option, std::string_view text) {
  auto names = split(text);
  for (const auto& name : names) {
    const auto& all = entries();
    if (std::none_of(all.begin(), all.end(), [&](const Entry& e) { return e.spec->name == name; })) {
      throw BadOptions(std::string(option) + ": there is no workload '" + name + "'; --list names them");
    }
  }
  return names;
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code neither_exists;
  return !a.empty() && (a == b || std::filesystem::equivalent(a, b, neither_exists));
}

/// --json would overwrite the baseline before it is read.
void refuse_one_file_for_two(const Options& options) {
  if (same_file(options.json, options.baseline)) throw BadOptions("--json and --baseline name the same file");
}

}  // namespace

const char* const kHelp =
    "usage: compare [options]\n"
    "\n"
    "Measures blitz, the serial form, oneTBB, OpenMP and Rayon on the same inputs in one process, interleaved, and\n"
    "checks every result. Stop other programs first.\n"
    "\n"
    "  --quick            smaller inputs, fewer workloads and 7 repetitions: under two minutes\n"
    "  --smoke            tiny inputs and 2 repetitions: only shows that everything works\n"
    "  --only NAME,...    only these workloads\n"
    "  --threads N,...    these thread counts (default: 1 and all processors this process may use)\n"
    "  --repetitions N    how often each entry is measured (default: 15)\n"
    "  --json FILE        write the results as JSON, for bench/conclusion.py and bench/charts.py\n"
    "  --baseline FILE    list changes of speed beyond the noise since FILE, which --json wrote earlier\n"
    "  --aims             also say which of the project's aims are met\n"
    "  --list             print the selected workloads and their implementations, and exit\n"
    "  --help             show this, and exit\n"
    "\n"
    "Exit status: 0 all results right, whatever the speed; 1 a wrong result; 2 bad options, or a file that\n"
    "cannot be read or written.\n";

Options parse_options(std::span<const char* const> arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view option = arguments[i];
    const auto value = [&]() -> std::string_view {
      if (i + 1 == arguments.size()) throw BadOptions(std::string(option) + ": a value is missing");
      const std::string_view text = arguments[++i];
      if (text.empty() || text.starts_with("--")) throw BadOptions(std::string(option) + ": a value is missing");
      return text;
    };
    const auto scale = [&](Scale wanted) {
      if (options.scale != Scale::full && options.scale != wanted)
        throw BadOptions("--quick and --smoke exclude each other");
      options.scale = wanted;
    };
    if (option == "--quick") {
      scale(Scale::quick);
    } else if (option == "--smoke") {
      scale(Scale::smoke);
    } else if (option == "--only") {
      options.only = workload_names(option, value());
    } else if (option == "--threads") {
      options.threads = thread_counts(option, value());
    } else if (option == "--repetitions") {
      options.repetitions = number(option, value(), kMostRepetitions);
    } else if (option == "--json") {
      options.json = value();
    } else if (option == "--baseline") {
      options.baseline = value();
    } else if (option == "--aims") {
      options.aims = true;
    } else if (option == "--list") {
      options.list = true;
    } else if (option == "--help") {
      options.help = true;
    } else {
      throw BadOptions("unknown option '" + std::string(option) + "'; --help names them all");
    }
  }
  refuse_one_file_for_two(options);
  return options;
}

}  // namespace bench
