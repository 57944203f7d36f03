/// The command line of bench/compare: one argument a line.
///
/// Either all options are in their ranges, and parsing them again after writing them out gives the same options; or BadOptions
/// quotes a wrong argument.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

#include "bench/compare/options.hpp"
#include "bench/harness/registry.hpp"
#include "fuzz.hpp"

using blitz_test::require;

namespace {

constexpr unsigned kMostThreads = 1024;
constexpr unsigned kMostRepetitions = 10'000;

constexpr bench::Spec kFib{"fib", "", "", bench::Metric::nanoseconds, bench::Timing::runs};
constexpr bench::Spec kLoop{"loop", "", "", bench::Metric::nanoseconds, bench::Timing::runs};

/// The workloads that --only may name; no test here runs them.
const bool registered = [] {
  for (const bench::Spec* const spec : {&kFib, &kLoop}) {
    bench::add_entry({.spec = spec,
                      .peer = "serial",
                      .threaded = false,
                      .in_quick = true,
                      .peer_type = typeid(bench::Peer),
                      .make_workload = [](bench::Scale) -> std::unique_ptr<bench::Workload> { return nullptr; },
                      .make_peer = [](unsigned) -> std::unique_ptr<bench::Peer> { return nullptr; },
                      .run = [](bench::Workload&, bench::Peer&) {}});
  }
  return true;
}();

bench::Options parse(const std::vector<std::string>& arguments) {
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  return bench::parse_options(pointers);
}

template <class List, class Print>
std::string joined(const List& list, const Print& print) {
  std::string text;
  for (const auto& item : list) text += (text.empty() ? "" : ",") + std::string(print(item));
  return text;
}

/// A command line for these options.
std::vector<std::string> write_out(const bench::Options& options) {
  std::vector<std::string> arguments;
  const auto with_value = [&](const char* option, const std::string& value) {
    if (value.empty()) return;
    arguments.emplace_back(option);
    arguments.push_back(value);
  };
  if (options.scale == bench::Scale::quick) arguments.emplace_back("--quick");
  if (options.scale == bench::Scale::smoke) arguments.emplace_back("--smoke");
  with_value("--only", joined(options.only, [](const std::string& name) { return name; }));
  with_value("--threads", joined(options.threads, [](unsigned count) { return std::to_string(count); }));
  if (options.repetitions != 0) with_value("--repetitions", std::to_string(options.repetitions));
  with_value("--json", options.json);
  with_value("--baseline", options.baseline);
  if (options.aims) arguments.emplace_back("--aims");
  if (options.list) arguments.emplace_back("--list");
  if (options.help) arguments.emplace_back("--help");
  return arguments;
}

void check(const bench::Options& options) {
  require(std::ranges::all_of(options.threads, [](unsigned n) { return n >= 1 && n <= kMostThreads; }),
          "thread counts are in range");
  require(std::ranges::adjacent_find(options.threads, std::ranges::greater_equal()) == options.threads.end(),
          "thread counts ascend");
  require(options.repetitions <= kMostRepetitions, "the repetitions are in range");
  require(std::ranges::all_of(options.only,
                              [](const std::string& name) { return name == kFib.name || name == kLoop.name; }),
          "workloads are those that there are");
  const bench::Options again = parse(write_out(options));
  require(again.scale == options.scale && again.only == options.only && again.threads == options.threads &&
              again.repetitions == options.repetitions && again.json == options.json &&
              again.baseline == options.baseline && again.aims == options.aims && again.list == options.list &&
              again.help == options.help,
          "written out again, the options mean the same");
}

/// No value begins like an option, so the argument after these two options is a number or a list of numbers.
void check_numbers(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    const bool list = arguments[i] == "--threads";
    if (!list && arguments[i] != "--repetitions") continue;
    require(arguments[i + 1].find_first_not_of(list ? "0123456789," : "0123456789") == std::string::npos,
            "a number has digits alone", arguments[i + 1]);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> arguments;
  for (const std::string_view line : blitz_test::split(blitz_test::text_of(data, size), '\n')) {
    arguments.emplace_back(line.substr(0, line.find('\0')));  // A NUL ends an argument.
  }
  if (arguments.back().empty()) arguments.pop_back();
  try {
    check(parse(arguments));
    check_numbers(arguments);
  } catch (const bench::BadOptions& error) {
    const std::string_view message = error.what();
    const bool quotes = std::ranges::any_of(arguments, [&](const std::string& argument) {
      return message.find(argument.empty() ? "''" : argument) != std::string_view::npos;
    });
    require(quotes, "the message quotes an argument", message);
  }
  return 0;
}
