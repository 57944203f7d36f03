#include "bench/simulation/options.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string_view>

namespace simulation {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

template <class T>
T to_number(std::string_view text, T least, T most) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= least && value <= most)) {
    refuse("'" + std::string(text) + "' is not a number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  if (parts.empty()) refuse("an empty list");
  return parts;
}

void print_help() {
  std::cout
      << "Runs the library on a simulated machine with many processors, and counts what grows with their number.\n\n"
         "  --threads LIST    numbers of workers (1,2,4,8,16,32,64,128)\n"
         "  --backend NAME    fork_join or async (both)\n"
         "  --only LIST       scenarios (all)\n"
         "  --profile NAME    costs of a machine (metal)\n"
         "                    metal     a server of several sockets\n"
         "                    chiplets  the same with a last-level cache for each 8 processors\n"
         "                    virtual   a guest with slow interrupts\n"
         "                    guest     as measured in a guest of 16 processors\n"
         "  --seed N          of the differences between wake-ups (1)\n"
         "  --smoke           tiny inputs\n"
         "  --details         the lines that move, and the callers of heavy fences\n"
         "  --free-line NAME  no access waits for the lines of this name in --details: the most that a remedy could "
         "gain\n"
         "  --socket N        processors in a socket (64)\n"
         "  --cache N         processors with one last-level cache (8 in chiplets, otherwise all of a socket)\n"
         "  --slow            the program's work takes twice as long on every second worker\n"
         "  --parallel-membarrier   as before Linux 6.8, several calls at once\n\nScenarios:\n";
  for (const Scenario& scenario : scenarios()) {
    std::cout << "  " << scenario.name << std::string(18 - scenario.name.size(), ' ') << scenario.what << '\n';
  }
  std::cout << "\nSingle costs, in nanoseconds, in place of the profile's:\n";
  const Costs costs;
  for (const CostField& field : kCostFields) {
    std::cout << "  --" << field.name << std::string(24 - field.name.size(), ' ') << field.help << " ("
              << in_nanoseconds(costs.*field.member) << ")\n";
  }
}

void check_scenarios(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto is_it = [&](const Scenario& scenario) { return scenario.name == name; };
    if (std::none_of(scenarios().begin(), scenarios().end(), is_it)) refuse("there is no scenario '" + name + "'");
  }
}

/// The profile comes first, wherever its option is: the other options change its costs.
void choose_profile(int count, char** arguments, Options& options) {
  for (int i = 1; i + 1 < count; ++i) {
    if (std::string_view(arguments[i]) == "--profile") options.profile = arguments[i + 1];
  }
  const auto costs = find_profile(options.profile);
  if (!costs) refuse("there is no profile '" + options.profile + "'");
  options.costs = *costs;
}

/// Returns whether there is a cost with this name.
bool set_cost(std::string_view name, const std::function<std::string_view()>& value, Costs& costs) {
  for (const CostField& field : kCostFields) {
    if (field.name != name) continue;
    costs.*field.member = nanoseconds(to_number(value(), 0.0, 1e9));
    return true;
  }
  return false;
}

}  // namespace

std::optional<Options> parse(int count, char** arguments) {
  Options options;
  choose_profile(count, arguments, options);
  for (int i = 1; i < count; ++i) {
    const std::string_view name = arguments[i];
    const auto value = [&]() -> std::string_view {
      if (++i == count) refuse(std::string(name) + " needs a value");
      return arguments[i];
    };
    if (name == "--help") {
      print_help();
      return std::nullopt;
    }
    if (name == "--threads") {
      options.threads.clear();
      for (const std::string& part : split(value()))
        options.threads.push_back(to_number(part, 1u, kMaxProcessors - 32));
    } else if (name == "--backend") {
      const std::string_view backend = value();
      if (backend != "fork_join" && backend != "async") refuse("there is no backend '" + std::string(backend) + "'");
      options.backends = {backend == "async" ? Backend::kAsync : Backend::kForkJoin};
    } else if (name == "--only") {
      options.only = split(value());
      check_scenarios(options.only);
    } else if (name == "--profile") {
      value();  // choose_profile() has read it.
    } else if (name == "--seed") {
      options.seed = to_number(value(), std::uint64_t{0}, ~std::uint64_t{0} >> 1);
    } else if (name == "--socket") {
      options.costs.socket = to_number(value(), 1u, kMaxProcessors);
    } else if (name == "--cache") {
      options.costs.cache = to_number(value(), 1u, kMaxProcessors);
    } else if (name == "--slow") {
      options.costs.slow = true;
    } else if (name == "--smoke") {
      options.size = Size::kTiny;
    } else if (name == "--details") {
      options.details = true;
    } else if (name == "--free-line") {
      options.free_line = value();
    } else if (name == "--parallel-membarrier") {
      options.costs.membarrier_serial = false;
    } else if (name.substr(0, 2) != "--" || !set_cost(name.substr(2), value, options.costs)) {
      refuse("there is no option '" + std::string(name) + "'");
    }
  }
  return options;
}

}  // namespace simulation
