/// The command line of `simulate`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/simulation/costs.hpp"
#include "bench/simulation/scenario.hpp"

namespace simulation {

struct Options {
  std::vector<unsigned> threads{1, 2, 4, 8, 16, 32, 64, 128};
  std::vector<Backend> backends{Backend::kForkJoin, Backend::kAsync};
  std::vector<std::string> only;  // empty: all
  Costs costs;
  std::string profile = "metal";
  std::uint64_t seed = 1;
  Size size = Size::kFull;
  bool details = false;
  std::string free_line;
};

/// Throws std::invalid_argument with a message for the user. Returns nothing after printing the help.
[[nodiscard]] std::optional<Options> parse(int count, char** arguments);

}  // namespace simulation
